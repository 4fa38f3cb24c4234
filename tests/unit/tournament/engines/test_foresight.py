from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.tournament.engines.foresight import Graph, can_go_on

Edge = tuple[int, int]

PETERSEN = [
    *((i, (i + 1) % 5) for i in range(5)),
    *((i, i + 5) for i in range(5)),
    *((i + 5, (i + 2) % 5 + 5) for i in range(5)),
]


def graph_of(count: int, edges: Sequence[tuple[int, int]]) -> Graph:
    """Return the graph of ``count`` nodes with these edges."""
    rows = [0] * count
    for first, other in edges:
        rows[first] |= 1 << other
        rows[other] |= 1 << first
    return tuple(rows)


def possible(count: int, edges: frozenset[Edge], rounds: int) -> bool:
    """Return the same by brute force."""
    if rounds == 0:
        return True
    return any(
        possible(count, edges - set(pairing), rounds - 1)
        for pairing in combinations(sorted(edges), count // 2)
        if len({node for edge in pairing for node in edge}) == count
    )


@settings(max_examples=scale_examples(300), deadline=None)
@given(
    edges=st.frozensets(st.sampled_from(list(combinations(range(6), 2))), min_size=6),
    rounds=st.integers(0, 5),
)
@example(edges=frozenset(combinations(range(6), 2)), rounds=5)
@example(edges=frozenset([(0, 1), (0, 2), (2, 3), (3, 4), (3, 5), (1, 4), (1, 5)]), rounds=1)
def test_it_says_what_trying_everything_says(edges: frozenset[Edge], rounds: int) -> None:
    assert can_go_on(graph_of(6, sorted(edges)), rounds) == possible(6, edges, rounds)


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12, 14])
def test_a_round_robin_can_always_be_played(players: int) -> None:
    assert can_go_on(graph_of(players, list(combinations(range(players), 2))), players - 1)


@pytest.mark.parametrize(("rounds", "expected"), [(1, True), (2, False), (3, False)])
def test_the_petersen_graph_allows_one_round_and_no_more(rounds: int, expected: bool) -> None:
    assert can_go_on(graph_of(10, PETERSEN), rounds) is expected


def test_an_odd_number_cannot_be_paired() -> None:
    assert not can_go_on(graph_of(3, [(0, 1), (1, 2)]), 1)
    assert can_go_on(graph_of(3, []), 0)
