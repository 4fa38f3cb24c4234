"""The best matching of a graph, and the best one under one wish more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from faristol.pairing.engines.dutch import blossom
from faristol.pairing.engines.dutch.field import Bools, Ints
from faristol.pairing.engines.dutch.graph import NONE, new_graph


class Matching:
    """A graph with its best matching, mended after each change.

    Weights are compared lane by lane; behind the given lanes there is one more for wishes about a single vertex.
    """

    def __init__(self, weight: Ints, edge: Bools, optional: Bools | None = None) -> None:
        count = len(edge)
        self._graph = new_graph(
            np.concatenate([weight, np.zeros((count, count, 1), np.int64)], axis=2),
            edge.copy(),
            np.zeros(count, np.bool_) if optional is None else optional.copy(),
        )
        self.complete: bool = blossom.solve(self._graph)
        """Whether there is a matching at all that leaves out nobody who must be in it."""

    def refined(self, lane: Ints, optional: Bools) -> Matching:
        """The best matching when edges as good as each other are compared by ``lane``, which is 0 at most.

        What was found out about the edges is kept, so this takes little time.
        """
        found = Matching.__new__(Matching)
        for vertex in range(len(self._graph.mate)):
            blossom.release(self._graph, vertex)
        nothing = np.zeros_like(lane)
        weight = np.stack([*np.moveaxis(self._graph.weight, 2, 0), lane, nothing], axis=2)
        found._graph = new_graph(weight, self.edges, optional)
        found._graph.dual[:, :-2] = self._graph.dual
        found.complete = blossom.resume(found._graph)
        return found

    def mate(self, vertex: int) -> int:
        """The vertex matched to this one; -1 when it is single."""
        return int(self._graph.mate[vertex])

    def allows(self, vertex: int, other: int) -> bool:
        """Whether the edge is still there."""
        return bool(self._graph.edge[vertex, other] and self._graph.alive[vertex] and self._graph.alive[other])

    @property
    def edges(self) -> Bools:
        """The edges that are still there."""
        alive = self._graph.alive
        return np.asarray(self._graph.edge & alive[:, np.newaxis] & alive[np.newaxis, :], np.bool_)

    def sum(self, vertices: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
        """The weight of these edges together, wishes left aside."""
        found = self._graph.weight[list(vertices), list(others), :-1].sum(axis=0)
        return tuple(int(lane) for lane in found)

    def wish(self, vertex: int, value: Ints) -> None:
        """Among the best matchings, take the one in which the edge of ``vertex`` has the highest value.

        Settle what was wished, by ``keep_only`` or ``remove``, before the next wish.
        """
        blossom.release(self._graph, vertex)
        self._graph.weight[vertex, :, -1] = value
        self._graph.weight[:, vertex, -1] = value
        blossom.reweigh(self._graph, vertex)
        self._mend()

    def keep_only(self, vertex: int, others: Bools, *, required: bool = False) -> bool:
        """Take away the edges of ``vertex`` to any but ``others``. Whether there is still a matching.

        A vertex that is ``required`` may not stay single any more. After a wish, ``others`` are of one value.
        """
        blossom.release(self._graph, vertex)
        if required:
            self._graph.optional[vertex] = False
        self._graph.edge[vertex] &= others
        self._graph.edge[:, vertex] &= others
        if (mate := self.mate(vertex)) >= 0 and not others[mate]:
            self._graph.mate[[vertex, mate]] = NONE
        # What all edges of a vertex are worth alike can be taken from them and from its dual.
        worth = self._graph.weight[vertex, self._graph.edge[vertex] & self._graph.alive, -1]
        if worth.any():
            self._graph.dual[vertex, -1] -= 2 * worth[0]
        self._graph.weight[vertex, :, -1] = self._graph.weight[:, vertex, -1] = 0
        return self._mend()

    def keep_edges(self, edges: Bools) -> None:
        """Take away all edges but ``edges``, which hold the whole matching."""
        for vertex in range(len(edges)):
            blossom.release(self._graph, vertex)
        self._graph.edge[:] &= edges
        self._mend()

    def remove(self, vertices: Iterable[int]) -> None:
        """Take vertices out of the graph that are matched among themselves."""
        for vertex in vertices:
            blossom.remove(self._graph, vertex)
        self._mend()

    def _mend(self) -> bool:
        self.complete = self.complete and blossom.mend(self._graph)
        return self.complete


def completes(edge: Bools) -> bool:
    """Whether a graph has a matching that leaves nobody out."""
    count = len(edge)
    if count % 2:
        return False
    return count == 0 or blossom.solve(
        new_graph(np.zeros((count, count, 1), np.int64), edge, np.zeros(count, np.bool_))
    )
