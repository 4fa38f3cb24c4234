"""Pages to sign in and out, and the account page."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from faristol.access_control.needs import CALLERS
from faristol.access_control.roles import ARBITER, DIRECTOR, PLAYER, SCORER
from faristol.gateway.auth.session import (
    NAME_COOKIE,
    WHY_SECONDS,
    SignedIn,
    add_mark,
    calls,
    cookie_name,
    delete_cookie,
    fits,
    marks_of,
    session,
    set_cookie,
    set_done,
    set_session,
    token_of,
)
from faristol.gateway.auth.session import WHY as WHY_COOKIE
from faristol.gateway.consoles.navigation import list_console_links, may, may_direct
from faristol.gateway.http.errors import as_json, of_rpc, of_session
from faristol.gateway.http.forms import Fields, local
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.calls import NotSignedIn
from faristol.gateway.rpc.results import Reader
from faristol.kernel.divisions import format_title
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import needs_pb2
from faristol.pb.lexicon.v1.lexicon_pb2 import InstallLexiconRequest
from faristol.pb.pairing.v1.pairing_pb2 import AnswerDataRequestRequest, CreateTournamentRequest
from faristol.pb.results.v1 import results_pb2
from faristol.pb.season.v1.season_pb2 import CreateSeasonRequest
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import say

HOME = "/account"
"""Default address after signing in."""

SIGNED_OUT = "SIGNED_OUT"
WHY: Mapping[str, str] = {
    SIGNED_OUT: N_("You are signed out."),
    "CREDENTIAL_REVOKED": N_("You were signed out: you or an official ended your credential early."),
    "CREDENTIAL_EXPIRED": N_("Your session has expired. Please sign in again."),
    "NOT_APPOINTED": N_("This account has no role here. Ask the federation for one, or use another account."),
    "OPENID_REFUSED": N_("The identity provider did not confirm your identity. Try again, or sign in another way."),
    "OPENID_AWAY": N_("The identity provider is unavailable. Try again, or sign in another way."),
    "OPENID_ELSEWHERE": N_("This sign-in was started in another browser or has expired. Start again here."),
    "CREDENTIAL_INVALID": N_("You are signed out. Please sign in again."),
}
"""Texts by the reason why a session ended. The last one is the default."""

ENTRY_LINK_PATTERN = re.compile(
    r"https?://\S{1,300}/entry\?(?:\S{0,100}&)?key=(?P<key>[A-Za-z0-9_-]{1,64})(?:&\S{0,100})?"
)
"""The address of the page of an entry, which signs in the player of an accepted one."""

SCORER_ROLES = frozenset({SCORER, ARBITER, DIRECTOR})
"""Roles that may record a table."""

TOO_LARGE = N_("This credential is too large for a browser. Ask for one with fewer tournaments or tables.")

Next = Annotated[str, Query(max_length=500)]
Text = Annotated[str, Query(max_length=100)]

routes = APIRouter(include_in_schema=False)


@routes.get("/sign-in")
async def show_entrance(
    request: Request, results: Reader, next: Next = "", tournament: Text = "", table: Text = ""
) -> Response:
    """Show the ways to sign in: a link, whose code is in the URL fragment that browsers do not send, and a PIN."""
    why = request.cookies.get(cookie_name(request, WHY_COOKIE), "")
    notice = say(WHY.get(why, WHY["CREDENTIAL_INVALID"]), {}, language_of(request)) if why else ""
    given = {"next": next, "tournament": tournament, "table": table}
    return await _entrance(request, results, given, notice, HTTPStatus.OK)


async def _entrance(
    request: Request, results: Reader, given: Mapping[str, str], said: str, status: HTTPStatus
) -> Response:
    listed = results.tournaments(archived=True)
    answer, provider = await asyncio.gather(listed, calls(request).ask(pb.GetProviderRequest()))
    wanted = given.get("tournament", "")
    running = [each for each in answer.tournaments if not (each.over or each.archived) or each.tournament_id == wanted]
    values = {key: given.get(key, "") for key in ("tournament", "table")}
    return private_page(
        request,
        "sign_in.html",
        status=status,
        said=said,
        tournaments=running,
        next=local(given.get("next", ""), HOME),
        provider=provider.name,
        is_signed_in=bool(token_of(request)),
        **values,
    )


@routes.post("/sign-in")
async def sign_in(request: Request, results: Reader, given: Fields) -> Response:
    """Sign this browser in and redirect to the requested page."""
    by: dict[str, Any] = {}
    code = given.get("code", "").strip()
    if found := ENTRY_LINK_PATTERN.fullmatch(code):
        by["entry_key"] = found["key"]
    elif code:
        by["code"] = code.rpartition("#")[2]  # from a pasted link
    else:
        table = given.get("table", "").strip()
        if not (table.isascii() and table.isdecimal() and 0 < int(table[:9]) < 2**31):
            notice = say(N_("Enter the number of your table."), {}, language_of(request))
            return await _entrance(request, results, given, notice, HTTPStatus.BAD_REQUEST)
        pin = "".join(given.get("pin", "").split())
        tournament, marks = given.get("tournament", ""), marks_of(request)
        by["pin"] = pb.PinAtTable(tournament_id=tournament, table=int(table[:9]), pin=pin, marks=marks)
    try:
        signed_in = await calls(request).ask(pb.SignInRequest(command_id=str(uuid.uuid4()), **by))
    except grpc.aio.AioRpcError as error:
        problem = of_rpc(error, language_of(request))
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        return await _entrance(request, results, given, problem.detail, problem.status)
    return await start_session(request, results, given, signed_in)


async def start_session(
    request: Request, results: Reader, given: Mapping[str, str], signed_in: pb.SignInResponse
) -> Response:
    """Store the session in a cookie and redirect to ``given["next"]``."""
    if not fits(signed_in.token):
        notice = say(TOO_LARGE, {}, language_of(request))
        return await _entrance(request, results, given, notice, HTTPStatus.FORBIDDEN)
    response = redirect_to(local(given.get("next", ""), HOME))
    name = ""
    with suppress(grpc.aio.AioRpcError):  # a link or code works once: a missing name must not fail the sign-in
        who = await calls(request, signed_in.token).ask(pb.GetCallerRequest())
        name = who.name
    set_session(request, response, signed_in, name or signed_in.credential.subject_id)
    add_mark(request, response, signed_in.mark)
    return response


@routes.post("/sign-out")
async def sign_out(request: Request, given: Fields) -> Response:
    """Sign out this browser, or every device of the user."""
    try:
        signed_in = await session(request)
        alone = "everywhere" not in given
        await signed_in.calls.ask(pb.SignOutRequest(command_id=str(uuid.uuid4()), this_device_alone=alone))
    except NotSignedIn:
        pass  # already signed out, perhaps on another device
    return leave(request, SIGNED_OUT, "")


def leave(request: Request, why: str, wanted: str) -> Response:
    """Delete the session cookies and redirect to the sign-in page, and from there to ``wanted``."""
    response = to_entrance(request, why, wanted)
    if token_of(request):
        delete_cookie(request, response)
        delete_cookie(request, response, NAME_COOKIE)
    return response


def to_entrance(request: Request, why: str, wanted: str = "") -> Response:
    """Redirect to the sign-in page, and from there to ``wanted``. ``why`` is shown there for a short time."""
    response = redirect_to(f"/sign-in?{urlencode({'next': wanted})}" if wanted else "/sign-in")
    if why:
        set_cookie(request, response, WHY_COOKIE, why, WHY_SECONDS)
    return response


async def not_signed_in(request: Request, problem: Exception) -> Response:
    """Answer a request that needs a session."""
    assert isinstance(problem, NotSignedIn)
    if request.url.path.startswith("/api"):
        return as_json(of_session(problem.why, language_of(request)), request)
    query = f"?{request.url.query}" if request.url.query and request.method == "GET" else ""
    return leave(request, problem.why, f"{request.url.path}{query}")


def redirect_to(address: str) -> Response:
    """Redirect after a form."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers={"Cache-Control": "no-store"})


