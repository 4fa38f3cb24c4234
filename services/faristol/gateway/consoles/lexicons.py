"""Page of the installed lexicons, with forms to install another."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping
from http import HTTPStatus

import grpc
from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, Unsent, to_problem
from faristol.gateway.consoles.frame import Console, ConsoleDep, require
from faristol.gateway.consoles.navigation import may
from faristol.gateway.http.forms import Lists, file_of
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import lexicon_pb2 as pb
from faristol.text import say
from faristol.words.sources import SOURCES

PACKED_BYTES = 4_000_000
"""Limit of a file compressed by the browser; the service has its own limits."""

FIELDS = ("name", "tile_set", "edition", "licence", "date", "source")
"""Metadata of a word list."""

NO_FILE = N_("The list is empty: choose a file, or paste the words.")

routes = APIRouter(include_in_schema=False, dependencies=[require(pb.InstallLexiconRequest)])


def may_install(console: Console) -> bool:
    """Check whether the user may install lexicons: the credential must not be limited to tournaments."""
    return may(console.session, pb.InstallLexiconRequest) and not console.session.credential.scope.tournament_ids


@routes.get("/lexicons")
async def show_lexicons(console: ConsoleDep, sent: Unsent = NEW_FORM) -> Response:
    """Show the installed lexicons, the one in progress, and the forms."""
    listed = await console.calls.ask(pb.ListLexiconsRequest())
    there = {each.pin.name for each in listed.lexicons}
    return console.form_page(
        "lexicons.html",
        None,
        sent,
        console_name="lexicons",
        lexicons=listed.lexicons,
        installs=may_install(console),
        work=await console.calls.ask(pb.GetInstallationRequest()),
        open_lists=[source for name, source in sorted(SOURCES.items()) if name not in there],
        tile_sets=sorted({source.tile_set for source in SOURCES.values()}),
    )


@routes.post("/lexicons")
async def install_lexicon(console: ConsoleDep, given: Lists) -> Response:
    """Start to install an open lexicon, or a pasted one."""
    try:
        if given.get("act") == "InstallLexicon":
            await console.calls.ask(pb.InstallLexiconRequest(name=given.get("name", "")))
        elif given.get("words", "").strip():
            packed = await asyncio.to_thread(gzip.compress, given["words"].encode())
            await console.calls.ask(_addition(given, packed))
        else:
            return await show_lexicons(console, SentForm(given, errors={"words": say(NO_FILE, {}, console.language)}))
    except grpc.aio.AioRpcError as error:
        return await _show_refusal(console, given, error)
    return redirect_to("/lexicons")


@routes.post("/lexicons/file")
async def add_file(console: ConsoleDep) -> Response:
    """Start to install a word list: the body, compressed by gzip. The query has its metadata."""
    packed = await file_of(console.request, PACKED_BYTES)
    try:
        await console.calls.ask(_addition(console.request.query_params, packed))
    except grpc.aio.AioRpcError as error:
        problem = to_problem(error, console.language)
        field = str(problem.more.get("field", ""))
        return JSONResponse({"problem": problem.detail.removeprefix(f"{field}: "), "field": field}, problem.status)
    return JSONResponse({}, HTTPStatus.ACCEPTED)


def _addition(given: Mapping[str, str], packed: bytes) -> pb.AddLexiconRequest:
    return pb.AddLexiconRequest(words=packed, **{field: given.get(field, "").strip() for field in FIELDS})


async def _show_refusal(console: Console, given: Mapping[str, str], error: grpc.aio.AioRpcError) -> Response:
    problem = to_problem(error, console.language)
    field = str(problem.more.get("field", ""))
    if field in (*FIELDS, "words") and given.get("act") != "InstallLexicon":
        return await show_lexicons(console, SentForm(given, errors={field: problem.detail.removeprefix(f"{field}: ")}))
    return await show_lexicons(console, SentForm(given, refused=problem.detail))
