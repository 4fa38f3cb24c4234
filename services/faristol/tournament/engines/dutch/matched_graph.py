"""The best matching of a graph, with updates and a tie-break by one vertex."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from faristol.tournament.engines.dutch import blossom
from faristol.tournament.engines.dutch.field import Bools, Ints
from faristol.tournament.engines.dutch.graph import NONE, new_graph


class Matching:
    """A graph with its best matching, repaired after each change.

    Weights are compared component by component. An additional last component has the wishes about a single vertex.
    """

    def __init__(self, weight: Ints, edge: Bools, optional: Bools | None = None) -> None:
        count = len(edge)
        self._graph = new_graph(
            np.concatenate([weight, np.zeros((count, count, 1), np.int64)], axis=2),
            edge.copy(),
            np.zeros(count, np.bool_) if optional is None else optional.copy(),
        )
        self.complete: bool = blossom.solve(self._graph)
        """Whether a matching exists that covers every required vertex."""

    def refine(self, component: Ints, optional: Bools) -> Matching:
        """Return the best matching with ``component``, at most 0, as a tie-break between equal edges.

        It reuses the duals, and so takes little time.
        """
        found = Matching.__new__(Matching)
        for vertex in range(len(self._graph.mate)):
            blossom.release(self._graph, vertex)
        nothing = np.zeros_like(component)
        weight = np.stack([*np.moveaxis(self._graph.weight, 2, 0), component, nothing], axis=2)
        found._graph = new_graph(weight, self.edges, optional)
        found._graph.dual[:, :-2] = self._graph.dual
        found.complete = blossom.resume(found._graph)
        return found

    def mate(self, vertex: int) -> int:
        """Return the vertex matched to this one; -1 if it is single."""
        return int(self._graph.mate[vertex])

    def allows(self, vertex: int, other: int) -> bool:
        """Check whether the edge still exists."""
        return bool(self._graph.edge[vertex, other] and self._graph.alive[vertex] and self._graph.alive[other])

    @property
    def edges(self) -> Bools:
        """The remaining edges."""
        alive = self._graph.alive
        return np.asarray(self._graph.edge & alive[:, np.newaxis] & alive[np.newaxis, :], np.bool_)

    def sum(self, vertices: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
        """Return the total weight of these edges, without wishes."""
        found = self._graph.weight[list(vertices), list(others), :-1].sum(axis=0)
        return tuple(int(component) for component in found)

    def wish(self, vertex: int, value: Ints) -> None:
        """Choose, among the best matchings, the one in which the edge of ``vertex`` has the highest value.

        Call ``keep_only`` or ``remove`` before the next wish.
        """
        blossom.release(self._graph, vertex)
        self._graph.weight[vertex, :, -1] = value
        self._graph.weight[:, vertex, -1] = value
        blossom.reweigh(self._graph, vertex)
        self._mend()

    def keep_only(self, vertex: int, others: Bools, *, required: bool = False) -> bool:
        """Remove the edges of ``vertex`` except those to ``others``. Return whether a matching is left.

        A ``required`` vertex may not stay single from now on. After a wish, all ``others`` must have the same value.
        """
        blossom.release(self._graph, vertex)
        if required:
            self._graph.optional[vertex] = False
        self._graph.edge[vertex] &= others
        self._graph.edge[:, vertex] &= others
        if (mate := self.mate(vertex)) >= 0 and not others[mate]:
            self._graph.mate[[vertex, mate]] = NONE
        # A constant on all edges of a vertex can be moved from them and from its dual.
        worth = self._graph.weight[vertex, self._graph.edge[vertex] & self._graph.alive, -1]
        if worth.any():
            self._graph.dual[vertex, -1] -= 2 * worth[0]
        self._graph.weight[vertex, :, -1] = self._graph.weight[:, vertex, -1] = 0
        return self._mend()

    def keep_edges(self, edges: Bools) -> None:
        """Remove all edges except ``edges``, which must contain the matching."""
        for vertex in range(len(edges)):
            blossom.release(self._graph, vertex)
        self._graph.edge[:] &= edges
        self._mend()

    def remove(self, vertices: Iterable[int]) -> None:
        """Remove vertices that are matched among themselves."""
        for vertex in vertices:
            blossom.remove(self._graph, vertex)
        self._mend()

    def _mend(self) -> bool:
        self.complete = self.complete and blossom.mend(self._graph)
        return self.complete


def completes(edge: Bools) -> bool:
    """Check whether a graph has a perfect matching."""
    count = len(edge)
    if count % 2:
        return False
    return count == 0 or blossom.solve(
        new_graph(np.zeros((count, count, 1), np.int64), edge, np.zeros(count, np.bool_))
    )
