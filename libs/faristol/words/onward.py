"""What may follow a node of the word graph: how many tiles to the end of a word, and which.

A walk that knows this turns back where no word ends in time, or where tiles that it would have to lay occur no more.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from faristol.words.graph import WordGraph
from faristol.words.jit import Int64s, Uint32s, compiled
from faristol.words.nodes import FINAL

LENGTHS, CODES, ONWARD_FIELDS = range(3)
"""Of a node: bit ``n`` where a word ends after ``n`` tiles more, and the mask of the codes that occur after it, be it
in words of a layer that is switched off."""
_LENGTHS_KEPT = 0xFFFF
"""From 0 to the 15 tiles of a line."""

_known: WeakKeyDictionary[WordGraph, Int64s] = WeakKeyDictionary()


def onward(graph: WordGraph) -> Int64s:
    """``LENGTHS`` and ``CODES`` of every node: 16 bytes each, worked out once a graph, in time linear in its edges."""
    found = _known.get(graph)
    if found is None:
        found = _known[graph] = look_onward(graph.marks, graph.first, graph.edges)
        found.flags.writeable = False
    return found


@compiled
def look_onward(marks: Int64s, first: Uint32s, edges: Uint32s) -> Int64s:
    """The fields of ``onward``. A node is worked out after all that it leads to."""
    found = np.zeros((len(marks), ONWARD_FIELDS), dtype=np.int64)
    done = np.zeros(len(marks), dtype=np.bool_)
    path = np.zeros(len(marks) + 1, dtype=np.int64)  # node by node from the root
    ways = np.zeros(len(marks) + 1, dtype=np.int64)  # what is left of the mark of each
    edge = np.zeros(len(marks) + 1, dtype=np.int64)  # and the edge of the lowest bit that is left
    depth = 0
    ways[0], edge[0] = marks[0] & (FINAL - 1), np.int64(first[0])
    while depth >= 0:
        node = path[depth]
        if not ways[depth]:
            found[node, LENGTHS] |= 1 if marks[node] >= FINAL else 0
            done[node] = True
            depth -= 1
            continue
        child = np.int64(edges[edge[depth]])
        if done[child]:
            found[node, LENGTHS] |= found[child, LENGTHS] << 1 & _LENGTHS_KEPT
            found[node, CODES] |= found[child, CODES] | (ways[depth] & -ways[depth])
            ways[depth] &= ways[depth] - 1
            edge[depth] += 1
        else:
            depth += 1
            path[depth], ways[depth], edge[depth] = child, marks[child] & (FINAL - 1), np.int64(first[child])
    return found
