"""How GCG writes tiles.

One character is one tile, except where the face has several: those stand in brackets, ``[L·L]``, ``[NY]``, ``[CH]``. A
blank is ``?`` in a rack and small letters on the board, ``[ny]``. A tile that lay there before is ``.`` in a word, or
``(X)``. Where no other reading is possible brackets may be missing: ``NY`` in Catalan, which has no ``Y``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from faristol.kernel.quotation import quoted
from faristol.rules.board import Board, Placement, Tile
from faristol.rules.gcg.digraphs import describe_digraph
from faristol.rules.gcg.problem import Wrong
from faristol.rules.look_alikes import look_alikes_of
from faristol.rules.notation import Start
from faristol.rules.placement import words_formed
from faristol.rules.tiles import BLANK, TileSet

_DOTS, _HYPHENS = (re.escape(look_alikes_of(sign)) for sign in "·-")
_SIGN = rf"[{_DOTS}]|(?<=[^\W\d_])[{_HYPHENS}](?=[^\W\d_])"
_LETTER = rf"\[[^\[\]()\s]+\]|[^\W\d_]|{_SIGN}"
_LETTER_OR_DIGIT = rf"\[[^\[\]()\s]+\]|[^\W_]|{_SIGN}"
UNKNOWN = "."
"""A tile of a rack that the annotator did not see."""


class Forms(NamedTuple):
    """What tiles look like in a file, whatever the set of tiles."""

    rack: re.Pattern[str]
    partial_rack: re.Pattern[str]
    """Of a rack of which not each tile is known: ``AEI..``."""
    word: re.Pattern[str]


def _forms(sign: str) -> Forms:
    return Forms(
        rack=re.compile(rf"(?:{sign}|\?)+"),
        partial_rack=re.compile(rf"(?:{sign}|\?|\.)+"),
        word=re.compile(rf"(?:{sign}|\.|\((?:{sign})+\))+"),
    )


PLAIN_FORMS = _forms(_LETTER)
DIGIT_FORMS = _forms(_LETTER_OR_DIGIT)
"""Where digits stand for tiles of several letters, see ``digraphs``."""

_PART = re.compile(r"\[([^\[\]]+)\]|\(([^()]+)\)|(\.)|([^\[\]().]+)")
LENGTH_MAX = 120
"""Characters of the longest rack or word that is looked at: fifteen tiles take less."""

T = TypeVar("T")


class Through(NamedTuple):
    """A square of a word where a tile lies already; ``face`` is what the file says it shows, None for ``.``."""

    face: str | None = None


def read_rack(text: str, tile_set: TileSet) -> tuple[str, ...]:
    """The tiles of a rack, ``?`` for a blank. Raises ``Wrong`` when one is not of the set."""
    return tuple(_faces(tile_set.normalize(_short(text)), _in_rack(tile_set), tile_set))


def read_word(text: str, tile_set: TileSet) -> tuple[Tile | Through, ...]:
    """The tiles of a word and the squares that were taken before. Raises ``Wrong`` when one is not of the set."""
    found: list[Tile | Through] = []
    known = _on_board(tile_set)
    for part in _PART.finditer(tile_set.normalize(_short(text))):
        bracketed, through, dot, plain = part.groups()
        if dot:
            found.append(Through())
        elif through:
            found.extend(Through(tile.face) for tile in _faces(through, known, tile_set))
        else:
            found.extend(_faces(f"[{bracketed}]" if bracketed else plain, known, tile_set))
    return tuple(found)


def write_rack(rack: Iterable[str]) -> str:
    """Tiles of a rack or a bag, ``?`` for a blank: ``A[L·L]?``."""
    return "".join(map(_bracketed, rack))


def write_tile(tile: Tile) -> str:
    """A tile on the board, a blank in small letters: ``[l·l]``."""
    return _bracketed(tile.face.lower() if tile.blank else tile.face)


def write_play(board: Board, placements: Sequence[Placement]) -> tuple[Start, str]:
    """Where the main word of a play starts, and the word with ``.`` for what lies on ``board`` already.

    The play must form a word (see ``check_play``); raises ``ValueError`` when it does not.
    """
    words = words_formed(board, placements)
    if not words:
        raise ValueError("a play that forms no word cannot be written")
    squares = zip(words[0].squares, words[0].tiles, strict=True)
    return words[0].start, "".join("." if square in board else write_tile(tile) for square, tile in squares)


def _bracketed(face: str) -> str:
    return face if len(face) == 1 else f"[{face}]"


def _short(text: str) -> str:
    if len(text) > LENGTH_MAX:
        raise Wrong("TOO_LONG", f"{quoted(text)} is too long for tiles", f"at most {LENGTH_MAX} characters")
    return text


def _in_rack(tile_set: TileSet) -> Mapping[str, str]:
    return dict(tile_set.writings) | {BLANK: BLANK}


def _on_board(tile_set: TileSet) -> Mapping[str, Tile]:
    blanks = {text.lower(): Tile(face, blank=True) for text, face in tile_set.writings}
    if "σ" in blanks:
        blanks["ς"] = blanks["σ"]
    return blanks | {text: Tile(face) for text, face in tile_set.writings}


def _faces(text: str, known: Mapping[str, T], tile_set: TileSet) -> list[T]:
    found: list[T] = []
    for part in _PART.finditer(_short(text)):
        bracketed, _, _, plain = part.groups()
        spelled = [known[bracketed]] if bracketed in known else _spelled(plain or "", known)
        if not spelled:
            stranger = _stranger(part[0], known)
            expected = f"one of {' '.join(map(_bracketed, tile_set.faces))}"
            if hint := describe_digraph(stranger, tile_set):
                expected += f" ({hint})"
            raise Wrong("FACE_UNKNOWN", f"{stranger} is no tile of {tile_set.name}", expected)
        found.extend(spelled)
    return found


def _spelled(text: str, known: Mapping[str, T]) -> list[T]:
    """``text`` as tiles, one character each where that is possible; empty when it is not text of these tiles."""
    sizes = sorted({len(written) for written in known})
    rests: list[list[T] | None] = [[]]  # the spelling of what follows each character, from the end
    for start in range(len(text) - 1, -1, -1):
        options = (
            [known[text[start : start + size]], *rest]
            for size in sizes
            if text[start : start + size] in known and (rest := rests[-size]) is not None
        )
        rests.append(next(options, None))
    return rests[-1] or []


def _stranger(text: str, known: Mapping[str, T]) -> str:
    """The part of ``text`` to name in a message: the first character that is in no tile, or all of it."""
    if text.startswith("["):
        return text
    return next((char for char in text if char not in known), text)
