"""Public pages of a registration: the form with the list of entrants, and the page of an entry by its link.

The link of an entry has its key as a query parameter, which no log contains. A GET never confirms: a preview of the
link in a messenger has no effect.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Depends, Path, Query
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
from faristol.gateway.rpc.calls import Calls, answer_or
from faristol.gateway.rpc.results import Reader
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


@dataclass(frozen=True)
class _Registration:
    """Pages of the registration of a tournament, for a visitor."""

    request: Request
    results: Reader
    tournament_id: TournamentId

    @property
    def language(self) -> str:
        return language_of(self.request)

    @property
    def calls(self) -> Calls:
        return calls(self.request)

    def redirect_to(self, page: str, query: str) -> Response:
        return redirect_to(f"{tournament_path(self.tournament_id, page)}?{query}")

    async def show(self, name: str, status: HTTPStatus, currency: str = "", **values: Any) -> Response:
        """Render a page; amounts of money are in ``currency``."""
        head = await self.results.tournament(self.tournament_id)
        return private_page(
            self.request,
            name,
            status=status,
            tournament=head.tournament,
            money=partial(format_money, currency=currency, language=self.language),
            listings=labels_of(events.EntryListing.DESCRIPTOR),
            states=labels_of(pb.EntryState.DESCRIPTOR),
            pb=pb,
            zone=head.tournament.time_zone,
            **values,
        )

    async def show_form(self, sent: SentForm = NEW_FORM, start: int = 0) -> Response:
        """Render the form, and a part of the list of entrants."""
        found = await self.calls.ask(pb.GetRegistrationRequest(tournament_id=self.tournament_id))
        said = "" if sent.errors or sent.refused else self.request.query_params.get("sent")
        named = [each for each in found.entrants if each.name]
        return await self.show(
            "register.html",
            sent.status,
            found.fees.currency,
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
            trap=TRAP,
        )

    async def send_links(self, given: Given) -> Response:
        """Send the links of an entrant who has lost them. The page does not tell whether the address is known."""
        email = given.get("lost_email", "")[:254]
        try:
            await self.calls.ask(pb.SendEntryLinksRequest(tournament_id=self.tournament_id, email=email))
        except grpc.aio.AioRpcError as error:
            return await self.show_form(SentForm(refused=to_problem(error, self.language).detail))
        return self.redirect_to("register", "sent=link")

    async def show_entry(self, key: str, *, is_new: bool = False, refused: str = "") -> Response:
        """Render an entry, or that no entry has this key."""
        asked = self.calls.ask(pb.GetOwnEntryRequest(key=key))
        found = await answer_or(asked, None, grpc.StatusCode.NOT_FOUND)
        if found is None or found.tournament_id != self.tournament_id:
            return await self.show_missing()
        status = HTTPStatus.CONFLICT if refused else HTTPStatus.OK
        return await self.show("entry.html", status, found.fee.currency, found=found, is_new=is_new, refused=refused)

    async def show_missing(self) -> Response:
        """Render that there is no entry with a key."""
        said = say(NO_ENTRY, {}, self.language)
        return await self.show("entry.html", HTTPStatus.NOT_FOUND, found=None, refused=said)

    async def sign_in(self, key: str) -> Response:
        """Sign this browser in as the player of an accepted entry, and redirect to the page of the day."""
        try:
            signed_in = await self.calls.ask(access.SignInRequest(command_id=str(uuid.uuid4()), entry_key=key))
        except grpc.aio.AioRpcError as error:
            return await self.show_entry(key, refused=to_problem(error, self.language).detail)
        own = {"next": tournament_path(self.tournament_id, "my-table")}
        return await start_session(self.request, self.results, own, signed_in)


RegistrationDep = Annotated[_Registration, Depends()]
"""Route parameter."""


@routes.get("/tournaments/{tournament_id}/register")
async def show_form(page: RegistrationDep, start: Annotated[Offset, Query(alias="from")] = 0) -> Response:
    """Show the form and a part of the list of entrants."""
    return await page.show_form(start=start)


@routes.post("/tournaments/{tournament_id}/register")
async def submit_entry(page: RegistrationDep, given: Fields) -> Response:
    """Send the form; then show that a link was sent, or the page of the entry."""
    asked = pb.SubmitEntryRequest(
        command_id=str(form_id(given)), tournament_id=page.tournament_id, language=page.language
    )
    if given.get("act") == "link":
        return await page.send_links(given)
    if given.get(TRAP):
        return page.redirect_to("register", "sent=1")
    typed = given.get("country", "").strip()
    if code := find_country(typed):
        given = {**given, "country": code}
    elif typed and given.get("country_asked") != typed:
        errors = {"country": say(UNKNOWN_COUNTRY, {"given": typed[:MAX_COUNTRY_CHARACTERS]}, page.language)}
        return await page.show_form(SentForm({**given, "country_asked": typed}, None, errors))
    sent = await send_form(page.calls, asked, given, page.language)
    if sent.answer is None:
        return await page.show_form(sent)
    answer: pb.SubmitEntryResponse = sent.answer
    if answer.by_mail:
        return page.redirect_to("register", "sent=1")
    return page.redirect_to("entry", f"key={answer.key}&new=1")


@routes.get("/tournaments/{tournament_id}/entry")
async def show_entry(page: RegistrationDep, key: Key = "", new: Annotated[str, Query(max_length=1)] = "") -> Response:
    """Show an entry to its entrant."""
    return await page.show_entry(key, is_new=bool(new))


@routes.post("/tournaments/{tournament_id}/entry")
async def change_entry(page: RegistrationDep, given: Fields, key: Key = "") -> Response:
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
        return await page.sign_in(key)
    if act not in commands:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    try:
        await page.calls.ask(commands[act])
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.NOT_FOUND:
            return await page.show_missing()
        return await page.show_entry(key, refused=to_problem(error, page.language).detail)
    return page.redirect_to("entry", f"key={key}")
