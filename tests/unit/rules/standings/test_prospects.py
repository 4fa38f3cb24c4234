"""The places that players can still reach, against all ways of small fields."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings.prospects import (
    Places,
    Prospect,
    Race,
    decides_by_points,
    find_extremes,
    find_places,
)

FIELDS_COUNT, NIGHTLY_FIELDS_COUNT = 100, 2_000
SHARES = ((2, 0), (1, 1), (0, 2))
"""Halves of the two players of a table: a win, a draw, a loss."""

Points = tuple[int, ...]


def pairings(players: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every pairing of a round; a player without an opponent has a bye."""
    if not players:
        yield []
        return
    first, *others = players
    if len(players) % 2:
        for alone in players:
            rest = [each for each in players if each != alone]
            yield from ([(alone,), *more] for more in pairings(rest))
        return
    for other in others:
        yield from ([(first, other), *more] for more in pairings([each for each in others if each != other]))


def play_round(before: set[Points], tables: Sequence[tuple[int, ...]], bye: int = 2) -> set[Points]:
    """Return the points after every result of a round with these tables."""
    found = set[Points]()
    for points, shares in product(before, product(SHARES, repeat=sum(len(table) == 2 for table in tables))):
        after, left = list(points), iter(shares)
        for table in tables:
            gained = next(left) if len(table) == 2 else (bye,)
            for player, halves in zip(table, gained, strict=True):
                after[player] += halves
        found.add(tuple(after))
    return found


def try_all(names: Sequence[str], race: Race) -> dict[str, Places]:
    """Return the places of each player by every way."""
    number = {name: index for index, name in enumerate(names)}
    points = {tuple(race.points[name] for name in names)}
    points = play_round(points, [(number[first], number[second]) for first, second in race.tables])
    for players in race.rounds:
        if len(players) > 1:
            playing = sorted(number[name] for name in players)
            points = set().union(*(play_round(points, tables, race.bye) for tables in pairings(playing)))
    found = {}
    for name, own in number.items():
        best = min(1 + sum(other > way[own] for other in way) for way in points)
        worst = max(sum(other >= way[own] for other in way) for way in points)
        found[name] = Places(best, worst, max(way[own] for way in points), min(way[own] for way in points))
    return found


def build_race(seed: int) -> tuple[list[str], Race]:
    """Return a random race of 3 to 6 players, with byes, draws, tables without a result and absent ones."""
    chance = random.Random(f"prospects/{seed}")
    names = [chr(65 + number) for number in range(chance.randint(3, 6))]
    points = {name: chance.randint(0, 6) for name in names}
    rounds = [frozenset(name for name in names if chance.random() < 0.85) for _ in range(chance.randint(0, 2))]
    if chance.random() < 0.75:
        rounds = [rounds[0] for _ in rounds]
    order = chance.sample(names, len(names))
    tables = list(zip(order[::2], order[1::2], strict=False))[: chance.randint(0, 3)]
    return names, Race(points, rounds, tables, bye=chance.choice((2, 2, 0)))


@pytest.mark.parametrize(
    "seeds",
    [
        range(FIELDS_COUNT),
        pytest.param(range(FIELDS_COUNT, NIGHTLY_FIELDS_COUNT), marks=pytest.mark.nightly),
    ],
    ids=["some", "all"],
)
def test_places_are_those_of_every_way_of_random_small_fields(seeds: range) -> None:
    for seed in seeds:
        names, race = build_race(seed)
        found, expected = find_places(race), try_all(names, race)
        if race.is_exact:
            assert found == expected, (seed, race)
        for name, places in expected.items():
            assert found[name].best <= places.best <= places.worst <= found[name].worst, (seed, race)


def test_the_players_in_the_extremes_are_as_many_as_the_places_say() -> None:
    for seed in range(FIELDS_COUNT):
        _, race = build_race(seed)
        for name, places in find_places(race).items():
            found = find_extremes(race, name)
            assert (1 + len({*found.above} - {name}), 1 + len({*found.reaching} - {name})) == (
                places.best,
                places.worst,
            ), (seed, name)


def test_a_postponed_game_counts_for_both_of_its_players() -> None:
    race = Race({"a": 4, "b": 3, "c": 0}, [], [], [("b", "c")])
    places = find_places(race)
    assert [(each.best, each.worst) for each in places.values()] == [(1, 2), (1, 2), (3, 3)]
    assert find_extremes(race, "a").reaching == ["b"]


def test_the_places_of_300_players_with_a_table_each_and_4_rounds_to_go_are_found_in_less_than_two_seconds() -> None:
    chance = random.Random("300 players")
    names = [f"p{number}" for number in range(300)]
    order = chance.sample(names, len(names))
    tables = list(zip(order[::2], order[1::2], strict=True))
    race = Race({name: chance.randint(0, 20) for name in names}, [frozenset(names)] * 3, tables)
    began = time.process_time()
    assert len(find_places(race)) == len(names)
    assert time.process_time() - began < 2


def test_a_leader_with_more_points_than_the_others_can_gain_is_safe_and_the_last_is_out() -> None:
    race = Race({"a": 12, "b": 8, "c": 6, "d": 2}, [], [("a", "d"), ("b", "c")])
    places = find_places(race)
    assert [places[each].chance(1) for each in "abcd"] == [Prospect.SAFE, *[Prospect.OUT] * 3]
    assert [places[each].chance(2) for each in "abcd"] == [Prospect.SAFE, *[Prospect.ALIVE] * 2, Prospect.OUT]


@pytest.mark.parametrize(
    "race",
    [
        ({"a": 0}, [frozenset("ab")], []),
        ({"a": 0, "b": 0, "c": 0}, [], [("a", "b"), ("b", "c")]),
        ({"a": 0}, [], [], [], 3),
        ({"a": 0}, [], [], [], 2, 1),
    ],
)
def test_an_impossible_race_is_refused(race: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Race(*race)  # type: ignore[arg-type] # as given


def test_the_places_of_a_knock_out_do_not_follow_from_the_points_of_its_games() -> None:
    book = load_ruleset("fisc-2023")
    assert decides_by_points(book)
    assert not decides_by_points(with_options(book, {"format": "knock-out"}))
