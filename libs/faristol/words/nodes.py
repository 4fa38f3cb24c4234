"""From a sorted list of words to the smallest graph that spells them (Daciuk and others, 2000).

Words arrive in order, so everything that the next word does not share with the last one is final: it is
frozen, and merged with an equal node when there is one. Only the smallest graph and one word are ever
held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

FINAL = 1 << 62
"""The bit of a node's mark that says that a word ends here. Bits 0..61 are the tile codes that go on."""

MAX_FACES = 62
"""How many faces a tile set may have to fit beside ``FINAL``."""


Progress = Callable[[int, int], None]
"""Told now and then how much is done, of how much."""

_REPORT_EVERY = 5_000


@dataclass(frozen=True, slots=True)
class Nodes:
    """A word graph as three flat lists; node 0 is where every word starts.

    The edges of node ``n`` stand from ``edges[first[n]]`` on, one for each bit of ``marks[n]`` below
    ``FINAL``, in the order of the bits. An edge is the number of the node that it leads to.
    """

    marks: list[int]
    first: list[int]
    edges: list[int]
    labels: list[int]
    """The label of the words that end at a node, 0 where none ends."""


def minimise(words: Sequence[bytes], labels: Sequence[int] = (), *, progress: Progress | None = None) -> Nodes:
    """The smallest graph that spells ``words`` and nothing else, and leads each to its label.

    ``words`` are tile codes, sorted, without repeats; ``ValueError`` when they are not. ``labels`` are numbers from 0,
    one a word; without them all have the label 0. The same words give the same numbers: nodes are counted breadth
    first, so the much-walked ones lie together.
    """
    register: dict[tuple[int, ...], int] = {}
    frozen: list[tuple[int, ...]] = []
    # The word being held: open nodes from the start on, each as [1 + label if a word ends, code, node, code, node, …].
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
        if progress and done % _REPORT_EVERY == 0:
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
    """Number the nodes breadth first from the root and lay them out flat."""
    nodes = Nodes([], [], [], [])
    numbers: dict[int, int] = {}
    order = [root]
    for node in order:
        nodes.first.append(len(nodes.edges))
        mark = FINAL if node[0] else 0
        nodes.labels.append(max(node[0] - 1, 0))
        for code, child in zip(node[1::2], node[2::2], strict=True):
            mark |= 1 << code
            if child not in numbers:
                numbers[child] = len(order)
                order.append(frozen[child])
            nodes.edges.append(numbers[child])
        nodes.marks.append(mark)
    return nodes
