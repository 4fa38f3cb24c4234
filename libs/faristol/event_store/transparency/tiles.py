"""Tiles of a tree (C2SP tlog-tiles): 256 hashes of one level, from which every other hash is computed.

A tile of level 0 has the hashes of entries, a tile of level L+1 the roots of complete tiles of level L. A tile grows
from left to right, so an incomplete one is the beginning of the complete one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from faristol.event_store.integrity import merkle
from faristol.event_store.transparency.signed_note import HASH_LENGTH, MAX_LOG_SIZE

TILE_BITS = 8
"""Levels of the tree in one tile."""

TILE_SIZE = 1 << TILE_BITS
"""Hashes of a complete tile."""

MAX_TILE_LEVEL_NUMBER = 7
"""Highest level of a tile that a log of ``MAX_LOG_SIZE`` entries has."""

_GROUP_DIGITS = 3


@dataclass(frozen=True, slots=True, order=True)
class TileName:
    """The place of a tile: its level, and its number in the level, both from 0."""

    level: int
    number: int

    @property
    def entry_span(self) -> int:
        """Number of entries under each of its hashes."""
        return 1 << (TILE_BITS * self.level)

    def width_at(self, size: int) -> int:
        """Return how many hashes the tile has in a tree of some size; 0 if it has none."""
        return max(0, min(TILE_SIZE, size // self.entry_span - self.number * TILE_SIZE))


def format_tile_number(number: int) -> str:
    """Return the path of the number of a tile, such as ``x001/x234/067``."""
    digits = str(number)
    digits = digits.rjust(-(-len(digits) // _GROUP_DIGITS) * _GROUP_DIGITS, "0")
    groups = [digits[at : at + _GROUP_DIGITS] for at in range(0, len(digits), _GROUP_DIGITS)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])


def parse_tile_path(path: str) -> tuple[int, int] | None:
    """Return the number and the width of a path such as ``x001/234`` or ``x001/234.p/17``; None if it is not one."""
    place, partial, width_text = path.partition(".p/")
    width = TILE_SIZE
    if partial:
        if not _is_number(width_text) or not 0 < int(width_text) < TILE_SIZE:
            return None
        width = int(width_text)
    *first, last = place.split("/")
    if any(not group.startswith("x") for group in first):
        return None
    groups = [*(group[1:] for group in first), last]
    if any(len(group) != _GROUP_DIGITS or not (group.isascii() and group.isdigit()) for group in groups):
        return None
    number = int("".join(groups))
    if number > MAX_LOG_SIZE or format_tile_number(number) != place:
        return None
    return number, width


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and not text.startswith("0")


def list_tiles(size: int) -> Iterator[TileName]:
    """Yield the tiles of a tree, each level from left to right."""
    level = 0
    while hashes := size >> (TILE_BITS * level):
        for number in range(-(-hashes // TILE_SIZE)):
            yield TileName(level, number)
        level += 1


Tiles = Mapping[TileName, bytes]
"""The hashes of tiles, 32 bytes each, without a separator."""


class TileSource:
    """Hashes of ranges of entries, from the tiles of a tree of some size.

    ``read`` returns a tile with the hashes that it has at that size or more, and raises for a missing tile. Each is
    read once. ``CorruptTile`` is raised for a tile with too few hashes.
    """

    def __init__(self, read: Callable[[TileName], bytes]) -> None:
        self._read = cache(read)
        self._roots: dict[tuple[int, int], bytes] = {}

    def __call__(self, start: int, stop: int) -> bytes:
        """Return the hash of the tree over the entries from ``start`` up to ``stop``, which is excluded."""
        return merkle_root([(level, self.subtree(first, level)) for first, level in merkle.cover(start, stop)])

    def root(self, size: int) -> bytes:
        """Return the root of the tree of some size."""
        return self(0, size)

    def subtree(self, first: int, level: int) -> bytes:
        """Return the hash of the complete subtree of 2 to the power of ``level`` entries that begins at ``first``."""
        known = self._roots.get((first, level))
        if known is not None:
            return known
        tile_level, height = divmod(level, TILE_BITS)
        at = first >> (TILE_BITS * tile_level)
        tile = TileName(tile_level, at // TILE_SIZE)
        begin = at % TILE_SIZE * HASH_LENGTH
        part = self._read(tile)[begin : begin + (HASH_LENGTH << height)]
        if len(part) != HASH_LENGTH << height:
            raise CorruptTile(tile)
        digest = complete_root(part)
        self._roots[first, level] = digest
        return digest


class CorruptTile(Exception):
    """A tile has fewer hashes than the size of its tree requires."""

    def __init__(self, tile: TileName) -> None:
        super().__init__(f"the tile {tile.number} of level {tile.level} of the log lacks hashes")


def find_difference(computed: bytes, stored: bytes) -> int | None:
    """Return the first place at which two tiles have different hashes; None if one is the beginning of the other."""
    both = min(len(computed), len(stored)) // HASH_LENGTH * HASH_LENGTH
    if computed[:both] == stored[:both]:
        return None
    return next(at for at in range(both) if computed[at] != stored[at]) // HASH_LENGTH


def list_needed_tiles(ranges: Sequence[tuple[int, int]]) -> set[TileName]:
    """Return the tiles from which the hashes of these ranges are computed."""
    found: set[TileName] = set()
    for start, stop in ranges:
        for first, level in merkle.cover(start, stop):
            tile_level = level // TILE_BITS
            found.add(TileName(tile_level, (first >> (TILE_BITS * tile_level)) // TILE_SIZE))
    return found


def complete_root(hashes: bytes) -> bytes:
    """Return the root over a power of two of hashes."""
    while len(hashes) > HASH_LENGTH:
        pairs = range(0, len(hashes), 2 * HASH_LENGTH)
        hashes = b"".join([sha256(b"\x01" + hashes[at : at + 2 * HASH_LENGTH]).digest() for at in pairs])
    return hashes


def merkle_root(parts: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the root over complete subtrees, given as level and hash from left to right."""
    tree = merkle.Tree()
    for level, digest in parts:
        tree.graft(level, digest)
    return tree.root()


class GrowingTiles:
    """The last tile of each level, to which entries are added from left to right."""

    def __init__(self, last: Mapping[TileName, bytes]) -> None:
        """``last`` has the last tile of each level; it is empty for an empty tree."""
        self._last = {tile.level: (tile.number, bytearray(content)) for tile, content in last.items()}
        self.changed: dict[TileName, bytearray] = {}
        """Tiles with new hashes."""

    @property
    def size(self) -> int:
        """Number of entries."""
        number, content = self._last.get(0, (0, b""))
        return number * TILE_SIZE + len(content) // HASH_LENGTH

    def add(self, leaf: bytes) -> None:
        """Append the hash of an entry."""
        self._fill(0, (leaf,))

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Append the hashes of entries."""
        at = 0
        while at < len(leaves):
            at += self._fill(0, leaves[at : at + TILE_SIZE])

    def _fill(self, level: int, hashes: Sequence[bytes]) -> int:
        """Add hashes to the last tile of a level until it is complete. Return their number."""
        number, content = self._last.get(level, (0, bytearray()))
        if len(content) == TILE_SIZE * HASH_LENGTH:
            number, content = number + 1, bytearray()
        added = hashes[: TILE_SIZE - len(content) // HASH_LENGTH]
        content += b"".join(added)
        self._last[level] = number, content
        self.changed[TileName(level, number)] = content
        if len(content) == TILE_SIZE * HASH_LENGTH:
            self._fill(level + 1, (complete_root(bytes(content)),))
        return len(added)
