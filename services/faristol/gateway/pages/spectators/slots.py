"""Stream slots: permanent addresses of the parts of a broadcast, each as a transparent page, as text and as JSON.

The director or an annotator points a slot at another table; its addresses stay. A slot without a game is empty, and not
an error: the streaming program shows its game as soon as there is one.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from faristol.gateway.api.parameters import DIGITS, LAST_POSITION
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.render import Part, page
from faristol.gateway.pages.templating import format_signed
from faristol.gateway.rpc.results import Page, Reader, Results
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.game_view import ClockView, SheetLine, build_page_values, clock_text
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import known_rules
from faristol.presentation.unplayed_results import format_score
from faristol.rules.tiles import BLANK
from faristol.text import say

SLOT_CONTENTS = ("score", "names", "last-play", "unseen", "clock", "standings")
"""Parts of a broadcast, by the end of their addresses."""

SLOT_STANDINGS_LINES = 10
"""Lines of the standings in a slot."""

PLAYER_SEPARATOR = " – "
"""Between the players of a game in a text."""

_PATTERN = rf"^({'|'.join(SLOT_CONTENTS)})([.](txt|json))?$"

Number = Annotated[str, Path(pattern="^[1-9][0-9]?$")]
Content = Annotated[str, Path(pattern=_PATTERN)]
MinPosition = Annotated[int, Query(ge=0, le=LAST_POSITION), DIGITS]

routes = APIRouter(include_in_schema=False)
short_slots = APIRouter(include_in_schema=False)
"""Addresses without a tournament, for a cell with one tournament in play."""


class SlotView(NamedTuple):
    """The game or the standings that a slot shows."""

    slot: pb.Slot
    """Without a table if the tournament has no such slot."""
    game: pb.GetGameResponse | None
    standings: pb.GetStandingsResponse
    position: int


@routes.get("/tournaments/{tournament_id}/slots/{slot}/{content}")
async def show_slot(
    request: Request,
    results: Reader,
    tournament_id: str,
    slot: Number,
    content: Content,
    part: Part = "",
    min_position: MinPosition = 0,
) -> Response:
    """Show a part of a broadcast: as text or JSON by the extension or ``Accept``, otherwise as a transparent page."""
    kind, _, extension = content.partition(".")
    found = await _load(results, tournament_id, int(slot), kind, min_position)
    match extension or _find_extension(request):
        case "txt":
            text = "\n".join(to_lines(found, kind, request.app.state.now(), language_of(request)))
            response: Response = PlainTextResponse(f"{text}\n")
        case "json":
            response = JSONResponse(to_json(found, kind, request.app.state.now(), tournament_id))
        case _:
            response = _show_page(request, found, kind, tournament_id, part)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Vary"] = "Accept, Accept-Language, Cookie"
    return response


def _find_extension(request: Request) -> str:
    """Return the extension of the type that a client asks for; empty for a page."""
    accepted = request.headers.get("accept", "").partition(",")[0].partition(";")[0].strip().lower()
    return {"text/plain": "txt", "application/json": "json"}.get(accepted, "")


async def _load(results: Results, tournament_id: str, number: int, kind: str, min_position: int) -> SlotView:
    asked = pb.ListSlotsRequest(tournament_id=tournament_id, min_position=min_position)
    head, listed = await asyncio.gather(results.tournament(tournament_id), results.ask(asked))
    check_has_tables(head)
    slot = next((each for each in listed.slots if each.slot == number), pb.Slot(slot=number))
    standings, game, position = pb.GetStandingsResponse(), None, listed.position
    if kind == "standings":
        standings = await results.standings(tournament_id, page=Page(SLOT_STANDINGS_LINES))
        position = min(position, standings.position)
    elif slot.game_id:
        game = await results.game(slot.game_id)
        position = min(position, game.position)
    return SlotView(slot, game, standings, position)


def _show_page(request: Request, found: SlotView, kind: str, tournament_id: str, part: str) -> Response:
    game = found.game
    values = build_page_values(game, language_of(request)) if game else {"game": None}
    values |= {
        "kind": kind,
        "slot": found.slot,
        "tournament_id": tournament_id,
        "standings": found.standings.standings,
        "unseen": list_unseen(game) if game and kind == "unseen" else [],
        "position": found.position,
    }
    return page(request, "slot_standings.html" if kind == "standings" else "slot.html", part, **values)


def list_unseen(game: pb.GetGameResponse) -> list[str]:
    """Return the faces of the tiles that are not on the board, in the order of the set; empty for unknown rules."""
    rules = known_rules(game.ruleset)
    if rules is None:
        return []
    left = Counter(rules.tile_set.counts)
    left.subtract(BLANK if tile.blank else tile.face for tile in game.board)
    return list((+left).elements())


def time_left_ms(clock: ClockView, now: datetime) -> int:
    """Return the time left of a player in milliseconds, as live.js counts it; negative in overtime."""
    running = int(now.timestamp() * 1000) - clock.since if clock.running else 0
    is_lost = running < 0 or running > 2 * clock.allowance  # times were entered later, or are simulated
    return clock.allowance - clock.used - (0 if is_lost else running)


def to_lines(found: SlotView, kind: str, now: datetime, language: str) -> list[str]:
    """Return a part as lines of text; one empty line without a game."""
    if kind == "standings":
        return [
            f"{each.rank}. {each.name} {each.half_points / 2:g} {format_signed(each.spread, language)}"
            for each in found.standings.standings
        ]
    game = found.game
    if game is None:
        return [""]
    match kind:
        case "score":
            return [PLAYER_SEPARATOR.join(format_score(game, seat, language) for seat in game.seats)]
        case "names":
            return [PLAYER_SEPARATOR.join(seat.name for seat in game.seats)]
        case "clock":
            clocks = build_page_values(game, language)["clocks"].values()
            return [PLAYER_SEPARATOR.join(_clock_text(clock, now) for clock in clocks)]
        case "unseen":
            return [" ".join(list_unseen(game))]
        case _:
            written = build_page_values(game, language)["lines"]
            return [_play_text(written[-1], language) if written else ""]


def _clock_text(clock: ClockView, now: datetime) -> str:
    used = clock.allowance - time_left_ms(clock, now)
    return clock_text(ClockView(clock.allowance, used, running=False, since=0, absent=clock.absent))


def _play_text(line: SheetLine, language: str) -> str:
    """Return a line of the sheet: ``Anna Puig 8D CASA +24``; its kind instead of a word without one."""
    said = f"{line.entry.coordinates} {line.word}" if line.word else say(line.label, {}, language)
    return f"{line.name} {said} {format_signed(line.entry.score, language)}"


def to_json(found: SlotView, kind: str, now: datetime, tournament_id: str) -> dict[str, Any]:
    """Return a part as JSON: the slot and its game, and the data of the part, which are null or empty without one."""
    game, slot = found.game, found.slot
    answer: dict[str, Any] = {
        "tournament_id": tournament_id,
        "slot": slot.slot,
        "table": slot.table or None,
        "round": game.round if game else None,
        "game_id": slot.game_id or None,
        "position": found.position,
    }
    match kind:
        case "standings":
            return answer | {
                "standings": [
                    {"rank": each.rank, "name": each.name, "points": each.half_points / 2, "spread": each.spread}
                    for each in found.standings.standings
                ]
            }
        case "unseen":
            unseen = list_unseen(game) if game else []
            return answer | {"unseen": unseen, "count": len(unseen), "bag": game.bag_left if game else None}
        case "last-play":
            return answer | {"last_play": _play_json(game) if game else None}
    seats, on_turn = (list(game.seats), game.turn_player_id) if game else ([], "")
    clocks = build_page_values(game, "en")["clocks"] if game else {}
    sides: list[dict[str, Any]] = [{"name": seat.name} for seat in seats]
    for seat, side in zip(seats, sides, strict=True):
        if kind == "score":
            side |= {"score": seat.score, "on_turn": seat.player_id == on_turn}
        elif kind == "clock" and (clock := clocks.get(seat.player_id)):
            side |= {"left_ms": time_left_ms(clock, now), "running": clock.running}
    return answer | {"players": sides}


def _play_json(game: pb.GetGameResponse) -> dict[str, Any] | None:
    written: list[SheetLine] = build_page_values(game, "en")["lines"]
    if not written:
        return None
    line = written[-1]
    return {
        "name": line.name,
        "kind": pb.EntryKind.Name(line.entry.kind).removeprefix("ENTRY_KIND_").lower(),
        "coordinates": line.entry.coordinates or None,
        "word": line.word or None,
        "score": line.entry.score,
        "total": line.entry.total,
    }


@short_slots.get("/slots/{slot}/{content}")
async def redirect_slot(request: Request, results: Reader, slot: Number, content: Content) -> Response:
    """Redirect to the slot of the tournament in play. Raises ``Refusal`` unless there is exactly one."""
    listed = await results.tournaments()
    playing = [each.tournament_id for each in listed.tournaments if each.state == pb.TOURNAMENT_STATE_PLAYING]
    if len(playing) != 1:
        raise Refusal(
            "SLOT_OF_NO_TOURNAMENT",
            N_("{count} tournaments are in play: name one, as in /tournaments/ID/slots/{slot}/{content}."),
            {"count": len(playing), "slot": slot, "content": content},
        )
    path = tournament_path(playing[0], "slots", slot, content)
    query = request.scope["query_string"].decode("latin-1")
    headers = {"Cache-Control": "no-store"}  # the next tournament has the same address
    return RedirectResponse(f"{path}?{query}" if query else path, HTTPStatus.TEMPORARY_REDIRECT, headers=headers)
