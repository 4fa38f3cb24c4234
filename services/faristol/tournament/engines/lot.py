"""Tables of several players, drawn by lot (FM pr.). Pure."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

ALGORITHM = "lot-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""

MAX_TABLE_PLAYERS = 4


def sizes(players: int) -> tuple[int, ...]:
    """Return the sizes of the tables: four or three players, fours first, never one.

    Only two or five players need a table of two.
    """
    tables = -(-players // MAX_TABLE_PLAYERS)
    least, more = divmod(players, tables) if tables else (0, 0)
    return (least + 1,) * more + (least,) * (tables - more)


def draw_tables(players: Sequence[str], seed: bytes) -> tuple[tuple[str, ...], ...]:
    """Draw the tables of a round of two players or more, each in the order of turns.

    The draw depends on ``seed`` and on the set of players, not on their order.
    """
    drawn = sorted(players, key=lambda player_id: hmac.digest(seed, player_id.encode(), "sha256"))
    tables, begin = [], 0
    for size in sizes(len(drawn)):
        tables.append(tuple(drawn[begin : begin + size]))
        begin += size
    return tuple(tables)
