"""All players meet each other, by the tables that FIDE prints."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, groupby

import pytest
from caissify_pairings.engines.round_robin import RoundRobinEngine

from faristol.tournament.engines.round_robin import pair_berger, rounds_of


def names(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


SIX = [
    [("1", "6"), ("2", "5"), ("3", "4")],
    [("6", "4"), ("5", "3"), ("1", "2")],
    [("2", "6"), ("3", "1"), ("4", "5")],
    [("6", "5"), ("1", "4"), ("2", "3")],
    [("3", "6"), ("4", "2"), ("5", "1")],
]
"""The table for five or six players."""


@pytest.mark.parametrize("number", range(1, 6))
def test_the_table_for_six_is_that_of_the_handbook(number: int) -> None:
    paired = pair_berger(names(6), number)
    assert set(paired.pairs) == set(SIX[number - 1])
    assert paired.bye is None
    fewer = pair_berger(names(5), number)
    assert set(fewer.pairs) == {pair for pair in SIX[number - 1] if "6" not in pair}
    assert fewer.bye == next(player for pair in SIX[number - 1] for player in pair if "6" in pair and player != "6")


@pytest.mark.parametrize("players", range(2, 17))
@pytest.mark.parametrize("cycles", [1, 2])
def test_each_meets_each_and_nobody_rests_twice_in_a_cycle(players: int, cycles: int) -> None:
    met: Counter[frozenset[str]] = Counter()
    as_white: Counter[tuple[str, str]] = Counter()
    rested: Counter[str] = Counter()
    rounds = rounds_of(players, cycles)
    for number in range(1, rounds + 1):
        paired = pair_berger(names(players), number, cycles)
        met.update(frozenset(pair) for pair in paired.pairs)
        as_white.update(paired.pairs)
        rested.update([] if paired.bye is None else [paired.bye])
        assert (
            len({player for pair in paired.pairs for player in pair}) == 2 * len(paired.pairs) == players - players % 2
        )
    assert met == Counter({frozenset(pair): cycles for pair in combinations(names(players), 2)})
    assert set(rested.values()) == ({cycles} if players % 2 else set())
    if cycles == 2:
        assert set(as_white.values()) == {1}


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12])
def test_nobody_has_a_colour_three_times_in_a_row(players: int) -> None:
    for player in names(players):
        colours = []
        for number in range(1, rounds_of(players, 2) + 1):
            pair = next(pair for pair in pair_berger(names(players), number, 2).pairs if player in pair)
            colours.append(pair.index(player))
        assert max(len(list(run)) for _, run in groupby(colours)) <= 2


@pytest.mark.parametrize("players", [4, 6, 8, 10, 14])
def test_another_engine_has_the_same_tables(players: int) -> None:
    told = [{"id": number, "name": str(number), "starting_number": number} for number in range(1, players + 1)]
    for number in range(1, players):
        engine = RoundRobinEngine(players=told, previous_pairings=set(), round_number=number, total_rounds=players - 1)
        expected = {(str(board["white_id"]), str(board["black_id"])) for board in engine.generate_pairings()}
        assert set(pair_berger(names(players), number).pairs) == expected
