"""Folds of events about players, teams, pairs and appeals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, get_args

from google.protobuf.message import Message

from faristol.kernel.pairings import REQUESTED_BYES
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state.player import PlayerState
from faristol.tournament.state.team import TeamState
from faristol.tournament.state.tournament import Appeal, AppealPhase, DataRequest, TournamentState

OfPlayer = (
    events.PlayerAmended
    | events.PlayerCheckedIn
    | events.PlayerCheckedOut
    | events.PlayerWithdrawn
    | events.PlayerReinstated
    | events.ByeGranted
    | events.ByeRevoked
    | events.TableFixed
    | events.TableReleased
    | events.PlayerWarned
    | events.WarningLifted
    | events.PlayerExpelled
    | events.ExpulsionLifted
    | events.PlayerSanctioned
    | events.SanctionLifted
)
"""Events that change one player."""

OfTeam = events.TeamWithdrawn | events.TeamReinstated | events.ByeGranted | events.ByeRevoked
"""Events that change the rounds of one team."""


def _apply_player_registered(state: TournamentState, fact: events.PlayerRegistered) -> TournamentState:
    player = PlayerState(fact.player_id, fact.rating, fact.unrated, category=fact.category)
    return replace(state, players=(*state.players, player))


def _apply_late_entry_admitted(state: TournamentState, fact: events.LateEntryAdmitted) -> TournamentState:
    late = PlayerState(
        fact.player_id, fact.rating, fact.unrated, fact.round, fact.fictitious_half_points, category=fact.category
    )
    return replace(state, players=(*state.players, late))


def _apply_team_registered(state: TournamentState, fact: events.TeamRegistered) -> TournamentState:
    entry = PlayerState(fact.team_id, rating=0, unrated=True, entered=fact.round)
    return replace(state, teams=(*state.teams, TeamState(entry, fact.name, tuple(fact.player_ids))))


def _apply_line_up_set(state: TournamentState, fact: events.LineUpSet) -> TournamentState:
    line_up = tuple(fact.player_ids)
    teams = tuple(replace(team, line_up=line_up) if team.team_id == fact.team_id else team for team in state.teams)
    return replace(state, teams=teams)


def _apply_to_team(state: TournamentState, fact: OfTeam) -> TournamentState:
    """Apply an event about the rounds of one team."""
    paired = len(state.played)
    teams = tuple(
        replace(team, entry=_change_player(team.entry, fact, paired)) if team.team_id == fact.team_id else team
        for team in state.teams
    )
    return replace(state, teams=teams)


def _apply_to_player(state: TournamentState, fact: OfPlayer) -> TournamentState:
    """Apply an event about one player."""
    paired = len(state.played)
    players = tuple(
        _change_player(player, fact, paired) if player.player_id == fact.player_id else player
        for player in state.players
    )
    return replace(state, players=players)


def _apply_bye(state: TournamentState, fact: events.ByeGranted | events.ByeRevoked) -> TournamentState:
    return _apply_to_team(state, fact) if fact.team_id else _apply_to_player(state, fact)


def _apply_appeal_lodged(state: TournamentState, fact: events.AppealLodged) -> TournamentState:
    appeal = Appeal(fact.player_id, fact.version, tuple(fact.members), involved=tuple(fact.player_ids))
    return replace(state, appeals=(*state.appeals, appeal))


def _apply_appeal_ended(state: TournamentState, fact: events.AppealDecided | events.AppealWithdrawn) -> TournamentState:
    if isinstance(fact, events.AppealWithdrawn):
        phase = AppealPhase.WITHDRAWN
    else:
        phase = AppealPhase.UPHELD if fact.upheld else AppealPhase.DISMISSED
    appeals = list(state.appeals)
    appeals[fact.appeal - 1] = replace(appeals[fact.appeal - 1], phase=phase)
    return replace(state, appeals=tuple(appeals))


def _apply_pair_kept(state: TournamentState, fact: events.PairKept) -> TournamentState:
    first, second = fact.team_ids or fact.player_ids
    return _with_kept(state, fact.round, (*state.kept.get(fact.round, ()), (first, second)))


def _apply_pair_released(state: TournamentState, fact: events.PairReleased) -> TournamentState:
    left = tuple(pair for pair in state.kept.get(fact.round, ()) if set(pair) != _pair_of(fact))
    return _with_kept(state, fact.round, left)


def _pair_of(fact: events.PairForbidden | events.PairAllowed | events.PairReleased) -> frozenset[str]:
    """Return the two players, or the two teams, of an event."""
    return frozenset(fact.team_ids or fact.player_ids)


def _with_kept(state: TournamentState, number: int, pairs: tuple[tuple[str, str], ...]) -> TournamentState:
    return replace(state, kept=MappingProxyType({**state.kept, number: pairs}))


def _change_player(player: PlayerState, fact: OfPlayer | OfTeam, paired: int) -> PlayerState:
    """Apply an event to a player, or to the entry of a team, after ``paired`` rounds have been paired."""
    match fact:
        case events.PlayerAmended():
            return _amend_player(player, fact)
        case events.PlayerCheckedIn():
            return replace(player, checked_in=True)
        case events.PlayerCheckedOut():
            return replace(player, checked_in=False)
        case events.PlayerWithdrawn() | events.TeamWithdrawn():
            missed = frozenset(number for number in player.missed if number < fact.round)
            gave_up = fact.game_id if isinstance(fact, events.PlayerWithdrawn) else ""
            return replace(player, withdrawn=fact.round, missed=missed, gave_up=gave_up)
        case events.PlayerReinstated() | events.TeamReinstated():
            since = fact.round if player.withdrawn is None else player.withdrawn
            return replace(player, withdrawn=None, missed=player.missed.union(range(since, fact.round)), gave_up="")
        case events.ByeGranted():
            return replace(player, byes=MappingProxyType({**player.byes, fact.round: REQUESTED_BYES[fact.kind]}))
        case events.ByeRevoked():
            left = {number: kind for number, kind in player.byes.items() if number != fact.round}
            return replace(player, byes=MappingProxyType(left))
        case events.TableFixed():
            return replace(player, table=fact.table)
        case events.TableReleased():
            return replace(player, table=None)
        case events.PlayerWarned() | events.WarningLifted():
            return replace(player, warnings=fact.count)
        case events.PlayerExpelled():
            left_before = player.withdrawn is not None
            return replace(player, expelled=True, expelled_under=fact.article, left_before=left_before)
        case events.ExpulsionLifted():
            since = paired + 1 if player.left_before or player.withdrawn is None else player.withdrawn
            let_back = player.let_back.union(range(since, paired + 1))
            return replace(player, expelled=False, expelled_under="", left_before=False, let_back=let_back)
        case events.PlayerSanctioned():
            excluded, missed = player.excluded.union(fact.rounds), player.missed.difference(fact.rounds)
            return replace(player, excluded=excluded, missed=missed, let_back=player.let_back.difference(fact.rounds))
        case events.SanctionLifted():
            # The player misses a round that is already paired, unless it is paired again.
            without = {number for number in fact.rounds if number <= paired}
            return replace(
                player,
                excluded=player.excluded.difference(fact.rounds),
                missed=player.missed | without,
                let_back=player.let_back | without,
            )


def _amend_player(player: PlayerState, fact: events.PlayerAmended) -> PlayerState:
    if events.ENTRY_PART_RATING in fact.parts:
        player = replace(player, rating=fact.rating, unrated=fact.unrated)
    return replace(player, category=fact.category) if events.ENTRY_PART_CATEGORY in fact.parts else player


def _apply_data_request_answered(state: TournamentState, fact: events.DataRequestAnswered) -> TournamentState:
    place = fact.request - 1
    answered = replace(state.data_requests[place], waits=False)
    return replace(state, data_requests=(*state.data_requests[:place], answered, *state.data_requests[place + 1 :]))


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.PlayerRegistered: _apply_player_registered,
    events.LateEntryAdmitted: _apply_late_entry_admitted,
    events.TeamRegistered: _apply_team_registered,
    events.LineUpSet: _apply_line_up_set,
    events.TeamWithdrawn: _apply_to_team,
    events.TeamReinstated: _apply_to_team,
    **dict.fromkeys(get_args(OfPlayer), _apply_to_player),
    events.ByeGranted: _apply_bye,
    events.ByeRevoked: _apply_bye,
    events.TribunalAppointed: lambda state, fact: replace(state, tribunal=tuple(fact.members)),
    events.AppealLodged: _apply_appeal_lodged,
    events.AppealDecided: _apply_appeal_ended,
    events.AppealWithdrawn: _apply_appeal_ended,
    events.DataRequestLodged: lambda state, fact: replace(
        state, data_requests=(*state.data_requests, DataRequest(fact.player_id, fact.kind))
    ),
    events.DataRequestAnswered: _apply_data_request_answered,
    events.PairForbidden: lambda state, fact: replace(state, forbidden=state.forbidden | {_pair_of(fact)}),
    events.PairAllowed: lambda state, fact: replace(state, forbidden=state.forbidden - {_pair_of(fact)}),
    events.PairKept: _apply_pair_kept,
    events.PairReleased: _apply_pair_released,
}
"""The fold of each type of event in this module."""
