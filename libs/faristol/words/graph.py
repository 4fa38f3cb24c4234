"""The word graph: every word of a lexicon in one small file that processes share by mmap.

A lexicon of half a million words is a graph of a few tens of thousands of nodes. ``WordGraph`` looks words up and lists
them; ``faristol.words.plays`` searches plays in the same arrays.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from faristol.rules.tiles import TileSet, load_tile_set
from faristol.words.error import LexiconError
from faristol.words.header import About, Header, Listing, unseal
from faristol.words.nodes import FINAL_BIT

_NODE_BYTES = 8 + 4
_EDGE_BYTES = 4
_LABEL_BYTES = 2
_NOWHERE = -1


class WordGraph:
    """An open lexicon. Immutable; safe to share between threads; its memory is shared between processes."""

    def __init__(self, data: bytes | mmap.mmap, *, path: Path | None = None) -> None:
        """Read a lexicon from ``data``. Raises ``LexiconError`` if it is damaged, or not a lexicon of this format."""
        self._header, arrays, self.digest = unseal(memoryview(data), path)
        """SHA-256 of the content in hexadecimal: two graphs with the same digest are the same lexicon."""
        self.tile_set = _tile_set(self._header, path)
        nodes, edges = self._header.nodes, self._header.edges
        labels = _NODE_BYTES * nodes + _EDGE_BYTES * edges
        if len(arrays) != labels + _LABEL_BYTES * nodes:
            raise LexiconError("the length of the file does not fit its header", path=path)
        # Indexing a memoryview returns a plain int and costs a third of indexing an array.
        self._all_marks = arrays[: 8 * nodes].cast("q")
        self._first = arrays[8 * nodes : _NODE_BYTES * nodes].cast("I")
        self._edges = arrays[_NODE_BYTES * nodes : labels].cast("I")
        self._labels = arrays[labels:].cast("H")
        self.first: npt.NDArray[np.uint32] = np.frombuffer(self._first, np.uint32)
        self.edges: npt.NDArray[np.uint32] = np.frombuffer(self._edges, np.uint32)
        self._switch(frozenset())
        self._codes = dict(self.tile_set.index)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the lexicon file at ``path`` without copying it into memory.

        Raises ``LexiconError`` if the file is missing, unreadable, or no valid lexicon.
        """
        try:
            with path.open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise LexiconError(f"cannot be opened: {error.strerror}", path=path) from error
        except ValueError:
            raise LexiconError("is empty, not a lexicon", path=path) from None
        return cls(data, path=path)

    def _switch(self, layers: frozenset[str]) -> None:
        """Clear the mark ``FINAL_BIT`` of words that are in none of ``layers`` and not in every layer."""
        self.layers = layers
        """The active layers."""
        on = [any(not layer or layer in layers for layer, _ in label.listings) for label in self._header.labels]
        self._words = sum(label.words for label, is_on in zip(self._header.labels, on, strict=True) if is_on)
        self.marks: npt.NDArray[np.int64] = np.frombuffer(self._all_marks, np.int64)
        self._marks = self._all_marks
        if not all(on):
            self.marks = self.marks.copy()
            off = ~np.array(on)[np.frombuffer(self._labels, np.uint16)]
            self.marks[off & (self.marks >= FINAL_BIT)] -= FINAL_BIT
            self._marks = self.marks.data
            self.marks.flags.writeable = False

    def with_layers(self, layers: Iterable[str]) -> Self:
        """Return the same lexicon with exactly these layers active. An opened lexicon has no active layer.

        Raises ``LexiconError`` for an unknown layer.
        """
        chosen = frozenset(layers)
        if unknown := sorted(chosen - set(self._header.layers)):
            has = ", ".join(self._header.layers) or "none"
            raise LexiconError(f"lexicon {self.about.name} has no layer {', '.join(map(repr, unknown))}; it has: {has}")
        switched = copy(self)
        switched._switch(chosen)
        return switched

    @property
    def every_layer(self) -> Self:
        """The same lexicon with all layers active."""
        return self.with_layers(self._header.layers)

    @property
    def known_layers(self) -> tuple[str, ...]:
        """All layers of the lexicon, sorted."""
        return self._header.layers

    def listings(self, tiles: Sequence[str]) -> tuple[Listing, ...]:
        """Return the listings of ``tiles`` in all layers, active or not; empty for an unknown word."""
        node = self._end(tiles)
        if node == _NOWHERE or self._all_marks[node] < FINAL_BIT:
            return ()
        return self._header.labels[self._labels[node]].listings

    @property
    def about(self) -> About:
        """Name, edition, licence, source and date of the words."""
        return self._header.about

    def __len__(self) -> int:
        """Return the number of words in the active layers."""
        return self._words

    def contains(self, tiles: Sequence[str]) -> bool:
        """Check whether ``tiles``, a word as faces (``("L·L",)`` is one tile, ``("L", "L")`` two), is in the lexicon.

        No word has a face that is not of the tile set, such as the unplayed blank.
        """
        node = self._end(tiles)
        return node != _NOWHERE and self._marks[node] >= FINAL_BIT

    def _end(self, tiles: Sequence[str]) -> int:
        """Return the node that ``tiles`` lead to, ``_NOWHERE`` if no word begins with them."""
        node = 0
        for face in tiles:
            node = self._follow(node, face)
            if node == _NOWHERE:
                break
        return node

    def _follow(self, node: int, face: str) -> int:
        """Return the node that ``face`` leads to, ``_NOWHERE`` if no word continues with it."""
        code, mark = self._codes.get(face), self._marks[node]
        if code is None or not mark >> code & 1:
            return _NOWHERE
        return self._edges[self._first[node] + (mark & ((1 << code) - 1)).bit_count()]

    def spellings(self, text: str) -> Iterator[tuple[str, ...]]:
        """Yield the words that ``text`` can be read as, longest faces first: ``calle`` may be C·A·LL·E or C·A·L·L·E.

        It differs from ``TileSet.spellings`` in that only words of the lexicon are tried: the time does not grow
        exponentially for ``llllll``.
        """
        return self._spellings_from(0, self.tile_set.fold(self.tile_set.normalize(text).strip()), ())

    def _spellings_from(self, node: int, rest: str, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if not rest:
            if self._marks[node] >= FINAL_BIT:
                yield before
            return
        for written, face in self.tile_set.writings:
            if rest.startswith(written) and (onward := self._follow(node, face)) != _NOWHERE:
                yield from self._spellings_from(onward, rest[len(written) :], (*before, face))

    def __contains__(self, tiles: object) -> bool:
        return isinstance(tiles, tuple) and self.contains(tiles)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Yield every word, in the alphabetical order of the tile set."""
        return self._words_from(0, ())

    def _words_from(self, node: int, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        mark, edge = self._marks[node], self._first[node]
        if mark >= FINAL_BIT:
            yield before
        for code, face in enumerate(self.tile_set.faces):
            if mark >> code & 1:
                yield from self._words_from(self._edges[edge], (*before, face))
                edge += 1

    def __repr__(self) -> str:
        return f"<WordGraph {self.about.name} {self.about.edition}: {len(self)} words, {self.digest[:12]}>"


def _tile_set(header: Header, path: Path | None) -> TileSet:
    try:
        tile_set = load_tile_set(header.tile_set)
    except LookupError as error:
        raise LexiconError(f"is made for tiles that this program does not have: {error.args[0]}", path=path) from error
    if tile_set.faces != header.faces:
        raise LexiconError(f"is made for other tiles than those of {header.tile_set} now; install it again", path=path)
    return tile_set
