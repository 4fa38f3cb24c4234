"""The expectations of the state of a table after a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from faristol.casebook.comparisons import (
    NO,
    NO_PLAYER_WORD,
    Expectation,
    Find,
    each,
    find_by_key,
    find_field,
    names_at_table,
    one,
    several,
)
from faristol.casebook.document import Value
from faristol.casebook.forms import board_of, by_square, fill, format_message, start_of
from faristol.casebook.hosts.table import CaseTable
from faristol.casebook.world import Differences, World
from faristol.kernel.spellings import names_of
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.read_models.api import answers
from faristol.read_models.computed.sheet import write_sheet
from faristol.rules import Board
from faristol.typed_input.fields import format_duration

NO_RESULT = "no result"


def fields(what: str, found: Any, value: Value, called: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the difference between a message and the fields that ``value`` names, if any.

    ``called`` returns the name for an id.
    """
    wanted = type(found)()
    named = by_square(wanted, value.keys())
    fill(wanted, named, Board())
    names = [key.replace("-", "_") for key in named]
    if any(getattr(found, name) != getattr(wanted, name) for name in names):
        asked = type(found)()
        asked.CopyFrom(found)
        for other in found.DESCRIPTOR.fields:
            if other.name not in names:
                asked.ClearField(other.name)
        yield (
            f"expected of the {what} {format_message(wanted, called, names)}, got "
            f"{format_message(asked, called, names)}"
        )


def _at(world: World) -> CaseTable:
    assert world.table is not None
    return world.table


async def _table(world: World) -> game_pb2.GetGameResponse:
    return await _at(world).table()


async def _racks(world: World, value: Value) -> Differences:
    for player, rack in value.keys(names_at_table(world)).items():
        found = (await _at(world).table(world.names.ids[player])).rack
        if Counter(found) != Counter(rack.text().split()):
            yield f"expected the rack of {player} to be {rack.text() or 'empty'}, got {' '.join(found) or 'none'}"


async def _board(world: World, value: Value) -> Differences:
    board = board_of(await _table(world))
    for name, tile in value.keys().items():
        found = str(board.get(start_of(tile.saying(name)).square, "empty"))
        if found != tile.text():
            yield f"expected {tile.text()} on {name}, got {found}"


async def _find_used_time(world: World) -> Mapping[str, str]:
    used = await _at(world).used_ms(world.now_ms)
    return {world.name_of(player): format_duration(used_ms) for player, used_ms in used.items()}


async def _runs(world: World) -> list[str]:
    return [world.name_of(side.player_id) for side in (await _at(world).clock()).running] or [NO_PLAYER_WORD]


async def _winner(world: World) -> str:
    results = (event for event in reversed(await _at(world).events()) if isinstance(event, events.ResultFinal))
    final = next(results, None)
    return NO_RESULT if final is None else world.name_of(final.winner_id) or NO_PLAYER_WORD


def of_fields(what: str, find: Find) -> Expectation:
    """Return the expectation of fields of an answer."""

    async def compare(world: World, value: Value) -> Differences:
        for difference in fields(what, await find(world), world.by_id(value), world.name_of):
            yield difference

    return compare


async def _clock(world: World) -> clock_pb2.GetClockResponse:
    return await _at(world).clock()


async def _sheet(world: World, value: Value) -> Differences:
    shown_game = answers.game_by_itself(await _at(world).events())
    if shown_game is not None:
        write_sheet(shown_game, world.case.ruleset)
    lines = list(shown_game.entries) if shown_game is not None else []
    wanted = world.by_id(value).items()
    found = lines[len(lines) - len(wanted) :] if len(lines) >= len(wanted) else []
    if not found:
        yield f"expected {len(wanted)} lines on the sheet, got {len(lines)}"
    for line, line_wanted in zip(found, wanted, strict=False):
        for difference in fields("line of the sheet", line, line_wanted, world.name_of):
            yield difference


def _players(*more: str) -> Any:
    return "player", lambda world: {*names_at_table(world), NO_PLAYER_WORD, *more}


def _of_enum(what: str, enum: Any, *more: str) -> Any:
    return what, lambda _: {*names_of(enum.DESCRIPTOR), *more}


TABLE_STATE: Mapping[str, Expectation] = {
    "scores": each(
        "{wanted} points for {name}", find_by_key(_table, "sides", "player_id", "score"), Value.number, names_at_table
    ),
    "racks": _racks,
    "rack-sizes": each(
        "{wanted} tiles for {name}",
        find_by_key(_table, "sides", "player_id", "rack_size"),
        Value.number,
        names_at_table,
    ),
    "bag": one("{wanted} tiles in the bag", find_field(_table, "bag_left"), Value.number),
    "board": _board,
    "used": each(
        "{wanted} on the clock for {name}",
        _find_used_time,
        lambda value: format_duration(value.milliseconds()),
        names_at_table,
    ),
    "runs": several("the clock of {wanted} to run,", _runs, known=_players()),
    "on-turn": one("{wanted} to be on turn", find_field(_table, "turn_player_id"), known=_players()),
    "phase": one("the phase {wanted}", find_field(_table, "phase"), known=_of_enum("phase", game_pb2.Phase)),
    "ends": one(
        "the game to end: {wanted}",
        find_field(_table, "end_condition"),
        known=_of_enum("end of a game", events.EndCondition, NO),
    ),
    "winner": one("{wanted} to win", _winner, known=_players(NO_RESULT)),
    "sheet": _sheet,
    "clock": of_fields("clock", _clock),
    "table": of_fields("table", _table),
}
"""The expectations of the state of a table, by key."""
