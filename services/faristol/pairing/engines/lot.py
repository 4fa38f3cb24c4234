"""Tables of several players, drawn by lot (FM pr.). Pure."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

ALGORITHM = "lot-1"
"""Name and version of this way of pairing, as ``RoundPaired.algorithm`` keeps it."""

LARGEST = 4


def sizes(players: int) -> tuple[int, ...]:
    """How many sit at each table: four or three, the fours first, and never one.

    A table of two is avoided: only two players and five cannot do without it.
    """
    tables = -(-players // LARGEST)
    least, more = divmod(players, tables) if tables else (0, 0)
    return (least + 1,) * more + (least,) * (tables - more)


def draw_tables(players: Sequence[str], seed: bytes) -> tuple[tuple[str, ...], ...]:
    """The tables of a round of two players or more. The first drawn at each opens the game, and the others follow so.

    The lot depends on ``seed`` and on who is there, and not on their order.
    """
    drawn = sorted(players, key=lambda player_id: hmac.digest(seed, player_id.encode(), "sha256"))
    tables, begin = [], 0
    for size in sizes(len(drawn)):
        tables.append(tuple(drawn[begin : begin + size]))
        begin += size
    return tuple(tables)
