"""Page of all events with their authors, and the command that undoes each."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.gateway.pages.paging import part_of, read_offset
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.history import describe_history, fold_entries

PAGE = "history"


async def _show(desk: DirectorPage) -> Response:
    """Show a part of the commands, the latest first."""
    answer = await desk.acts(others_after=0)
    acts = [*answer.acts, *answer.rating_choices, *answer.other_acts]
    latest_first = sorted((act.position for act in acts), reverse=True)
    part = part_of(latest_first, read_offset(desk.request.query_params.get("from", "")))
    later = {act.position for act in answer.acts if str(act.version) == desk.places.get("later", "")}
    described = list(describe_history(answer, desk.roster, desk.language, positions={*part.rows, *later}))
    desk.refused += "".join(f" {each.said}" for each in described if each.act.position in later)
    shown = {*part.rows}
    return await desk.show(
        "director/history.html",
        PAGE,
        acts=fold_entries([each for each in described if each.act.position in shown])[::-1],
        acts_part=part,
        when=lambda act: to_datetime(act.recorded_at),
        keeps_reason=_keeps_reason,
    )


def _keeps_reason(command: str) -> bool:
    """Check whether the command of an undo stores a reason; others have no field for it."""
    request = pairing.DESCRIPTOR.message_types_by_name.get(f"{command}Request")
    return request is None or "note" in request.fields_by_name


routes = page_of_forms(PAGE, _show)
