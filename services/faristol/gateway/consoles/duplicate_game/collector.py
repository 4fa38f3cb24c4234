"""Collector's page: number, coordinates, word, Enter. It does not show the score of a slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.duplicate_game.decide.slips import FORM_DOUBTS
from faristol.gateway.auth.sign_in import redirect_after
from faristol.gateway.consoles.commands import command_id, to_problem
from faristol.gateway.consoles.duplicate_game.page import DuplicatePage, DuplicatePageDep
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import Part
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.text import say
from faristol.typed_input.slips import ILLEGIBLE, slip_of

HANDED_LABELS = labels_of(events.Handed.DESCRIPTOR)
"""Labels of the ways in which a slip was handed in."""

NO_NUMBER = N_("This hall has no number {number}.")
TYPED = N_("The slip of number {number} is saved.")


class Doubt(NamedTuple):
    """Question to the collector before a slip is accepted, in the form of the results page."""

    doubts: Sequence[str] = ()
    sure: str = ""
    """Value that confirms the slip when it is sent again."""
    field: str = ""
    problem: str = ""


Hall = Annotated[str, Query(max_length=200)]
Turn = Annotated[int, Query(ge=0, le=1_000)]

routes = APIRouter(include_in_schema=False)


def _halls(console: DuplicatePage, game: pb.GetDuplicateResponse) -> list[str]:
    """Return the halls whose slips the user may type."""
    own = console.session.credential.scope.halls
    return [hall.name for hall in game.halls if not own or hall.name in own]


async def _show(
    console: DuplicatePage,
    hall: str,
    turn: int,
    part: str = "",
    *,
    said: str = "",
    refusal: str = "",
    typed: Mapping[str, str] | None = None,
    doubt: Doubt | None = None,
) -> Response:
    game = await console.game()
    halls = _halls(console, game)
    if not halls or (hall and hall not in halls):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    hall = hall or halls[0]
    asked = pb.ListSlipsRequest(game_id=console.game_id, hall=hall, turn=turn, collector_id=console.subject)
    listed = await console.calls.ask(asked)
    hall_code = await find_hall_code(
        console.calls, console.tournament_id, listed.cell_hall, console.request.app.state.hall
    )
    return await console.show(
        "duplicate/collector.html",
        "collector",
        part,
        said=said,
        refusal=refusal,
        game=game,
        halls=halls,
        hall=hall,
        listed=listed,
        hall_code=hall_code,
        turn=next((each for each in game.turns if each.turn == listed.turn), None),
        done=sum(bool(each.typed) or each.on_phone or each.ruled for each in listed.players),
        handed=HANDED_LABELS,
        typed=Typed(typed or {}),
        entry=doubt or Doubt(field=_field_in_doubt(typed, listed)),
        asks_score=ruleset_of(game.ruleset).slips.score == "asked",
        own=console.subject,
        illegible=ILLEGIBLE,
    )


@routes.get("/tournaments/{tournament_id}/duplicate/{game_id}/slips")
async def show_slips(
    console: DuplicatePageDep,
    hall: Hall = "",
    turn: Turn = 0,
    part: Part = "",
) -> Response:
    """Show the typed slips of a hall and the form."""
    console.check(pb.CloseHallRequest)
    texts = {
        "typed": TYPED,
        "waits": N_("The slip of number {number} is saved and waits for an arbiter."),
        "closed": N_("The hall has closed the round."),
        "called": N_("The rack of round {number} is called in this hall."),
        "started": N_("The time of round {number} runs in this hall."),
    }
    done, number = console.done_by("collector")
    said = say(texts[done], {"number": number}, console.language) if done in texts and not part else ""
    return await _show(console, hall, turn, part, said=said)


@routes.post("/tournaments/{tournament_id}/duplicate/{game_id}/slips")
async def type_slip(console: DuplicatePageDep, given: Fields) -> Response:
    """Type or correct a slip, close the hall, or go on with the sealed game on the laptop of the hall."""
    console.check(pb.CloseHallRequest)
    hall, number, turn = given.get("hall", ""), given.get("table", "").strip(), _whole(given.get("turn", ""))
    act = given.get("act", "")
    named: dict[str, Any] = {
        "command_id": command_id(given, act),
        "game_id": console.game_id,
        "hall": hall,
        "turn": turn,
    }
    try:
        if act == "close":
            await console.calls.ask(pb.CloseHallRequest(collector_id=console.subject, **named))
            return _redirect_to_slips(console, hall, turn, "closed")
        if act == "call":
            call = pb.CallHallRackRequest(collector_id=console.subject, game_id=console.game_id, hall=hall)
            call.command_id = named["command_id"]
            return _redirect_to_slips(console, hall, 0, f"called.{(await console.calls.ask(call)).turn}")
        if act == "start":
            await console.calls.ask(pb.StartHallTurnRequest(collector_id=console.subject, **named))
            return _redirect_to_slips(console, hall, turn, f"started.{turn}")
        if act != "slip":
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        listed = await console.calls.ask(pb.ListSlipsRequest(game_id=console.game_id, hall=hall, turn=turn))
        player = next((each.player_id for each in listed.players if each.number == _whole(number)), "")
        if not player:
            text = say(NO_NUMBER, {"number": number or "–"}, console.language)
            return await _show(console, hall, turn, refusal=text, typed=given)
        request = pb.SubmitSlipsRequest(collector_id=console.subject, source=events.SLIP_SOURCE_PAPER, **named)
        request.slips.append(slip_of(given, player))
        request.check_form = given.get("sure") != _mark(given)
        waits = (await console.calls.ask(request)).waits
    except Invalid as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error
    except grpc.aio.AioRpcError as error:
        problem = to_problem(error, console.language)
        text = problem.detail
        if act == "slip" and (field := FORM_DOUBTS.get(problem.more.get("reason", ""))):
            return await _show(console, hall, turn, typed=given, doubt=Doubt((text,), _mark(given), field))
        return await _show(console, hall, turn, refusal=text, typed=given if act == "slip" else None)
    return _redirect_to_slips(console, hall, turn, f"{'waits' if waits else 'typed'}.{_whole(number)}")


def _field_in_doubt(typed: Mapping[str, str] | None, listed: pb.ListSlipsResponse) -> str:
    """Return the field of a refused slip to focus; empty without one."""
    if not typed:
        return ""
    is_known = any(each.number == _whole(typed.get("table", "").strip()) for each in listed.players)
    return "coordinates" if is_known else "table"


def _mark(given: Mapping[str, str]) -> str:
    """Return the value that confirms a slip. It is valid for the same input only."""
    return " ".join(given.get(name, "").strip() for name in ("table", "coordinates", "word", "score", "handed"))


def _redirect_to_slips(console: DuplicatePage, hall: str, turn: int, done: str) -> Response:
    query = urlencode({"hall": hall, "turn": turn})
    return redirect_after(console.request, f"{console.base}/slips?{query}", f"collector.{done}")


def _whole(text: str) -> int:
    """Return an integer; 0 for other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
