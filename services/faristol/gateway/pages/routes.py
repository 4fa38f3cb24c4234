"""Public pages of tournaments and games, and their addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

import grpc
from fastapi import APIRouter, Path, Query
from starlette.responses import RedirectResponse, Response

from faristol.duplicate_game.preparation import duplicate_id
from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.api.ratings import RatingReader
from faristol.gateway.auth.session import calls
from faristol.gateway.consoles.director.option_names import VALUES
from faristol.gateway.duplicate_game.pages import After, show_totals
from faristol.gateway.duplicate_game.service import DuplicateReader
from faristol.gateway.http.language import language_of
from faristol.gateway.pages import help_pages
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.divisions import rounds_beside, together
from faristol.gateway.pages.embedding import Theme
from faristol.gateway.pages.hall_state import describe_line
from faristol.gateway.pages.render import VisitDep
from faristol.gateway.pages.spectators import pages as spectators
from faristol.gateway.pages.spectators.files import FILES
from faristol.gateway.pages.spectators.seats import PlayerPlace, has_no_result, latest, list_absent, places
from faristol.gateway.print.contents import language_of_tournament
from faristol.gateway.rpc.calls import Calls
from faristol.gateway.rpc.results import Page, Reader, Results, RulingsReader
from faristol.kernel.errors import NotFound
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.pairing.v1 import registration_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.game_view import build_page_values
from faristol.presentation.page_addresses import expand_short_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games, known_rules

Round = Annotated[int, Query(ge=0, le=10_000), DIGITS]
Place = Annotated[int, Query(ge=1, le=100_000), DIGITS]
MAX_ID_CHARACTERS = 64
Category = Annotated[str, Query(max_length=20)]

MAIL_STATUS_SECONDS = 2.0
"""Timeout for the number of messages that wait. The page of the status does not depend on it."""


async def tournaments(visit: VisitDep, results: Reader) -> Response:
    """Show all tournaments, the divisions of a championship together."""
    answer = await results.tournaments()
    archived = () if answer.tournaments else (await results.tournaments(archived=True)).tournaments
    return await visit.show("tournaments.html", tournaments=together(answer.tournaments), archived=together(archived))


async def standings(
    visit: VisitDep,
    results: Reader,
    tournament_id: str,
    games: DuplicateReader,
    round: Round = 0,
    category: Category = "",
    after: After = 0,
) -> Response:
    """Show the standings of players and teams; for duplicate games the summed standings."""
    head = await results.tournament(tournament_id)
    if is_of_duplicate_games(head.tournament):
        return await show_totals(visit, results, games, head, category, after)
    if has_no_result(head.tournament) and round in {0, *(each.round for each in head.tournament.played)}:
        return await _show_start(visit, results, head)
    answer = await results.standings(tournament_id, round)
    written = {line.category.casefold(): line.category for line in answer.standings if line.category}
    categories = sorted(written.values())
    lines = [line for line in answer.standings if category.casefold() in ("", line.category.casefold())]
    teams = None
    if head.tournament.team_boards:
        teams = await results.team_standings(tournament_id, round)
        answer.position = min(answer.position, teams.position)
    return await visit.show_tournament(
        "standings.html",
        head,
        answer=answer,
        listed=None,
        lines=lines,
        category=category,
        categories=categories,
        teams=teams,
        team_names={line.team_id: line.name for line in teams.standings} if teams else {},
        as_of=round,
        tab="standings",
    )


async def embedded_standings(
    visit: VisitDep,
    results: Reader,
    tournament_id: str,
    games: DuplicateReader,
    category: Category = "",
    theme: Theme = "",
) -> Response:
    """Show the standings in a frame of another site."""
    return await standings(visit, results, tournament_id, games, category=category)


async def embedded_pairings(
    visit: VisitDep, results: Reader, tournament_id: str, round: Round = 0, theme: Theme = ""
) -> Response:
    """Show the tables of a round, by default the latest, in a frame of another site."""
    head = await results.tournament(tournament_id)
    found = latest(head.tournament)
    if round:
        return await _show_pairings(visit, results, tournament_id, round, "")
    if found is None:
        return await _show_start(visit, results, head)
    return await _show_pairings(visit, results, tournament_id, found.round, "", is_latest=True)


async def _show_start(visit: VisitDep, results: Results, head: pb.GetTournamentResponse) -> Response:
    """Show the players, the timetable and any pairings before the first result."""
    tournament_id, round_ = head.tournament.tournament_id, latest(head.tournament)
    listed = await results.players(tournament_id)
    names = {team.team_id: team.name for team in listed.teams}
    seats: list[PlayerPlace] = []
    if round_ is not None:
        paired = await results.pairings(tournament_id, round_.round, seats_alone=True)
        listed.position = min(listed.position, paired.position)
        seats = await asyncio.to_thread(places, paired, listed.players, "", language_of_tournament(head))
    return await visit.show_tournament(
        "standings.html",
        head,
        answer=listed,
        listed=listed,
        round=round_,
        places=seats,
        team_names=names,
        as_of=0,
        tab="standings",
    )


async def files(visit: VisitDep, results: Reader, tournament_id: str) -> Response:
    """Show the downloads of a tournament: tables, reports, games, prints, feeds."""
    head = await results.tournament(tournament_id)
    return await visit.show_tournament("files.html", head, answer=head, tab="files")


async def standing(visit: VisitDep, results: Reader, tournament_id: str, player_id: str, round: Round = 0) -> Response:
    """Show how the standing of a player is computed."""
    head, answer = await asyncio.gather(
        results.tournament(tournament_id),
        results.standings(tournament_id, round, player_id=player_id, arithmetic=True),
    )
    line = answer.standings[0]
    return await visit.show_tournament(
        "standing.html",
        head,
        answer=answer,
        line=line,
        as_of=round,
        unplayed=labels.explain_unplayed(known_rules(head.tournament.ruleset)),
        tab="standings",
    )


async def teams(visit: VisitDep, results: Reader, tournament_id: str) -> Response:
    """Show the teams with their line-ups."""
    head, answer, standings = await asyncio.gather(
        results.tournament(tournament_id), results.teams(tournament_id), results.team_standings(tournament_id)
    )
    check_has_tables(head)
    answer.position = min(answer.position, standings.position)
    line_ups = {team.team_id: team.line_up for team in answer.teams}
    return await visit.show_tournament(
        "teams.html",
        head,
        answer=answer,
        standings=standings,
        line_ups=line_ups,
        as_of=0,
        tab="teams",
    )


async def team(visit: VisitDep, results: Reader, tournament_id: str, team_id: str, round: Round = 0) -> Response:
    """Show how the standing of a team is computed."""
    head, listed, standings = await asyncio.gather(
        results.tournament(tournament_id), results.teams(tournament_id), results.standings(tournament_id, round)
    )
    # Read last: a tournament without tables refuses its standings before a team of it is unknown.
    answer = await results.team_standings(tournament_id, round, team_id=team_id, arithmetic=True)
    answer.position = min(answer.position, listed.position, standings.position)
    line = next(iter(answer.standings), None)
    known = (team for team in listed.teams if team.team_id == team_id)
    team = next(known, None) or pb.Team(team_id=team_id, name=line.name if line else team_id)
    return await visit.show_tournament(
        "team.html",
        head,
        answer=answer,
        line=line,
        team=team,
        players={line.player_id: line for line in standings.standings},
        as_of=round,
        unplayed=labels.explain_unplayed(known_rules(head.tournament.ruleset)),
        tab="teams",
    )


async def crosstable(visit: VisitDep, results: Reader, tournament_id: str) -> Response:
    """Show the rounds of every player."""
    head, answer = await asyncio.gather(results.tournament(tournament_id), results.crosstable(tournament_id))
    return await visit.show_tournament("crosstable.html", head, answer=answer, tab="crosstable")


async def prospects(
    visit: VisitDep,
    results: Reader,
    tournament_id: str,
    place: Place = 1,
    player: Annotated[str, Query(max_length=MAX_ID_CHARACTERS)] = "",
) -> Response:
    """Show the places that each player can still reach, and why for one player."""
    head, answer = await asyncio.gather(results.tournament(tournament_id), results.prospects(tournament_id, place))
    shown = None
    if player:
        shown = (await results.prospects(tournament_id, place, player_id=player)).lines[0]
    return await visit.show_tournament(
        "prospects.html",
        head,
        answer=answer,
        shown=shown,
        names={line.player_id: line.name for line in answer.lines},
        tab="standings",
    )


async def stages(visit: VisitDep, results: Reader, tournament_id: str) -> Response:
    """Show the stages of the championship, the brackets of knock-outs, and the final table."""
    head, answer = await asyncio.gather(results.tournament(tournament_id), results.stages(tournament_id))
    return await visit.show_tournament(
        "stages.html",
        head,
        answer=answer,
        stages={stage.tournament_id: stage for stage in answer.stages},
        systems=VALUES,
        tab="stages",
    )


async def prizes(visit: VisitDep, results: Reader, tournament_id: str) -> Response:
    """Show the prize lists with their awards, and the leaders for the special prizes."""
    head, answer, awards = await asyncio.gather(
        results.tournament(tournament_id), results.prizes(tournament_id), results.awards(tournament_id)
    )
    return await visit.show_tournament("prizes.html", head, answer=answer, awards=awards, tab="prizes")


async def pairings(
    visit: VisitDep,
    results: Reader,
    tournament_id: str,
    number: Annotated[int, Path(ge=1, le=10_000), DIGITS],
    by: Annotated[str, Query(pattern="^(name|table)?$")] = "",
) -> Response:
    """Show the tables of a round by number, or the players by name."""
    return await _show_pairings(visit, results, tournament_id, number, by)


async def _show_pairings(
    visit: VisitDep, results: Results, tournament_id: str, number: int, by: str, *, is_latest: bool = False
) -> Response:
    """Show the tables of a round. With ``is_latest``, the page moves on to the next round of the tournament."""
    head, listed = await asyncio.gather(results.tournament(tournament_id), results.players(tournament_id))
    has_tables = not is_of_duplicate_games(head.tournament)
    answer = await results.pairings(tournament_id, number) if has_tables else _without_tables(head, number)
    answer.position = min(answer.position, listed.position)
    beside = await rounds_beside(results, head.tournament, number)
    return await visit.show_tournament(
        "pairings.html",
        head,
        answer=answer,
        number=number,
        absent=list(list_absent(answer, listed.players)) if has_tables and not head.tournament.team_boards else [],
        tab=f"round-{number}",
        beside=beside,
        round=next((each for each in head.tournament.played if each.round == number), None),
        places=await asyncio.to_thread(places, answer, listed.players, "", language_of_tournament(head))
        if has_tables and by == "name"
        else [],
        by=by if has_tables else "",
        is_latest=is_latest,
        duplicate_id=_duplicate_id(head, number, answer.phase),
    )


def _without_tables(head: pb.GetTournamentResponse, number: int) -> pb.GetPairingsResponse:
    """Return a round that is a duplicate game. Raises ``NotFound`` if the round does not exist yet."""
    for round_ in head.tournament.played:
        if round_.round == number:
            return pb.GetPairingsResponse(round=number, phase=round_.phase, position=head.position)
    raise NotFound("round", f"{head.tournament.tournament_id}/{number}")


def _duplicate_id(head: pb.GetTournamentResponse, number: int, phase: pb.RoundPhase.ValueType) -> str:
    """Return the id of a round's duplicate game; empty for a round of tables, and before the start."""
    is_open = phase != pb.ROUND_PHASE_PAIRED and is_of_duplicate_games(head.tournament)
    return duplicate_id(head.tournament.tournament_id, number) if is_open else ""


