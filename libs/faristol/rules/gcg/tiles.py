"""The notation of tiles in GCG.

One character is one tile. A face of several characters is in brackets, ``[L·L]``, ``[NY]``, ``[CH]``. A blank is ``?``
in a rack and small letters on the board, ``[ny]``. A tile of the board is ``.`` in a word, or ``(X)``. Brackets are
optional if there is no other reading: ``NY`` in Catalan, which has no ``Y``.

Other programs write digits and single letters for tiles of several letters: ``CA1O`` is CACHO in Spanish files of
Quackle. Such a file does not name the convention, and a letter can be a tile in another set, so the caller names it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from faristol.kernel.quotation import quote_text
from faristol.rules.board import Board, Placement, Tile
from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.game import Wrong
from faristol.rules.look_alikes import look_alikes_of
from faristol.rules.notation import Start
from faristol.rules.placement import words_formed
from faristol.rules.tiles import BLANK, TileSet

DIGRAPHS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "digits": {"es-100": {"1": "CH", "2": "LL", "3": "RR"}},
        "letters": {"ca-100": {"W": "L·L", "K": "L·L", "Y": "NY", "Q": "QU"}},
    }
)
"""The conventions by name, for each tile set."""

_BRACKETED = re.compile(r"(\[[^\[\]]*\])")


def parse_digraphs(text: str, tile_set: TileSet) -> dict[str, str]:
    """Parse the name of a convention (``digits``), or pairs of a sign and a face: ``1=CH,2=LL,3=RR``.

    Raises ``ValueError`` for a name that the tile set does not have, and for a face that is not a tile of it.
    """
    if text in DIGRAPHS:
        if found := DIGRAPHS[text].get(tile_set.name):
            return dict(found)
        raise ValueError(f"the digraphs {text} are not known for {tile_set.name}; expected {_choices(tile_set)}")
    pairs: dict[str, str] = {}
    for part in text.split(","):
        sign, _, face = (word.strip().upper() for word in part.partition("="))
        if len(sign) != 1 or face not in tile_set.index:
            raise ValueError(f"the digraphs are {quote_text(text)}; expected {_choices(tile_set)}")
        pairs[sign] = face
    return pairs


def _choices(tile_set: TileSet) -> str:
    names = [name for name, sets in DIGRAPHS.items() if tile_set.name in sets]
    face = next((face for face in tile_set.faces if len(face) > 1), tile_set.faces[0])
    return " or ".join([*names, f"pairs of a sign and a tile, as 1={face}"])


def describe_digraph(sign: str, tile_set: TileSet) -> str:
    """Describe the meaning of ``sign`` in a known convention; empty if there is no such convention."""
    for name, sets in DIGRAPHS.items():
        if face := sets.get(tile_set.name, {}).get(sign.upper()):
            return f"some programs write {sign} for [{face}]: --digraphs {name}"
    return ""


def replace_digraphs(game: gcg.GcgGame, digraphs: Mapping[str, str]) -> gcg.GcgGame:
    """Return the game with each sign of ``digraphs`` written as the face in brackets; a small letter is a blank."""
    faces = dict(digraphs) | {sign.lower(): face.lower() for sign, face in digraphs.items() if sign.isalpha()}

    def spell(text: str) -> str:
        parts = _BRACKETED.split(text)
        plain = ["".join(f"[{faces[sign]}]" if sign in faces else sign for sign in part) for part in parts[::2]]
        return "".join(word for pair in zip(plain, [*parts[1::2], ""], strict=True) for word in pair)

    def replace(line: gcg.Line) -> gcg.Line:
        if not isinstance(line, gcg.GCG_EVENT_TYPES):
            return line
        texts = {
            name: spell(value)
            for name in ("rack", "word", "tiles")
            if isinstance(value := getattr(line, name, None), str)
        }
        return dataclasses.replace(line, **texts)  # type: ignore[arg-type] # each line has the fields that were found in it

    return gcg.GcgGame(tuple(map(replace, game.lines)))


_DOTS, _HYPHENS = (re.escape(look_alikes_of(sign)) for sign in "·-")
_SIGN = rf"[{_DOTS}]|(?<=[^\W\d_])[{_HYPHENS}](?=[^\W\d_])"
_LETTER = rf"\[[^\[\]()\s]+\]|[^\W\d_]|{_SIGN}"
_LETTER_OR_DIGIT = rf"\[[^\[\]()\s]+\]|[^\W_]|{_SIGN}"
UNKNOWN_GCG_TILE = "."
"""An unknown tile of a rack."""


class Forms(NamedTuple):
    """Patterns of tiles in a file, for any tile set."""

    rack: re.Pattern[str]
    partial_rack: re.Pattern[str]
    """Pattern of a rack with unknown tiles: ``AEI..``."""
    word: re.Pattern[str]


def _forms(sign: str) -> Forms:
    return Forms(
        rack=re.compile(rf"(?:{sign}|\?)+"),
        partial_rack=re.compile(rf"(?:{sign}|\?|\.)+"),
        word=re.compile(rf"(?:{sign}|\.|\((?:{sign})+\))+"),
    )


PLAIN_FORMS = _forms(_LETTER)
DIGIT_FORMS = _forms(_LETTER_OR_DIGIT)
"""Patterns with digits for tiles of several letters (``digraphs``)."""

_PART = re.compile(r"\[([^\[\]]+)\]|\(([^()]+)\)|(\.)|([^\[\]().]+)")
MAX_RACK_CHARACTERS = 120
"""Characters of the longest rack or word that is accepted: fifteen tiles take less."""

T = TypeVar("T")


class BoardTile(NamedTuple):
    """A square of a word with a tile of the board; ``face`` is its face in the file, None for ``.``."""

    face: str | None = None


def read_rack(text: str, tile_set: TileSet) -> tuple[str, ...]:
    """Parse the tiles of a rack, ``?`` for a blank. Raises ``Wrong`` for a tile that is not in the set."""
    return tuple(_faces(tile_set.normalize(_short(text)), _in_rack(tile_set), tile_set))


def read_word(text: str, tile_set: TileSet) -> tuple[Tile | BoardTile, ...]:
    """Parse the tiles of a word and its squares taken before. Raises ``Wrong`` for a tile that is not in the set."""
    found: list[Tile | BoardTile] = []
    known = _on_board(tile_set)
    for part in _PART.finditer(tile_set.normalize(_short(text))):
        bracketed, through, dot, plain = part.groups()
        if dot:
            found.append(BoardTile())
        elif through:
            found.extend(BoardTile(tile.face) for tile in _faces(through, known, tile_set))
        else:
            found.extend(_faces(f"[{bracketed}]" if bracketed else plain, known, tile_set))
    return tuple(found)


def write_rack(rack: Iterable[str]) -> str:
    """Format tiles of a rack or a bag, ``?`` for a blank: ``A[L·L]?``."""
    return "".join(map(_bracket, rack))


def write_tile(tile: Tile) -> str:
    """Format a tile on the board, a blank in small letters: ``[l·l]``."""
    return _bracket(tile.face.lower() if tile.blank else tile.face)


def write_play(board: Board, placements: Sequence[Placement]) -> tuple[Start, str]:
    """Return the start of a play's main word, and the word with ``.`` for tiles of ``board``.

    Raises ``ValueError`` if the play forms no word (``check_play``).
    """
    words = words_formed(board, placements)
    if not words:
        raise ValueError("a play that forms no word cannot be written")
    squares = zip(words[0].squares, words[0].tiles, strict=True)
    return words[0].start, "".join("." if square in board else write_tile(tile) for square, tile in squares)


def _bracket(face: str) -> str:
    return face if len(face) == 1 else f"[{face}]"


def _short(text: str) -> str:
    if len(text) > MAX_RACK_CHARACTERS:
        raise Wrong(
            "TOO_LONG", f"{quote_text(text)} is too long for tiles", f"at most {MAX_RACK_CHARACTERS} characters"
        )
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
        spelled = [known[bracketed]] if bracketed in known else _spell(plain or "", known)
        if not spelled:
            stranger = _stranger(part[0], known)
            expected = f"one of {' '.join(map(_bracket, tile_set.faces))}"
            if hint := describe_digraph(stranger, tile_set):
                expected += f" ({hint})"
            raise Wrong("FACE_UNKNOWN", f"{stranger} is not a tile of {tile_set.name}", expected)
        found.extend(spelled)
    return found


def _spell(text: str, known: Mapping[str, T]) -> list[T]:
    """Spell ``text`` in tiles, of one character each if possible; empty if it has no spelling."""
    sizes = sorted({len(written) for written in known})
    rests: list[list[T] | None] = [[]]  # the spelling of the text after each character, from the end
    for start in range(len(text) - 1, -1, -1):
        options = (
            [known[text[start : start + size]], *rest]
            for size in sizes
            if text[start : start + size] in known and (rest := rests[-size]) is not None
        )
        rests.append(next(options, None))
    return rests[-1] or []


def _stranger(text: str, known: Mapping[str, T]) -> str:
    """Return the part of ``text`` for a message: the first character that is in no tile, or all of it."""
    if text.startswith("["):
        return text
    return next((char for char in text if char not in known), text)
