"""Possible continuations from a node of the word graph: the numbers of tiles to the end of a word, and their codes.

A search prunes a branch with them if no word ends in time, or if tiles that it has to lay occur no more.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from faristol.words.graph import WordGraph
from faristol.words.jit import Int64s, compile_function, make_table, make_vector, to_native
from faristol.words.nodes import FINAL_BIT

LENGTHS, CODES, ONWARD_FIELDS = range(3)
"""Fields of a node: bit ``n`` if a word ends after ``n`` more tiles, and the mask of the codes that occur after it,
including words of inactive layers."""
_KEPT_LENGTHS_BITS = 0xFFFF
"""Lengths from 0 to the 15 tiles of a line."""

_known: WeakKeyDictionary[WordGraph, Int64s] = WeakKeyDictionary()


def onward(graph: WordGraph) -> Int64s:
    """Return ``LENGTHS`` and ``CODES`` of every node: 16 bytes each, cached by graph, in time linear in its edges."""
    found = _known.get(graph)
    if found is None:
        arrays = to_native(graph.marks), to_native(graph.first), to_native(graph.edges)
        found = _known[graph] = np.asarray(look_onward(*arrays), dtype=np.int64)
        found.flags.writeable = False
    return found


@compile_function
def look_onward(marks: Int64s, first: Int64s, edges: Int64s) -> Int64s:
    """Compute the fields of ``onward`` in depth-first post-order."""
    found = make_table(len(marks), ONWARD_FIELDS)
    done = make_vector(len(marks))
    path = make_vector(len(marks) + 1)  # the nodes from the root
    ways = make_vector(len(marks) + 1)  # the remaining bits of the mark of each
    edge = make_vector(len(marks) + 1)  # the edge of the lowest remaining bit
    depth = 0
    ways[0], edge[0] = marks[0] & (FINAL_BIT - 1), first[0]
    while depth >= 0:
        node = path[depth]
        if not ways[depth]:
            found[node][LENGTHS] |= 1 if marks[node] >= FINAL_BIT else 0
            done[node] = 1
            depth -= 1
            continue
        child = edges[edge[depth]]
        if done[child]:
            found[node][LENGTHS] |= found[child][LENGTHS] << 1 & _KEPT_LENGTHS_BITS
            found[node][CODES] |= found[child][CODES] | (ways[depth] & -ways[depth])
            ways[depth] &= ways[depth] - 1
            edge[depth] += 1
        else:
            depth += 1
            path[depth], ways[depth], edge[depth] = child, marks[child] & (FINAL_BIT - 1), first[child]
    return found