def redirect_after(request: Request, address: str, done: str) -> Response:
    """Redirect after a form. The action is passed to ``done_in`` in a cookie, so that addresses contain no message."""
    response = redirect_to(address)
    set_done(request, response, done)
    return response


@routes.get("/account")
async def account(request: Request, results: Reader, signed_in: SignedIn) -> Response:
    """Show the user's role, scope and expiry."""
    credential = signed_in.credential
    scope = set(credential.scope.tournament_ids)
    answer = await results.tournaments(archived=True)
    held = [each for each in answer.tournaments if not scope or each.tournament_id in scope]
    return private_page(
        request,
        "account.html",
        session=signed_in,
        tournaments=held,
        names={each.tournament_id: format_title(each) for each in held},
        time_zone=common_time_zone(held),
        ways={each.tournament_id: list(list_console_links(signed_in, each)) for each in held},
        player_role=PLAYER,
        decides_on_data=may(signed_in, AnswerDataRequestRequest),
        decides_on_seasons=may(signed_in, CreateSeasonRequest),
        creates=may(signed_in, CreateTournamentRequest) and not scope,
        directs=may_direct(signed_in),
        installs=may(signed_in, InstallLexiconRequest) and not scope,
        is_judge=credential.role in CALLERS[needs_pb2.CALLERS_JUDGES],
        tables=await _tables(results, signed_in, held),
    )


def common_time_zone(held: Iterable[results_pb2.Tournament]) -> str:
    """Return the time zone of all of these tournaments; empty, for UTC, without a common one."""
    zones = {each.time_zone for each in held}
    return zones.pop() if len(zones) == 1 else ""


async def _tables(
    results: Reader, signed_in: SignedIn, held: Sequence[results_pb2.Tournament]
) -> list[results_pb2.Table]:
    """Return the scorer's tables in the last paired round; an empty list for other users."""
    credential = signed_in.credential
    numbers = set(credential.scope.tables)
    if credential.role not in SCORER_ROLES or not numbers:
        return []
    at_tables = [each for each in held if each.played and not is_of_duplicate_games(each)]
    rounds = [(each.tournament_id, each.played[-1].round) for each in at_tables]
    paired = await asyncio.gather(*(results.pairings(*each) for each in rounds))
    return [table for answer in paired for table in answer.tables if table.table in numbers]
