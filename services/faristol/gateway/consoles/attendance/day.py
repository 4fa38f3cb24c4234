"""A player's day: the requests and the presence of a signed-in player, on the page of the player's table."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import grpc
from fastapi import APIRouter
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.access_control.roles import PLAYER
from faristol.client.problems import reason_of
from faristol.gateway.auth.session import Session, SignedIn
from faristol.gateway.auth.sign_in import HOME, redirect_to
from faristol.gateway.consoles.commands import command_id, to_problem
from faristol.gateway.consoles.forms import fill
from faristol.gateway.consoles.frame import Console
from faristol.gateway.rpc.calls import A, D, answer_or
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1.events_pb2 import Hall
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.halls import HallPlan, build_plan, describe_place
from faristol.presentation.page_addresses import tournament_path
from faristol.text import say

DAY_COMMANDS: Mapping[str, type[Message]] = {
    "ConfirmPresence": pairing.ConfirmPresenceRequest,
    "LodgePlayerRequest": pairing.LodgePlayerRequestRequest,
    "TakeBackPlayerRequest": pairing.TakeBackPlayerRequestRequest,
}
"""Commands of a player's day, if the organiser allows them."""

routes = APIRouter(include_in_schema=False)


class OwnPlace(NamedTuple):
    """The place of the player's own table in its hall."""

    hall: Hall
    own: int
    plan: HallPlan | None
    """Rows of the hall; None if only the numbers of its tables are known."""
    said: str
    """The place in words; empty without a plan."""


class OwnDay(NamedTuple):
    """Data of a player's day besides the table."""

    state: pairing.ListPlayerRequestsResponse
    standing: pb.Standing | None = None
    """Own line of the standings; None before the first result."""
    players: int = 0
    """Number of players in the standings."""
    place: OwnPlace | None = None


@routes.get("/me")
async def show_day(signed_in: SignedIn) -> Response:
    """Redirect a player to the page of the day of the tournament that is on, and other users to their account."""
    credential = signed_in.credential
    if credential.role != PLAYER:
        return redirect_to(HOME)
    asked = signed_in.calls.ask(pb.GetPlayerRequest(player_id=credential.player_id))
    answer = await answer_or(asked, pb.GetPlayerResponse(), grpc.StatusCode.NOT_FOUND)
    scope = set(credential.scope.tournament_ids)
    own = [each.tournament for each in answer.tournaments if not scope or each.tournament.tournament_id in scope]
    found = next((each for each in own if not each.over), own[0] if own else None)
    return redirect_to(tournament_path(found.tournament_id, "my-table") if found else HOME)


async def unless_unregistered(call: Awaitable[A], default: D) -> A | D:
    """Return the answer of a call; ``default`` if the player is not registered. Raises any other error."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        if reason_of(error) != "NOT_REGISTERED":
            raise
        return default


async def load_day(signed_in: Session, found: pb.GetPlayerDayResponse, table: pb.Table | None, language: str) -> OwnDay:
    """Return the data of a player's day; only the empty state for an unregistered player."""
    tournament, player_id = found.head.tournament, signed_in.credential.player_id
    asked = pairing.ListPlayerRequestsRequest(tournament_id=tournament.tournament_id, player_id=player_id)
    state = await unless_unregistered(signed_in.calls.ask(asked), None)
    if state is None:
        return OwnDay(pairing.ListPlayerRequestsResponse())
    standing = found.standing if found.HasField("standing") else None
    return OwnDay(state, standing, tournament.players, find_own_place(tournament, table, language))


def find_own_place(tournament: pb.Tournament, table: pb.Table | None, language: str) -> OwnPlace | None:
    """Return the place of a table in its hall; None without a table or without halls."""
    if table is None:
        return None
    hall = next((each for each in tournament.halls if each.first_table <= table.table <= each.last_table), None)
    if hall is None:
        return None
    return OwnPlace(hall, table.table, build_plan(hall), describe_place(hall, table.table, language))


async def carry_out(console: Console, given: Mapping[str, str], act: str, tournament_id: str) -> str:
    """Send a command of a player's day; return the refusal in the player's language, empty for success.

    Raises ``HTTPException`` for a malformed form.
    """
    if act == "LodgePlayerRequest" and given.get("leaving_form") and not given.get("sure"):
        return say(N_("Tick the box to confirm that you leave."), {}, console.language)
    command: Any = DAY_COMMANDS[act]()
    try:
        fill(command, given)
        command.command_id, command.tournament_id = command_id(given, act), tournament_id
        command.player_id = console.session.credential.player_id
        await console.calls.ask(command)
    except (Invalid, ValueError) as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    except grpc.aio.AioRpcError as error:
        return to_problem(error, console.language).detail
    return ""
