"""A federation's own word list: one word to a line, its spelling with tiles, and a reason for each rejected line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.board import BOARD_SIZE
from faristol.rules.tiles import TileSet
from faristol.words.error import LexiconError
from faristol.words.header import LAYER_NAMES, Listing


class _Fold(dict[int, str]):
    """A table for ``str.translate`` that calls ``TileSet.fold`` once for each character."""

    def __init__(self, tile_set: TileSet) -> None:
        super().__init__()
        self._tile_set = tile_set

    def __missing__(self, char: int) -> str:
        self[char] = folded = self._tile_set.fold(chr(char))
        return folded


def spell_all(lines: Iterable[str], tile_set: TileSet) -> Iterator[tuple[str, ...] | None]:
    """Yield ``tile_set.spell(line)`` for each of ``lines``, several times as fast.

    The greedy choice of the longest face is nearly always the spelling; if it fails, ``TileSet.spell`` backtracks.
    """
    fold = _Fold(tile_set)
    faces = dict(tile_set.writings)
    longest_face = re.compile("|".join(map(re.escape, faces)))
    for line in lines:
        folded = unicodedata.normalize("NFC", line).translate(fold)
        written = longest_face.findall(folded)
        if sum(map(len, written)) == len(folded):
            yield tuple(faces[part] for part in written)
        else:
            yield tile_set.spell(line)


MIN_WORD_TILES = 2
"""Tiles of the shortest valid word."""

SYMBOL_LENGTH = 3
"""A string without a vowel is a symbol up to this number of tiles."""

SOUNDED = {"en": frozenset("Y")}
"""Letters by language that are not vowels of the set but make a word of a short string (``my``, ``cry``)."""


def playable(lines: Iterable[str], tile_set: TileSet) -> Iterator[tuple[str, ...]]:
    """Yield the lines that are words for the board, as faces. A word may repeat (``dona``, ``dóna``).

    A word list for spelling has lines that are not words for playing. Left out are:

    - names, abbreviations in capitals and lines with an apostrophe, a hyphen, a digit or a full stop: lines
      that are not lower-case letters (and ``·``) throughout;
    - words that the set cannot spell (no K, W or lone Y in Catalan), under 2 or over 15 tiles;
    - strings of two or three tiles without a vowel, which in these lists are symbols and abbreviations
      (``cm``, ``dl``, ``rpm``). A digraph that is written with a vowel counts as a vowel (``QU``). Symbols with
      a vowel cannot be distinguished from words by rule, and stay: nearly all of them are words too (``ha``, ``mol``).

    Accents are dropped as the set drops them. A digraph is one tile if the rest of the word can be spelled.
    """
    vowels = frozenset(face for face in tile_set.faces if any(char in tile_set.vowels for char in face))
    vowels |= SOUNDED.get(tile_set.language, frozenset())
    lower = (line for line in lines if line.islower() and line.replace("·", "").isalpha())
    for word in spell_all(lower, tile_set):
        if word is None or not MIN_WORD_TILES <= len(word) <= BOARD_SIZE:
            continue
        if len(word) > SYMBOL_LENGTH or not vowels.isdisjoint(word):
            yield word


Word = tuple[str, ...]

COMMENT = "#"
MAX_QUOTED_LENGTH = 40
"""Characters of a text that an error quotes."""


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A rejected line of a list."""

    path: Path
    line: int
    """Line number, from 1."""
    text: str
    reason: Refusal


