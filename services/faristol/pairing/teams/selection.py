"""Commands that name players, or teams where teams meet: what they name, and where it is looked for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.conditions import check_open, not_registered
from faristol.pairing.model import Team, Tournament
from faristol.pairing.situation import Situation
from faristol.pairing.teams.tournament import between
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset

NamesPair = pb.ForbidPairRequest | pb.AllowPairRequest | pb.KeepPairRequest | pb.ReleasePairRequest
"""A command that names two players or two teams."""

NamesEntry = pb.GrantByeRequest | pb.RevokeByeRequest
"""A command that names a player or a team."""


def of_pair(situation: Situation, request: NamesPair) -> tuple[Tournament, tuple[str, str], str]:
    """The tournament in which two players or teams meet, those two, and the field in which a fact names them.

    Raises ``Invalid`` for players and teams at once, and for other than two different of them; ``Refusal`` for players
    where teams meet, for teams where players do, and for who is not registered.
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
    for player_id in (first, second):
        if state.player(player_id) is None:
            raise not_registered(state, player_id)
    return state, (first, second), "player_ids"


def of_entry(situation: Situation, request: NamesEntry) -> tuple[Tournament, str, dict[str, Any]]:
    """The tournament in which a player or a team is found, its id, and the same as a field of a fact.

    Raises ``Invalid`` for a player and a team at once, ``Refusal`` for a player where teams meet, and for a team where
    players do.
    """
    if _for_teams(situation.ruleset, [request.player_id], [request.team_id]):
        found_team(situation.state, request.team_id)
        return between(situation.state, situation.ruleset), request.team_id, {"team_id": request.team_id}
    return situation.state, request.player_id, {"player_id": request.player_id}


def _for_teams(ruleset: Ruleset, players: Sequence[str], teams: Sequence[str]) -> bool:
    """Whether a command names teams and no players. Refuses players where teams meet, and teams where players do."""
    if any(players) and any(teams):
        raise Invalid("team_ids", N_("expected either players or teams"))
    if any(teams):
        check_teams(ruleset)
    elif ruleset.championship.team_boards is not None:
        raise Refusal(
            "OF_TEAMS",
            ruleset.article("championship.team_boards"),
            N_("Teams meet here, and line-ups say who sits where: say it of a team."),
        )
    return any(teams)


def _two(field: str, given: Sequence[str], problem: str, place: str) -> tuple[str, str]:
    if len(given) != 2 or given[0] == given[1]:
        raise Invalid(field, problem, {place: ", ".join(given) or "–"})
    return given[0], given[1]


def check_teams(ruleset: Ruleset) -> None:
    """Refuse what is of teams where players play each for themselves."""
    if ruleset.championship.team_boards is None:
        raise Refusal(
            "NO_TEAMS",
            ruleset.article("championship.team_boards"),
            N_("Players play individually here: this is not a team tournament (option teams)."),
        )


def found_team(state: Tournament, team_id: str) -> Team:
    """The team of that id, of a tournament that is not over. Refuses any other."""
    check_open(state)
    team = state.team(team_id)
    if team is None:
        raise Refusal(
            "NO_SUCH_TEAM",
            "",
            N_("There is no team {team} in {tournament}; there are: {known}."),
            {
                "team": team_id,
                "tournament": state.tournament_id,
                "known": ", ".join(team.team_id for team in state.teams) or "–",
            },
        )
    return team
