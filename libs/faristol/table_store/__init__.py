"""Tables as the record keeps them: loaded and settled, and written, game and clock at once.

The services of games and of clocks share this room: whichever of them decides, both streams are written in one append.
"""

from faristol.table_store.store import (
    CLOCK,
    GAME,
    Settled,
    clock_stream,
    game_of,
    game_stream,
    load_other_games,
    load_table,
    opened,
)

__all__ = [
    "CLOCK",
    "GAME",
    "Settled",
    "clock_stream",
    "game_of",
    "game_stream",
    "load_other_games",
    "load_table",
    "opened",
]
