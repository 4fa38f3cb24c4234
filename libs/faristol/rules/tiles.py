"""Tiles, and the sets that they come in.

A tile is not a character. Catalan has one tile for each of ``L·L``, ``NY`` and ``QU``; Spanish for
``CH``, ``LL`` and ``RR``. A *face* is what is printed on a tile (``"L·L"``); a word on the board is a
sequence of faces. The blank has no face of its own: it stands for a face of the set (FISC I.6).
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from types import MappingProxyType

BLANK = "?"
"""How a blank is written in a rack or a bag. On the board it is written as the face it stands for."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of tile of a set: its face, what it is worth, and how many the set holds."""

    face: str
    value: int
    """Points, 0 for the blank."""
    count: int
    vowel: bool = False


@dataclass(frozen=True, slots=True)
class _Way:
    """A beginning of a text as faces. It knows its last one and the way before: a long text is not copied each time."""

    place: int
    """Where it ends in the text."""
    face: str = ""
    before: _Way | None = None

    def faces(self) -> tuple[str, ...]:
        """All of them, in order."""
        found = []
        way = self
        while way.before:
            found.append(way.face)
            way = way.before
        return tuple(reversed(found))


@dataclass(frozen=True)
class TileSet:
    """A set of tiles: the kinds in alphabetical order, and how the set's language is spelled with them.

    ``aliases`` maps other ways to write a face onto it (``"L.L"`` → ``"L·L"``).
    """

    name: str
    language: str
    """ISO 639-1 code of the language that the set spells."""
    kinds: tuple[Kind, ...]
    aliases: Mapping[str, str]
    accents: frozenset[str] | None = None
    """The marks that a letter may carry in the language and loses on a tile, as combining characters. A letter that
    carries another is another letter: there is no ``ñ`` in Catalan. None lets every mark go."""
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Other ways to write one tile on its own, which do not spell words: ``"Q"`` for ``"QU"`` in Catalan."""

    @cached_property
    def faces(self) -> tuple[str, ...]:
        """The faces in the set's alphabetical order, the blank not among them."""
        return tuple(kind.face for kind in self.kinds if kind.face != BLANK)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The place of each face in ``faces``, from 0: the tile code that word graphs use."""
        return {face: code for code, face in enumerate(self.faces)}

    @cached_property
    def values(self) -> Mapping[str, int]:
        """Points of each face; the blank is worth 0 under ``BLANK``."""
        return {kind.face: kind.value for kind in self.kinds}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many tiles of each face a full bag holds, the blank included."""
        return {kind.face: kind.count for kind in self.kinds}

    @cached_property
    def vowels(self) -> frozenset[str]:
        """Faces that count as vowels; every other face but the blank is a consonant."""
        return frozenset(kind.face for kind in self.kinds if kind.vowel)

    @cached_property
    def size(self) -> int:
        """How many tiles a full bag holds: 100 for Catalan, 104 for Greek."""
        return sum(kind.count for kind in self.kinds)

    def fold(self, text: str) -> str:
        """Write ``text`` as the faces do: capitals, no accents but on faces that carry one (Ç, Ñ), σ = ς."""
        return "".join(
            char if char in self._accented else self._bare(char) for char in unicodedata.normalize("NFC", text).upper()
        )

    @cached_property
    def _accented(self) -> frozenset[str]:
        """Characters of faces that carry a mark."""
        return frozenset(char for face in self.faces for char in face if len(unicodedata.normalize("NFD", char)) > 1)

    def _bare(self, char: str) -> str:
        parts = unicodedata.normalize("NFD", char)
        marks = {part for part in parts if unicodedata.combining(part)}
        if self.accents is not None and not marks <= self.accents:
            return char
        return "".join(part for part in parts if part not in marks)

    def face(self, text: str) -> str | None:
        """The face of the one tile that ``text`` names; None when it names none, or a blank.

        Case, accents and other ways to write a face do not matter: ``q(u)`` and ``Q`` are the Catalan ``QU`` (FISC
        I.6), ``l.l`` is ``L·L``, and ``ς`` is ``Σ``.
        """
        written = self.fold(text.strip())
        written = self.aliases.get(written) or self.names.get(written) or written
        return written if written in self.index else None

    def spellings(self, text: str) -> Iterator[tuple[str, ...]]:
        """Every way to write ``text`` with tiles of this set, longest faces first.

        Nothing is yielded when ``text`` has a character that no tile carries. ``CALLE`` in Spanish can
        be spelled C·A·LL·E or C·A·L·L·E; which of them is a word is for the lexicon to say.
        """
        folded = self.fold(text)
        # From where the end can be reached: without it LLLL…K would be tried in every way before it is given up.
        onward = {len(folded)}
        for place in reversed(range(len(folded))):
            fitting = (written for written, _ in self.writings if folded.startswith(written, place))
            if any(place + len(written) in onward for written in fitting):
                onward.add(place)
        ways = [_Way(0)] if 0 in onward else []
        while ways:
            way = ways.pop()
            if way.place == len(folded):
                yield way.faces()
            for written, face in reversed(self.writings):
                after = way.place + len(written)
                if after in onward and folded.startswith(written, way.place):
                    ways.append(_Way(after, face, way))

    @cached_property
    def writings(self) -> tuple[tuple[str, str], ...]:
        """How each face is written within a word, and the face, the longest first: a face may come more than once."""
        pairs = {face: face for face in self.faces} | dict(self.aliases)
        return tuple(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0])))

    def spell(self, text: str) -> tuple[str, ...] | None:
        """The spelling of ``text`` that the language uses, digraph tiles wherever they fit, or None."""
        return next(self.spellings(text), None)


@cache
def load_tile_set(name: str) -> TileSet:
    """The tile set called ``name`` (``ca-100``, ``es-100``, ``el-104``, ``en-100``).

    Raises ``LookupError`` when there is no such set.
    """
    file = resources.files("faristol.rules") / "tilesets" / f"{name}.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LookupError(f"there is no tile set {name!r}") from None
    vowels = frozenset(data["vowels"])
    kinds = tuple(
        Kind(face=row["face"], value=row["value"], count=row["count"], vowel=row["face"] in vowels)
        for row in data["tiles"]
    )
    accents = data.get("accents")
    return TileSet(
        name=name,
        language=data["language"],
        kinds=kinds,
        aliases=data.get("aliases", {}),
        accents=None if accents is None else frozenset(unicodedata.lookup(f"COMBINING {accent}") for accent in accents),
        names=data.get("names", {}),
    )
