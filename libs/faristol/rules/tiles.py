"""Tiles, tile sets, and the spelling of text with tiles.

A tile is not a character. Catalan has one tile for each of ``L·L``, ``NY`` and ``QU``; Spanish for ``CH``, ``LL`` and
``RR``. A *face* is the text printed on a tile (``"L·L"``); a word on the board is a sequence of faces. The blank has no
face: it stands for a face of the set (FISC I.6).

Problem. Typed or copied text has accents, small letters, look-alikes of other alphabets and invisible characters.
Several sequences of tiles can have one text: ``CALLE`` is C·A·LL·E or C·A·L·L·E. A text may have exponentially many.

Idea. ``normalize`` converts each character to one of the set, by Unicode's normal forms and confusables (UTS 39).
``fold`` then gives the form of faces: capitals without the accents that a tile loses. ``spellings`` computes, from the
end of the text, the places from which the rest can be spelled. A depth-first search then yields the spellings, longest
faces first, and visits only such places. Prefixes are shared (``_Way``).

Invariants:

- Each spelling gives the folded text when its faces are written as ``writings`` write them.
- A digraph is one tile in the first spelling, if the rest of the word can then be spelled.
- A letter keeps a mark that the language does not have, and is then on no tile: ``ñ`` in Catalan.
- Lists of words are not normalized, so a look-alike in a list is on no tile (``spell``).

Cost. With ``n`` characters and ``w`` writings, the places take ``n · w`` comparisons. Each further spelling takes at
most as many again. Spellings are yielded one by one, and callers limit their number. ``words.speller`` spells lists
with one regular expression, and falls back to ``spell``.

Rejected alternatives:

- The longest face at each place, without a way back. It fails if the rest of the word cannot be spelled.
- Backtracking without the table of places: ``LLLL…K`` would take exponential time.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from types import MappingProxyType

from faristol.rules.look_alikes import in_capitals, look_alikes_of, twins_of

BLANK = "?"
"""A blank in a rack or a bag. On the board it is written as the face that it stands for."""


@dataclass(frozen=True, slots=True)
class TileKind:
    """One kind of tile of a set: its face, its points, and its number in the set."""

    face: str
    value: int
    """Points, 0 for the blank."""
    count: int
    vowel: bool = False


@dataclass(frozen=True, slots=True)
class _Way:
    """A spelled prefix of a text, linked to the shorter prefix, so that a long text is not copied each time."""

    place: int
    """Its end in the text."""
    face: str = ""
    before: _Way | None = None

    def faces(self) -> tuple[str, ...]:
        """Return all faces, in order."""
        found = []
        way = self
        while way.before:
            found.append(way.face)
            way = way.before
        return tuple(reversed(found))


@dataclass(frozen=True)
class TileSet:
    """A set of tiles: the kinds in alphabetical order, and the spelling of the set's language with them.

    ``aliases`` maps other spellings of a face to it (``"L.L"`` → ``"L·L"``).
    """

    name: str
    language: str
    """ISO 639-1 code of the language that the set spells."""
    kinds: tuple[TileKind, ...]
    aliases: Mapping[str, str]
    accents: frozenset[str] | None = None
    """The marks of the language that a letter loses on a tile, as combining characters. A letter with another mark is
    another letter: there is no ``ñ`` in Catalan. None drops every mark."""
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Other names of a single tile, which do not spell words: ``"Q"`` for ``"QU"`` in Catalan."""
    accent_signs: str = ""
    """Signs that stand for an accent beside its letter, as typed on a Greek keyboard; they are on no tile."""

    @cached_property
    def faces(self) -> tuple[str, ...]:
        """The faces in the set's alphabetical order, without the blank."""
        return tuple(kind.face for kind in self.kinds if kind.face != BLANK)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The index of each face in ``faces``, from 0: the tile code of word graphs."""
        return {face: code for code, face in enumerate(self.faces)}

    @cached_property
    def values(self) -> Mapping[str, int]:
        """Points of each face; 0 for ``BLANK``."""
        return {kind.face: kind.value for kind in self.kinds}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Number of tiles of each face in a full bag, including the blank."""
        return {kind.face: kind.count for kind in self.kinds}

    @cached_property
    def vowels(self) -> frozenset[str]:
        """Faces that count as vowels; every other face but the blank is a consonant."""
        return frozenset(kind.face for kind in self.kinds if kind.vowel)

    @cached_property
    def size(self) -> int:
        """Number of tiles in a full bag: 100 for Catalan, 104 for Greek."""
        return sum(kind.count for kind in self.kinds)

    def normalize(self, text: str) -> str:
        """Convert typed or copied text to the characters of this set; case and other signs stay.

        A look-alike stands for its character of the set (Unicode's confusables), and so do full width, letter symbols
        and ligatures. Accents that a tile loses are dropped, also beside their letter, and so are invisible characters.
        The dot of ``L·L`` may have a space beside it. A full stop without a space stays: it may be a tile of the board.
        """
        composed = unicodedata.normalize("NFC", text)
        normal = "".join(map(self._normal_signs.__getitem__, composed))
        for pattern, written in self._with_signs:
            normal = pattern.sub(written, normal)
        return normal

    @cached_property
    def _normal_signs(self) -> _Signs:
        return _Signs(self)

    @cached_property
    def letters(self) -> str:
        """The letters in the faces, in capitals."""
        return "".join(dict.fromkeys(char for face in self.faces for char in face if char.isalpha()))

    @cached_property
    def signs(self) -> str:
        """The characters in faces and aliases that are not letters: ``·.-``."""
        texts = (*self.faces, *self.aliases)
        return "".join(dict.fromkeys(char for text in texts for char in text if not char.isalpha()))

    @cached_property
    def twins(self) -> Mapping[str, str]:
        """Maps each look-alike to the letter or sign of this set."""
        return MappingProxyType({**twins_of(self.letters), **self.sign_twins})

    @cached_property
    def sign_twins(self) -> Mapping[str, str]:
        """Maps each look-alike of a sign to the sign; some of them are letters. A sign of faces stays what it is."""
        of_faces = "".join(char for face in self.faces for char in face if not char.isalpha())
        found: dict[str, str] = {}
        for sign in self.signs:
            for twin in look_alikes_of(sign):
                if twin != sign and twin not in of_faces:
                    found.setdefault(twin, sign)
        return MappingProxyType(found)

    @cached_property
    def _with_signs(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Patterns of faces with a sign, written with another sign or with a space beside it, and the sign to write."""
        found = []
        for written, face in self.writings:
            place = next((place for place, char in enumerate(written) if not char.isalpha()), 0)
            sign = next((char for char in face if not char.isalpha()), "")
            if not place or not sign:
                continue
            before, inside, behind = written[:place], written[place], written[place + 1 :]
            # A full stop with a space on both sides is a tile on the board.
            spaced = r"(?: \.|\. )" if inside == "." else f" *{re.escape(inside)} *"
            pattern = f"(?<={re.escape(before)}){spaced}(?={re.escape(behind)})"
            found.append((re.compile(pattern, re.IGNORECASE), sign))
        return tuple(found)

    def fold(self, text: str) -> str:
        """Convert ``text`` to the form of faces: capitals, no accents except on faces with one (Ç, Ñ), σ = ς."""
        return "".join(self._capital(char) for char in unicodedata.normalize("NFC", text))

    def _capital(self, char: str) -> str:
        capital = char.upper()
        if capital in self._accented:
            return capital
        bare = self._bare(char)
        return capital if bare == char else bare.upper()

    @cached_property
    def _accented(self) -> frozenset[str]:
        """Characters of faces with a mark."""
        return frozenset(char for face in self.faces for char in face if len(unicodedata.normalize("NFD", char)) > 1)

    def _bare(self, char: str) -> str:
        parts = unicodedata.normalize("NFD", char)
        marks = {part for part in parts if unicodedata.combining(part)}
        if not self.loses(marks):
            return char
        return "".join(part for part in parts if part not in marks)

    def loses(self, marks: Iterable[str]) -> bool:
        """Check whether a tile loses all of these combining marks."""
        return self.accents is None or self.accents.issuperset(marks)

    def face(self, text: str) -> str | None:
        """Return the face of the single tile that ``text`` names; None for any other text, or a blank.

        Case, accents and aliases do not matter: ``q(u)`` and ``Q`` are the Catalan ``QU`` (FISC I.6), ``l.l`` is
        ``L·L``, and ``ς`` is ``Σ``.
        """
        written = self.fold(self.normalize(text).strip())
        written = self.aliases.get(written) or self.names.get(written) or written
        return written if written in self.index else None

    def spellings(self, text: str) -> Iterator[tuple[str, ...]]:
        """Yield every spelling of ``text`` with tiles of this set, longest faces first.

        There is no spelling if a character is on no tile. ``CALLE`` in Spanish can be spelled C·A·LL·E or C·A·L·L·E;
        the lexicon decides which of them is a word.
        """
        return self._spellings(self.fold(self.normalize(text).strip()))

    def _spellings(self, folded: str) -> Iterator[tuple[str, ...]]:
        # Places that lead to the end of the text: without them LLLL…K would take exponential time.
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
        """Pairs of a spelling within a word and its face, the longest first: a face may repeat."""
        pairs = {face: face for face in self.faces} | dict(self.aliases)
        return tuple(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0])))

    def spell(self, text: str) -> tuple[str, ...] | None:
        """Return the spelling of a word in a list of the language, with digraph tiles wherever they fit, or None.

        Look-alikes in a list are not converted.
        """
        return next(self._spellings(self.fold(text)), None)


class _Signs(dict[str, str]):
    """A table of the normal form of each character in a tile set, computed once for each."""

    def __init__(self, tile_set: TileSet) -> None:
        super().__init__()
        self._tile_set = tile_set
        self._dropped = frozenset(twin for sign in tile_set.accent_signs for twin in look_alikes_of(sign))

    def __missing__(self, char: str) -> str:
        self[char] = normal = self._normal(char)
        return normal

    def _normal(self, char: str) -> str:
        tile_set, category = self._tile_set, unicodedata.category(char)
        if category[0] == "M":
            return "" if tile_set.loses(char) or _is_unseen(char) else char
        if char.isspace() or category == "Zs":
            return " "
        if category == "Cf" or char in self._dropped or self._is_accent(char):
            return ""
        if sign := tile_set.sign_twins.get(char):
            return sign
        if twin := tile_set.twins.get(char) if not char.isalpha() else "":
            return twin
        tag, _, parts = unicodedata.decomposition(char).partition(" ")
        if tag in _SAME and category[0] in "LPS" and category != "So":
            return "".join(map(self.__getitem__, (chr(int(part, 16)) for part in parts.split())))
        return self._letter(char) if char.isalpha() else char

    def _letter(self, char: str) -> str:
        tile_set = self._tile_set
        if char.upper() in tile_set.letters:
            return char
        apart = unicodedata.normalize("NFD", char)
        base, marks = apart[0], apart[1:]
        if not tile_set.loses(marks):
            return char
        capital = in_capitals(base, tile_set.letters)
        if capital == base and base.upper() not in tile_set.letters:
            return base if marks else char
        return capital.lower() if base.islower() else capital

    def _is_accent(self, char: str) -> bool:
        """Check whether a character is a spacing accent of the language, such as ``´``."""
        apart = unicodedata.normalize("NFKD", char)
        space, marks = apart[0], apart[1:]
        return space == " " and bool(marks) and self._tile_set.accents is not None and self._tile_set.loses(marks)


_SAME = frozenset(("<wide>", "<narrow>", "<font>", "<compat>", "<noBreak>"))
"""Compatibility forms of the same letter. A superscript ``ª`` or a circled letter is not the same."""


def _is_unseen(char: str) -> bool:
    """Check whether a mark only selects a form: a variation selector, or the grapheme joiner."""
    return char == "\u034f" or 0xFE00 <= ord(char) <= 0xFE0F


@cache
def load_tile_set(name: str) -> TileSet:
    """Load the tile set ``name`` (``ca-100``, ``es-100``, ``el-104``, ``en-100``).

    Raises ``LookupError`` for an unknown name.
    """
    file = resources.files("faristol.rules") / "tilesets" / f"{name}.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LookupError(f"there is no tile set {name!r}") from None
    vowels = frozenset(data["vowels"])
    kinds = tuple(
        TileKind(face=row["face"], value=row["value"], count=row["count"], vowel=row["face"] in vowels)
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
        accent_signs=data.get("accent_signs", ""),
    )
