"""Readings of a scorer's input: the tiles that a word without spaces can mean on a board, in any case.

``(A)`` and ``?a`` are blanks; ``.`` is a tile on the board, and so are several tiles in parentheses. A small letter in
a word of capitals is a blank as in GCG files; a word in small letters only has no blank. A tile of several letters may
be circled in part, ``(N)Y``, or be the only capitals of its word, ``aNYs``.

Ambiguous input has several readings. All are returned, and the scorer chooses one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, product

from faristol.rules.board import BOARD_SIZE, Board, Square, Tile
from faristol.rules.notation import Start
from faristol.rules.tiles import BLANK, TileSet

MAX_READINGS = 64
"""The most readings of a word that are computed."""

_BLANK = re.compile(r"\(([^()]+)\)|\?([^()?.]+)")


def is_exact(text: str, tile_set: TileSet) -> bool:
    """Check whether ``text`` has printed tiles separated by spaces, and so exactly one reading."""
    parts = text.split()
    faces = (re.sub(r"^\((.+)\)$", r"\1", part) for part in parts)
    return bool(parts) and all(face == BLANK or face in tile_set.index for face in faces)


def word_readings(text: str, start: Start, board: Board, tile_set: TileSet) -> list[tuple[Tile, ...]]:
    """Return the words that ``text`` can mean from ``start`` on, longest tiles first; empty if it fits nowhere.

    The words include tiles on the board, as they lie there. Any bracket, circle or underline marks a blank. If the text
    does not fit as typed, spaces between tiles and punctuation are ignored.
    """
    for fitting in _attempts(text, tile_set):
        found = [reading for typed in fitting for reading in _readings(typed, start, board, tile_set)]
        if found:
            return list(dict.fromkeys(found))[:MAX_READINGS]
    return []


def _attempts(text: str, tile_set: TileSet) -> Iterator[Iterator[str]]:
    """Yield the forms of a text in order of rank, several of equal rank: as typed, then with less punctuation."""
    typed = tile_set.normalize(_with_parentheses(text))
    together = _run_together(typed, tile_set)
    yield chain(_ways_of_circles(typed, tile_set), _join_names(typed, tile_set))
    yield chain(_ways_of_circles(together, tile_set), _join_separated(typed, tile_set))
    if together.endswith(".") and together.count(".") == 1:  # a full stop, unless others stand for tiles of the board
        yield _ways_of_circles(together[:-1], tile_set)


def _join_names(text: str, tile_set: TileSet) -> Iterator[str]:
    """Yield ``text`` with the letters of one tile together if the first of them names the tile: ``A Q U I``."""
    joined = text
    for name, face in tile_set.names.items():
        rest = re.escape(face.removeprefix(name))
        joined = re.sub(
            rf"(?<!\S)(\(?)({re.escape(name)})(\)?) +({rest})(?!\S)", r"\1\2\4\3", joined, flags=re.IGNORECASE
        )
    if joined != text:
        yield joined


def _join_separated(text: str, tile_set: TileSet) -> Iterator[str]:
    """Yield ``text`` with spaces between its tiles if they are separated by signs: ``C-A-L-L-A``."""
    # Any other sign may stand for an illegible letter.
    parts = "".join(" " if sign == "." or not _without_punctuation(sign) else sign for sign in text).split()
    if len(parts) > 2 and all(map(tile_set.face, parts)):
        yield " ".join(parts)


def _ways_of_circles(text: str, tile_set: TileSet) -> Iterator[str]:
    """Yield ``text``, and if a circle is only around letters of a tile, the text with the circle around the tile."""
    yield text
    written = tuple(written for written, _ in tile_set.writings if len(written) > 1)
    if "(" in text and (whole := _partly_circled(written).sub(_circle_whole, text)) != text:
        yield whole


@cache
def _partly_circled(written: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of tiles of several characters, with or without parentheses around each character."""
    ways = ("".join(rf"\(?{re.escape(sign)}\)?" for sign in each) for each in written)
    return re.compile("|".join(ways) or r"(?!)", re.IGNORECASE)


