"""Proofs of RFC 6962 (2.1.1, 2.1.2): an entry is in a tree, and a tree is the beginning of a larger one.

A proof is a list of hashes of complete subtrees, or of the incomplete one at the right edge. Both kinds are made from
ranges of entries (``HashSource``), so the same functions serve a tree in memory and tiles in a database. Verification
recomputes the root from the proof and needs no tree. Its loops follow the bits of the index, as in RFC 9162 (2.1.3.2
and 2.1.4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from faristol.event_store.integrity import merkle

HashSource = Callable[[int, int], bytes]
"""Returns the hash of the tree over the entries from one index up to another, which is excluded. The range is a node of
the whole tree: a complete subtree, or the right edge."""

MAX_PROOF_LENGTH = 63
"""Hashes of the longest proof."""

Range = tuple[int, int]


def list_inclusion_ranges(index: int, size: int) -> list[Range]:
    """Return the ranges whose hashes prove an entry in a tree, from the entry's sibling up to the child of the root.

    Raises ``ValueError`` if the tree has no such entry.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} entries has no entry {index}")
    found: list[Range] = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _left_size(stop - start)
        if index < middle:
            found.append((middle, stop))
            stop = middle
        else:
            found.append((start, middle))
            start = middle
    return found[::-1]


def list_consistency_ranges(old: int, new: int) -> list[Range]:
    """Return the ranges whose hashes prove that a tree of ``old`` entries is the beginning of one of ``new``.

    Without an old entry, and for equal sizes, the proof is empty. Raises ``ValueError`` unless 0 <= old <= new.
    """
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} entries has no beginning of {old}")
    return [] if old in (0, new) else list(_consistency(old, 0, new, is_whole=True))


def _consistency(old: int, start: int, stop: int, *, is_whole: bool) -> Iterator[Range]:
    """Yield the ranges of SUBPROOF in RFC 6962, for the part of the old tree that is in this range."""
    if old == stop - start:
        if not is_whole:
            yield start, stop
        return
    left = _left_size(stop - start)
    if old <= left:
        yield from _consistency(old, start, start + left, is_whole=is_whole)
        yield start + left, stop
    else:
        yield from _consistency(old - left, start + left, stop, is_whole=False)
        yield start, start + left


def prove(ranges: Sequence[Range], source: HashSource) -> list[bytes]:
    """Return the hashes of these ranges."""
    return [source(start, stop) for start, stop in ranges]


def compute_included_root(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root of a tree that has a leaf's hash at an index, by its proof; None if the proof has another length.

    Raises ``ValueError`` if the tree has no such entry.
    """
    ranges = list_inclusion_ranges(index, size)
    if len(ranges) != len(proof):
        return None
    digest = leaf
    for (start, _), sibling in zip(ranges, proof, strict=True):
        digest = merkle.node(sibling, digest) if start < index else merkle.node(digest, sibling)
    return digest


def is_consistent(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Check a proof that the tree with ``old_root`` is the beginning of the one with ``new_root``.

    The proof must be empty if the sizes are equal or the old tree is empty.
    """
    if not 0 <= old <= new:
        return False
    if old in (0, new):
        return not proof and (old_root == new_root if old == new else old_root == merkle.EMPTY)
    given = list(proof)
    if not old & (old - 1):  # a complete old tree is not in the proof
        given.insert(0, old_root)
    if not given:
        return False
    node, last = old - 1, new - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    first = second = given[0]
    for sibling in given[1:]:
        if not last:
            return False
        if node & 1 or node == last:
            first, second = merkle.node(sibling, first), merkle.node(sibling, second)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            second = merkle.node(second, sibling)
        node, last = node >> 1, last >> 1
    return not last and first == old_root and second == new_root


def _left_size(size: int) -> int:
    """Return the number of entries on the left of a node: the largest power of two below its size."""
    return 1 << ((size - 1).bit_length() - 1)
