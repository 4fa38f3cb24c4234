"""Preferences choose among the best matchings, and a settled one does not affect the next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from faristol.tournament.engines.dutch.field import Bools
from faristol.tournament.engines.dutch.graph import NONE
from faristol.tournament.engines.dutch.matched_graph import Matching

Pairs = frozenset[tuple[int, int]]


def matchings(free: tuple[int, ...], edge: Bools, optional: Bools) -> Iterator[Pairs]:
    """Yield every matching that leaves out only optional vertices."""
    if not free:
        yield frozenset()
        return
    vertex, *others = free
    if optional[vertex]:
        yield from matchings(tuple(others), edge, optional)
    for other in others:
        if edge[vertex, other]:
            rest = tuple(each for each in others if each != other)
            yield from (pairs | {(vertex, other)} for pairs in matchings(rest, edge, optional))


def mate(pairs: Pairs, vertex: int) -> int:
    return next((low + high - vertex for low, high in pairs if vertex in (low, high)), NONE)


@pytest.mark.parametrize("seed", range(24))
def test_each_wish_is_granted_among_the_best_matchings_that_the_wishes_before_it_left(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = 8
    edge = np.triu(random.random((count, count)) < 0.8, 1)
    edge |= edge.T
    weight = np.triu(random.integers(0, 2, (count, count)), 1).astype(np.int64)
    weight += weight.T
    optional = random.random(count) < (0.4 if seed % 2 else 0)
    matching = Matching(weight[:, :, np.newaxis], edge, optional)
    left = list(matchings(tuple(range(count)), edge, optional))
    assert matching.complete is bool(left)
    if not left:
        return
    most = max(sum(int(weight[pair]) for pair in pairs) for pairs in left)
    left = [pairs for pairs in left if sum(int(weight[pair]) for pair in pairs) == most]
    for vertex in range(count):
        value = np.append(random.integers(-2, 3, count).astype(np.int64), 0)  # a single vertex has no preferences
        matching.wish(vertex, value[:count])
        highest = max(int(value[mate(pairs, vertex)]) for pairs in left)
        met = matching.mate(vertex)
        assert value[met] == highest
        assert matching.keep_only(vertex, value[:count] == highest, required=met != NONE)
        left = [
            pairs
            for pairs in left
            if value[mate(pairs, vertex)] == highest and (met == NONE or mate(pairs, vertex) != NONE)
        ]
        now = frozenset((low, matching.mate(low)) for low in range(count) if low < matching.mate(low))
        assert now in left


@pytest.mark.parametrize("required", [False, True])
def test_a_vertex_that_is_required_may_not_stay_single_any_more(required: bool) -> None:
    edge = np.ones((3, 3), np.bool_)
    np.fill_diagonal(edge, False)
    matching = Matching(np.zeros((3, 3, 1), np.int64), edge, np.array([True, False, False]))
    assert matching.mate(0) == -1
    assert matching.keep_only(0, np.array([False, False, True]), required=required) is not required


def test_edges_that_are_taken_away_are_no_choice_any_more() -> None:
    edge = np.ones((4, 4), np.bool_)
    np.fill_diagonal(edge, False)
    matching = Matching(np.zeros((4, 4, 1), np.int64), edge)
    kept = np.zeros((4, 4), np.bool_)
    for vertex in range(4):
        kept[vertex, matching.mate(vertex)] = True
    matching.keep_edges(kept)
    assert (matching.edges == kept).all()
    matching.remove((0, matching.mate(0)))
    assert matching.edges.sum() == 2
