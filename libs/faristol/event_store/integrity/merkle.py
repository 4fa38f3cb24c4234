"""Merkle trees of RFC 6962 (2.1): one hash for a sequence, and hashes that replace the parts that are not shown.

A leaf is SHA-256 over a zero byte and its content, a node SHA-256 over a one byte and its two children. A node of n
leaves has on its left the largest power of two that is smaller than n.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

EMPTY = hashlib.sha256().digest()
"""Root of a tree without leaves."""


def leaf(content: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + content).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of the parent of two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows from left to right. It stores at most one hash for each level."""

    def __init__(self) -> None:
        self.size = 0
        """Number of leaves."""
        self._whole: list[tuple[int, bytes]] = []
        """Complete subtrees as level and hash, from left to right; a level has 2 to its power leaves.

        Levels are unique.
        """

    def add(self, content: bytes) -> None:
        """Append a leaf."""
        self.graft(0, leaf(content))

    def graft(self, level: int, digest: bytes) -> None:
        """Append a subtree of 2 to the power of ``level`` leaves, known only by its hash.

        Raises ``ValueError`` if no such subtree can begin here.
        """
        if self.size % (1 << level):
            raise ValueError(f"no subtree of {1 << level} leaves begins after {self.size}")
        self.size += 1 << level
        while self._whole and self._whole[-1][0] == level:
            digest = node(self._whole.pop()[1], digest)
            level += 1
        self._whole.append((level, digest))

    def root(self) -> bytes:
        """Return the hash of the whole tree."""
        if not self._whole:
            return EMPTY
        digest = self._whole[-1][1]
        for _, left in reversed(self._whole[:-1]):
            digest = node(left, digest)
        return digest


def cover(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the fewest complete subtrees that have the leaves from ``start`` up to ``stop``, which is excluded.

    Each is given by its first leaf and its level, from left to right.
    """
    while start < stop:
        level = (stop - start).bit_length() - 1
        if start:
            level = min(level, (start & -start).bit_length() - 1)
        yield start, level
        start += 1 << level


def stand_in(contents: Sequence[bytes], start: int, stop: int) -> list[bytes]:
    """Return the hashes that replace the leaves from ``start`` up to ``stop`` (excluded), one for each of ``cover``."""
    return [_whole(contents[first : first + (1 << level)]) for first, level in cover(start, stop)]


def _whole(contents: Sequence[bytes]) -> bytes:
    tree = Tree()
    for content in contents:
        tree.add(content)
    return tree.root()
