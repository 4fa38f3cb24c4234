"""The outcome of a command: its events, the persons concerned by their notes, and the answer. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.event_store import Loaded, Write
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.text import render
from faristol.tournament.rounds.readiness import round_paired_without, round_to_pair_again
from faristol.tournament.situation import PairingCommand, Situation, of_game
from faristol.tournament.state import TournamentState, stream

M = TypeVar("M", bound=Message)


def _rounds_after(situation: Situation, new_events: Sequence[Message]) -> list[int]:
    """Return the rounds paired after that of a corrected result; an empty list without a correction."""
    corrected = next((event.round for event in new_events if isinstance(event, events.ResultCorrected)), None)
    return [played.number for played in situation.state.played if corrected and played.number > corrected]


SHARED: Mapping[str, Callable[[Situation, Sequence[Message]], Any]] = {
    "round_to_pair_again": lambda situation, new_events: round_to_pair_again(
        situation.state, situation.ruleset, new_events
    ),
    "round_paired_without": lambda situation, new_events: round_paired_without(situation.state, new_events),
    "rounds_after": _rounds_after,
    "proposal": lambda situation, new_events: next(
        (event.proposal for event in new_events if isinstance(event, events.ChangeProposed)), 0
    ),
}
"""Fields shared by the answers to several commands."""


def to_obstacle(refusal: Refusal, language: str) -> pb.Obstacle:
    """Return a reason against a command as a message, with its text in a language."""
    return pb.Obstacle(
        reason=refusal.reason, article=refusal.article, subject=refusal.subject, text=render(refusal, language)
    )


def at_position(answer: M) -> Callable[[int], M]:
    """Return a function that sets the position of the last event in an answer, if it has one."""

    def set_position(position: int) -> M:
        placed: Any = answer
        if "position" in placed.DESCRIPTOR.fields_by_name:
            placed.position = position
        return answer

    return set_position


def answer_to(
    command: PairingCommand, response: type[M], situation: Situation, request: Any, new_events: Sequence[Message]
) -> M:
    """Return the answer to a command, without the position of the last of ``new_events``."""
    names = response.DESCRIPTOR.fields_by_name
    fields = {name: compute(situation, new_events) for name, compute in SHARED.items() if name in names}
    telling = next((event for event in new_events if command.tells and isinstance(event, command.tells)), None)
    if telling is not None:
        fields |= {field.name: value for field, value in telling.ListFields() if field.name in names}
    return response(**{**fields, **command.more(situation, request, new_events)})


def write_of(loaded: Loaded[TournamentState], new_events: list[Message]) -> Write:
    """Build the write that appends events to a loaded tournament."""
    state = loaded.state
    tournament_id = state.tournament_id or next(
        event.tournament_id for event in new_events if isinstance(event, events.TournamentCreated)
    )
    noted = [event for event in new_events if type(event) in _CONCERNED and getattr(event, "note", None)]
    concerned = {person for event in noted for person in _CONCERNED[type(event)](state, event)}
    return Write(stream(tournament_id), loaded.version, new_events, tournament_id, concerned)


def _of_team(state: TournamentState, event: events.TeamWithdrawn) -> Collection[str]:
    team = state.team(event.team_id)
    return team.line_up if team else ()


def _players_among(state: TournamentState, members: Iterable[events.TribunalMember]) -> set[str]:
    return {member.person_id for member in members if state.player(member.person_id)}


def _of_appeal_lodged(state: TournamentState, event: events.AppealLodged) -> Collection[str]:
    return _players_among(state, event.members)


def _of_appeal(state: TournamentState, event: events.AppealDecided | events.AppealWithdrawn) -> Collection[str]:
    appeal = state.appeals[event.appeal - 1]
    return {*appeal.involved, *_players_among(state, appeal.members)}


_CONCERNED: Mapping[type[Message], Callable[[TournamentState, Any], Collection[str]]] = {
    events.PlayerWithdrawn: of_game,
    events.PlayerSanctioned: of_game,
    events.TableSanctionNoted: of_game,
    events.SanctionLifted: of_game,
    events.ResultEntered: of_game,
    events.ResultCorrected: of_game,
    events.ResultDisputed: of_game,
    events.SpreadAdjusted: of_game,
    events.PostponementCancelled: of_game,
    events.TeamWithdrawn: _of_team,
    events.AppealLodged: _of_appeal_lodged,
    events.AppealDecided: _of_appeal,
    events.AppealWithdrawn: _of_appeal,
}
"""The persons that the note of an event concerns, other than the players that the event names."""
