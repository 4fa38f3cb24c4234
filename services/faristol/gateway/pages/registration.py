"""Public pages of a registration: the form with the list of entrants, and the page of an entry by its link.

The link of an entry has its key as a query parameter, which no log contains. A GET never confirms: a preview of the
link in a messenger has no effect.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.auth.session import calls
from faristol.gateway.auth.sign_in import redirect_to, start_session
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, form_id, send_form, to_problem
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.http.forms import Fields
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.paging import Offset, part_of
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import Reader, Results
from faristol.kernel.details import DETAILS
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.presentation.page_addresses import tournament_path
from faristol.text import say
from faristol.text.countries import find_country
from faristol.text.money import format_money

TournamentId = Annotated[str, Path(max_length=64)]
Key = Annotated[str, Query(max_length=64)]

NO_ENTRY = N_("This link is unknown or has expired. Enter again, or ask the director for help.")
TRAP = "website"
"""Field that people do not see: a program that fills it in sends no entry, and is not told."""

MAX_COUNTRY_CHARACTERS = 60
"""Characters of the name of a country in a form."""

UNKNOWN_COUNTRY = N_("{given} is not in the list of countries: choose one by its name, or send the same once more.")

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/register")
async def show_form(
    request: Request,
    results: Reader,
    tournament_id: TournamentId,
    start: Annotated[Offset, Query(alias="from")] = 0,
) -> Response:
    """Show the form and a part of the list of entrants."""
    return await _show_form(request, results, tournament_id, start=start)


@routes.post("/tournaments/{tournament_id}/register")
async def submit_entry(request: Request, results: Reader, tournament_id: TournamentId, given: Fields) -> Response:
    """Send the form; then show that a link was sent, or the page of the entry."""
    language = language_of(request)
    asked = pb.SubmitEntryRequest(command_id=str(form_id(given)), tournament_id=tournament_id, language=language)
    if given.get("act") == "link":
        return await _send_links(request, results, tournament_id, given)
    if given.get(TRAP):
        return redirect_to(f"{tournament_path(tournament_id, 'register')}?sent=1")
    typed = given.get("country", "").strip()
    if code := find_country(typed):
        given = {**given, "country": code}
    elif typed and given.get("country_asked") != typed:
        errors = {"country": say(UNKNOWN_COUNTRY, {"given": typed[:MAX_COUNTRY_CHARACTERS]}, language)}
        return await _show_form(
            request, results, tournament_id, SentForm({**given, "country_asked": typed}, None, errors)
        )
    sent = await send_form(calls(request), asked, given, language)
    if sent.answer is None:
        return await _show_form(request, results, tournament_id, sent)
    answer: pb.SubmitEntryResponse = sent.answer
    if answer.by_mail:
        return redirect_to(f"{tournament_path(tournament_id, 'register')}?sent=1")
    return redirect_to(f"{tournament_path(tournament_id, 'entry')}?key={answer.key}&new=1")


async def _send_links(request: Request, results: Results, tournament_id: str, given: Given) -> Response:
    """Send the links of an entrant who has lost them. The page does not tell whether the address is known."""
    asked = pb.SendEntryLinksRequest(tournament_id=tournament_id, email=given.get("lost_email", "")[:254])
    try:
        await calls(request).ask(asked)
    except grpc.aio.AioRpcError as error:
        refused = to_problem(error, language_of(request)).detail
        return await _show_form(request, results, tournament_id, SentForm(refused=refused))
    return redirect_to(f"{tournament_path(tournament_id, 'register')}?sent=link")


async def _show_form(
    request: Request, results: Results, tournament_id: str, sent: SentForm = NEW_FORM, start: int = 0
) -> Response:
    head = await results.tournament(tournament_id)
    found = await calls(request).ask(pb.GetRegistrationRequest(tournament_id=tournament_id))
    said = "" if sent.errors or sent.refused else request.query_params.get("sent")
    named = [each for each in found.entrants if each.name]
    return private_page(
        request,
        "register.html",
        status=sent.status,
        tournament=head.tournament,
        found=found,
        entrants=part_of(named, start),
        hidden=len(found.entrants) - len(named),
        sent=said == "1",
        link_sent=said == "link",
        refused=sent.refused,
        typed=Typed(sent.given),
        errors=Typed(sent.errors),
        details=[DETAILS[name] for name in found.settings.fields if name in DETAILS],
        most_country=MAX_COUNTRY_CHARACTERS,
        money=partial(format_money, currency=found.fees.currency, language=language_of(request)),
        listings=labels_of(events.EntryListing.DESCRIPTOR),
        states=labels_of(pb.EntryState.DESCRIPTOR),
        pb=pb,
        trap=TRAP,
        zone=head.tournament.time_zone,
    )


@routes.get("/tournaments/{tournament_id}/entry")
async def show_entry(
    request: Request,
    results: Reader,
    tournament_id: TournamentId,
    key: Key = "",
    new: Annotated[str, Query(max_length=1)] = "",
) -> Response:
    """Show an entry to its entrant."""
    return await _show_entry(request, results, tournament_id, key, is_new=bool(new))


@routes.post("/tournaments/{tournament_id}/entry")
async def change_entry(
    request: Request, results: Reader, tournament_id: TournamentId, given: Fields, key: Key = ""
) -> Response:
    """Confirm, answer, withdraw or erase an entry, or sign in as its player."""
    command_id = str(form_id(given))
    commands: Mapping[str, Any] = {
        "confirm": pb.ConfirmEntryRequest(key=key),
        "answer": pb.AnswerEntryRequest(command_id=command_id, key=key, note=given.get("note", "")[:2_000]),
        "withdraw": pb.WithdrawOwnEntryRequest(command_id=command_id, key=key),
        "erase": pb.EraseOwnEntryRequest(command_id=command_id, key=key),
    }
    act = given.get("act", "")
    if act == "sign-in":
        return await _sign_in(request, results, tournament_id, key)
    if act not in commands:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    try:
        await calls(request).ask(commands[act])
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.NOT_FOUND:
            return await _no_entry(request, results, tournament_id)
        refused = to_problem(error, language_of(request)).detail
        return await _show_entry(request, results, tournament_id, key, refused=refused)
    return redirect_to(f"{tournament_path(tournament_id, 'entry')}?key={key}")


async def _sign_in(request: Request, results: Results, tournament_id: str, key: str) -> Response:
    """Sign this browser in as the player of an accepted entry, and redirect to the page of the day."""
    command = access.SignInRequest(command_id=str(uuid.uuid4()), entry_key=key)
    try:
        signed_in = await calls(request).ask(command)
    except grpc.aio.AioRpcError as error:
        refused = to_problem(error, language_of(request)).detail
        return await _show_entry(request, results, tournament_id, key, refused=refused)
    return await start_session(request, results, {"next": tournament_path(tournament_id, "my-table")}, signed_in)


async def _show_entry(
    request: Request, results: Results, tournament_id: str, key: str, *, is_new: bool = False, refused: str = ""
) -> Response:
    asked = calls(request).ask(pb.GetOwnEntryRequest(key=key))
    found = await answer_or(asked, None, grpc.StatusCode.NOT_FOUND)
    if found is None or found.tournament_id != tournament_id:
        return await _no_entry(request, results, tournament_id)
    head = await results.tournament(tournament_id)
    return private_page(
        request,
        "entry.html",
        status=HTTPStatus.CONFLICT if refused else HTTPStatus.OK,
        tournament=head.tournament,
        found=found,
        is_new=is_new,
        money=partial(format_money, currency=found.fee.currency, language=language_of(request)),
        refused=refused,
        states=labels_of(pb.EntryState.DESCRIPTOR),
        listings=labels_of(events.EntryListing.DESCRIPTOR),
        pb=pb,
    )


async def _no_entry(request: Request, results: Results, tournament_id: str) -> Response:
    head = await results.tournament(tournament_id)
    return private_page(
        request,
        "entry.html",
        status=HTTPStatus.NOT_FOUND,
        tournament=head.tournament,
        found=None,
        refused=say(NO_ENTRY, {}, language_of(request)),
    )
