"""Pages for people, rendered on the server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from faristol.gateway import news, operation, outcome, table
from faristol.gateway.answers import moment
from faristol.gateway.divisions import pages_beside, rounds_beside, together
from faristol.gateway.language import language_of, remember
from faristol.gateway.pairings import absent
from faristol.gateway.parameters import DIGITS
from faristol.gateway.prizes import nobody
from faristol.gateway.problems import AWAY, FAULT, Problem
from faristol.gateway.ratings import RatingReader
from faristol.gateway.results import Reader, RulingsReader
from faristol.gateway.rulings import MODE_LABELS
from faristol.gateway.templating import render
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.ruleset_file import load_ruleset

Round = Annotated[int, Query(ge=0, le=10_000), DIGITS]
Category = Annotated[str, Query(max_length=20)]
Part = Annotated[str, Query(pattern="^(live)?$")]

PROBLEMS = {
    HTTPStatus.NOT_FOUND: N_("There is nothing here."),
    HTTPStatus.BAD_REQUEST: N_("This address is malformed."),
    HTTPStatus.SERVICE_UNAVAILABLE: AWAY,
    HTTPStatus.GATEWAY_TIMEOUT: AWAY,
}
MISSING = {
    "tournament": N_("There is no tournament “%(id)s”."),
    "round": N_("There is no round “%(id)s”."),
    "game": N_("There is no game “%(id)s”."),
    "player": N_("There is no player “%(id)s”."),
    "team": N_("There is no team “%(id)s”."),
}


def page(request: Request, name: str, part: str = "", status: int = 200, **values: Any) -> Response:
    """A page in the visitor's language."""
    language = language_of(request)
    html = render(name, language, part, {"request": request, "moment": moment, "news": news.of_page(name), **values})
    response = HTMLResponse(html, status)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Language"] = language
    response.headers["Vary"] = "Accept-Language, Cookie"
    remember(request, response)
    return response


def problem_page(request: Request, problem: Problem) -> Response:
    """A page that says what went wrong."""
    message = MISSING.get(str(problem.more.get("kind")), PROBLEMS.get(problem.status, FAULT))
    response = page(
        request,
        "problem.html",
        status=problem.status.value,
        message=message,
        wanted=str(problem.more.get("id", "")),
        code=problem.status.value,
    )
    response.headers.update(problem.headers)
    return response


def rules_title(name: str) -> str:
    """The title of a ruleset; its name when this version does not know it."""
    try:
        return load_ruleset(name).title
    except LookupError:
        return name


def unplayed(head: pb.GetTournamentResponse) -> str:
    """How rounds without a game count for tie-breaks; empty when this version does not know the ruleset."""
    try:
        return ruleset_of(head.tournament.ruleset).championship.unplayed
    except Refusal:
        return ""


