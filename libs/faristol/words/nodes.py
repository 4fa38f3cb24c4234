"""The minimal graph of a sorted list of words (Daciuk and others, 2000).

Words arrive in order, so the part of the last word that the next one does not share is final: its nodes are frozen,
each merged with an equal node if there is one. Only the minimal graph and one word are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

FINAL_BIT = 1 << 62
"""The bit of a node's mark for the end of a word. Bits 0..61 are the tile codes of its edges."""

MAX_FACES = 62
"""The number of faces of a tile set that fit beside ``FINAL_BIT``."""


Progress = Callable[[int, int], None]
"""Called at intervals with the amount done and the total."""

_REPORT_WORD_COUNT = 5_000


@dataclass(frozen=True, slots=True)
class Nodes:
    """A word graph as flat lists; node 0 is the root.

    The edges of node ``n`` begin at ``edges[first[n]]``, one for each bit of ``marks[n]`` below ``FINAL_BIT``, in the
    order of the bits. An edge is the number of its target node.
    """

    marks: list[int]
    first: list[int]
    edges: list[int]
    labels: list[int]
    """The label of the words that end at a node, 0 if none ends."""


def minimise(words: Sequence[bytes], labels: Sequence[int] = (), *, progress: Progress | None = None) -> Nodes:
    """Return the minimal graph of ``words``, with a label for each word.

    ``words`` are tile codes; raises ``ValueError`` unless they are sorted without repeats. ``labels`` are numbers from
    0, one for each word; the default is 0 for all. The same words give the same numbers. Nodes are numbered breadth
    first, so the most visited nodes are adjacent.
    """
    register: dict[tuple[int, ...], int] = {}
    frozen: list[tuple[int, ...]] = []
    # Open nodes of the current word from the root, each as [1 + label if a word ends, code, node, code, node, …].
    path: list[list[int]] = [[0]]
    last = b""

    def freeze_below(depth: int) -> None:
        while len(path) > depth + 1:
            node = tuple(path.pop())
            number = register.get(node)
            if number is None:
                number = register[node] = len(frozen)
                frozen.append(node)
            path[-1].append(last[len(path) - 1])
            path[-1].append(number)

    for done, word in enumerate(words):
        if progress and done % _REPORT_WORD_COUNT == 0:
            progress(done, len(words))
        shared = 0
        for ours, theirs in zip(word, last, strict=False):
            if ours != theirs:
                break
            shared += 1
        if word <= last:
            raise ValueError(f"words must be sorted and differ: {word!r} came after {last!r}")
        freeze_below(shared)
        path.extend([0] for _ in range(len(word) - shared))
        path[-1][0] = 1 + (labels[done] if labels else 0)
        last = word
    freeze_below(0)
    if progress:
        progress(len(words), len(words))
    return _number(tuple(path[0]), frozen)


def _number(root: tuple[int, ...], frozen: list[tuple[int, ...]]) -> Nodes:
    """Number the nodes breadth first from the root and store them in flat lists."""
    nodes = Nodes([], [], [], [])
    numbers: dict[int, int] = {}
    order = [root]
    for node in order:
        nodes.first.append(len(nodes.edges))
        mark = FINAL_BIT if node[0] else 0
        nodes.labels.append(max(node[0] - 1, 0))
        for code, child in zip(node[1::2], node[2::2], strict=True):
            mark |= 1 << code
            if child not in numbers:
                numbers[child] = len(order)
                order.append(frozen[child])
            nodes.edges.append(numbers[child])
        nodes.marks.append(mark)
    return nodes
