"""Page of teams: registration with line-ups, changes, withdrawal and reinstatement (FISE 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.pb.pairing.v1 import pairing_pb2 as pairing

PAGE = "teams"
RESERVE_FIELD_COUNT = 4
"""Form fields for reserves behind the boards of a match or the present line-up."""
DEFAULT_BOARDS = 4
"""Default number of boards if the rules are unavailable."""


@dataclass(frozen=True, slots=True)
class LineUpForm:
    """Team with the candidates for its line-up."""

    team: pairing.Team
    places: Sequence[str]
    """Line-up in the order of the boards, then empty places."""
    candidates: Sequence[str]
    """Its own players, then players without a team."""


async def _show(console: DirectorPage) -> Response:
    boards = (console.rules.championship.team_boards if console.rules else None) or DEFAULT_BOARDS
    free = _free(console.tournament)
    return await console.show(
        "director/teams.html",
        PAGE,
        has_teams=console.has_teams,
        boards=boards,
        teams=[_build_line_up_form(team, boards, free) for team in console.tournament.teams],
        free=free,
        places=range(1, boards + RESERVE_FIELD_COUNT + 1),
    )


routes = page_of_forms(PAGE, _show)


def _free(tournament: pairing.GetTournamentResponse) -> list[str]:
    """Return the active players without a team."""
    taken = {player for team in tournament.teams for player in team.player_ids}
    return [
        player.player_id
        for player in tournament.players
        if not player.withdrawn_round and player.player_id not in taken
    ]


def _build_line_up_form(team: pairing.Team, boards: int, free: Sequence[str]) -> LineUpForm:
    own = list(team.player_ids)
    places = max(boards, len(own)) + RESERVE_FIELD_COUNT
    return LineUpForm(team, own + [""] * (places - len(own)), [*own, *free])
