"""The feasibility of later rounds. Pure.

The best pairing of one round can make a later round impossible: six players whose only pairs left are within two trios
cannot be paired. It matters only if the players are fewer than twice the rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_SEARCH_STEPS = 20_000
"""Limit of search steps. A search that exceeds it has many solutions, and is taken as feasible."""

Edge = tuple[int, int]
Graph = tuple[int, ...]
"""For each node, a bit set of the nodes that it may still be paired with."""


def can_go_on(graph: Graph, rounds: int) -> bool:
    """Check whether ``rounds`` disjoint complete pairings exist.

    The result is exact, except for searches of more than ``MAX_SEARCH_STEPS`` steps.
    """
    if len(graph) % 2:
        return rounds == 0
    try:
        return _search(graph, rounds, iter(range(MAX_SEARCH_STEPS)))
    except _Enough:
        return True


class _Enough(Exception):
    """Raised when the search exceeds its steps."""


def _search(graph: Graph, rounds: int, steps: Iterator[int]) -> bool:
    if rounds == 0 or not graph:
        return True
    least = min(row.bit_count() for row in graph)
    if least < rounds:
        return False
    # Dirac: a graph in which each node has half of the others as neighbours has a complete pairing, and each
    # pairing removes one neighbour of each node.
    if 2 * (least - rounds + 1) >= len(graph):
        return True
    free, forced = (1 << len(graph)) - 1, tuple[Edge, ...]()
    if least == rounds:
        # A node needs all its edges, so one of the rounds has its first edge: in any order, so take it in this one.
        node = next(node for node, row in enumerate(graph) if row.bit_count() == least)
        other = next(_nodes(graph[node]))
        free, forced = free & ~(1 << node) & ~(1 << other), ((node, other),)
    for pairing in _pairings(graph, free, forced, steps):
        rows = list(graph)
        for node, other in pairing:
            rows[node] &= ~(1 << other)
            rows[other] &= ~(1 << node)
        if _search(tuple(rows), rounds - 1, steps):
            return True
    return False


def _pairings(graph: Graph, free: int, pairs: tuple[Edge, ...], steps: Iterator[int]) -> Iterator[tuple[Edge, ...]]:
    """Yield every complete pairing that extends ``pairs``, which leave the nodes ``free``."""
    if next(steps, None) is None:
        raise _Enough
    if not free:
        yield pairs
        return
    node = min(_nodes(free), key=lambda candidate: (graph[candidate] & free).bit_count())
    for other in _nodes(graph[node] & free):
        yield from _pairings(graph, free & ~(1 << node) & ~(1 << other), (*pairs, (node, other)), steps)


def _nodes(row: int) -> Iterator[int]:
    while row:
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest
