"""Monrad, Keizer and Scheveningen pairings, against searches through all pairings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines import monrad
from faristol.tournament.engines.keizer import pair_keizer
from faristol.tournament.engines.monrad import list_from_top, pair_from_top
from faristol.tournament.engines.scheveningen import count_rounds, pair_sides
from faristol.tournament.engines.swiss import Entrant


def list_all(nodes: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every pairing, the nearest opponents of the first node first."""
    if not nodes:
        yield ()
        return
    first, *others = nodes
    for other in others:
        for more in list_all([node for node in others if node != other]):
            yield ((first, other), *more)


@given(st.integers(1, 4), st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=18))
def test_the_first_pairing_from_the_top_is_the_first_of_all(half: int, met: set[tuple[int, int]]) -> None:
    nodes = range(2 * half)

    def may_meet(high: int, low: int) -> bool:
        return (high, low) not in met

    allowed = [found for found in list_all(nodes) if all(pair not in met for pair in found)]
    assert list(list_from_top(nodes, may_meet)) == allowed[: monrad.MAX_PAIRINGS_PER_BYE_COUNT]


def test_a_search_that_takes_too_long_ends_with_the_least_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monrad, "MAX_SEARCH_STEPS_COUNT", 3)
    met = {(0, 1), (2, 3), (0, 2), (0, 4)}
    assert list(list_from_top(range(6), lambda high, low: (high, low) not in met)) == [((0, 3), (1, 2), (4, 5))]


@given(st.integers(3, 12), st.integers(0, 10**6))
def test_no_two_players_meet_twice_in_a_monrad_and_no_player_has_two_byes(players: int, seed: int) -> None:
    chance = random.Random(seed)
    ids = [f"p{number:02}" for number in range(players)]
    points, met, byes = Counter[str](), {player: set[str]() for player in ids}, set[str]()
    rounds = (players + 1) // 2
    for number in range(1, rounds + 1):
        order = [
            Entrant(player, points[player], frozenset(met[player]), player in byes)
            for player in sorted(ids, key=lambda player: (-points[player], player))
        ]
        paired = pair_from_top(order, rounds_after=rounds - number)
        seated = [player for pair in paired.pairs for player in pair]
        assert sorted([*seated, *([paired.bye] if paired.bye else [])]) == ids
        for one, other in paired.pairs:
            assert other not in met[one]
            met[one].add(other)
            met[other].add(one)
            points[chance.choice((one, other))] += 2
        if paired.bye:
            assert paired.bye not in byes
            byes.add(paired.bye)
            points[paired.bye] += 2


def test_the_first_round_of_a_monrad_pairs_neighbours_and_leaves_the_last_over() -> None:
    paired = pair_from_top([Entrant(player) for player in "abcde"])
    assert (paired.pairs, paired.bye) == ((("a", "b"), ("c", "d")), "e")


def test_a_monrad_without_a_pairing_is_refused() -> None:
    everybody = [Entrant(player, 0, frozenset("abcd") - {player}) for player in "abcd"]
    with pytest.raises(Refusal, match="has met every other player"):
        pair_from_top(everybody)


@given(st.integers(2, 9), st.integers(1, 14), st.integers(0, 10**6))
def test_players_of_a_keizer_meet_again_only_after_all_others_as_far_as_they_are_present(
    players: int, rounds: int, seed: int
) -> None:
    chance = random.Random(seed)
    ids = [f"p{number}" for number in range(players)]
    meetings, byes, last = Counter[frozenset[str]](), Counter[str](), frozenset[frozenset[str]]()
    for _ in range(rounds):
        present = [player for player in ids if chance.random() < 0.8]
        chance.shuffle(present)
        if len(present) < 2:
            continue
        paired = pair_keizer([Entrant(player) for player in present], meetings, byes, last)
        pairs = [frozenset(pair) for pair in paired.pairs]
        assert sorted([player for pair in pairs for player in pair] + ([paired.bye] if paired.bye else [])) == sorted(
            present
        )
        if paired.bye:
            assert byes[paired.bye] == min(byes[player] for player in present)
        there = [player for player in present if player != paired.bye]
        worst = max(meetings[pair] for pair in pairs)
        every = [[frozenset((there[one], there[two])) for one, two in found] for found in list_all(range(len(there)))]
        assert worst == min(max(meetings[pair] for pair in found) for found in every)
        spared = [found for found in every if max(meetings[pair] for pair in found) == worst and not last & set(found)]
        assert not (spared and last & set(pairs)), "the pairs of the last round meet again only without another pairing"
        meetings.update(pairs)
        byes.update([paired.bye] if paired.bye else [])
        last = frozenset(pairs)


@given(st.integers(1, 9), st.integers(0, 1), st.booleans())
def test_each_player_of_a_side_meets_each_of_the_other_once_and_starts_half_of_the_games(
    size: int, fewer: int, swapped: bool
) -> None:
    first = [f"a{number}" for number in range(size)]
    second = [f"b{number}" for number in range(max(size - fewer, 1))]
    if swapped:
        first, second = second, first
    rounds = count_rounds(len(first), len(second))
    games, byes, starts = Counter[frozenset[str]](), Counter[str](), Counter[str]()
    for number in range(1, rounds + 1):
        paired = pair_sides(first, second, number)
        seated = [player for pair in paired.pairs for player in pair]
        assert len(set(seated)) == len(seated)
        games.update(frozenset(pair) for pair in paired.pairs)
        starts.update(pair[0] for pair in paired.pairs)
        byes.update([paired.bye] if paired.bye else [])
    assert games == Counter(frozenset(pair) for pair in product(first, second))
    larger = first if len(first) > len(second) else second if len(second) > len(first) else []
    assert byes == Counter(larger), "each player of the larger side has one bye"
    for player in (*first, *second):
        played = len(second) if player in first else len(first)
        assert abs(2 * starts[player] - played) <= (2 if larger else 1)


def test_sides_that_differ_by_two_players_are_refused() -> None:
    with pytest.raises(ValueError, match="differ by more than one"):
        pair_sides("abc", "x", 1)
