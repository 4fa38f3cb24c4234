"""Games as files that other programs read."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from faristol.gateway.api import ERRORS
from faristol.gateway.gcg import gcg_of
from faristol.gateway.language import language_of
from faristol.gateway.results import Reader
from faristol.host.text import render
from faristol.rules import Refusal
from faristol.rules.gcg import write_gcg

REFUSED: dict[int | str, dict[str, Any]] = {
    409: {"description": "No game of two players, or its rules are not installed; `detail` says which."}
}


def router() -> APIRouter:
    """The routes, which come before those of ids: an id may have a dot in it."""
    routes = APIRouter(prefix="/api/v1", tags=["results"])

    @routes.get("/games/{game_id}.gcg", response_class=PlainTextResponse, responses={**ERRORS, **REFUSED})
    async def get_gcg(
        request: Request,
        results: Reader,
        game_id: Annotated[str, Path(description="The game.", examples=["demo-r1-t1"])],
    ) -> Response:
        """A game of two players as a GCG file: plays, scores and totals as recorded; no racks."""
        try:
            told = write_gcg(gcg_of(await results.game(game_id)))
        except Refusal as refusal:
            raise HTTPException(HTTPStatus.CONFLICT, render(refusal, language_of(request))) from refusal
        named = {"Content-Disposition": "inline", "Cache-Control": "no-cache"}
        return PlainTextResponse(told, headers=named)

    return routes
