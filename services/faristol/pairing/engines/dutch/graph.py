"""A graph with its matching, and what proves the matching to be best: the rows that ``blossom`` works on.

Vertices are numbers from 0; a blossom, an odd circle of vertices and blossoms, is a number after them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from faristol.pairing.engines.dutch.field import Bools, Ints

NONE = -1
UNUSED = -2


class Graph(NamedTuple):
    """A graph, its matching, and the duals that prove it to be best. ``n`` vertices, weights of ``lanes`` numbers."""

    weight: Ints
    """n × n × lanes, symmetric."""
    edge: Bools
    """n × n, symmetric: where there is an edge."""
    alive: Bools
    """Vertices that have not been taken out."""
    optional: Bools
    """Vertices that may stay single."""
    mate: Ints
    """The other end of each vertex's edge in the matching; NONE for a single vertex."""
    dual: Ints
    charge: Ints
    """Duals of blossoms, by their number; never negative."""
    parent: Ints
    """The blossom that directly holds a vertex or blossom; NONE on the outside; UNUSED for a number to spare."""
    top: Ints
    """The outermost blossom of each vertex, or the vertex itself."""
    first: Ints
    """Of a blossom, the member that holds its base; the others follow it in a circle."""
    after: Ints
    """Of a member of a blossom, the member after it."""
    tail: Ints
    head: Ints
    """Of a member of a blossom, the edge to the member after it: ``tail`` in itself, ``head`` in the other."""
    base: Ints
    """Of a blossom, the vertex that is matched to the outside. Of a vertex, itself."""
    label: Ints
    tree_tail: Ints
    tree_head: Ints
    """Of an inner vertex or blossom, the edge over which it was reached: from outside, and in itself."""
    nearest: Ints
    """Of each vertex, the outer vertex with the least slack towards it; NONE where there is none."""
    slack: Ints
    """That slack."""
    queue: Ints
    circle: Ints
    """Scratch space for members of a blossom."""
    circle_tail: Ints
    circle_head: Ints
    mark: Ints
    stack: Ints
    step: Ints
    """Scratch space for the next change of the duals."""


def new_graph(weight: Ints, edge: Bools, optional: Bools) -> Graph:
    """An unsolved graph. ``weight`` and ``edge`` are kept, not copied."""
    n, lanes = weight.shape[0], weight.shape[2]
    numbers = n + n // 2 + 1

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    parent = np.full(numbers, NONE, np.int64)
    parent[n:] = UNUSED
    return Graph(
        weight=weight,
        edge=edge,
        alive=np.ones(n, np.bool_),
        optional=optional,
        mate=np.full(n, NONE, np.int64),
        dual=whole(n, lanes),
        charge=whole(numbers, lanes),
        parent=parent,
        top=np.arange(n, dtype=np.int64),
        first=whole(numbers),
        after=whole(numbers),
        tail=whole(numbers),
        head=whole(numbers),
        base=np.arange(numbers, dtype=np.int64),
        label=whole(numbers),
        tree_tail=whole(numbers),
        tree_head=whole(numbers),
        nearest=whole(n),
        slack=whole(n, lanes),
        queue=whole(n),
        circle=whole(numbers),
        circle_tail=whole(numbers),
        circle_head=whole(numbers),
        mark=whole(numbers),
        stack=whole(4 * numbers + 8),
        step=whole(lanes),
    )
