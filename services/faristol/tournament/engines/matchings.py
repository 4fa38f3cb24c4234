"""Perfect matchings of a graph, the cheapest first. Pure.

Nodes are numbers from 0; an edge is a pair of them, the smaller one first.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import rustworkx

Edge = tuple[int, int]
Matching = tuple[Edge, ...]
"""Edges that cover every node once, in ascending order."""


class _Branch(NamedTuple):
    """The matchings with all edges of ``kept`` and no edge of ``barred``, with the cheapest of them.

    They are ordered by ``cost`` and ``best``: no two branches have a matching in common.
    """

    cost: int
    best: Matching
    kept: frozenset[Edge]
    barred: frozenset[Edge]


def cheapest(nodes: Collection[int], costs: Mapping[Edge, int]) -> Matching | None:
    """Return the perfect matching of least total cost, or None if there is no perfect matching.

    ``costs`` are integers from 0 below 2¹²⁰, by edge; edges to nodes outside ``nodes`` are ignored. Ties are broken
    arbitrarily.
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


_TIE_BITS = 80
"""Bits of a weight below those of its cost, for the order of edges."""


def first_as_cheap(cheap: Matching, costs: Mapping[Edge, int]) -> Matching:
    """Return the lexicographically first of the perfect matchings with the cost of ``cheap``, a cheapest one.

    The lowest node has its lowest partner in any of them, then the lowest of the other nodes. ``costs`` are as for
    ``cheapest``, below 2⁴⁰.
    """
    width = max((high - low for low, high in costs), default=0).bit_length()
    found, settled = cheap, list[Edge]()
    while found:
        (node, partner), *others = found
        free = sorted(end for edge in found for end in edge)
        if not any((node, nearer) in costs for nearer in free[1 : free.index(partner)]):
            settled.append((node, partner))
            found = tuple(others)
            continue
        shift = {node: width * place for place, node in enumerate(reversed(free[: _TIE_BITS // width]))}
        among = set(free)
        ordered = {
            (low, high): (cost << _TIE_BITS) + ((high - low) << shift[low] if low in shift else 0)
            for (low, high), cost in costs.items()
            if low in among and high in among
        }
        found = cheapest(free, ordered) or ()
        settled += [edge for edge in found if edge[0] in shift]
        found = tuple(edge for edge in found if edge[0] not in shift)
    return tuple(settled)


def by_cost(nodes: Collection[int], costs: Mapping[Edge, int]) -> Iterator[Matching]:
    """Yield every perfect matching once, by ascending total cost (K. G. Murty, 1968).

    After each matching, the rest of its branch is split by the first of its edges that a matching lacks.
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
