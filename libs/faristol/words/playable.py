"""Selection of the lines of a word list that can be laid on a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from faristol.rules.board import BOARD_SIZE
from faristol.rules.tiles import TileSet
from faristol.words.speller import spell_all

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
