"""How facts of a tournament are written, and whom the notes on them concern. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pairing.model import Member, Tournament, stream
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.record import Loaded, Write


def write_of(loaded: Loaded[Tournament], facts: list[Message]) -> Write:
    """Facts to append to a tournament as it was loaded."""
    state = loaded.state
    tournament_id = state.tournament_id or next(
        fact.tournament_id for fact in facts if isinstance(fact, events.TournamentCreated)
    )
    concerned = {person for fact in facts for person in _CONCERNED.get(type(fact), _nobody)(state, fact)}
    return Write(stream(tournament_id), loaded.version, facts, tournament_id, concerned)


def _nobody(state: Tournament, fact: Any) -> Collection[str]:
    return ()


def _of_game(state: Tournament, fact: Any) -> Collection[str]:
    """Who plays the game of a fact with a note; nobody where it is about no game."""
    found = state.find_game(fact.game_id) if fact.note else None
    return found[1].player_ids if found else ()


def _of_team(state: Tournament, fact: events.TeamWithdrawn) -> Collection[str]:
    team = state.team(fact.team_id) if fact.note else None
    return team.line_up if team else ()


def _players_among(state: Tournament, members: Iterable[str]) -> set[str]:
    return {person_id for person_id in members if state.player(person_id)}


def _of_appeal_lodged(state: Tournament, fact: events.AppealLodged) -> Collection[str]:
    return _players_among(state, (member.person_id for member in fact.members)) if fact.note else ()


def _of_appeal(state: Tournament, fact: events.AppealDecided | events.AppealWithdrawn) -> Collection[str]:
    if not fact.note:
        return ()
    appeal = state.appeals[fact.appeal - 1]
    members: Iterable[Member] = appeal.members
    return {*appeal.involved, *_players_among(state, (member.person_id for member in members))}


_CONCERNED: Mapping[type[Message], Callable[[Tournament, Any], Collection[str]]] = {
    events.PlayerWithdrawn: _of_game,
    events.PlayerSanctioned: _of_game,
    events.SanctionLifted: _of_game,
    events.ResultEntered: _of_game,
    events.ResultCorrected: _of_game,
    events.SpreadAdjusted: _of_game,
    events.PostponementCancelled: _of_game,
    events.TeamWithdrawn: _of_team,
    events.AppealLodged: _of_appeal_lodged,
    events.AppealDecided: _of_appeal,
    events.AppealWithdrawn: _of_appeal,
}
"""Whom the note of a fact concerns beside those whom the fact names as players."""
