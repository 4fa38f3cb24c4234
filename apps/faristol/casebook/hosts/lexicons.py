"""The lexicon of a case."""

from __future__ import annotations

import datetime
from collections.abc import Collection

from faristol.casebook.case import Word
from faristol.kernel.pins import Pin
from faristol.rules import TileSet
from faristol.words import About, Library
from faristol.words.header import Listing

LEXICON_NAME = "case"


def about_cases() -> About:
    """Return the metadata of the lexicon of a case."""
    return About(LEXICON_NAME, "1", "CC0-1.0", "the words of a rulebook case", datetime.date(2024, 1, 6))


def install(library: Library, tile_set: TileSet, words: Collection[Word], layers: Collection[str] = ()) -> Pin:
    """Install a lexicon of these words, all in each of its layers; if empty, of one arbitrary word."""
    about = about_cases()
    listed = frozenset(words) or {tile_set.faces[-2:]}
    in_layers = {Listing(layer): listed for layer in layers}
    installed = library.install(LEXICON_NAME, listed, tile_set=tile_set, about=about, listed=in_layers)
    return Pin(installed.name, installed.digest)
