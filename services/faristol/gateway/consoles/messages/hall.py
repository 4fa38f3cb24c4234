"""Page of the messages of a hall, for its arbiter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Depends, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, form_id, to_problem
from faristol.gateway.consoles.forms import fill
from faristol.gateway.consoles.frame import Console, TournamentId
from faristol.gateway.consoles.messages.form import add_day, list_audiences, list_kinds
from faristol.gateway.http.forms import Fields
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import Reader
from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.names import name_in_id
from faristol.presentation.page_addresses import encode_segment, tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import say

HALL_COMMANDS: Mapping[str, Any] = {
    "SendMessage": pairing.SendMessageRequest,
    "WithdrawMessage": pairing.WithdrawMessageRequest,
}
"""Commands of the page."""

Hall = Annotated[str, Query(max_length=200)]

routes = APIRouter(include_in_schema=False)


@dataclass
class HallMessages(Console):
    """Messages of the halls of a signed-in arbiter."""

    results: Reader
    tournament_id: TournamentId

    async def show(self, hall: str, *, part: str = "", done: int = 0, sent: SentForm = NEW_FORM) -> Response:
        """Render the messages of the halls, and the form of a new one. Raises ``HTTPException`` for another user."""
        if not self.may(pairing.SendMessageRequest, self.tournament_id):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        head = await self.results.tournament(self.tournament_id)
        own = set(self.session.credential.scope.halls)
        halls = [each.name for each in head.tournament.halls if not own or each.name in own]
        hall = hall if hall in halls else (halls[0] if own and halls else "")
        listed = await self.calls.ask(pb.ListMessagesRequest(tournament_id=self.tournament_id, min_position=done))
        return self.form_page(
            "arbiter_messages.html",
            head,
            sent,
            console_name="arbiter",
            part=part,
            listed=[each for each in listed.messages if not hall or each.hall in {"", hall}],
            kinds=list_kinds(),
            audiences=list_audiences(of_duplicate=is_of_duplicate_games(head.tournament), in_hall=bool(hall)),
            halls=halls,
            hall=hall,
            people=await self._people(hall),
            named=name_in_id,
        )

    async def _people(self, hall: str) -> list[tuple[str, str]]:
        """Return the players of the current round in a hall, by id and name."""
        asked = self.calls.ask(pb.ListTablesRequest(tournament_id=self.tournament_id, hall=hall))
        codes = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.PERMISSION_DENIED)
        listed = await answer_or(asked, pb.ListTablesResponse(), *codes)
        seats = [seat for table in listed.tables for seat in table.seats]
        return sorted(((seat.player_id, seat.name) for seat in seats), key=lambda each: each[1].casefold())

    async def act(self, given: Mapping[str, str]) -> Response:
        """Send or withdraw a message of a hall. A refused form keeps its input."""
        kind = HALL_COMMANDS.get(given.get("act", ""))
        if kind is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        hall = given.get("hall", "")
        head = await self.results.tournament(self.tournament_id)
        zone = head.tournament.time_zone
        command = kind(command_id=str(form_id(given)), tournament_id=self.tournament_id)
        try:
            fill(command, add_day(given, self.request.app.state.now(), zone), zone)
            answer = await self.calls.ask(command)
        except Invalid as problem:
            told = say(problem.problem, problem.params, self.language)
            return await self.show(hall, sent=SentForm(given, errors={problem.field: told}))
        except grpc.aio.AioRpcError as error:
            found = to_problem(error, self.language)
            wrong = {each["field"]: each["problem"] for each in found.more.get("errors", ())}
            return await self.show(hall, sent=SentForm(given, None, wrong, "" if wrong else found.detail))
        where = tournament_path(self.tournament_id, "arbiter", "messages")
        return redirect_to(f"{where}?hall={encode_segment(hall)}&done={answer.position}")


Messages = Annotated[HallMessages, Depends()]


@routes.get("/tournaments/{tournament_id}/arbiter/messages")
async def show_hall_messages(
    console: Messages, hall: Hall = "", done: Annotated[int, Query(ge=0, le=2**62)] = 0
) -> Response:
    """Show the messages of a hall."""
    return await console.show(hall, done=done)


@routes.post("/tournaments/{tournament_id}/arbiter/messages")
async def act_on_hall_messages(console: Messages, given: Fields) -> Response:
    """Send or withdraw a message of a hall."""
    return await console.act(given)
