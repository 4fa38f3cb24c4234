"""Perfect matchings of a graph, the cheapest first. Pure.

Nodes are numbers from 0; an edge is a pair of them, the smaller one first.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import rustworkx

Edge = tuple[int, int]
Matching = tuple[Edge, ...]
"""Edges that together touch every node once, in rising order."""


@dataclass(order=True, frozen=True, slots=True)
class _Branch:
    """The matchings that hold ``kept`` and nothing of ``barred``, and the cheapest of them."""

    cost: int
    best: Matching
    kept: frozenset[Edge] = field(compare=False)
    barred: frozenset[Edge] = field(compare=False)


def cheapest(nodes: Collection[int], costs: Mapping[Edge, int]) -> Matching | None:
    """The perfect matching of least total cost; None when there is no perfect matching.

    ``costs`` are whole numbers below 2¹²⁰, 0 or more, of the edges there are; edges to other nodes than ``nodes``
    are left aside. Where several cost the same, which one comes out is not said.
    """
    order = sorted(nodes)
    place = {node: index for index, node in enumerate(order)}
    edges = [(place[a], place[b], cost) for (a, b), cost in costs.items() if a in place and b in place]
    dearest = max((cost for _, _, cost in edges), default=0)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(order)
    graph.add_edges_from([(a, b, dearest - cost) for a, b, cost in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(found) < len(order):
        return None
    return tuple(sorted((order[min(pair)], order[max(pair)]) for pair in found))


def by_cost(nodes: Collection[int], costs: Mapping[Edge, int]) -> Iterator[Matching]:
    """Every perfect matching once, in the order of total cost (K. G. Murty, 1968).

    What is left after the cheapest one is split by the first of its edges that a matching lacks.
    """
    waiting = _branch(nodes, costs, frozenset(), frozenset())
    while waiting:
        branch = heapq.heappop(waiting)
        yield branch.best
        kept = set(branch.kept)
        for edge in branch.best:
            if edge in branch.kept:
                continue
            for child in _branch(nodes, costs, frozenset(kept), branch.barred | {edge}):
                heapq.heappush(waiting, child)
            kept.add(edge)


def _branch(
    nodes: Collection[int], costs: Mapping[Edge, int], kept: frozenset[Edge], barred: frozenset[Edge]
) -> list[_Branch]:
    taken = {node for edge in kept for node in edge}
    free = [node for node in nodes if node not in taken]
    rest = cheapest(free, {edge: cost for edge, cost in costs.items() if edge not in barred})
    if rest is None:
        return []
    best = tuple(sorted((*kept, *rest)))
    return [_Branch(sum(costs[edge] for edge in best), best, kept, barred)]
