"""Teams: they come in with a line-up, change it, and leave (FISE 4.4). Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, identity, systems
from faristol.pairing.decide import players
from faristol.pairing.model import Team, Tournament
from faristol.pairing.team_tournament import between, seats_of_teams
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Ruleset
from faristol.rules.championship import check_late_entry

MOST_TEAMS = 200
"""Teams of a tournament."""


def register_team(
    state: Tournament,
    ruleset: Ruleset,
    *,
    team_id: str,
    name: str,
    player_ids: Sequence[str],
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """A team takes part with the players of its line-up, in the order of the boards and reserves after them.

    Refused where the rules know no teams, for a name that another team has, and for players who are not registered or
    are in another team.
    """
    if state.over:
        raise conditions.over(state)
    check_teams(ruleset)
    if state.team(team_id) is not None:
        raise AlreadyExists("team", team_id)
    _check_name_free(state, name)
    if len(state.teams) >= MOST_TEAMS:
        raise Refusal(
            "TOO_MANY_TEAMS",
            "",
            N_("A tournament takes {most} teams; {team} would be one more."),
            {"most": MOST_TEAMS, "team": team_id},
        )
    _check_line_up(state, ruleset, team_id, player_ids)
    number = state.next_to_start
    if number > 1:
        if ruleset.championship.system in systems.CYCLES:
            raise Refusal(
                "REGISTRATION_CLOSED",
                ruleset.article("championship.system"),
                N_("{player} cannot come in: each meets each, and the rounds are drawn for those who began."),
                {"player": team_id},
            )
        # Without fictitious points: the book that has them gives them to players, and knows no teams (FISC I.4).
        check_late_entry(number, state.rounds, ruleset)
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [
        events.TeamRegistered(team_id=team_id, name=name, player_ids=player_ids, round=number, occurred_at=occurred_at)
    ]


def set_line_up(
    state: Tournament,
    ruleset: Ruleset,
    *,
    team_id: str,
    player_ids: Sequence[str],
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Give a team another line-up. A round that is paired is played as it was, unless it is paired again."""
    team = found_team(state, team_id)
    _check_line_up(state, ruleset, team_id, player_ids)
    if tuple(player_ids) == team.line_up:
        raise Refusal("SAME_LINE_UP", "", N_("{team} has this line-up already."), {"team": team_id})
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.LineUpSet(team_id=team_id, player_ids=player_ids, occurred_at=occurred_at)]


def withdraw_team(
    state: Tournament,
    ruleset: Ruleset,
    *,
    team_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
    since: int | None = None,
) -> list[Message]:
    """A team leaves, as a player does: what its players are playing is played to its end.

    ``since`` is the first round not to be paired in where the team has missed rounds already.
    """
    found_team(state, team_id)
    (left,) = players.withdraw(
        between(state, ruleset),
        player_id=team_id,
        note=note,
        running_game=pairing.RUNNING_GAME_PLAYED_OUT,
        since=since,
        at=at,
        now=now,
    )
    assert isinstance(left, events.PlayerWithdrawn)
    return [events.TeamWithdrawn(team_id=team_id, round=left.round, note=note, occurred_at=left.occurred_at)]


def reinstate_team(
    state: Tournament, ruleset: Ruleset, *, team_id: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Pair a team again that had withdrawn: rounds paired in between stay missed."""
    team = found_team(state, team_id)
    (back,) = players.reinstate(between(state, ruleset), player_id=team_id, at=at, now=now)
    assert isinstance(back, events.PlayerReinstated)
    if team.entry.never_came:
        # What it had was free for others while it was gone.
        _check_name_free(state, team.name)
        _check_in_no_other(state, ruleset, team_id, team.line_up)
    return [events.TeamReinstated(team_id=team_id, round=back.round, occurred_at=back.occurred_at)]


def check_teams(ruleset: Ruleset) -> None:
    """Refuse what is of teams where players play each for themselves."""
    if ruleset.championship.team_boards is None:
        raise Refusal(
            "NO_TEAMS",
            ruleset.article("championship.team_boards"),
            N_("Players play individually here: this is not a team tournament (option teams)."),
        )


def check_of_players(ruleset: Ruleset) -> None:
    """Refuse what is said of single players where teams meet."""
    if ruleset.championship.team_boards is not None:
        raise Refusal(
            "OF_TEAMS",
            ruleset.article("championship.team_boards"),
            N_("Teams meet here, and line-ups say who sits where: say it of a team."),
        )


def found_team(state: Tournament, team_id: str) -> Team:
    """The team of that id, of a tournament that is not over. Refuses any other."""
    if state.over:
        raise conditions.over(state)
    team = state.team(team_id)
    if team is None:
        raise Refusal(
            "NO_SUCH_TEAM",
            "",
            N_("There is no team {team} in {tournament}; there are: {known}."),
            {
                "team": team_id,
                "tournament": state.tournament_id,
                "known": ", ".join(one.team_id for one in state.teams) or "–",
            },
        )
    return team


def _check_name_free(state: Tournament, name: str) -> None:
    """Refuse a name that readers would take for that of another team."""
    for one in state.teams:
        if not one.entry.never_came and identity.same_name(one.name, name):
            raise Refusal(
                "NAME_TAKEN",
                "",
                N_("The team {team} has the name {name} already."),
                {"team": one.team_id, "name": name},
            )


def _check_line_up(state: Tournament, ruleset: Ruleset, team_id: str, player_ids: Sequence[str]) -> None:
    """Raises ``Invalid`` for a line-up of nobody or with somebody twice, ``Refusal`` for who cannot be in it."""
    if not player_ids:
        raise Invalid(
            "player_ids", N_("is empty; expected the players in the order of the boards, reserves after them")
        )
    known = {one.player_id for one in state.players}
    before: set[str] = set()
    for player_id in player_ids:
        if player_id in before:
            raise Invalid("player_ids", N_("has {player} twice"), {"player": player_id})
        if player_id not in known:
            raise conditions.not_registered(state, player_id)
        before.add(player_id)
    _check_in_no_other(state, ruleset, team_id, player_ids)


def _check_in_no_other(state: Tournament, ruleset: Ruleset, team_id: str, player_ids: Collection[str]) -> None:
    """Refuse who is in the line-up of another team, and who had a board for another, even if it was without a game."""
    others = [one for one in state.teams if one.team_id != team_id and not one.entry.never_came]
    of_other = {player: one.team_id for one in others for player in one.line_up}
    seats = [seat for seat in seats_of_teams(state) if seat.team_id != team_id]
    sat_for = {seat.player_id: seat for seat in seats}
    for player_id in player_ids:
        if player_id in of_other:
            raise Refusal(
                "IN_OTHER_TEAM",
                ruleset.article("championship.team_boards"),
                N_("{player} is in the line-up of {team}: nobody plays for two teams."),
                {"player": player_id, "team": of_other[player_id]},
                subject=f"players/{player_id}",
            )
        if player_id in sat_for:
            seat = sat_for[player_id]
            raise Refusal(
                "PLAYED_FOR_OTHER_TEAM",
                ruleset.article("championship.team_boards"),
                N_("{player} had a board of {team} in round {round}: nobody plays for two teams."),
                {"player": player_id, "team": seat.team_id, "round": seat.round},
                subject=f"players/{player_id}",
            )
