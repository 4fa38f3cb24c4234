"""oEmbed descriptions of embeddable pages (https://oembed.com)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Query
from markupsafe import escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.http.forms import public_address
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.embedding import Embed, embed_of_url
from faristol.gateway.rpc.results import Reader, Results
from faristol.kernel.divisions import format_title
from faristol.kernel.refusal import N_
from faristol.text import say

NOT_EMBEDDABLE = N_(
    "url: expected the address of standings, a round, a hall screen or a game of this site, got {given}"
)
NO_SUCH_FORMAT = N_("format: expected json, got {given}")

MAX_URL_CHARACTERS = 1_000
"""Limit in characters."""

CACHE_AGE_SECONDS = 24 * 3_600
"""Lifetime of a description in caches. The frame itself stays up to date."""

Side = Annotated[int, Query(ge=1, le=100_000), DIGITS]


async def describe_embed(
    request: Request,
    results: Reader,
    url: Annotated[str, Query(max_length=MAX_URL_CHARACTERS)],
    format: Annotated[str, Query(max_length=20)] = "json",
    maxwidth: Side = 100_000,
    maxheight: Side = 100_000,
) -> Response:
    """Describe the frame of a page. Further parameters, which consumers of oEmbed add, are ignored."""
    language, site = language_of(request), public_address(request)
    if format != "json":
        raise HTTPException(HTTPStatus.NOT_IMPLEMENTED, say(NO_SUCH_FORMAT, {"given": repr(format)}, language))
    embed = embed_of_url(url, site)
    if embed is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, say(NOT_EMBEDDABLE, {"given": repr(url)}, language))
    title = await _title_of(results, embed)
    width, height = min(embed.width_px, maxwidth), min(embed.height_px, maxheight)
    html = (
        f'<iframe src="{escape(site + embed.path)}" width="{width}" height="{height}" title="{escape(title)}" '
        'loading="lazy" style="border:0"></iframe>'
    )
    body = {
        "version": "1.0",
        "type": "rich",
        "title": title,
        "provider_name": "Faristol",
        "provider_url": site,
        "cache_age": CACHE_AGE_SECONDS,
        "width": width,
        "height": height,
        "html": html,
    }
    return JSONResponse(body, headers={"Cache-Control": "no-cache"})


async def _title_of(results: Results, embed: Embed) -> str:
    """Return the title of a frame. Raises the errors of ``Results`` for an unknown tournament or game."""
    if embed.game_id:
        game = await results.game(embed.game_id)
        return f"{' – '.join(seat.name or seat.player_id for seat in game.seats)} · {game.tournament_name}"
    return format_title((await results.tournament(embed.tournament_id)).tournament)
