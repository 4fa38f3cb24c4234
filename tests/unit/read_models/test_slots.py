from __future__ import annotations

import pytest

from faristol.read_models.api.queries.messages import to_slot
from faristol.read_models.storage.rows import Game, Round, Seat, StoredSlot

ROUND = Round(
    "open",
    2,
    games=[
        Game(
            f"g{table}",
            place=place,
            table=table,
            seats=[Seat(f"g{table}", number, player_id=player) for number, player in enumerate(players)],
        )
        for place, (table, players) in enumerate([(7, "ab"), (3, "cd"), (5, "ef")])
    ],
)


@pytest.mark.parametrize(
    ("rank", "ranked", "table"),
    [
        (1, "dabcef", 3),
        (2, "dabcef", 7),
        (6, "dabcef", 5),
        (7, "dabcef", 0),
        (1, "zabcd", 0),  # the leader has a bye
        (1, "", 7),  # before the first results: the first pairing
        (4, "", 0),
    ],
)
def test_a_slot_follows_the_player_on_a_line_of_the_standings(rank: int, ranked: str, table: int) -> None:
    shown = to_slot(StoredSlot(1, 0, 0, rank), ROUND, ranked)
    assert (shown.rank, shown.table, shown.game_id) == (rank, table, f"g{table}" if table else "")


def test_a_slot_of_a_table_follows_no_rank() -> None:
    shown = to_slot(StoredSlot(1, 3), ROUND, "ab")
    assert (shown.rank, shown.table, shown.game_id) == (0, 3, "g3")
    assert to_slot(StoredSlot(1, 9), ROUND, "ab").game_id == ""
    assert to_slot(StoredSlot(1, 0, 0, 1), None).game_id == ""
