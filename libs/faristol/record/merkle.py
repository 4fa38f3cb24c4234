"""Merkle trees as in RFC 6962 (2.1): one hash for a sequence, and what stands in for the parts that are not shown.

A leaf is SHA-256 over a zero byte and its content, a node SHA-256 over a one byte and its two children. The left
child of a node has as many leaves as the largest power of two that leaves some for the right one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

EMPTY = hashlib.sha256().digest()
"""The root of a tree without leaves."""


def leaf(content: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + content).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash of what stands above two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows from left to right and keeps one hash for each level of it, however many leaves it has."""

    def __init__(self) -> None:
        self.size = 0
        """Number of leaves."""
        self._whole: list[tuple[int, bytes]] = []
        """Subtrees of 2 to the power of their level leaves, from left to right; no two are of one level."""

    def add(self, content: bytes) -> None:
        """Put a leaf to the right of the others."""
        self.graft(0, leaf(content))

    def graft(self, level: int, digest: bytes) -> None:
        """Put a subtree of 2 to the power of ``level`` leaves to the right, of which only the hash is known.

        Raises ``ValueError`` when no such subtree begins here.
        """
        if self.size % (1 << level):
            raise ValueError(f"no subtree of {1 << level} leaves begins after {self.size}")
        self.size += 1 << level
        while self._whole and self._whole[-1][0] == level:
            digest = node(self._whole.pop()[1], digest)
            level += 1
        self._whole.append((level, digest))

    def root(self) -> bytes:
        """The hash of the whole tree."""
        if not self._whole:
            return EMPTY
        digest = self._whole[-1][1]
        for _, left in reversed(self._whole[:-1]):
            digest = node(left, digest)
        return digest


def cover(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The fewest whole subtrees that together hold the leaves from ``start`` up to ``stop``, that one excluded.

    Gives the first leaf and the level of each, from left to right.
    """
    while start < stop:
        level = (stop - start).bit_length() - 1
        if start:
            level = min(level, (start & -start).bit_length() - 1)
        yield start, level
        start += 1 << level


def stand_in(contents: Sequence[bytes], start: int, stop: int) -> list[bytes]:
    """The hashes that stand in for the leaves from ``start`` up to ``stop`` (excluded), one for each of ``cover``."""
    return [_whole(contents[first : first + (1 << level)]) for first, level in cover(start, stop)]


def _whole(contents: Sequence[bytes]) -> bytes:
    tree = Tree()
    for content in contents:
        tree.add(content)
    return tree.root()
