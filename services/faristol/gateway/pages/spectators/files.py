"""Files for spectators: pictures, feeds, calendars, the web app manifest and its worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from faristol.gateway.cache.recorded_reads import check_not_modified
from faristol.gateway.http.forms import public_address
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.operator import ROBOTS
from faristol.gateway.pages.spectators import feeds
from faristol.gateway.pages.spectators.oembed import describe_embed
from faristol.gateway.pages.spectators.pictures import build_drawing, picture
from faristol.gateway.pages.templating import asset
from faristol.gateway.rpc.results import Reader
from faristol.text import translations


async def board_png(request: Request, results: Reader, game_id: str) -> Response:
    """Return the board of a game as a picture, with names and scores."""
    game = await results.game(game_id)
    if kept := check_not_modified(request):
        return kept
    read = translations(language_of(request)).gettext
    beside = f"{read(feeds.ROUND_TITLE) % {'number': game.round}} · {read('Table %(number)s') % {'number': game.table}}"
    content = await asyncio.to_thread(picture, build_drawing(game, beside))
    return Response(content, media_type="image/png", headers={"Cache-Control": "public, max-age=60"})


async def serve_feed(request: Request, results: Reader, tournament_id: str) -> Response:
    """Return the Atom feed of a tournament."""
    head = await results.tournament(tournament_id)
    if kept := check_not_modified(request):
        return kept
    text = feeds.atom(head.tournament, language_of(request), public_address(request), head.messages)
    return Response(text, media_type=feeds.ATOM, headers={"Cache-Control": "no-cache"})


async def calendar(request: Request, results: Reader, tournament_id: str) -> Response:
    """Return the rounds of a tournament as a calendar."""
    head = await results.tournament(tournament_id)
    if kept := check_not_modified(request):
        return kept
    text = feeds.calendar(head.tournament, language_of(request), public_address(request))
    return Response(text, media_type=feeds.CALENDAR, headers={"Cache-Control": "no-cache"})


async def manifest() -> Response:
    """Return the web app manifest."""
    sizes = ("192", "512")
    icons = [
        {"src": asset(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size in sizes
        for purpose in ("any", "maskable")
    ]
    content = {
        "name": "Faristol",
        "short_name": "Faristol",
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#faf7f0",
        "theme_color": "#8c2f27",
        "icons": icons,
    }
    return JSONResponse(content, media_type="application/manifest+json", headers={"Cache-Control": "max-age=3600"})


@cache
def _worker() -> bytes:
    return (resources.files("faristol.gateway") / "static" / "worker.js").read_bytes()


async def worker() -> Response:
    """Return the service worker at the root, since it may only act for pages below its own path."""
    return Response(_worker(), media_type="text/javascript", headers={"Cache-Control": "no-cache"})


async def robots() -> Response:
    """Return the rules for crawlers."""
    return PlainTextResponse(ROBOTS, headers={"Cache-Control": "max-age=86400"})


async def favicon() -> Response:
    """Return the icon at its default path."""
    content = (resources.files("faristol.gateway") / "static" / "icon.svg").read_bytes()
    return Response(content, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


FILES: Mapping[str, Callable[..., Any]] = {
    "/games/{game_id}/board.png": board_png,
    "/tournaments/{tournament_id}/feed.atom": serve_feed,
    "/tournaments/{tournament_id}/rounds.ics": calendar,
    "/manifest.webmanifest": manifest,
    "/worker.js": worker,
    "/favicon.ico": favicon,
    "/robots.txt": robots,
    "/oembed": describe_embed,
}
"""Routes by address."""
