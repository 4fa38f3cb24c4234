"""Notations of squares and words; internally, a start is a row, a column and a direction.

Federations write the same start differently. FISC letters the rows, so ``H8`` is across and ``8H`` down (FISC II.2).
GCG files letter the columns, so ``8H`` is across and ``H8`` down. Both begin with the line of the word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Set
from enum import Enum
from typing import NamedTuple

from faristol.rules.board import BOARD_SIZE, ROW_NAMES, Board, Direction, Placement, Square, Tile
from faristol.rules.look_alikes import latin, look_alikes_of

MAX_START_CHARACTERS = 24
"""Characters of a start, including those around it."""

_START = re.compile(rf" *(?:([{ROW_NAMES}]) *0*([1-9]\d?)|0*([1-9]\d?) *([{ROW_NAMES}])) *", re.ASCII)


_TWIN_DIGITS = str.maketrans("OIL", "011")
"""Letters that look like digits, which the number of a start may have: ``1O`` with a letter is 10."""

_WITH_TWINS = (
    re.compile(rf" *(?P<letter>[{ROW_NAMES}]) *(?P<number>[\dOIL]{{2,3}}) *", re.ASCII),
    re.compile(rf" *(?P<number>[\dOIL]{{2,3}}) *(?P<letter>[{ROW_NAMES}]) *", re.ASCII),
)


class Start(NamedTuple):
    """The first square of a word and its direction."""

    square: Square
    direction: Direction


class Notation(Enum):
    """A notation of starts. The value is the direction that is written with the letter first."""

    FISC = Direction.ACROSS
    GCG = Direction.DOWN

    def write(self, start: Start) -> str:
        """Format ``start``: row 7, column 7, across is ``H8`` for FISC and ``8H`` for GCG."""
        row, col = start.square
        lettered, numbered = (row, col) if self is Notation.FISC else (col, row)
        letter, number = ROW_NAMES[lettered], str(numbered + 1)
        return letter + number if start.direction is self.value else number + letter

    def read(self, text: str) -> Start:
        """Parse a start. Raises ``ValueError`` for any other text.

        Small letters, look-alikes of other scripts and of digits, full width, accents and leading zeros are accepted.
        Spaces, dashes, brackets and other signs are allowed around and between letter and number, and an arrow in the
        direction of the word.
        """
        plain = _plain(text) if len(text) <= MAX_START_CHARACTERS else ""
        match = _START.fullmatch(plain) or _START.fullmatch(_with_digits(plain))
        number = int(match[2] or match[3]) if match else 0
        direction = self.value if match is None or match[1] else self.value.other
        if match is None or number > BOARD_SIZE or not _arrows_of(text) <= {direction}:
            raise ValueError(
                f"{text!r} is not a start of a word: expected a letter A to O and a number 1 to {BOARD_SIZE}"
            )
        lettered, numbered = ROW_NAMES.index(match[1] or match[4]), number - 1
        row, col = (lettered, numbered) if self is Notation.FISC else (numbered, lettered)
        return Start(Square(row, col), direction)

    def read_first(self, text: str) -> tuple[Start, str]:
        """Parse the start at the beginning of ``text`` and return the rest: ``8 - H CASA`` is ``8H`` and ``CASA``.

        Raises ``ValueError`` if the text does not begin with a start.
        """
        rest, taken = text.strip(), ""
        for _ in range(3):
            part, _, rest = rest.partition(" ")
            rest = rest.lstrip()
            taken = f"{taken} {part}".strip()
            try:
                start = self.read(taken)
            except ValueError:
                continue
            arrow, _, after = rest.partition(" ")
            if _arrows_of(arrow) == {start.direction} and len(arrow) == 1:
                rest = after.lstrip()
            return start, rest
        first = text.split(maxsplit=1)[:1]
        return self.read(first[0] if first else ""), ""


def _with_digits(plain: str) -> str:
    """Replace letters that look like digits, if the start can then be read in one way: ``H1O``, ``l5H``."""
    forms = [form.fullmatch(plain) for form in _WITH_TWINS]
    matches = [match for match in forms if match and re.search(r"\d", match["number"])]
    if len(matches) != 1:
        return plain
    found = matches[0]
    number = found["number"].translate(_TWIN_DIGITS)
    return found["letter"] + number if found is forms[0] else number + found["letter"]


def _plain(text: str) -> str:
    """Convert to Latin capitals without accents and ASCII digits, with spaces for other signs."""
    apart = unicodedata.normalize("NFKD", text.translate(_ORDINALS))
    letters = "".join(sign for sign in apart if unicodedata.category(sign)[0] != "M")
    return "".join(map(_plain_sign, latin(letters)))


_ORDINALS = str.maketrans("ªº", "  ")
"""Maps ordinal signs to spaces: normalized, they would be the letters A and O."""


def _plain_sign(sign: str) -> str:
    category = unicodedata.category(sign)
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    return " " if category[0] in "ZPCS" or sign in look_alikes_of("-") else sign


_ARROW = re.compile(r"(?:.* )?(RIGHT|DOWN|LEFT|UP)WARDS .*ARROW.*")


def _arrows_of(text: str) -> Set[Direction | None]:
    """Return the directions of the arrows in ``text``; None for one to the left or up."""
    named = (_ARROW.fullmatch(unicodedata.name(sign, "")) for sign in text if unicodedata.category(sign)[0] == "S")
    return {{"RIGHT": Direction.ACROSS, "DOWN": Direction.DOWN}.get(found[1]) for found in named if found}


def write_word(tiles: Iterable[Tile]) -> str:
    """Format a word as on a scoresheet, the letter of a blank in parentheses: ``IL·L(U)S`` (FISC I.9)."""
    return "".join(str(tile) for tile in tiles)


def word_tiles(faces: Iterable[str], start: Start, blanks: Container[Square]) -> tuple[Tile, ...]:
    """Return the tiles of a word with ``faces`` from ``start`` on, a blank on each of the squares ``blanks``."""
    return tuple(Tile(face, start.square.step(start.direction, place) in blanks) for place, face in enumerate(faces))


def read_tiles(text: str) -> tuple[Tile, ...]:
    """Parse tiles separated by spaces, a blank in parentheses: ``I L·L (U) S``."""
    tiles = []
    for part in text.split():
        blank = part.startswith("(") and part.endswith(")") and len(part) > 2
        tiles.append(Tile(part[1:-1] if blank else part, blank))
    return tuple(tiles)


def lay(board: Board, start: Start, word: Iterable[Tile]) -> tuple[Placement, ...]:
    """Return the tiles to lay for ``word`` at ``start``, without those on the board.

    Raises ``ValueError`` if a square has a tile with a face other than that in the word. The word may run off the
    board: ``check_play`` checks that.
    """
    placements = []
    for place, tile in enumerate(word):
        square = start.square.step(start.direction, place)
        there = board.get(square)
        if there is None:
            placements.append(Placement(square, tile))
        elif there.face != tile.face:
            raise ValueError(f"{square} holds {there}, and the word needs {tile} there")
    return tuple(placements)
