"""Page of all events with their authors, and the command that undoes each."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.gateway.pages.paging import PART_ROWS, ListPart, read_offset
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.history import EVENTS_OF_PAIRING, describe_history, fold_entries

PAGE = "history"


async def _show(console: DirectorPage) -> Response:
    """Show a part of the commands, the latest first."""
    offset = read_offset(console.request.query_params.get("from", ""))
    answer = await _load_part(console, offset)
    if offset and offset >= answer.total:
        offset, answer = 0, await _load_part(console, 0)
    described = list(describe_history(answer, console.roster, console.language))
    console.refused += await _describe_later(console)
    return await console.show(
        "director/history.html",
        PAGE,
        acts=fold_entries(described)[::-1],
        acts_part=ListPart(described, offset + 1, answer.total),
        when=lambda act: to_datetime(act.recorded_at),
    )


async def _load_part(console: DirectorPage, offset: int) -> pairing.ListActsResponse:
    """Return the newest actions of all kinds after ``offset`` newer ones."""
    asked = pairing.ListActsRequest(
        tournament_id=console.tournament_id, newest=True, skip=offset, limit=PART_ROWS, others_after=0
    )
    return await console.calls.ask(asked)


async def _describe_later(console: DirectorPage) -> str:
    """Return the sentence of the later action that a refused undo names; empty without one."""
    version = console.places.get("later", "")
    if not version.isdecimal():
        return ""
    answer = await console.acts(types=EVENTS_OF_PAIRING)
    asked = pairing.ListActsRequest(tournament_id=console.tournament_id, after_version=int(version) - 1, limit=1)
    (later,) = (await console.calls.ask(asked)).acts
    answer.acts.append(later)
    described = describe_history(answer, console.roster, console.language)
    return next(f" {each.said}" for each in described if each.act == later)


routes = page_of_forms(PAGE, _show)