async def players(visit: VisitDep, results: Reader, ratings: RatingReader, tournament_id: str) -> Response:
    """Show the players; while rounds remain, with estimates of their new ratings."""
    head, answer, found = await asyncio.gather(
        results.tournament(tournament_id), results.players(tournament_id), ratings.of_if_there(tournament_id)
    )
    estimates = {}
    if found and not answer.rating_system and any(line.games for line in found.ratings):
        estimates = {line.player_id: line for line in found.ratings}
    if found:
        answer.position = min(answer.position, found.position)
    return await visit.show_tournament(
        "players.html",
        head,
        answer=answer,
        estimates=estimates,
        estimated=found,
        team_names={team.team_id: team.name for team in answer.teams},
        tab="players",
    )


async def rulings(
    visit: VisitDep,
    results: Reader,
    found: RulingsReader,
    tournament_id: str,
    page_token: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show the challenges of closed rounds, page by page."""
    head, answer = await asyncio.gather(
        results.tournament(tournament_id), found.of(tournament_id, page=Page(token=page_token))
    )
    check_has_tables(head)
    return await visit.show_tournament("rulings.html", head, answer=answer, modes=labels.RULING_MODES, tab="rulings")


async def status(visit: VisitDep, results: Reader) -> Response:
    """Show the status of the consumers of the record, and of halls."""
    found, own = await results.ask(pb.GetStatusRequest()), calls(visit.request)
    listed = (await results.tournaments()).tournaments
    hall = await own.ask(hall_pb2.GetHallCellRequest()) if visit.request.app.state.hall else None
    hall_state, hall_line = describe_line(hall, "", language_of(visit.request)) if hall else ("", "")
    return await visit.show(
        "status.html",
        found=found,
        stopped=[consumer for consumer in found.consumers if consumer.HasField("stopped")],
        mail=await _mail_status(own),
        behind=[(each, hall) for each in listed for hall in each.halls_behind],
        hall=hall,
        hall_state=hall_state,
        hall_line=hall_line,
    )


async def _mail_status(own: Calls) -> registration_pb2.GetMailStatusResponse | None:
    """Return the counts of the outbox of e-mail; None while the pairing service is unavailable."""
    try:
        return await own.ask(registration_pb2.GetMailStatusRequest(), MAIL_STATUS_SECONDS)
    except grpc.aio.AioRpcError:
        return None


async def game(visit: VisitDep, results: Reader, game_id: str) -> Response:
    """Show a game: board, scoresheet, clocks."""
    played = await results.game(game_id)
    is_elsewhere = played.cell_hall != visit.request.app.state.hall and played.state != pb.GAME_STATE_PAIRED
    head = await results.tournament(played.tournament_id) if is_elsewhere else None
    return await visit.show(
        "game.html",
        tournament=head.tournament if head else None,
        **build_page_values(played, language_of(visit.request)),
    )


PAGES: Mapping[str, Callable[..., Any]] = {
    **spectators.PAGES,
    **help_pages.PAGES,
    "/": tournaments,
    "/tournaments/{tournament_id}": standings,
    "/tournaments/{tournament_id}/embed/standings": embedded_standings,
    "/tournaments/{tournament_id}/embed/pairings": embedded_pairings,
    "/tournaments/{tournament_id}/standings/{player_id}": standing,
    "/tournaments/{tournament_id}/teams": teams,
    "/tournaments/{tournament_id}/teams/{team_id}": team,
    "/tournaments/{tournament_id}/crosstable": crosstable,
    "/tournaments/{tournament_id}/prospects": prospects,
    "/tournaments/{tournament_id}/stages": stages,
    "/tournaments/{tournament_id}/prizes": prizes,
    "/tournaments/{tournament_id}/round/{number}": pairings,
    "/tournaments/{tournament_id}/players": players,
    "/tournaments/{tournament_id}/rulings": rulings,
    "/tournaments/{tournament_id}/files": files,
    "/status": status,
    "/games/{game_id}": game,
}
"""Routes by address."""

routes = APIRouter(include_in_schema=False)
for address, show in (*PAGES.items(), *FILES.items()):
    routes.add_api_route(address, show)


short_addresses = APIRouter(include_in_schema=False)

SHORT_ADDRESS_CACHE_SECONDS = 24 * 3_600
"""Lifetime of a redirect in caches."""


@short_addresses.get("/t/{rest:path}")
@short_addresses.get("/g/{rest:path}")
async def redirect_short_address(visit: VisitDep) -> Response:
    """Redirect a short address permanently to the page, with the query. The page answers if it does not exist."""
    path = quote(expand_short_path(visit.request.scope["path"]))
    given = visit.request.scope["query_string"].decode("latin-1")
    query = f"?{given}" if given else ""
    headers = {"Cache-Control": f"public, max-age={SHORT_ADDRESS_CACHE_SECONDS}"}
    return RedirectResponse(f"{path}{query}", HTTPStatus.PERMANENT_REDIRECT, headers=headers)
