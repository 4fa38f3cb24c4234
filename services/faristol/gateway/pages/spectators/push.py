"""Subscriptions of browsers to notifications: the calls of the script ``push.js``."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.auth.session import calls, token_of
from faristol.gateway.http.forms import Fields
from faristol.gateway.http.language import language_of
from faristol.pb.results.v1 import push_pb2 as pb

OWN = "own"
MAX_TABLE_DIGITS = 6

routes = APIRouter(include_in_schema=False)


@routes.get("/push/key")
async def show_push_key(request: Request) -> Response:
    """Return the key with which a browser subscribes."""
    found = await calls(request).ask(pb.GetPushKeyRequest())
    return JSONResponse({"key": found.key}, headers={"Cache-Control": "no-store"})


@routes.post("/push")
async def change_push(request: Request, given: Fields) -> Response:
    """Follow or stop following with a browser, or list what it follows. Raises ``HTTPException`` for another act.

    Only the messages to a player are followed with the credential of the user.
    """
    endpoint, kind, value = given.get("endpoint", ""), given.get("kind", ""), given.get("value", "")
    tournament = given.get("tournament_id", "")
    asked: Any
    match given.get("act", ""):
        case "follow":
            is_table = kind == "table" and value.isascii() and value.isdigit() and len(value) <= MAX_TABLE_DIGITS
            asked = pb.FollowByPushRequest(
                endpoint=endpoint,
                public_key=given.get("public_key", ""),
                auth=given.get("auth", ""),
                key=given.get("key", ""),
                language=language_of(request),
                tournament_id=tournament,
                player_id=value if kind == "player" else "",
                table=int(value) if is_table else 0,
                own_player_id=value if kind == OWN else "",
            )
        case "unfollow":
            follow = pb.PushFollow(tournament_id=tournament, kind=kind, value=value)
            asked = pb.UnfollowByPushRequest(endpoint=endpoint, follow=follow)
        case "list":
            asked = pb.ListPushFollowsRequest(endpoint=endpoint)
        case _:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
    is_own = kind == OWN and given["act"] == "follow"
    answer = await calls(request, token_of(request) if is_own else "").ask(asked)
    follows = [f"{each.tournament_id} {each.kind} {each.value}" for each in answer.follows]
    return JSONResponse({"follows": follows}, headers={"Cache-Control": "no-store"})
