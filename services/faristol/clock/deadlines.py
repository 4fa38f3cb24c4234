"""When a time is over, and what that brings. Pure.

A deadline is data: its fact is dated at the moment itself, however late somebody notices. Whoever decides anything on
a clock first writes what was due before, so it does not matter whether a timer was there to fire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.clock.model import NANOSECONDS, Clock, Instant, evolve, timestamp
from faristol.clock.views import Phase, Table
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Deadline:
    """Something that comes by itself unless something else comes first."""

    due: Instant
    """From when on it holds. What happens at the moment before is still in time."""
    fact: Message
    """What is written then."""


def next_deadline(clock: Clock, table: Table, ruleset: Ruleset) -> Deadline | None:
    """The first deadline that ``clock`` comes to if nothing else happens; None when it comes to none."""
    return None if table.phase is Phase.ENDED else deadline_in(clock, table.turn)


def deadline_in(clock: Clock, turn: int) -> Deadline | None:
    """The first deadline while the game is in ``turn`` and not over.

    After a press it waits until the game has taken that up, which may have ended it.
    """
    if not clock.game_id or clock.stopped or clock.exceeded or clock.pressed_turn >= turn:
        return None
    return min(_deadlines(clock), key=lambda deadline: deadline.due, default=None)


def due(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
    """The facts of every deadline that was due at ``at``, in order."""
    facts = []
    while (deadline := next_deadline(clock, table, ruleset)) is not None and deadline.due <= at:
        facts.append(deadline.fact)
        clock = evolve(clock, deadline.fact)
    return facts


def _deadlines(clock: Clock) -> Iterator[Deadline]:
    if clock.running and clock.overtime_cap_ms:
        yield _cap(clock)
    if clock.running and clock.turn_ms:
        yield _turn(clock)


def _cap(clock: Clock) -> Deadline:
    """Overtime beyond the cap (FISC I.8.D). The cap itself may be used up to its last millisecond."""
    left_ms = clock.allowance_ms + clock.overtime_cap_ms - clock.used(clock.running)
    return Deadline(
        due=_after_ms(clock, left_ms + 1),
        fact=events.OvertimeCapExceeded(
            player_id=clock.running,
            overtime_ms=clock.overtime_cap_ms,
            occurred_at=timestamp(max(_after_ms(clock, left_ms), clock.running_since)),
        ),
    )


def _turn(clock: Clock) -> Deadline:
    """The time of the turn (UF 18.1, FM 2, FISE 33). What is placed at its very end is placed in time."""
    left_ms = max(0, clock.turn_ms - clock.turn_used_ms)
    at = max(_after_ms(clock, left_ms), clock.running_since)
    return Deadline(
        due=at + 1,
        fact=events.TurnTimedOut(
            player_id=clock.running,
            turn=clock.turn,
            used_ms=clock.used_at(clock.running, at),
            occurred_at=timestamp(at),
        ),
    )


def _after_ms(clock: Clock, ms: int) -> Instant:
    """When the running clock has run for ``ms``, from the last time that it was started."""
    return (clock.running_since // NANOSECONDS + ms) * NANOSECONDS
