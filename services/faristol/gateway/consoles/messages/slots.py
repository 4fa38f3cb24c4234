"""The page of a broadcast, for its annotators and the director: stream slots, their addresses, and claimed tables."""

from __future__ import annotations

import grpc
from fastapi import APIRouter
from starlette.responses import Response

from faristol.access_control.roles import DIRECTOR
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, Unsent, hide_errors, request_of, send_form
from faristol.gateway.consoles.frame import Console, ConsoleDep, Done, TournamentId, require
from faristol.gateway.consoles.navigation import may
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.render import Part
from faristol.gateway.pages.spectators.seats import latest
from faristol.gateway.pages.spectators.slots import SLOT_CONTENTS
from faristol.gateway.rpc.results import Moment, Reader
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.page_addresses import tournament_path

SLOT_COMMANDS = ("PointSlot", "RemoveSlot", "ClaimTable", "ReleaseClaim", "SetBroadcastDelay")
"""Commands of the forms."""

routes = APIRouter(include_in_schema=False, dependencies=[require(pb.ListClaimsRequest)])


@routes.get("/tournaments/{tournament_id}/slots")
async def show_slots(
    console: ConsoleDep,
    results: Reader,
    tournament_id: TournamentId,
    done: Done = 0,
    part: Part = "",
    sent: Unsent = NEW_FORM,
) -> Response:
    """Show the slots with their addresses, and the claimed tables."""
    claimed = await _load_claims(console, tournament_id, done)
    listed = await results.ask(pb.ListSlotsRequest(tournament_id=tournament_id, min_position=done))
    head = await results.tournament(tournament_id, Moment(done))
    check_has_tables(head)
    round_ = latest(head.tournament)
    tables: dict[int, pb.Table] = {}
    if round_ is not None:
        paired = await results.pairings(tournament_id, round_.round, seats_alone=True)
        tables = {table.table: table for table in paired.tables}
    used = {each.slot for each in listed.slots}
    return console.form_page(
        "slots.html",
        head,
        sent,
        console_name="slots",
        part=part,
        slots=listed.slots,
        free=next((number for number in range(1, 100) if number not in used), 1),
        claims=claimed.claims,
        own=console.subject,
        round=round_,
        tables=tables,
        contents=SLOT_CONTENTS,
        director_role=DIRECTOR,
        may_delay=may(console.session, pairing.SetBroadcastDelayRequest),
        base=tournament_path(tournament_id, "slots"),
    )


@routes.post("/tournaments/{tournament_id}/slots")
async def change_slots(console: ConsoleDep, results: Reader, tournament_id: TournamentId, given: Fields) -> Response:
    """Point or remove a slot, claim or release a table."""
    await _load_claims(console, tournament_id)
    request = request_of(given, "pairing", SLOT_COMMANDS, tournament_id=tournament_id)
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await show_slots(console, results, tournament_id, sent=sent)
    return redirect_to(f"{tournament_path(tournament_id, 'slots')}?done={sent.answer.position}")


async def _load_claims(console: Console, tournament_id: str, done: int = 0) -> pb.ListClaimsResponse:
    """Return the claimed tables. Raises ``HTTPException`` (404) if the user may not see them."""
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT):
        return await console.calls.ask(pb.ListClaimsRequest(tournament_id=tournament_id, min_position=done))