def router() -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def tournaments(request: Request, results: Reader, part: Part = "") -> Response:
        answer = await results.tournaments()
        return page(request, "tournaments.html", part, tournaments=together(answer.tournaments))

    @routes.get("/t/{tournament_id}")
    async def standings(
        request: Request,
        results: Reader,
        tournament_id: str,
        round: Round = 0,  # noqa: A002 # the name of the query parameter
        category: Category = "",
        part: Part = "",
    ) -> Response:
        head, answer = await asyncio.gather(results.tournament(tournament_id), results.standings(tournament_id, round))
        written = {line.category.casefold(): line.category for line in answer.standings if line.category}
        categories = sorted(written.values())
        lines = [line for line in answer.standings if category.casefold() in ("", line.category.casefold())]
        teams = None
        if head.tournament.team_boards:
            teams = await results.team_standings(tournament_id, round)
            answer.position = min(answer.position, teams.position)
        return await asyncio.to_thread(
            _of,
            request,
            "standings.html",
            part,
            head,
            answer=answer,
            lines=lines,
            category=category,
            categories=categories,
            teams=teams,
            team_names={line.team_id: line.name for line in teams.standings} if teams else {},
            as_of=round,
            tab="standings",
        )

    @routes.get("/t/{tournament_id}/standings/{player_id}")
    async def standing(
        request: Request,
        results: Reader,
        tournament_id: str,
        player_id: str,
        round: Round = 0,  # noqa: A002 # the name of the query parameter
        part: Part = "",
    ) -> Response:
        head, answer = await asyncio.gather(
            results.tournament(tournament_id),
            results.standings(tournament_id, round, player_id=player_id, arithmetic=True),
        )
        line = answer.standings[0]
        return _of(
            request,
            "standing.html",
            part,
            head,
            answer=answer,
            line=line,
            as_of=round,
            unplayed=unplayed(head),
            tab="standings",
        )

    @routes.get("/t/{tournament_id}/teams")
    async def teams(request: Request, results: Reader, tournament_id: str, part: Part = "") -> Response:
        head, answer, standings = await asyncio.gather(
            results.tournament(tournament_id), results.teams(tournament_id), results.team_standings(tournament_id)
        )
        answer.position = min(answer.position, standings.position)
        line_ups = {team.team_id: team.line_up for team in answer.teams}
        return _of(
            request,
            "teams.html",
            part,
            head,
            answer=answer,
            standings=standings,
            line_ups=line_ups,
            as_of=0,
            tab="teams",
        )

    @routes.get("/t/{tournament_id}/teams/{team_id}")
    async def team(
        request: Request,
        results: Reader,
        tournament_id: str,
        team_id: str,
        round: Round = 0,  # noqa: A002 # the name of the query parameter
        part: Part = "",
    ) -> Response:
        head, answer, listed, standings = await asyncio.gather(
            results.tournament(tournament_id),
            results.team_standings(tournament_id, round, team_id=team_id, arithmetic=True),
            results.teams(tournament_id),
            results.standings(tournament_id, round),
        )
        answer.position = min(answer.position, listed.position, standings.position)
        line = next(iter(answer.standings), None)
        listed_now = (one for one in listed.teams if one.team_id == team_id)
        team = next(listed_now, None) or pb.Team(team_id=team_id, name=line.name if line else team_id)
        return _of(
            request,
            "team.html",
            part,
            head,
            answer=answer,
            line=line,
            team=team,
            players={line.player_id: line for line in standings.standings},
            as_of=round,
            unplayed=unplayed(head),
            tab="teams",
        )

    @routes.get("/t/{tournament_id}/crosstable")
    async def crosstable(request: Request, results: Reader, tournament_id: str, part: Part = "") -> Response:
        head, answer = await asyncio.gather(results.tournament(tournament_id), results.crosstable(tournament_id))
        return await asyncio.to_thread(_of, request, "crosstable.html", part, head, answer=answer, tab="crosstable")

    @routes.get("/t/{tournament_id}/prizes")
    async def prizes(request: Request, results: Reader, tournament_id: str, part: Part = "") -> Response:
        head, answer = await asyncio.gather(results.tournament(tournament_id), results.prizes(tournament_id))
        return _of(request, "prizes.html", part, head, answer=answer, nobody=nobody, tab="prizes")

    @routes.get("/t/{tournament_id}/r/{number}")
    async def pairings(
        request: Request,
        results: Reader,
        tournament_id: str,
        number: Annotated[int, Path(ge=1, le=10_000), DIGITS],
        part: Part = "",
    ) -> Response:
        head, answer, listed = await asyncio.gather(
            results.tournament(tournament_id), results.pairings(tournament_id, number), results.players(tournament_id)
        )
        answer.position = min(answer.position, listed.position)
        beside = await rounds_beside(results, head.tournament, number)
        return _of(
            request,
            "pairings.html",
            part,
            head,
            answer=answer,
            number=number,
            absent=[] if head.tournament.team_boards else list(absent(answer, listed.players)),
            tab=f"round-{number}",
            beside=beside,
        )

    @routes.get("/t/{tournament_id}/players")
    async def players(
        request: Request, results: Reader, ratings: RatingReader, tournament_id: str, part: Part = ""
    ) -> Response:
        head, answer, found = await asyncio.gather(
            results.tournament(tournament_id), results.players(tournament_id), ratings.of_if_there(tournament_id)
        )
        estimates = {}
        if found and not answer.rating_system and any(line.games for line in found.ratings):
            estimates = {line.player_id: line for line in found.ratings}
        if found:
            answer.position = min(answer.position, found.position)
        return _of(
            request,
            "players.html",
            part,
            head,
            answer=answer,
            estimates=estimates,
            estimated=found,
            team_names={team.team_id: team.name for team in answer.teams},
            tab="players",
        )

    @routes.get("/t/{tournament_id}/rulings")
    async def rulings(
        request: Request,
        results: Reader,
        found: RulingsReader,
        tournament_id: str,
        page_token: Annotated[str, Query(max_length=200)] = "",
        part: Part = "",
    ) -> Response:
        head, answer = await asyncio.gather(
            results.tournament(tournament_id), found.of(tournament_id, page_token=page_token)
        )
        return _of(request, "rulings.html", part, head, answer=answer, modes=MODE_LABELS, tab="rulings")

    @routes.get("/status")
    async def status(request: Request, results: Reader, part: Part = "") -> Response:
        found = operation.Status.of(await results.status())
        return page(
            request,
            "status.html",
            part,
            found=found,
            stopped=[one for one in found.consumers if one.stopped_since],
            kinds=operation.KIND_LABELS,
            states=operation.STATE_LABELS,
        )

    @routes.get("/g/{game_id}")
    async def game(request: Request, results: Reader, game_id: str, part: Part = "") -> Response:
        one = await results.game(game_id)
        sides = table.sheet(one)
        return page(
            request,
            "game.html",
            part,
            game=one,
            board=table.board(one),
            lines=table.lines(one),
            sides=sides,
            rows=table.rows(sides),
            clocks=table.clocks(one),
            names={seat.player_id: seat.name for seat in one.seats},
            kept=outcome.is_kept(one),
            outcome=list(outcome.outcome(one, language_of(request))),
            how_lost=outcome.how_lost,
            position=one.position,
        )

    return routes


def _of(
    request: Request,
    name: str,
    part: str,
    head: pb.GetTournamentResponse,
    *,
    tab: str,
    beside: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """A page of a tournament under a tab; ``beside`` has its address in each division, where that is another one."""
    one = head.tournament
    return page(
        request,
        name,
        part,
        tournament=one,
        title=rules_title(one.ruleset.name),
        tab=tab,
        beside=beside or pages_beside(one, "" if tab == "standings" else f"/{tab}"),
        position=min(head.position, values["answer"].position),
        **values,
    )
