"""Commands on teams: registration, line-up, withdrawal and reinstatement (FISE 4.4). Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.mentions import teams_of
from faristol.kernel.names import check_id, check_name, same_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.championship import check_late_entry
from faristol.tournament.command_handling.identity import ids_of
from faristol.tournament.conditions import build_not_registered_refusal, check_open
from faristol.tournament.players.registration import check_registration_open
from faristol.tournament.players.withdrawal import reinstate, withdraw
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import TournamentState
from faristol.tournament.teams.selection import check_teams, found_team
from faristol.tournament.teams.tournament import between, seats_of_teams

MAX_TEAMS = 200
"""Limit of teams in a tournament."""


def register_team(situation: Situation, request: pb.RegisterTeamRequest) -> list[Message]:
    """Register a team with its line-up: players in the order of the boards, then reserves.

    An empty id is generated from the name. Raises ``Refusal`` if the rules have no teams, or if another team has the
    name. Raises ``Refusal`` if a player is not registered or is in another team.
    """
    state, ruleset = situation.state, situation.ruleset
    name = check_name("name", request.name)
    if request.team_id:
        check_id("team_id", request.team_id)
    check_open(state)
    check_teams(ruleset)
    team_id = request.team_id or _free_id(state, name, request.command_id)
    if state.team(team_id) is not None:
        raise AlreadyExists("team", team_id)
    _check_name_free(state, name)
    if len(state.teams) >= MAX_TEAMS:
        raise Refusal(
            "TOO_MANY_TEAMS",
            N_("A tournament accepts at most {most} teams; {team} would exceed this."),
            {"most": MAX_TEAMS, "team": team_id},
        )
    _check_line_up(state, ruleset, team_id, request.player_ids)
    number = state.next_to_start
    if number > 1:
        check_registration_open(ruleset, team_id)
        # No fictitious points: the book that has them gives them to players, and has no teams (FISC I.4).
        check_late_entry(number, state.rounds, ruleset)
    return [
        situation.event(events.TeamRegistered, team_id=team_id, name=name, player_ids=request.player_ids, round=number)
    ]


def _free_id(state: TournamentState, name: str, command_id: str) -> str:
    return next(team_id for team_id in ids_of(name, command_id, "team") if state.team(team_id) is None)


def set_line_up(situation: Situation, request: pb.SetLineUpRequest) -> list[Message]:
    """Change the line-up of a team. A round that is already paired does not change, unless it is paired again."""
    team = found_team(situation.state, request.team_id)
    _check_line_up(situation.state, situation.ruleset, team.team_id, request.player_ids)
    if tuple(request.player_ids) == team.line_up:
        raise Refusal("SAME_LINE_UP", N_("{team} already has this line-up."), {"team": team.team_id})
    return [situation.event(events.LineUpSet, request, team_id=team.team_id)]


def withdraw_team(situation: Situation, request: pb.WithdrawTeamRequest, *, since: int | None = None) -> list[Message]:
    """Withdraw a team. Running games of its players are played to their end.

    ``since`` is the first round without the team, if it has already missed rounds.
    """
    found_team(situation.state, request.team_id)
    leaving = pb.WithdrawPlayerRequest(player_id=request.team_id, running_game=pb.RUNNING_GAME_PLAYED_OUT)
    (left,) = withdraw(_among_teams(situation), leaving, since=since)
    assert isinstance(left, events.PlayerWithdrawn)
    return [
        events.TeamWithdrawn(team_id=request.team_id, round=left.round, note=request.note, occurred_at=left.occurred_at)
    ]


def reinstate_team(situation: Situation, request: pb.ReinstateTeamRequest) -> list[Message]:
    """Reinstate a withdrawn team. Rounds paired since the withdrawal stay missed."""
    state = situation.state
    team = found_team(state, request.team_id)
    (back,) = reinstate(_among_teams(situation), pb.ReinstatePlayerRequest(player_id=team.team_id))
    assert isinstance(back, events.PlayerReinstated)
    if team.entry.never_came:
        # Its name and players could be taken by other teams while it was withdrawn.
        _check_name_free(state, team.name)
        _check_in_no_other(state, situation.ruleset, team.team_id, team.line_up)
    return [events.TeamReinstated(team_id=team.team_id, round=back.round, occurred_at=back.occurred_at)]


def _among_teams(situation: Situation) -> Situation:
    """Return the situation of the tournament between the teams."""
    return replace(situation, state=between(situation.state, situation.ruleset), rules=situation.ruleset, divisions=())


def _check_name_free(state: TournamentState, name: str) -> None:
    """Raise ``Refusal`` if readers could take the name for that of another team."""
    for team in state.teams:
        if not team.entry.never_came and same_name(team.name, name):
            raise Refusal(
                "NAME_TAKEN", N_("The team {team} already has the name {name}."), {"team": team.team_id, "name": name}
            )


def _check_line_up(state: TournamentState, ruleset: Ruleset, team_id: str, player_ids: Sequence[str]) -> None:
    """Raise ``Invalid`` if a line-up is empty or has a player twice, ``Refusal`` if a player cannot be in it."""
    if not player_ids:
        raise Invalid("player_ids", N_("is empty; expected the players in the order of the boards, then the reserves"))
    known = {player.player_id for player in state.players}
    before: set[str] = set()
    for player_id in player_ids:
        if player_id in before:
            raise Invalid("player_ids", N_("has {player} twice"), {"player": player_id})
        if player_id not in known:
            raise build_not_registered_refusal(state, player_id)
        before.add(player_id)
    _check_in_no_other(state, ruleset, team_id, player_ids)


def _check_in_no_other(state: TournamentState, ruleset: Ruleset, team_id: str, player_ids: Collection[str]) -> None:
    """Raise ``Refusal`` for a player in another team's line-up, or with a past board of another team."""
    others = [team for team in state.teams if team.team_id != team_id and not team.entry.never_came]
    of_other = {player: team.team_id for team in others for player in team.line_up}
    sat_for = {seat.player_id: seat for seat in seats_of_teams(state) if seat.team_id != team_id}
    for player_id in player_ids:
        if player_id in of_other:
            raise Refusal(
                "IN_OTHER_TEAM",
                N_("{player} is in the line-up of {team}: a player cannot play for two teams."),
                {"player": player_id, "team": of_other[player_id]},
                article=ruleset.article("championship.team_boards"),
                subject=f"players/{player_id}",
            )
        if player_id in sat_for:
            seat = sat_for[player_id]
            raise Refusal(
                "PLAYED_FOR_OTHER_TEAM",
                N_("{player} had a board of {team} in round {round}: a player cannot play for two teams."),
                {"player": player_id, "team": seat.team_id, "round": seat.round},
                article=ruleset.article("championship.team_boards"),
                subject=f"players/{player_id}",
            )


