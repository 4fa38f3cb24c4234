"""How a table stands after a step, compared with what the step expects."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.referee.document import Value
from faristol.referee.forms import by_square, clocked, fill, kebab, shown, start_of
from faristol.referee.services import AtTable
from faristol.results import answers
from faristol.results.sheet import write_sheet
from faristol.rules import Board, Ruleset


class Seating(Protocol):
    """Who sits at a table, and under which rules."""

    @property
    def players(self) -> Sequence[str]:
        """The ids of its players."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules."""


class World(Protocol):
    """A table as expectations look at it."""

    @property
    def services(self) -> AtTable:
        """Game and clock."""

    @property
    def case(self) -> Seating:
        """Who plays there."""

    async def used_ms(self) -> Mapping[str, int]:
        """The time that each player has used by now."""


Differences = AsyncIterator[str]
NOBODY = "nobody"


def fields(what: str, found: Any, value: Value) -> Iterator[str]:
    """The difference between a message and the fields that ``value`` names, if there is one."""
    wanted = type(found)()
    named = by_square(wanted, value.keys())
    fill(wanted, named, Board())
    names = [key.replace("-", "_") for key in named]
    if any(getattr(found, name) != getattr(wanted, name) for name in names):
        asked = type(found)()
        asked.CopyFrom(found)
        for field in found.DESCRIPTOR.fields:
            if field.name not in names:
                asked.ClearField(field.name)
        yield f"expected of the {what} {shown(wanted)}, got {shown(asked)}"


async def _scores(world: World, value: Value) -> Differences:
    found = {side.player_id: side.score for side in (await world.services.table()).sides}
    for difference in _by_player("points", found, {name: number.number() for name, number in value.keys().items()}):
        yield difference


async def _rack_sizes(world: World, value: Value) -> Differences:
    found = {side.player_id: side.rack_size for side in (await world.services.table()).sides}
    for difference in _by_player("tiles", found, {name: number.number() for name, number in value.keys().items()}):
        yield difference


def _by_player(what: str, found: Mapping[str, object], wanted: Mapping[str, object]) -> Iterator[str]:
    for player, expected in wanted.items():
        if found.get(player) != expected:
            yield f"expected {expected} {what} for {player}, got {found.get(player)}"


async def _racks(world: World, value: Value) -> Differences:
    for player, rack in value.keys(world.case.players).items():
        found = (await world.services.table(player)).rack
        if Counter(found) != Counter(rack.text().split()):
            yield f"expected the rack of {player} to be {rack.text() or 'empty'}, got {' '.join(found) or 'none'}"


async def _bag(world: World, value: Value) -> Differences:
    found = (await world.services.table()).bag_left
    if found != value.number():
        yield f"expected {value.number()} tiles in the bag, got {found}"


async def _board(world: World, value: Value) -> Differences:
    board = await world.services.board()
    for name, tile in value.keys().items():
        found = str(board.get(start_of(tile.saying(name)).square, "empty"))
        if found != tile.text():
            yield f"expected {tile.text()} on {name}, got {found}"


async def _used(world: World, value: Value) -> Differences:
    found = {player: clocked(used) for player, used in (await world.used_ms()).items()}
    wanted = {player: clocked(time.milliseconds()) for player, time in value.keys().items()}
    for difference in _by_player("on the clock", found, wanted):
        yield difference


async def _runs(world: World, value: Value) -> Differences:
    found = [side.player_id for side in (await world.services.clock()).running] or [NOBODY]
    wanted = [item.text() for item in value.items()]
    if found != wanted:
        yield f"expected the clock of {', '.join(wanted)} to run, got {', '.join(found)}"


async def _on_turn(world: World, value: Value) -> Differences:
    found = (await world.services.table()).turn_player_id or NOBODY
    if found != value.text():
        yield f"expected {value.text()} to be on turn, got {found}"


async def _phase(world: World, value: Value) -> Differences:
    found = kebab(game_pb2.Phase.Name((await world.services.table()).phase).removeprefix("PHASE_"))
    if found != value.text():
        yield f"expected the phase {value.text()}, got {found}"


async def _ends(world: World, value: Value) -> Differences:
    condition = (await world.services.table()).end_condition
    found = kebab(events.EndCondition.Name(condition).removeprefix("END_CONDITION_")) if condition else "no"
    if found != value.text():
        yield f"expected the game to end: {value.text()}, got {found}"


async def _winner(world: World, value: Value) -> Differences:
    results = (fact for fact in reversed(await world.services.facts()) if isinstance(fact, events.ResultFinal))
    final = next(results, None)
    found = "no result" if final is None else final.winner_id or NOBODY
    if found != value.text():
        yield f"expected {value.text()} to win, got {found}"


async def _clock(world: World, value: Value) -> Differences:
    for difference in fields("clock", await world.services.clock(), value):
        yield difference


async def _table(world: World, value: Value) -> Differences:
    for difference in fields("table", await world.services.table(), value):
        yield difference


async def _sheet(world: World, value: Value) -> Differences:
    shown_game = answers.game_by_itself(await world.services.facts())
    if shown_game is not None:
        write_sheet(shown_game, world.case.ruleset)
    lines = list(shown_game.entries) if shown_game is not None else []
    wanted = value.items()
    found = lines[len(lines) - len(wanted) :] if len(lines) >= len(wanted) else []
    if not found:
        yield f"expected {len(wanted)} lines on the sheet, got {len(lines)}"
    for line, line_wanted in zip(found, wanted, strict=False):
        for difference in fields("line of the sheet", line, line_wanted):
            yield difference


TABLE_STATE: Mapping[str, Callable[[World, Value], Differences]] = {
    "scores": _scores,
    "racks": _racks,
    "rack-sizes": _rack_sizes,
    "bag": _bag,
    "board": _board,
    "used": _used,
    "runs": _runs,
    "on-turn": _on_turn,
    "phase": _phase,
    "ends": _ends,
    "winner": _winner,
    "sheet": _sheet,
    "clock": _clock,
    "table": _table,
}
"""Every expectation of how a table stands, by its key."""