def _circle_whole(found: re.Match[str]) -> str:
    """Return the text of one tile in one pair of parentheses if its own parentheses are complete."""
    text = found[0]
    if "(" not in text or not re.fullmatch(r"(?:[^()]|\([^()]+\))+", text):
        return text
    return f"({text.replace('(', '').replace(')', '')})"


def _readings(text: str, start: Start, board: Board, tile_set: TileSet) -> list[tuple[Tile, ...]]:
    parts = text.split()
    if not parts:
        return []
    if len(parts) > 1 or is_exact(text, tile_set):
        return [
            word
            for as_blanks in _ways_of_case(text, tile_set)
            if (word := _read_spaced(parts, start, board, tile_set, as_blanks=as_blanks))
        ]
    there = _seen_from(start, board)
    readings = [
        reading
        for signs in _signs(text.strip(), tile_set)
        for reading in islice(_Walk(signs, tile_set, there).words(0, 0), MAX_READINGS)
    ]
    return list(dict.fromkeys(readings))[:MAX_READINGS]


def clash(text: str, start: Start, board: Board, tile_set: TileSet) -> tuple[Square, Tile | None, Tile | None] | None:
    """Return the first square where ``text`` from ``start`` on contradicts the board, with both tiles, or None.

    The first tile is the one on the board, the second the typed one. Both are None if the text has a tile of the board,
    such as a dot, on a free square. The result is None if ``text`` has no tiles, or leaves the board.
    """
    text = tile_set.normalize(_with_parentheses(text))
    return _clash(text, start, board, tile_set) or _clash(_run_together(text, tile_set), start, board, tile_set)


def _clash(text: str, start: Start, board: Board, tile_set: TileSet) -> tuple[Square, Tile | None, Tile | None] | None:
    parts = text.split()
    there = _seen_from(start, board)
    readings: Iterator[Sequence[Tile]]
    if len(parts) > 1 or is_exact(text, tile_set):
        readings = (
            _read_spaced(parts, start, board, tile_set, as_blanks=as_blanks, anywhere=True)
            for as_blanks in _ways_of_case(text, tile_set)
        )
    else:
        walks = (_Walk(signs, tile_set, there, anywhere=True) for signs in _signs(text.strip(), tile_set))
        readings = (reading for walk in walks for reading in walk.words(0, 0))
    for place, tile in enumerate(next(filter(None, readings), ())):
        square, lies = start.square.step(start.direction, place), there(place)
        if not square.on_board:
            return None
        if tile is _LYING and lies is None:
            return square, None, None
        if tile is not _LYING and lies is not None and lies.face != tile.face:
            return square, lies, tile
    return None


def tile_readings(text: str, tile_set: TileSet) -> list[tuple[str, ...]]:
    """Return the tiles of a rack that ``text`` can mean, in any order, ``?`` for a blank."""
    parts = tile_set.normalize(text).replace(",", " ").split()
    if len(parts) != 1 or parts[0] in tile_set.index:
        faces = [BLANK if part == BLANK else tile_set.face(part) for part in parts]
        return [tuple(face for face in faces if face)] if faces and all(faces) else []
    runs = [
        [(BLANK,)] if run == BLANK else list(islice(tile_set.spellings(run), MAX_READINGS))
        for run in re.split(r"(\?)", parts[0])
        if run
    ]
    return [tuple(face for run in chosen for face in run) for chosen in islice(product(*runs), MAX_READINGS)]


Seen = Callable[[int], Tile | None]
"""Returns the tile on the board at the n-th square of a word, from 0, or None."""


_LYING = Tile(".")
"""Placeholder for a tile of the board on a free square."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A character in the form of faces, and whether it was typed small in a word of capitals."""

    letter: str
    small: bool = False


_ENCLOSING = "\u20dd\u20de\u20df\u20e0\u0332"
"""Combining characters that enclose the letter before them in a circle, a square or a diamond, or underline it."""


def _with_parentheses(text: str) -> str:
    """Return ``text`` with parentheses for every kind of bracket, and around circled letters."""
    found = re.sub(rf"(\S)[{_ENCLOSING}]", r"(\1)", unicodedata.normalize("NFC", text))
    return "".join(map(_to_parentheses, found))


