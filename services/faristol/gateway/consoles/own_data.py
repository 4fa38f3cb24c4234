"""What is held of a player who is signed in: to read, to take away, and how to have it corrected or erased."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.credentials.roles import PLAYER
from faristol.gateway.language import language_of
from faristol.gateway.operator import Operator
from faristol.gateway.page import private_page
from faristol.gateway.session import Session, SignedIn
from faristol.gateway.spectators.players import PlayerAnswer
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.text import say

CORRECTION = N_("Correction of my data")
ERASURE = N_("Erasure of my data")
LETTER = N_("I am the player {player} on {site}.")

routes = APIRouter(include_in_schema=False)


@routes.get("/my-data")
async def show_own_data(request: Request, signed_in: SignedIn) -> Response:
    """Show a player what is held of them, and how to ask for a correction or for erasure."""
    answer = await _own(signed_in)
    operator: Operator = request.app.state.operator
    return private_page(
        request,
        "own_data.html",
        session=signed_in,
        player=answer,
        letters=[(subject, _letter(request, operator, subject, answer.player_id)) for subject in (CORRECTION, ERASURE)],
    )


@routes.get("/my-data.json")
async def get_own_data(signed_in: SignedIn) -> Response:
    """Send the same as a file."""
    told = PlayerAnswer.of(await _own(signed_in)).model_dump_json(indent=2)
    headers = {
        "Content-Disposition": f'attachment; filename="{signed_in.credential.player_id}.json"',
        "Cache-Control": "no-store, private",
    }
    return Response(told, media_type="application/json", headers=headers)


async def _own(signed_in: Session) -> pb.GetPlayerResponse:
    """What the record holds of the player who is signed in. Raises ``HTTPException`` for who is none."""
    if signed_in.credential.role != PLAYER:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    found: pb.GetPlayerResponse = await signed_in.calls.ask(
        pb.GetPlayerRequest(player_id=signed_in.credential.player_id)
    )
    return found


def _letter(request: Request, operator: Operator, subject: str, player_id: str) -> str:
    """The address of a letter that asks for something, begun; empty where the operator takes none by mail."""
    if not operator.contact_link.startswith("mailto:"):
        return ""
    language = language_of(request)
    known = {"player": player_id, "site": request.url.hostname or ""}
    said = f"subject={quote(say(subject, {}, language))}&body={quote(say(LETTER, known, language))}"
    return f"{operator.contact_link}?{said}"