def _next_round(situation: Situation, request: Any, new_events: Sequence[Message]) -> Mapping[str, Any]:
    return {"round": len(situation.state.played) + 1}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.RegisterTeamRequest: PairingCommand(register_team, tells=events.TeamRegistered),
    pb.SetLineUpRequest: PairingCommand(set_line_up, more=_next_round),
    pb.WithdrawTeamRequest: PairingCommand(withdraw_team, tells=events.TeamWithdrawn),
    pb.ReinstateTeamRequest: PairingCommand(reinstate_team, tells=events.TeamReinstated),
}


def _line_up_before(changed: events.LineUpSet, before: Sequence[Message]) -> Message:
    set_before = (event for event in reversed(before) if isinstance(event, events.TeamRegistered | events.LineUpSet))
    earlier = next((event for event in set_before if event.team_id == changed.team_id), changed)
    return pb.SetLineUpRequest(team_id=changed.team_id, player_ids=earlier.player_ids)


def _withdraw_again(situation: Situation, version: int, note: str) -> list[Message]:
    back = situation.act(version)
    since = next(
        event.round
        for event in reversed(situation.past_events[: version - 1])
        if isinstance(event, events.TeamWithdrawn) and event.team_id == back.team_id
    )
    return withdraw_team(situation, pb.WithdrawTeamRequest(team_id=back.team_id, note=note), since=since)


_TAKING_PART = ("team taking part", "team_id")


def _in_pairing(act: events.LineUpSet | events.TeamReinstated, later: Message) -> bool:
    return isinstance(later, events.RoundPaired) and act.team_id in teams_of(later)


def _paired_without(act: events.TeamWithdrawn, later: Message) -> bool:
    return isinstance(later, events.RoundPaired) and later.round >= act.round


UNDO: Mapping[type[Message], Undo] = {
    events.TeamRegistered: Undo(pb.WithdrawTeamRequest, rests=lambda act, later: act.team_id in teams_of(later)),
    events.LineUpSet: Undo(_line_up_before, thing=("line-up", "team_id"), rests=_in_pairing),
    events.TeamWithdrawn: Undo(pb.ReinstateTeamRequest, thing=_TAKING_PART, rests=_paired_without),
    events.TeamReinstated: Undo(pb.WithdrawTeamRequest, _withdraw_again, thing=_TAKING_PART, rests=_in_pairing),
}
