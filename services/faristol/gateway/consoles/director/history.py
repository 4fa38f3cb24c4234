"""Everything that was done, by whom, and what can be undone."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.answers import moment
from faristol.gateway.consoles.director.desk import AtDesk
from faristol.gateway.form import Fields
from faristol.office.history import told

PAGE = "history"

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/console/history")
async def show_history(desk: AtDesk) -> Response:
    """The acts, the latest first."""
    return await _show(desk)


@routes.post("/tournaments/{tournament_id}/console/history")
async def undo(desk: AtDesk, given: Fields) -> Response:
    """Undo an act."""
    done = await desk.carry_out(given, f"{desk.address}/history", frozenset({"UndoAct"}))
    return done or await _show(desk)


async def _show(desk: AtDesk) -> Response:
    acts = list(told(await desk.acts(), desk.roster, desk.language))
    acts.reverse()
    if later := desk.places.get("later", ""):
        desk.refused += "".join(f" {each.said}" for each in acts if str(each.act.version) == later)
    return await desk.show(
        "director/history.html",
        PAGE,
        acts=acts,
        when=lambda act: moment(act.recorded_at),
    )
