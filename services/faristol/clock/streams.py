"""The two streams that a clock is decided on: its own and its game's."""

from __future__ import annotations

from faristol.record import Loaded, Record, load
from faristol.table.clock import Clock, evolve
from faristol.table.clock.watch import Table, watch_game

CLOCK = "clock-"
"""What the name of a clock's stream begins with; the id of the game follows."""

GAME = "game-"
"""What the name of a game's stream begins with."""


def clock_stream(game_id: str) -> str:
    """The stream of a game's clock."""
    return f"{CLOCK}{game_id}"


def game_stream(game_id: str) -> str:
    """The stream of the game itself."""
    return f"{GAME}{game_id}"


async def load_clock(record: Record, game_id: str) -> Loaded[Clock]:
    """The clock as its stream has it; version 0 when nobody set it up."""
    return await load(record, clock_stream(game_id), Clock(), evolve)


async def load_table(record: Record, game_id: str) -> Loaded[Table]:
    """What the game's stream says of the table; version 0 when there is no such game."""
    return await load(record, game_stream(game_id), Table(), watch_game)
