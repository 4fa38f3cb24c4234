"""Commands that name players, or teams in a tournament of teams, and the lookup of both. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import check_open, check_registered
from faristol.tournament.situation import Situation
from faristol.tournament.state import TeamState, TournamentState
from faristol.tournament.teams.tournament import between

NamesPair = pb.ForbidPairRequest | pb.AllowPairRequest | pb.KeepPairRequest | pb.ReleasePairRequest
"""A command that names two players or two teams."""

NamesEntry = pb.GrantByeRequest | pb.RevokeByeRequest
"""A command that names a player or a team."""


def of_pair(situation: Situation, request: NamesPair) -> tuple[TournamentState, tuple[str, str], str]:
    """Return the tournament of the pair, its two ids, and the field of an event that names them.

    Raises ``Invalid`` for both players and teams, and unless there are two different ids. Raises ``Refusal`` for
    players in a tournament of teams, for teams in one of players, and for an unknown id.
    """
    state = situation.state
    if _for_teams(situation.ruleset, request.player_ids, request.team_ids):
        first, second = _two("team_ids", request.team_ids, N_("are {teams}; expected two different teams"), "teams")
        found_team(state, first), found_team(state, second)
        return between(state, situation.ruleset), (first, second), "team_ids"
    check_open(state)
    first, second = _two(
        "player_ids", request.player_ids, N_("are {players}; expected two different players"), "players"
    )
    check_registered(state, first, second)
    return state, (first, second), "player_ids"


def of_entry(situation: Situation, request: NamesEntry) -> tuple[TournamentState, str, dict[str, Any]]:
    """Return the tournament of a player or team, its id, and the id as a field of an event.

    Raises ``Invalid`` for both a player and a team. Raises ``Refusal`` for a player in a tournament of teams, and for a
    team in one of players.
    """
    if _for_teams(situation.ruleset, [request.player_id], [request.team_id]):
        found_team(situation.state, request.team_id)
        return between(situation.state, situation.ruleset), request.team_id, {"team_id": request.team_id}
    return situation.state, request.player_id, {"player_id": request.player_id}


def _for_teams(ruleset: Ruleset, players: Sequence[str], teams: Sequence[str]) -> bool:
    """Check whether a command names teams. Raises ``Refusal`` for players where teams play, and the reverse."""
    if any(players) and any(teams):
        raise Invalid("team_ids", N_("expected either players or teams"))
    if any(teams):
        check_teams(ruleset)
    elif ruleset.championship.team_boards is not None:
        raise Refusal(
            "OF_TEAMS",
            N_("Teams meet here, and the line-ups decide the seats: use this with a team."),
            article=ruleset.article("championship.team_boards"),
        )
    return any(teams)


def _two(field: str, given: Sequence[str], problem: str, place: str) -> tuple[str, str]:
    if len(given) != 2 or given[0] == given[1]:
        raise Invalid(field, problem, {place: ", ".join(given) or "–"})
    return given[0], given[1]


def check_teams(ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a command on teams if players play individually."""
    if ruleset.championship.team_boards is None:
        raise Refusal(
            "NO_TEAMS",
            N_("This is an individual tournament, not a team tournament (option teams)."),
            article=ruleset.article("championship.team_boards"),
        )


def found_team(state: TournamentState, team_id: str) -> TeamState:
    """Return the team with this id in an open tournament. Raises ``Refusal``."""
    check_open(state)
    team = state.team(team_id)
    if team is None:
        raise Refusal(
            "NO_SUCH_TEAM",
            N_("There is no team {team} in {tournament}; there are: {known}."),
            {
                "team": team_id,
                "tournament": state.tournament_id,
                "known": ", ".join(team.team_id for team in state.teams) or "–",
            },
        )
    return team
