"""Hall screens that are steered from the console: their code, their programme, and the pictures of a tournament.

A screen is identified by a random token in a cookie and in the storage of its browser, so that it comes back to its
programme after a restart. Before a tournament names it, it shows its code.
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.auth.session import cookie_name, is_safe
from faristol.gateway.duplicate_game.names import names_of
from faristol.gateway.duplicate_game.service import DuplicateReader, Duplicates
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.render import Part, page
from faristol.gateway.pages.spectators.pages import SCREEN_TOP_PLAYERS, load_places
from faristol.gateway.pages.spectators.seats import PlayerPlace, latest
from faristol.gateway.rpc.results import Page, Reader, Results
from faristol.kernel.errors import Invalid
from faristol.kernel.screens import code_of_screen, format_screen_code, media_type_of
from faristol.kernel.spellings import name_of
from faristol.kernel.spellings import names_of as spellings_of
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.page_addresses import game_path, tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games

SCREEN_COOKIE = "faristol-screen"
SCREEN_COOKIE_SECONDS = 400 * 24 * 3_600
"""Longest lifetime of a cookie that browsers accept; each request extends it."""

_CONTENTS = spellings_of(pairing.ScreenContent.DESCRIPTOR)

routes = APIRouter(include_in_schema=False)


class ProgrammePart(NamedTuple):
    """A part of the programme with its content."""

    id: str
    kind: str
    """Content by its name in kebab case."""
    hall: str = ""
    places: tuple[PlayerPlace, ...] = ()
    address: str = ""
    """Address of the game in a frame, or of the picture."""
    is_empty: bool = False
    """Whether it is skipped, because it has no content now."""


def _token(request: Request) -> str:
    """Return the token of the screen from its cookie; empty if it has none or a malformed one."""
    token = request.cookies.get(cookie_name(request, SCREEN_COOKIE), "")
    try:
        code_of_screen(token)
    except Invalid:
        return ""
    return token


def _with_cookie(request: Request, response: Response, token: str) -> Response:
    # The script stores the token too, because some browsers of televisions delete cookies when they are switched off.
    response.set_cookie(
        cookie_name(request, SCREEN_COOKIE), token, SCREEN_COOKIE_SECONDS, secure=is_safe(request), samesite="lax"
    )
    return response


@routes.get("/screen")
async def show_own_screen(request: Request, results: Reader, games: DuplicateReader, part: Part = "") -> Response:
    """Show the programme of this screen, or its code before a tournament has named it."""
    token = _token(request) or secrets.token_urlsafe(16)
    found = await results.ask(pb.ReportScreenRequest(token=token))
    if not found.tournament_id:
        response = page(request, "screen_code.html", part, token=token, code=format_screen_code(found.code))
        response.headers["Cache-Control"] = "no-store"
        return _with_cookie(request, response, token)
    response = await _show_programme(request, results, games, found, token, part)
    return _with_cookie(request, response, token)


@routes.post("/screen")
async def report_own_screen(request: Request, results: Reader, given: Fields) -> Response:
    """Report the part that this screen shows; return its tournament, which is empty before one has named it."""
    token = given.get("token", "") or _token(request)
    try:
        code_of_screen(token)
    except Invalid as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    showing = pairing.ScreenContent.ValueType(_CONTENTS.get(given.get("showing", ""), 0))
    found = await results.ask(pb.ReportScreenRequest(token=token, showing=showing))
    response = JSONResponse({"tournament_id": found.tournament_id}, headers={"Cache-Control": "no-store"})
    return _with_cookie(request, response, token)


async def _show_programme(
    request: Request, results: Results, games: Duplicates, found: pb.ReportScreenResponse, token: str, part: str
) -> Response:
    tournament_id, screen = found.tournament_id, found.screen
    head, paired, everybody = await load_places(results, games, tournament_id)
    standings, summed, names = pb.GetStandingsResponse(), [], {}
    wanted = {each.content for each in screen.programme}
    of_duplicate = is_of_duplicate_games(head.tournament)
    if pairing.SCREEN_CONTENT_STANDINGS in wanted and of_duplicate:
        totals = await games.totals(tournament_id)
        if any(game.turns for game in totals.games):
            summed = [line.line for line in totals.lines[:SCREEN_TOP_PLAYERS]]
            names = names_of(await results.players(tournament_id))
    elif pairing.SCREEN_CONTENT_STANDINGS in wanted:
        standings = await results.standings(tournament_id, page=Page(SCREEN_TOP_PLAYERS))
    is_closed = paired.phase == pb.ROUND_PHASE_CLOSED
    programme = [
        _part_of(number, each, paired, [] if is_closed else everybody, head)
        for number, each in enumerate(screen.programme)
    ]
    halls = {each.hall for each in screen.programme if each.content == pairing.SCREEN_CONTENT_SEATS}
    hall = next(iter(halls)) if len(halls) == 1 else ""
    values: dict[str, Any] = {
        "tournament": head.tournament,
        "position": min(found.position, head.position),
        "screen": screen,
        "token": token,
        "programme": programme,
        "round": latest(head.tournament),
        "standings": standings,
        "summed": summed,
        "names": names,
        "hall": hall,
        "messages": [each for each in head.messages if not hall or each.hall in {"", hall}],
        "tables": len(paired.tables),
        "finished": sum(table.final for table in paired.tables),
    }
    return page(request, "screen_programme.html", part, **values)


def _part_of(
    number: int,
    wanted: pairing.ScreenPart,
    paired: pb.GetPairingsResponse,
    everybody: list[PlayerPlace],
    head: pb.GetTournamentResponse,
) -> ProgrammePart:
    kind = name_of(pairing.ScreenContent.DESCRIPTOR, wanted.content)
    id_ = f"{kind}-{number}"
    match wanted.content:
        case pairing.SCREEN_CONTENT_SEATS:
            here = tuple(
                each for each in everybody if wanted.hall in ("", each.table.hall if each.table else each.hall)
            )
            return ProgrammePart(id_, kind, wanted.hall, here, is_empty=not here)
        case pairing.SCREEN_CONTENT_GAME:
            game = next((table.game_id for table in paired.tables if table.table == wanted.table), "")
            address = f"{game_path(game, 'embed')}?theme=auto" if game else ""
            return ProgrammePart(id_, kind, address=address, is_empty=not address)
        case pairing.SCREEN_CONTENT_PICTURE:
            address = tournament_path(head.tournament.tournament_id, "pictures", wanted.digest)
            return ProgrammePart(id_, kind, address=address)
        case pairing.SCREEN_CONTENT_MESSAGES:
            return ProgrammePart(id_, kind, is_empty=not head.messages)
        case _:
            return ProgrammePart(id_, kind)


@routes.get("/tournaments/{tournament_id}/pictures/{digest}")
async def serve_picture(
    results: Reader, tournament_id: str, digest: Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
) -> Response:
    """Return a picture of a tournament. Its address has the digest of its content, so it never changes."""
    content = (await results.ask(pb.GetPictureRequest(tournament_id=tournament_id, digest=digest))).content
    headers = {"Cache-Control": "public, max-age=86400, immutable"}
    return Response(content, media_type=media_type_of(content) or "application/octet-stream", headers=headers)