@dataclass(slots=True)
class WordLists:
    """The content of one or more lists."""

    listed: dict[Listing, list[Word]] = field(default_factory=dict)
    left_out: list[RejectedLine] = field(default_factory=list)
    lines: int = 0
    """Lines of all files."""
    passed_over: int = 0
    """Empty lines and comments among them."""

    @property
    def repeated(self) -> int:
        """Number of repeated words in a listing: accents fold, so ``dóna`` repeats ``dona``."""
        return sum(len(words) - len(set(words)) for words in self.listed.values())

    def read(self, path: Path, tile_set: TileSet, listing: Listing | None = None) -> None:
        """Add the words of the file at ``path``: UTF-8, one word to a line, in any case.

        A word may be followed by a tab and layers, separated by commas; by default it has the layer of ``listing``.
        Empty lines and lines with ``#`` first are ignored. A line that is not a word for these tiles goes to
        ``left_out``. Raises ``LexiconError`` if the file is unreadable or not UTF-8, or for an invalid layer.
        """
        listing = listing or Listing()
        every_line = list(_lines(path))
        lines = [(number, line) for number, line in every_line if line.strip() and not line.startswith(COMMENT)]
        self.lines += len(every_line)
        self.passed_over += len(every_line) - len(lines)
        texts = [line.partition("\t")[0].strip() for _, line in lines]
        for (number, line), text, word in zip(lines, texts, spell_all(texts, tile_set), strict=True):
            if word is None or not MIN_WORD_TILES <= len(word) <= BOARD_SIZE:
                refused = unplayable(text, tile_set, in_list=True)
                assert refused is not None, f"{text!r} can be played"
                self.left_out.append(RejectedLine(path, number, text, refused))
                continue
            layers = line.partition("\t")[2].strip()
            for layer in layers.split(",") if layers else [listing.layer]:
                where = listing._replace(layer=layer.strip())
                # An empty name between two commas would make the word valid in every layer.
                if not where.well_named or (layers and not where.layer):
                    raise LexiconError(
                        f"line {number}: {where.layer!r} is not a valid name of a layer: {LAYER_NAMES}", path=path
                    )
                self.listed.setdefault(where, []).append(word)


def unplayable(text: str, tile_set: TileSet, *, in_list: bool = False) -> Refusal | None:
    """Return the reason why ``text`` is not a word for these tiles in any lexicon; None if it may be one.

    ``in_list``: the text is a line of a list and has one spelling; otherwise it was typed and may have several.
    """
    if not text.strip():
        return Refusal(
            "EMPTY_WORD", N_("The word is empty: expected {least} tiles or more."), {"least": MIN_WORD_TILES}
        )
    shown = _printable(text[: MAX_QUOTED_LENGTH + 1])
    word = shown if len(text) <= MAX_QUOTED_LENGTH else f"{shown[:MAX_QUOTED_LENGTH]}…"
    tiles = tile_set.spell(text) if in_list else next(tile_set.spellings(text), None)
    if tiles is not None:
        if MIN_WORD_TILES <= len(tiles) <= BOARD_SIZE:
            return None
        return Refusal(
            "WORD_LENGTH",
            N_("The length of {word} in tiles is {count}: expected {least} to {most}."),
            {"word": word, "count": len(tiles), "least": MIN_WORD_TILES, "most": BOARD_SIZE},
        )
    scripts = {_script(char): char for char in reversed(text) if char.isalpha()}
    if len(scripts) > 1:
        mixed = " + ".join(f"{char} ({script})" for script, char in sorted(scripts.items()))
        return Refusal("MIXED_SCRIPTS", N_("{word} mixes scripts: {characters}."), {"word": word, "characters": mixed})
    char = next(
        (char for char in dict.fromkeys(text) if not any(tile_set.fold(char) in face for face in tile_set.faces)), ""
    )
    if not char:
        return Refusal(
            "NOT_TILES",
            N_("{word} cannot be laid with tiles of {tile_set}."),
            {"word": word, "tile_set": tile_set.name},
        )
    named = f"{_printable(char)} (U+{ord(char):04X} {unicodedata.name(char, '?')})"
    return Refusal(
        "NO_SUCH_TILE",
        N_("{word} contains {character}: {tile_set} has no tile for it."),
        {"word": word, "character": named, "tile_set": tile_set.name},
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _script(char: str) -> str:
    return unicodedata.name(char, "?").split()[0].capitalize()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LexiconError(f"cannot be read: {error.strerror}", path=path) from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LexiconError(f"line {line}: byte {content[error.start]:#04x} is not UTF-8", path=path) from None
    return enumerate(text.splitlines(), 1)
