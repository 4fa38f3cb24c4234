"""HTML pages rendered on the server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from faristol.gateway.cache.recorded_reads import check_not_modified
from faristol.gateway.http.errors import FAULT, RESULTS_UNAVAILABLE, Problem
from faristol.gateway.http.forms import FROM_ELSEWHERE
from faristol.gateway.http.language import language_of, remember
from faristol.gateway.live import page_updates
from faristol.gateway.pages.divisions import pages_beside
from faristol.gateway.pages.embedding import is_embeddable, theme_of
from faristol.gateway.pages.templating import render
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.ruleset.file import load_ruleset

PROBLEMS = {
    HTTPStatus.NOT_FOUND: N_("This page does not exist."),
    HTTPStatus.BAD_REQUEST: N_("This address is malformed."),
    HTTPStatus.FORBIDDEN: FROM_ELSEWHERE,
    HTTPStatus.CONFLICT: N_("This page cannot be shown."),
    HTTPStatus.SERVICE_UNAVAILABLE: RESULTS_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT: RESULTS_UNAVAILABLE,
}
MISSING = {
    "tournament": N_("There is no tournament “%(id)s”."),
    "round": N_("Round %(id)s does not exist or is not paired yet."),
    "game": N_("There is no game “%(id)s”."),
    "player": N_("There is no player “%(id)s”."),
    "team": N_("There is no team “%(id)s”."),
}

Part = Annotated[str, Query(pattern="^(live)?$")]
"""Page parameter that requests only the block that is reloaded after a notification."""


def page(request: Request, name: str, part: str = "", status: int = 200, **values: Any) -> Response:
    """Render a page in the visitor's language, or answer 304 if the cached one is unchanged."""
    if kept := check_not_modified(request):
        return kept
    language = language_of(request)
    operator = request.app.state.operator
    given = {
        "operator": operator,
        "request": request,
        "news": page_updates.of_page(name),
        "session": None,
        "own_hall": request.app.state.hall,
        "own_hall_key": request.app.state.hall_key,
        "is_embedded": is_embeddable(request.url.path),
        "theme": theme_of(request.url.path, request.query_params),
        **values,
    }
    html = render(name, language, part, given)
    response = HTMLResponse(html, status)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Language"] = language
    response.headers["Vary"] = "Accept-Language, Cookie"
    if not part:
        remember(request, response)
    return response


def private_page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Render a page that no cache stores. ``session`` is the signed-in user, shown in its header."""
    response = page(request, name, status=status, **values)
    response.headers["Cache-Control"] = "no-store, private"
    return response


def problem_page(request: Request, problem: Problem) -> Response:
    """Render an error page."""
    kind, wanted = str(problem.more.get("kind")), str(problem.more.get("id", ""))
    tournament, _, number = wanted.rpartition("/") if kind == "round" else ("", "", wanted)
    message = MISSING.get(kind, PROBLEMS.get(problem.status, ""))
    is_of_client = problem.status < HTTPStatus.INTERNAL_SERVER_ERROR
    is_detailed = is_of_client and (not message or problem.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT))
    response = page(
        request,
        "problem.html",
        status=problem.status.value,
        message=message or ("" if is_of_client else FAULT),
        wanted=number,
        detail=problem.detail if is_detailed else "",
        instead=problem.more.get("instead", ""),
        tournament_id=tournament,
        code=problem.status.value,
    )
    response.headers.update(problem.headers)
    if request.method not in ("GET", "HEAD"):
        response.headers["Cache-Control"] = "no-store, private"  # the answer to a form of one user
    return response


def rules_title(name: str) -> str:
    """Return the title of a rule set; its name if this version does not know it."""
    try:
        return load_ruleset(name).title
    except LookupError:
        return name


@dataclass(frozen=True)
class Visit:
    """Request of a public page, and the block of the page that is wanted."""

    request: Request
    part: Part = ""

    async def show(self, name: str, **values: Any) -> Response:
        """Render a page in a thread, as one of many players takes long."""
        return await asyncio.to_thread(page, self.request, name, self.part, **values)

    async def show_tournament(
        self,
        name: str,
        head: pb.GetTournamentResponse,
        *,
        tab: str,
        beside: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Response:
        """Render a page of a tournament under a tab. ``beside`` has its address in each division if it is irregular."""
        tournament = head.tournament
        return await self.show(
            name,
            tournament=tournament,
            title=rules_title(tournament.ruleset.name),
            tab=tab,
            messages=values.pop("messages", head.messages),
            beside=beside or pages_beside(tournament, *(() if tab == "standings" else (tab,))),
            position=min(head.position, values["answer"].position),
            **values,
        )


VisitDep = Annotated[Visit, Depends()]
"""Route parameter."""
