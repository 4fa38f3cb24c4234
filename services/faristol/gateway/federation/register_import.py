"""Console of the federation: the import of a list into the register, with a preview of what would change."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Query
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, form_id, to_problem
from faristol.gateway.consoles.director.players import decode_file
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import Console, ConsoleDep
from faristol.gateway.federation.register_console import KEEPS_REGISTER, REGISTER_PATH, show_register_page
from faristol.gateway.http.forms import Lists, check_origin
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.presentation.register_sentences import describe_change
from faristol.text import say
from faristol.typed_input.encodings import ENCODINGS
from faristol.typed_input.people_list import FORMATS, PEOPLE_COLUMNS, PeopleList, read_people

MAX_SHOWN_ROWS = 1_500
"""Rows of a preview on the page: each has several fields in its form."""

LEAVE_OUT = "-"
"""Value of a decision that leaves a doubtful row out."""

NO_LIST = N_("Paste a list, or choose a file.")

routes = APIRouter(include_in_schema=False, dependencies=[KEEPS_REGISTER])


@routes.get(f"{REGISTER_PATH}/import")
async def show_import(console: ConsoleDep) -> Response:
    """Show the form for a list."""
    return _show(console, "", PeopleList(""))


@routes.post(f"{REGISTER_PATH}/import/text")
async def read_file(console: ConsoleDep, encoding: Annotated[str, Query(max_length=20)] = "") -> Response:
    """Decode a file, sent as the body; answer with its text and its encoding."""
    check_origin(console.request)
    return await decode_file(console.request, encoding, console.language)


@routes.post(f"{REGISTER_PATH}/import")
async def preview_or_import(console: ConsoleDep, given: Lists) -> Response:
    """Preview a list; or take its rows as the preview has shown them, and redirect to the history."""
    text = given.get("text", "")
    listed = await asyncio.to_thread(read_people, text, console.language)
    if not listed.rows:
        errors = {} if listed.errors and text.strip() else {"text": say(NO_LIST, {}, console.language)}
        return _show(console, text, listed, sent=SentForm(errors=errors))
    refused = ""
    if given.get("act") in ("all", "selected"):
        try:
            await console.calls.ask(_build_import(given, listed))
            return redirect_to(f"{REGISTER_PATH}/history")
        except grpc.aio.AioRpcError as error:
            refused = to_problem(error, console.language).detail
    try:
        found = await console.calls.ask(pb.PreviewImportRequest(rows=listed.rows))
    except grpc.aio.AioRpcError as error:
        return _show(console, text, listed, sent=SentForm(refused=to_problem(error, console.language).detail))
    return _show(console, text, listed, found, SentForm(refused=refused), list_name=given.get("name", "")[:200])


def _build_import(given: Given, listed: PeopleList) -> pb.ImportPersonsRequest:
    """Return the command that takes the rows of a form."""
    is_selected = given.get("act") == "selected"
    lines = [int(value) for key, value in given.items() if key.startswith("take.") and value.isdecimal()]
    decisions = [
        pb.RowDecision(line=int(line), person_id=value)
        for key, value in given.items()
        if (line := key.removeprefix("same.")) != key and line.isdecimal() and value != LEAVE_OUT
    ]
    return pb.ImportPersonsRequest(
        command_id=str(form_id(given)),
        rows=listed.rows,
        digest=given.get("digest", ""),
        name=given.get("name", "").strip()[:200],
        lines=lines if is_selected else (),
        decisions=decisions,
        removed_ids=[value for key, value in given.items() if key.startswith("gone.")],
        only_selected=is_selected,
    )


def _show(
    console: Console,
    text: str,
    listed: PeopleList,
    found: pb.PreviewImportResponse | None = None,
    sent: SentForm = NEW_FORM,
    **values: Any,
) -> Response:
    rows = found.rows if found else ()
    shown = [each for each in rows if each.status != pb.ROW_STATUS_SAME or each.expired_on]
    return show_register_page(
        console,
        "import.html",
        "/import",
        sent,
        text=text,
        format_label=FORMATS.get(listed.format, ""),
        wrong=listed.errors,
        found=found,
        shown=shown[:MAX_SHOWN_ROWS],
        hidden=max(0, len(shown) - MAX_SHOWN_ROWS),
        count=Counter(each.status for each in rows),
        pb=pb,
        statuses=labels_of(pb.RowStatus.DESCRIPTOR),
        doubts=labels_of(pb.RowDoubt.DESCRIPTOR),
        say_change=lambda change: describe_change(change, console.language),
        columns=PEOPLE_COLUMNS,
        encodings=ENCODINGS,
        **values,
    )
