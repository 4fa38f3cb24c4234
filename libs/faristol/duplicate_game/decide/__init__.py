"""Decisions of duplicate games: a request on a situation returns events, or is refused. Pure."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.duplicate_game.decide import (
    call_names,
    corrections,
    ends,
    hall_turns,
    masters,
    racks,
    slips,
    timers,
    turn_scores,
)
from faristol.duplicate_game.ownership import check_own_slips
from faristol.duplicate_game.situation import Commands, Situation, StreamEvent
from faristol.kernel.event_types import commands_in, set_occurred_at

DUPLICATE_COMMANDS: Commands = commands_in(
    racks, slips, hall_turns, masters, turn_scores, corrections, ends, call_names
)
"""The commands of ``DuplicateService``."""

DUPLICATE_CLOCK_COMMANDS: Commands = commands_in(timers)
"""The commands of ``TurnClockService``."""

_COMMANDS: Commands = {**DUPLICATE_COMMANDS, **DUPLICATE_CLOCK_COMMANDS}


def decide(situation: Situation, request: Message) -> list[StreamEvent]:
    """Return the events of ``request`` at the time of ``situation``.

    Raises as the decision does, and ``Refusal`` if another cell decides on the slips of the hall.
    """
    if "hall" in request.DESCRIPTOR.fields_by_name:
        hall = situation.hall(request.hall)  # type: ignore[attr-defined] # as its type has it
        check_own_slips(hall, situation.cell_key, is_lost=hall.number in situation.lost)
    new_events = _COMMANDS[type(request)](situation, request)
    set_occurred_at([event for _, event in new_events], situation.at)
    return new_events
