"""The federation pack of a tournament, to download by its arbiters, its director and the federation."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.event_store.integrity.keys import KeyUnavailable
from faristol.gateway.api.downloads import ZIP
from faristol.gateway.api.ratings import RatingService
from faristol.gateway.auth.session import session, token_of
from faristol.gateway.consoles.navigation import may_supervise
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.federation.pack_files import gather_pack
from faristol.gateway.http.forms import public_address
from faristol.gateway.http.language import language_of
from faristol.gateway.print.addresses import TournamentId
from faristol.gateway.print.contents import PaperRequest, language_of_tournament
from faristol.gateway.rpc.results import Results
from faristol.presentation.other_programs.packs import write_pack
from faristol.text import LANGUAGES, SOURCE

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/pack.zip")
async def get_pack(
    request: Request, tournament_id: TournamentId, lang: Annotated[str, Query(max_length=10)] = ""
) -> Response:
    """Return the pack, signed if this process has a key: that of packs, else that of the seals.

    It has the minutes with private notes, so a caller who does not supervise the tournament does not find it. Reasons
    of missing files are in English, so that equal records give equal bytes.
    """
    own, token = await session(request), token_of(request)
    if not may_supervise(own, tournament_id):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    state = request.app.state
    head = await Results(state.results, language_of(request), token=token).tournament(tournament_id)
    language = lang if lang in LANGUAGES else language_of_tournament(head)
    wanted = PaperRequest(
        Results(state.results, language, SOURCE, token=token),
        Duplicates(state.duplicate, language),
        language,
        head,
        "A4",
        public_address(request),
        calls=own.calls.in_language(language),
    )
    content = await gather_pack(wanted, RatingService(state.ratings, language, SOURCE), state.pdfs)
    try:
        made = await asyncio.to_thread(write_pack, content, state.pack_key)
    except KeyUnavailable as error:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error
    headers = {
        "Cache-Control": "no-store, private",
        "Content-Disposition": f'attachment; filename="{tournament_id}-pack.zip"',
    }
    return Response(made, media_type=ZIP, headers=headers)
