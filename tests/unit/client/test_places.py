"""The tables of a tournament."""

from __future__ import annotations

import pytest

from faristol.client.places import count_tables, playing_tables
from faristol.pb.pairing.v1 import events_pb2 as events


@pytest.mark.parametrize(
    ("players", "players_max", "teams", "boards", "tables"),
    [(0, 2, 0, 0, 0), (1, 2, 0, 0, 0), (7, 2, 0, 0, 3), (9, 4, 0, 0, 3), (12, 2, 3, 4, 4)],
)
def test_a_round_has_as_many_tables_as_its_players_and_teams_fill(
    players: int, players_max: int, teams: int, boards: int, tables: int
) -> None:
    assert count_tables(players, players_max, teams, boards) == tables


def test_tables_of_a_round_are_those_of_the_halls() -> None:
    halls = [events.Hall(name="B", first_table=21, last_table=22), events.Hall(name="A", first_table=11, last_table=12)]
    assert playing_tables(halls, 3) == [11, 12, 21]
    assert playing_tables(halls, 9) == [11, 12, 21, 22]
    assert playing_tables((), 2) == [1, 2]
