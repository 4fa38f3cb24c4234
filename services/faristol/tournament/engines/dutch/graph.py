"""A graph with its matching and duals: the arrays that ``blossom`` works on.

Vertices are numbers from 0; a blossom, an odd cycle of vertices and blossoms, has a number after them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from faristol.tournament.engines.dutch.field import Bools, Ints

NONE = -1
UNUSED = -2


class Graph(NamedTuple):
    """A graph, its matching, and the duals that prove it optimal. ``n`` vertices, weights of ``components`` numbers."""

    weight: Ints
    """n × n × components, symmetric."""
    edge: Bools
    """n × n, symmetric: whether there is an edge."""
    alive: Bools
    """Vertices that are not removed."""
    optional: Bools
    """Vertices that may stay single."""
    mate: Ints
    """The matched vertex of each vertex; NONE for a single vertex."""
    dual: Ints
    charge: Ints
    """Duals of blossoms, by their number; never negative."""
    parent: Ints
    """The blossom that directly contains a vertex or blossom; NONE if outermost; UNUSED for an unused number."""
    top: Ints
    """The outermost blossom of each vertex, or the vertex itself."""
    first: Ints
    """The member with the base of each blossom; the other members follow it in the cycle."""
    after: Ints
    """The next member in the cycle of a blossom, by member."""
    tail: Ints
    head: Ints
    """The edge to the next member, by member: ``tail`` in the member, ``head`` in the next."""
    base: Ints
    """The vertex of each blossom that is matched to the outside; of a vertex, itself."""
    label: Ints
    tree_tail: Ints
    tree_head: Ints
    """The edge over which an inner vertex or blossom was reached: from outside, and in itself."""
    nearest: Ints
    """The outer vertex with the least slack to each vertex; NONE for none."""
    slack: Ints
    """The slack to the nearest outer vertex."""
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
    """Create an unsolved graph. ``weight`` and ``edge`` are referenced, not copied."""
    n, components = weight.shape[0], weight.shape[2]
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
        dual=whole(n, components),
        charge=whole(numbers, components),
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
        slack=whole(n, components),
        queue=whole(n),
        circle=whole(numbers),
        circle_tail=whole(numbers),
        circle_head=whole(numbers),
        mark=whole(numbers),
        stack=whole(4 * numbers + 8),
        step=whole(components),
    )
