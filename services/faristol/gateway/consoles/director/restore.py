"""Restore of a backup at a first start: a page sends the archive, shows what it is, and restores it.

Only the process that keeps the record offers it, and only while the record is unused (``host.first_restore``).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.access_control.decide import SIGN_IN_TOO_OLD
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm
from faristol.gateway.consoles.director.creation import check_may_create
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed
from faristol.gateway.consoles.navigation import may_direct
from faristol.gateway.http.forms import Lists, check_file
from faristol.gateway.pages.render import private_page
from faristol.host.first_restore import MAX_BACKUP_BYTES, TOO_LARGE, Backup, FirstRestore
from faristol.kernel.errors import Invalid
from faristol.text import say

PAGE = "/start/restore"
WAITING_PAGE = "/start/restored"

routes = APIRouter(include_in_schema=False)

Id = Annotated[str, Query(max_length=64)]


async def can_restore(console: Console) -> bool:
    """Check whether this process can restore a backup for the user: it keeps a record that is unused."""
    restore: FirstRestore | None = console.request.app.state.first_restore
    session = console.session
    if restore is None or not may_direct(session) or session.credential.scope.tournament_ids:
        return False
    return await restore.is_possible()


async def _find_restore(console: Console) -> FirstRestore:
    """Return the restore of this process. Raises ``HTTPException`` (404) where it is not offered."""
    check_may_create(console.session)
    if not await can_restore(console):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    restore: FirstRestore = console.request.app.state.first_restore
    return restore


@routes.get(PAGE)
async def show_restore(console: ConsoleDep, backup: Id = "") -> Response:
    """Show the form for the file, or what was sent and the form that restores it."""
    restore = await _find_restore(console)
    return _show(console, restore.find(backup))


@routes.post(f"{PAGE}/file")
async def receive_backup(console: ConsoleDep) -> Response:
    """Receive an archive, the body. Answer the address of the next page, or the problem."""
    check_file(console.request)
    restore = await _find_restore(console)
    try:
        backup = await restore.receive(console.request.stream())
    except Invalid as problem:
        text = say(problem.problem, problem.params, console.language)
        return JSONResponse({"problem": text}, HTTPStatus.BAD_REQUEST)
    return JSONResponse({"address": f"{PAGE}?backup={backup.backup_id}"})


@routes.post(PAGE)
async def restore_backup(console: ConsoleDep, given: Lists) -> Response:
    """Ask for the restore, and redirect to the page that waits for it."""
    restore = await _find_restore(console)
    typed = Typed(given)
    if refused := _find_refusal(console):
        return _show(console, restore.find(typed["backup"]), SentForm(typed, refused=refused))
    try:
        key = await restore.begin(
            typed["backup"], typed["erasures"], no_person_erased=typed["no_person_erased"] == "yes"
        )
    except Invalid as problem:
        errors = {problem.field: say(problem.problem, problem.params, console.language)}
        return _show(console, restore.find(typed["backup"]), SentForm(typed, errors=errors))
    # The services end now, so the answer contains the page that waits, which asks when they serve again.
    return _show_waiting(console.request, key)


@routes.get(WAITING_PAGE)
async def show_restored(request: Request, key: Id = "") -> Response:
    """Redirect to the sign-in of the restored record, or show that the restore continues or failed."""
    restore: FirstRestore | None = request.app.state.first_restore
    if restore is None or not restore.knows(key):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    if link := restore.link_of(key):
        return redirect_to(link)
    return _show_waiting(request, key, restore.problem)


def _find_refusal(console: Console) -> str:
    """Return why the user must sign in again before a restore, which cannot be undone; empty if that is recent."""
    minutes: int = console.request.app.state.sign_in_minutes
    if minutes and console.now_ms - console.session.signed_in_at.timestamp() * 1_000 > minutes * 60_000:
        return say(SIGN_IN_TOO_OLD, {"minutes": minutes}, console.language)
    return ""


def _show(console: Console, backup: Backup | None, sent: SentForm = NEW_FORM) -> Response:
    return console.form_page(
        "director/restore.html",
        None,
        sent,
        console_name="start",
        backup=backup,
        most_bytes=MAX_BACKUP_BYTES,
        too_large=say(TOO_LARGE, {"most": MAX_BACKUP_BYTES // 1_000_000}, console.language),
    )


def _show_waiting(request: Request, key: str, problem: str = "") -> Response:
    address = f"{WAITING_PAGE}?key={key}"
    return private_page(request, "restoring.html", address=address, problem=problem)
