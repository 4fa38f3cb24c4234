"""Whether the rounds still to come can be paired. Pure.

A pairing that is best for its own round can make a later round impossible: six players of whom two trios have
yet to meet among themselves cannot be paired. It matters only when the players are fewer than twice the rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

STEPS = 20_000
"""Steps of the search before it stops. Cases that need as many have many ways to go on, and so are taken to be
possible."""

Edge = tuple[int, int]
Graph = tuple[int, ...]
"""For each node, a number whose bits are the nodes that it may still be paired with."""


def can_go_on(graph: Graph, rounds: int) -> bool:
    """Whether ``rounds`` complete pairings can be found one after another, none with an edge of another.

    Exact, but for searches that take more than ``STEPS`` steps.
    """
    if len(graph) % 2:
        return rounds == 0
    try:
        return _search(graph, rounds, iter(range(STEPS)))
    except _Enough:
        return True


class _Enough(Exception):
    """The search has taken all its steps."""


def _search(graph: Graph, rounds: int, steps: Iterator[int]) -> bool:
    if rounds == 0 or not graph:
        return True
    least = min(row.bit_count() for row in graph)
    if least < rounds:
        return False
    # Dirac: a graph in which everybody has half of the others has a complete pairing, and each pairing takes one
    # neighbour from everybody.
    if 2 * (least - rounds + 1) >= len(graph):
        return True
    free, forced = (1 << len(graph)) - 1, tuple[Edge, ...]()
    if least == rounds:
        # Somebody needs all their edges, so one of the pairings holds the first of them: let it be this one.
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
    """Every complete pairing that holds ``pairs``, which leave the nodes ``free``."""
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
