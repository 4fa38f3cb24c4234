"""The page of the fees, for the treasurer and the director, with the receipts; and the calls of a payment provider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Depends, Path, Query
from pydantic import AfterValidator
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.auth.session import calls
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import (
    NEW_FORM,
    Unsent,
    hide_errors,
    request_of,
    send_form,
    to_problem,
)
from faristol.gateway.consoles.forms import Given, to_local_input
from faristol.gateway.consoles.frame import Console, ConsoleDep, TournamentId, require
from faristol.gateway.consoles.navigation import may
from faristol.gateway.http.forms import Fields, body_of
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.paging import PART_ROWS, Offset, part_of
from faristol.gateway.pages.templating import render
from faristol.gateway.print.addresses import to_response
from faristol.gateway.print.form import style_name
from faristol.gateway.print.pdf import is_installed
from faristol.gateway.rpc.calls import NAMED
from faristol.gateway.rpc.results import Reader
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.presentation.names import fold_name
from faristol.presentation.page_addresses import tournament_path
from faristol.text.money import count_currency_digits, format_money, format_plain
from faristol.typed_input.money import parse_money

FEE_COMMANDS = ("SetFees", "AdjustFee", "RecordPayment", "CancelPayment", "CorrectPayment", "RefundPayment")
"""Commands of the forms."""

MAX_CATEGORY_FEES_COUNT = 8
"""Lines of the form for fees of categories."""

MAX_EVENT_BODY_BYTES = 65_536
"""Limit of a call of a payment provider in bytes."""


@dataclass(frozen=True)
class Shown:
    """Parts of the long lists that the page shows."""

    find: Annotated[str, Query(max_length=100), AfterValidator(str.strip)] = ""
    """Text that the names of the persons contain."""
    start: Annotated[Offset, Query(alias="from")] = 0
    """Number of persons before those that are shown."""
    receipts: Offset = 0
    """Number of later receipts before those that are shown."""

    def query(self, **more: str) -> str:
        """Return the query of the same parts, with further parameters."""
        given = {"find": self.find, "from": self.start or "", "receipts": self.receipts or "", **more}
        text = urlencode({name: value for name, value in given.items() if value})
        return f"?{text}" if text else ""


ShownDep = Annotated[Shown, Depends()]
"""Route parameter."""

routes = APIRouter(include_in_schema=False, dependencies=[require(pb.ListFeesRequest)])
provider_calls = APIRouter(include_in_schema=False)
"""Calls of payment providers, which sign them."""


@routes.get("/tournaments/{tournament_id}/fees")
async def show_fees(
    console: ConsoleDep, results: Reader, tournament_id: TournamentId, shown: ShownDep, sent: Unsent = NEW_FORM
) -> Response:
    """Show what each person owes and paid, the receipts, the totals, and the settings."""
    found = await _load(console, tournament_id)
    head = await results.tournament(tournament_id)
    settings = found.settings
    lines = [(each.category, format_plain(each.amount, found.decimals)) for each in settings.categories]
    spare = max(1, min(3, MAX_CATEGORY_FEES_COUNT - len(lines)))
    return console.form_page(
        "fees.html",
        head,
        sent,
        console_name="fees",
        found=found,
        accounts=part_of(_find(found, shown.find), shown.start),
        shown=shown,
        finds=len(found.accounts) > PART_ROWS,
        s=settings,
        state_names=labels_of(registration.EntryState.DESCRIPTOR),
        methods=labels_of(events.PaymentMethod.DESCRIPTOR),
        money=_money(found, console.language),
        plain=partial(format_plain, digits=found.decimals),
        lines=[*lines, *[("", "")] * spare],
        may=lambda name: may(console.session, NAMED["pairing", name].request),
        documents=part_of(found.documents[::-1], shown.receipts),
        made=console.request.query_params.get("receipt", ""),
        zone=found.time_zone,
        early_until=to_local_input(settings, "early_until", found.time_zone),
        base=tournament_path(tournament_id, "fees"),
    )


@routes.post("/tournaments/{tournament_id}/fees")
async def change_fees(
    console: ConsoleDep, results: Reader, tournament_id: TournamentId, given: Fields, shown: ShownDep
) -> Response:
    """Send a command on fees."""
    found = await _load(console, tournament_id)
    request = request_of(given, "pairing", FEE_COMMANDS, tournament_id=tournament_id)
    convert = partial(_in_units, found=found)
    sent = await send_form(console.calls, request, given, console.language, found.time_zone, convert)
    if sent.answer is None:
        return await show_fees(console, results, tournament_id, shown, sent)
    query = {"receipt": str(sent.answer.document)} if hasattr(sent.answer, "document") else {}
    return redirect_to(f"{tournament_path(tournament_id, 'fees')}{shown.query(**query)}")


def _in_units(given: Given, found: pb.ListFeesResponse) -> Given:
    """Return a form with amounts in the smallest unit of the currency.

    Raises ``Invalid`` for a text that is no amount, and for a category without one.
    """
    decimals = found.decimals
    if given.get("act") == "SetFees" and given.get("currency", "").strip().upper() != found.settings.currency:
        decimals = count_currency_digits(given.get("currency", "").strip().upper())
    changed = dict(given)
    for name, text in given.items():
        if name in ("amount", "early_discount") or name.endswith(".amount"):
            changed[name] = str(parse_money(name, text, decimals)) if text.strip() else ""
    for name in given:
        if not name.endswith(".amount"):
            continue
        if not given.get(f"{name.removesuffix('amount')}category", "").strip():
            changed[name] = ""
        elif not given[name].strip():
            raise Invalid(name, N_("is missing; expected the fee of the category, such as 25, or 0"))
    return changed


async def _load(console: Console, tournament_id: str) -> pb.ListFeesResponse:
    """Return the fees. Raises ``HTTPException`` (404) if the user may not see them."""
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT):
        return await console.calls.ask(pb.ListFeesRequest(tournament_id=tournament_id))


def _find(found: pb.ListFeesResponse, text: str) -> list[pb.FeeAccount]:
    """Return the accounts of participants and payers, those with a text in the name."""
    wanted = fold_name(text)
    return [
        each for each in found.accounts if (each.stands or each.paid) and (not wanted or wanted in fold_name(each.name))
    ]


def _money(found: pb.ListFeesResponse, language: str) -> Callable[[int], str]:
    return partial(format_money, currency=found.settings.currency, language=language)


@routes.get("/tournaments/{tournament_id}/fees/receipts/{receipt}")
async def show_receipt(
    console: ConsoleDep,
    tournament_id: TournamentId,
    receipt: Annotated[str, Path(pattern=r"^[0-9]{1,9}([.]pdf)?$")],
) -> Response:
    """Show a receipt or credit note to print, as a page or as a PDF."""
    found = await _load(console, tournament_id)
    number, dot, _ = receipt.partition(".")
    document = next((each for each in found.documents if each.document == int(number)), None)
    if document is None or (dot and not is_installed()):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    language = console.language
    receipts = {each.payment: each.document for each in found.documents if not each.credit}
    html = render(
        "print/receipt.html",
        language,
        "",
        {
            "found": found,
            "document": document,
            "of_receipt": receipts.get(document.payment, 0),
            "money": _money(found, language),
            "methods": labels_of(events.PaymentMethod.DESCRIPTOR),
            "style": style_name("A5", "upright"),
            "can_pdf": is_installed(),
            "tournament_id": tournament_id,
        },
    )
    headers = {"Cache-Control": "no-store, private", "Content-Language": language}
    return await to_response(console.request, html, f"{tournament_id}-{number}" if dot else "", headers)


@provider_calls.post("/payments/stripe")
async def take_provider_event(request: Request) -> Response:
    """Take a call of the payment provider; its signature is verified by the service."""
    body = await body_of(request, "application/json", MAX_EVENT_BODY_BYTES)
    signature = request.headers.get("stripe-signature", "")[:2_000]
    try:
        await calls(request).ask(pb.TakeProviderEventRequest(body=body, signature=signature))
    except grpc.aio.AioRpcError as error:
        problem = to_problem(error, language_of(request))
        return Response(problem.detail, HTTPStatus.BAD_REQUEST, media_type="text/plain")
    return Response(status_code=HTTPStatus.NO_CONTENT)
