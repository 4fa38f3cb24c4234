"""Page of all events with their authors, and the command that undoes each."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.kernel.times import to_datetime
from faristol.presentation.history import describe_history, fold_entries

PAGE = "history"


async def _show(desk: DirectorPage) -> Response:
    acts = list(describe_history(await desk.acts(others_after=0), desk.roster, desk.language))
    if later := desk.places.get("later", ""):
        desk.refused += "".join(f" {each.said}" for each in acts if str(each.act.version) == later)
    return await desk.show(
        "director/history.html",
        PAGE,
        acts=fold_entries(acts)[::-1],
        when=lambda act: to_datetime(act.recorded_at),
    )


routes = page_of_forms(PAGE, _show)
