"""The undo of an event by a compensating command. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.registry import BASE_COMMANDS, UNDO
from faristol.tournament.conditions import build_game_refusal
from faristol.tournament.prefix import Prefix
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import TournamentState

NO_UNDO = Undo()
"""The entry of an event that cannot be undone and that supersedes no other."""


def undone_by(act: Message, before: Sequence[Message]) -> str:
    """Return the name of the command that undoes ``act``, which followed ``before``; empty if it cannot be undone."""
    by = UNDO.get(type(act), NO_UNDO).by
    if by is None:
        return ""
    kind: type[Message] = by if isinstance(by, type) else type(by(act, before))
    return str(kind.DESCRIPTOR.name.removesuffix("Request"))


def can_undo(state: TournamentState, past_events: Sequence[Message], version: int) -> str:
    """Return the name of the command that can undo a version, from 1, in the current state; empty for none."""
    act = past_events[version - 1]
    command, undo = undone_by(act, Prefix(past_events, version - 1)), UNDO.get(type(act), NO_UNDO)
    return undo.now(state, past_events, version, command) if undo.now else command


def undo(situation: Situation, request: pb.UndoActRequest) -> list[Message]:
    """Return the events that undo the event of a version.

    Raises ``Refusal`` if it cannot be undone, or if a later event rests on it or supersedes it. Raises ``Refusal`` for
    half of a move between divisions.
    """
    act, version = situation.act(request.version), request.version
    if isinstance(act, events.ResultRecorded | events.ResultEntered | events.ResultCorrected):
        raise build_game_refusal(
            "NOT_UNDONE", "", N_("A result cannot be undone: correct it with `result correct` for {game}."), act.game_id
        )
    entry = UNDO.get(type(act), NO_UNDO)
    entry.check(situation, act)
    if entry.by is None:
        raise Refusal("NOT_UNDONE", N_("Command {version} cannot be undone by another command."), {"version": version})
    if (later := superseded_by(act, situation.past_events[version:])) is not None:
        place = next(number for number, event in enumerate(situation.past_events, 1) if event is later)
        raise Refusal(
            "NOT_UNDONE",
            N_("Command {version} can no longer be undone: command {later} came after it."),
            {"version": version, "later": place},
        )
    if entry.decide is not None:
        return _add_reason(situation, request, act, entry.decide(situation, version, request.note))
    command: Any = (
        like(entry.by, act, occurred_at=None)
        if isinstance(entry.by, type)
        else entry.by(act, situation.past_events[: version - 1])
    )
    if "note" in command.DESCRIPTOR.fields_by_name:
        command.note = request.note
    return _add_reason(situation, request, act, BASE_COMMANDS[type(command)].decide(situation, command))


def _add_reason(
    situation: Situation, request: pb.UndoActRequest, act: Message, new_events: list[Message]
) -> list[Message]:
    """Add an event with the reason to those of an undo, unless one of them has it."""
    if not request.note or any(getattr(event, "note", "") for event in new_events):
        return new_events
    noted = situation.event(events.UndoNoted, request, player_ids=players_of(act))
    return [*new_events, noted]


def superseded_by(act: Message, later: Sequence[Message]) -> Message | None:
    """Return the first of the ``later`` events that prevents the undo of ``act``, or None.

    Such an event decides the same again, or depends on ``act``.
    """
    thing, rests = _thing(act), UNDO.get(type(act), NO_UNDO).rests
    for event in _standing(later):
        if (thing and thing == _thing(event)) or rests(act, event):
            return event
    return None


def _thing(event: Message) -> tuple[Hashable, ...]:
    """Return the subject of an event by ``Undo.thing``; empty without one. The order of repeated values is ignored."""
    word, fields = (thing := UNDO.get(type(event), NO_UNDO).thing)[:1], thing[1:]
    values = (getattr(event, name) for name in fields)
    return (*word, *(value if isinstance(value, str | int) else frozenset(value) for value in values))


def _standing(past_events: Sequence[Message]) -> list[Message]:
    """Return the events without pairings that were undone."""
    standing: list[Message] = []
    for event in past_events:
        place = _pairing_of(event.round, standing) if isinstance(event, _WITHDRAWALS) else None
        if place is None:
            standing.append(event)
        else:
            standing[place:] = [other for other in standing[place:] if not isinstance(other, _OF_PAIRING)]
    return standing


_WITHDRAWALS = (events.RoundUnpaired, events.RoundUnpublished)

_OF_PAIRING = (
    events.RoundPaired,
    events.ByeAwarded,
    events.RoundPublished,
    events.GamePostponed,
    events.PostponementCancelled,
)
"""Types of events that are dropped with a pairing: no other round is paired before its start."""


def _pairing_of(number: int, past_events: Sequence[Message]) -> int | None:
    """Return the index of the last pairing of a round among ``past_events``, or None."""
    found = (
        place
        for place, event in enumerate(past_events)
        if isinstance(event, events.RoundPaired) and event.round == number
    )
    return max(found, default=None)


def _undone_by(situation: Situation, request: pb.UndoActRequest, new_events: Sequence[Message]) -> Mapping[str, Any]:
    return {"undone_by": undone_by(situation.act(request.version), situation.past_events[: request.version - 1])}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.UndoActRequest: PairingCommand(undo, more=_undone_by, needs_past_events=True, divisions=True)
}
