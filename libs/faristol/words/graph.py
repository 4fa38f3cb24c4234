"""The word graph: every word of a lexicon in one small file that processes share by mmap.

A lexicon of half a million words is a graph of a few tens of thousands of nodes. ``WordGraph`` looks words
up and lists them; ``faristol.words.plays`` walks the same arrays to find plays.
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
from faristol.words.nodes import FINAL

_NODE_BYTES = 8 + 4
_EDGE_BYTES = 4
_LABEL_BYTES = 2
_NOWHERE = -1


class WordGraph:
    """A lexicon, opened. Immutable; safe to share between threads; memory shared between processes."""

    def __init__(self, data: bytes | mmap.mmap, *, path: Path | None = None) -> None:
        """Read a lexicon out of ``data``. ``LexiconError`` when it is foreign, of another format, or damaged."""
        self._header, arrays, self.digest = unseal(memoryview(data), path)
        """SHA-256 of the content in hexadecimal: two graphs with the same digest are the same lexicon."""
        self.tile_set = _tile_set(self._header, path)
        nodes, edges = self._header.nodes, self._header.edges
        labels = _NODE_BYTES * nodes + _EDGE_BYTES * edges
        if len(arrays) != labels + _LABEL_BYTES * nodes:
            raise LexiconError("the length of the file does not fit its header", path=path)
        # Indexing a memoryview gives a plain int and costs a third of indexing an array.
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

        Raises ``LexiconError`` when the file is not there, cannot be read, or is not a sound lexicon.
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
        """Let only those words end at their nodes that are always in, or in one of ``layers``."""
        self.layers = layers
        """The layers that are switched on."""
        on = [any(not layer or layer in layers for layer, _ in label.listings) for label in self._header.labels]
        self._words = sum(label.words for label, is_on in zip(self._header.labels, on, strict=True) if is_on)
        self.marks: npt.NDArray[np.int64] = np.frombuffer(self._all_marks, np.int64)
        self._marks = self._all_marks
        if not all(on):
            self.marks = self.marks.copy()
            off = ~np.array(on)[np.frombuffer(self._labels, np.uint16)]
            self.marks[off & (self.marks >= FINAL)] -= FINAL
            self._marks = self.marks.data
            self.marks.flags.writeable = False

    def with_layers(self, layers: Iterable[str]) -> Self:
        """The same lexicon with just these layers switched on. As it is opened, none is.

        Raises ``LexiconError`` for a layer that it does not have.
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
        """The same lexicon with all its layers switched on."""
        return self.with_layers(self._header.layers)

    @property
    def known_layers(self) -> tuple[str, ...]:
        """The layers that can be switched on, in alphabetical order."""
        return self._header.layers

    def listings(self, tiles: Sequence[str]) -> tuple[Listing, ...]:
        """Where ``tiles`` are listed, in whatever layer, switched on or not; nothing for what is no word."""
        node = self._end(tiles)
        if node == _NOWHERE or self._all_marks[node] < FINAL:
            return ()
        return self._header.labels[self._labels[node]].listings

    @property
    def about(self) -> About:
        """Name, edition, licence, source and date of the words."""
        return self._header.about

    def __len__(self) -> int:
        """How many words, in the layers that are switched on."""
        return self._words

    def contains(self, tiles: Sequence[str]) -> bool:
        """Whether ``tiles``, a word as faces (``("L·L",)`` is one tile, ``("L", "L")`` two), is in the lexicon.

        A face that is not of the tile set, the unplayed blank among them, is in no word.
        """
        node = self._end(tiles)
        return node != _NOWHERE and self._marks[node] >= FINAL

    def _end(self, tiles: Sequence[str]) -> int:
        """The node that all ``tiles`` lead to, ``_NOWHERE`` when no word begins like that."""
        node = 0
        for face in tiles:
            node = self._follow(node, face)
            if node == _NOWHERE:
                break
        return node

    def _follow(self, node: int, face: str) -> int:
        """The node that ``face`` leads to, ``_NOWHERE`` when no word goes on like that."""
        code, mark = self._codes.get(face), self._marks[node]
        if code is None or not mark >> code & 1:
            return _NOWHERE
        return self._edges[self._first[node] + (mark & ((1 << code) - 1)).bit_count()]

    def spellings(self, text: str) -> Iterator[tuple[str, ...]]:
        """The words that ``text`` can be read as, longest faces first: ``calle`` may be C·A·LL·E or C·A·L·L·E.

        As ``TileSet.spellings``, but only those in the lexicon, and so in time that does not explode with ``llllll``.
        """
        return self._spellings_from(0, self.tile_set.fold(self.tile_set.normalize(text).strip()), ())

    def _spellings_from(self, node: int, rest: str, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if not rest:
            if self._marks[node] >= FINAL:
                yield before
            return
        for written, face in self.tile_set.writings:
            if rest.startswith(written) and (onward := self._follow(node, face)) != _NOWHERE:
                yield from self._spellings_from(onward, rest[len(written) :], (*before, face))

    def __contains__(self, tiles: object) -> bool:
        return isinstance(tiles, tuple) and self.contains(tiles)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Every word, in the alphabetical order of the tile set."""
        return self._words_from(0, ())

    def _words_from(self, node: int, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        mark, edge = self._marks[node], self._first[node]
        if mark >= FINAL:
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
