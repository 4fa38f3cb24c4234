"""Folds of events about players, teams, pairs and appeals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from google.protobuf.message import Message

from faristol.kernel.pairings import REQUESTED_BYES
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state.player import PlayerState, with_item, with_key, without_key
from faristol.tournament.state.team import TeamState
from faristol.tournament.state.tournament import (
    Appeal,
    AppealPhase,
    DataRequest,
    PlayerActs,
    PlayerRequest,
    TournamentState,
)

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


def _apply_player_registered(state: TournamentState, event: events.PlayerRegistered) -> TournamentState:
    player = PlayerState(
        event.player_id, event.rating, event.unrated, category=event.category, seed_number=event.seed_number
    )
    return replace(state, players=(*state.players, player))


def _apply_players_qualified(state: TournamentState, event: events.PlayersQualified) -> TournamentState:
    """Give the players of a stage their seeds, and the points that they carry over."""
    qualified = {each.player_id: (seed, each) for seed, each in enumerate(event.players, 1)}
    left = frozenset(event.left_player_ids)
    players = []
    for player in state.players:
        seed, carried = qualified.get(player.player_id, (0, events.QualifiedPlayer()))
        players.append(
            replace(
                player,
                seed_number=seed,
                carried_half_points=carried.carried_half_points,
                carried_spread=carried.carried_spread,
                displaced=player.displaced or player.player_id in left,
            )
        )
    return replace(state, players=tuple(players))


def _apply_late_entry_admitted(state: TournamentState, event: events.LateEntryAdmitted) -> TournamentState:
    late = PlayerState(
        event.player_id, event.rating, event.unrated, event.round, event.fictitious_half_points, category=event.category
    )
    return replace(state, players=(*state.players, late))


def _apply_team_registered(state: TournamentState, event: events.TeamRegistered) -> TournamentState:
    entry = PlayerState(event.team_id, rating=0, unrated=True, entered=event.round)
    return replace(state, teams=(*state.teams, TeamState(entry, event.name, tuple(event.player_ids))))


def _apply_line_up_set(state: TournamentState, event: events.LineUpSet) -> TournamentState:
    line_up = tuple(event.player_ids)
    teams = tuple(replace(team, line_up=line_up) if team.team_id == event.team_id else team for team in state.teams)
    return replace(state, teams=teams)


def _apply_to_team(state: TournamentState, event: OfTeam) -> TournamentState:
    """Apply an event about the rounds of one team."""
    paired = len(state.played)
    teams = tuple(
        replace(team, entry=_change_player(team.entry, event, paired)) if team.team_id == event.team_id else team
        for team in state.teams
    )
    return replace(state, teams=teams)


def _apply_to_player(state: TournamentState, event: OfPlayer) -> TournamentState:
    """Apply an event about one player."""
    paired = len(state.played)
    players = tuple(
        _change_player(player, event, paired) if player.player_id == event.player_id else player
        for player in state.players
    )
    return replace(state, players=players)


def _apply_bye(state: TournamentState, event: events.ByeGranted | events.ByeRevoked) -> TournamentState:
    return _apply_to_team(state, event) if event.team_id else _apply_to_player(state, event)


def _apply_appeal_lodged(state: TournamentState, event: events.AppealLodged) -> TournamentState:
    appeal = Appeal(event.player_id, event.version, tuple(event.members), involved=tuple(event.player_ids))
    return replace(state, appeals=(*state.appeals, appeal))


def _apply_appeal_ended(
    state: TournamentState, event: events.AppealDecided | events.AppealWithdrawn
) -> TournamentState:
    if isinstance(event, events.AppealWithdrawn):
        phase = AppealPhase.WITHDRAWN
    else:
        phase = AppealPhase.UPHELD if event.upheld else AppealPhase.DISMISSED
    return replace(state, appeals=with_item(state.appeals, event.appeal, phase=phase))


def _apply_pair_kept(state: TournamentState, event: events.PairKept) -> TournamentState:
    first, second = event.team_ids or event.player_ids
    return replace(state, kept=with_key(state.kept, event.round, (*state.kept.get(event.round, ()), (first, second))))


def _apply_pair_released(state: TournamentState, event: events.PairReleased) -> TournamentState:
    left = tuple(pair for pair in state.kept.get(event.round, ()) if set(pair) != _pair_of(event))
    return replace(state, kept=with_key(state.kept, event.round, left))


def _pair_of(event: events.PairForbidden | events.PairAllowed | events.PairReleased) -> frozenset[str]:
    """Return the two players, or the two teams, of an event."""
    return frozenset(event.team_ids or event.player_ids)


def _change_player(player: PlayerState, event: OfPlayer | OfTeam, paired: int) -> PlayerState:
    """Apply an event to a player, or to the entry of a team, after ``paired`` rounds have been paired."""
    match event:
        case events.PlayerAmended():
            return _amend_player(player, event)
        case events.PlayerCheckedIn():
            return replace(player, checked_in=True)
        case events.PlayerCheckedOut():
            return replace(player, checked_in=False)
        case events.PlayerWithdrawn() | events.TeamWithdrawn():
            missed = frozenset(number for number in player.missed if number < event.round)
            gave_up = event.game_id if isinstance(event, events.PlayerWithdrawn) else ""
            return replace(player, withdrawn=event.round, missed=missed, gave_up=gave_up)
        case events.PlayerReinstated() | events.TeamReinstated():
            since = event.round if player.withdrawn is None else player.withdrawn
            missed = player.missed.union(range(since, event.round))
            return replace(player, withdrawn=None, missed=missed, gave_up="", displaced=False)
        case events.ByeGranted():
            return replace(player, byes=with_key(player.byes, event.round, REQUESTED_BYES[event.kind]))
        case events.ByeRevoked():
            return replace(player, byes=without_key(player.byes, event.round))
        case events.TableFixed():
            return replace(player, table=event.table)
        case events.TableReleased():
            return replace(player, table=None)
        case events.PlayerWarned() | events.WarningLifted():
            return replace(player, warnings=event.count)
        case events.PlayerExpelled():
            left_before = player.withdrawn is not None
            return replace(player, expelled=True, expelled_under=event.article, left_before=left_before)
        case events.ExpulsionLifted():
            since = paired + 1 if player.left_before or player.withdrawn is None else player.withdrawn
            let_back = player.let_back.union(range(since, paired + 1))
            return replace(player, expelled=False, expelled_under="", left_before=False, let_back=let_back)
        case events.PlayerSanctioned():
            excluded, missed = player.excluded.union(event.rounds), player.missed.difference(event.rounds)
            return replace(player, excluded=excluded, missed=missed, let_back=player.let_back.difference(event.rounds))
        case events.SanctionLifted():
            # The player misses a round that is already paired, unless it is paired again.
            without = {number for number in event.rounds if number <= paired}
            return replace(
                player,
                excluded=player.excluded.difference(event.rounds),
                missed=player.missed | without,
                let_back=player.let_back | without,
            )


def _amend_player(player: PlayerState, event: events.PlayerAmended) -> PlayerState:
    if events.ENTRY_PART_RATING in event.parts:
        player = replace(player, rating=event.rating, unrated=event.unrated)
    return replace(player, category=event.category) if events.ENTRY_PART_CATEGORY in event.parts else player


def _apply_player_request_answered(state: TournamentState, event: events.PlayerRequestAnswered) -> TournamentState:
    outcome = {"waits": False, "granted": event.granted, "taken_back": event.taken_back}
    return replace(state, player_requests=with_item(state.player_requests, event.request, **outcome))


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.PlayersQualified: _apply_players_qualified,
    events.PlayerRegistered: _apply_player_registered,
    events.LateEntryAdmitted: _apply_late_entry_admitted,
    events.TeamRegistered: _apply_team_registered,
    events.LineUpSet: _apply_line_up_set,
    events.TeamWithdrawn: _apply_to_team,
    events.TeamReinstated: _apply_to_team,
    **dict.fromkeys(get_args(OfPlayer), _apply_to_player),
    events.ByeGranted: _apply_bye,
    events.ByeRevoked: _apply_bye,
    events.TribunalAppointed: lambda state, event: replace(state, tribunal=tuple(event.members)),
    events.AppealLodged: _apply_appeal_lodged,
    events.AppealDecided: _apply_appeal_ended,
    events.AppealWithdrawn: _apply_appeal_ended,
    events.DataRequestLodged: lambda state, event: replace(
        state, data_requests=(*state.data_requests, DataRequest(event.player_id, event.kind))
    ),
    events.DataRequestAnswered: lambda state, event: replace(
        state, data_requests=with_item(state.data_requests, event.request, waits=False)
    ),
    events.CheckInOpened: lambda state, event: replace(state, check_in_round=event.round),
    events.PlayerActsSet: lambda state, event: replace(
        state,
        player_acts=PlayerActs(
            event.most_byes,
            event.bye_kind or events.BYE_KIND_HALF_POINT,
            event.leaving or events.LEAVING_OPTION_REQUEST,
            event.check_in,
        ),
    ),
    events.PlayerRequestLodged: lambda state, event: replace(
        state, player_requests=(*state.player_requests, PlayerRequest(event.player_id, event.kind, event.round))
    ),
    events.PlayerRequestAnswered: _apply_player_request_answered,
    events.PairForbidden: lambda state, event: replace(state, forbidden=state.forbidden | {_pair_of(event)}),
    events.PairAllowed: lambda state, event: replace(state, forbidden=state.forbidden - {_pair_of(event)}),
    events.PairKept: _apply_pair_kept,
    events.PairReleased: _apply_pair_released,
}
"""The fold of each type of event in this module."""