def _to_parentheses(sign: str) -> str:
    match unicodedata.category(sign):
        case "Ps":
            return "("
        case "Pe":
            return ")"
        case "So" if name := _CIRCLED.fullmatch(unicodedata.name(sign, "")):
            return f"({name[1]})"
    return {"<": "(", ">": ")"}.get(sign, sign)


_CIRCLED = re.compile(
    r"(?:NEGATIVE )?(?:CIRCLED|SQUARED|PARENTHESIZED) (?:LATIN|GREEK) (?:CAPITAL|SMALL) LETTER ([A-Z])"
)


_PASSED_OVER = frozenset(",;:/|!¡\"'·")
"""Punctuation between tiles or around a word, without signs that may replace an unreadable letter."""


def _run_together(text: str, tile_set: TileSet) -> str:
    """Return ``text`` without spaces, and without punctuation that is not part of a tile."""
    signed = "|".join(re.escape(face) for face in tile_set.faces if not face.isalpha())
    parts = re.split(f"({signed})", text, flags=re.IGNORECASE) if signed else [text]
    return "".join(part if place % 2 else _without_punctuation(part) for place, part in enumerate(parts))


def _without_punctuation(text: str) -> str:
    passed = ("Zs", "Zl", "Zp", "Pd", "Pi", "Pf")
    return "".join(sign for sign in text if sign not in _PASSED_OVER and unicodedata.category(sign) not in passed)


def _ways_of_case(text: str, tile_set: TileSet) -> list[bool]:
    """Return whether small letters may be blanks: no; yes beside capitals.

    Both are possible if the only capital is the first letter, or the capitals are tiles of several letters.
    """
    bare = _BLANK.sub("", text).replace(" ", "")
    small = sum(sign.islower() for sign in bare)
    if not small or not any(sign.isupper() for sign in bare):
        return [False]
    capitalised = bare[0].isupper() and not any(sign.isupper() for sign in bare[1:])
    # A small final sigma is regular Greek, and may also be a blank.
    final = small == 1 and bare[-1] == "ς"
    several = "|".join(re.escape(face) for face in tile_set.faces if len(face) > 1)
    only_several = bool(several) and not any(sign.isupper() for sign in re.sub(several, "", bare))
    return [False] * (capitalised or final or only_several) + [True] * (small <= tile_set.counts.get(BLANK, 0))


def _signs(text: str, tile_set: TileSet) -> Iterator[tuple[_Sign, ...]]:
    """Yield the readings of ``text`` by its small letters."""
    typed = unicodedata.normalize("NFC", text)
    folded = [(place, letter) for place, sign in enumerate(typed) for letter in tile_set.fold(sign)]
    for as_blanks in _ways_of_case(typed, tile_set):
        yield tuple(
            _Sign(letter, as_blanks and typed[place].islower() and not _is_enclosed(typed, place))
            for place, letter in folded
        )


def _is_enclosed(typed: str, place: int) -> bool:
    """Check whether signs around a character mark it as a blank or a tile of the board."""
    return any(found.start() <= place < found.end() for found in _BLANK.finditer(typed))


def _seen_from(start: Start, board: Board) -> Seen:
    return lambda place: board.get(start.square.step(start.direction, place))


def _read_spaced(
    parts: Sequence[str],
    start: Start,
    board: Board,
    tile_set: TileSet,
    *,
    as_blanks: bool,
    anywhere: bool = False,
) -> tuple[Tile, ...]:
    """Return the word with spaces between its tiles; empty if a part is not a tile, or does not fit the board.

    ``anywhere``: return the tiles as typed, even if they do not fit.
    """
    there = _seen_from(start, board)
    word: list[Tile] = []
    for place, part in enumerate(parts):
        blank = _BLANK.fullmatch(part)
        lies = there(place)
        if part == ".":
            tile = lies or (_LYING if anywhere else None)
        else:
            face = BLANK if part == BLANK else tile_set.face(blank[1] or blank[2] if blank else part)
            tile = Tile(face, bool(blank) or (as_blanks and part.islower())) if face else None
        if tile is None or (not anywhere and lies is not None and lies.face != tile.face):
            return ()
        word.append(tile if anywhere else lies or tile)
    return tuple(word)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A search of all readings of the input, tile by tile."""

    signs: tuple[_Sign, ...]
    tile_set: TileSet
    there: Seen
    anywhere: bool = False
    """Whether tiles are as typed, even if they do not fit the board."""

    def words(self, at: int, place: int) -> Iterator[tuple[Tile, ...]]:
        """Yield the words from the sign ``at`` on; their first tile is the one at ``place`` of the whole word."""
        if at == len(self.signs):
            yield ()
            return
        if place == BOARD_SIZE:
            return
        for tiles, after in self._next(at, place):
            for rest in self.words(after, place + len(tiles)):
                yield (*tiles, *rest)

    def _next(self, at: int, place: int) -> Iterator[tuple[tuple[Tile, ...], int]]:
        """Yield the possible next tiles, and the index of the sign after them."""
        match self.signs[at].letter:
            case "(":
                end = next((number for number, sign in enumerate(self.signs) if number > at and sign.letter == ")"), 0)
                if end > at + 1:
                    yield from self._in_parentheses(at + 1, end, place)
                return
            case "?":
                for face, after in self._faces(at + 1):
                    yield from self._lay_tile(Tile(face, blank=True), after, place)
                return
            case "." if (lies := self.there(place) or (_LYING if self.anywhere else None)) is not None:
                yield (lies,), at + 1
        for face, after in self._faces(at):
            small = [self.signs[number].small for number in range(at, after) if self.signs[number].letter.isalpha()]
            # The letters of one tile have one case, or only the letter that names it is small: q in AqUI is a blank QU.
            if len(set(small)) == 1 or (small and small[0] and self._is_named(at, face)):
                yield from self._lay_tile(Tile(face, blank=small[0]), after, place)

    def _in_parentheses(self, begin: int, end: int, place: int) -> Iterator[tuple[tuple[Tile, ...], int]]:
        text = "".join(sign.letter for sign in self.signs[begin:end])
        if (named := self.tile_set.names.get(text)) is not None:
            # The other letters of the tile may follow its circled letter outside: A(Q)UI is A, a blank QU, I.
            rest = named.removeprefix(text)
            follows = "".join(sign.letter for sign in self.signs[end + 1 : end + 1 + len(rest)])
            yield from self._lay_tile(Tile(named, blank=True), end + 1 + (len(rest) if follows == rest else 0), place)
            return
        for faces in islice(self.tile_set.spellings(text), MAX_READINGS):
            if len(faces) == 1:
                yield from self._lay_tile(Tile(faces[0], blank=True), end + 1, place)
                continue
            lie = [self.there(place + number) for number in range(len(faces))]
            if self.anywhere:
                pairs = zip(lie, faces, strict=True)
                yield tuple(_LYING if tile is None else Tile(face) for tile, face in pairs), end + 1
            elif all(tile is not None and tile.face == face for tile, face in zip(lie, faces, strict=True)):
                yield tuple(tile for tile in lie if tile is not None), end + 1

    def _lay_tile(self, tile: Tile, after: int, place: int) -> Iterator[tuple[tuple[Tile, ...], int]]:
        """Yield the tile, or the one on the board if its face is the same."""
        lies = self.there(place)
        if self.anywhere:
            yield (tile,), after
        elif lies is None or lies.face == tile.face:
            yield (lies or tile,), after

    def _faces(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the faces that are written from the sign ``at`` on, and their ends.

        A letter that names a tile of several letters, as Q for QU (FISC I.6), is that tile even if the others do not
        follow.
        """
        named = self.tile_set.names.get(self.signs[at].letter) if at < len(self.signs) else None
        for written, face in self.tile_set.writings:
            after = at + len(written)
            if tuple(sign.letter for sign in self.signs[at:after]) == tuple(written):
                yield face, after
                named = None if face == named else named
        if named is not None:
            yield named, at + 1

    def _is_named(self, at: int, face: str) -> bool:
        return self.tile_set.names.get(self.signs[at].letter) == face
