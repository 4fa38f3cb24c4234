"""Building of a lexicon in a separate process: the imports of this module are repeated there."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.tiles import load_tile_set
from faristol.words import About, InstalledLexicon, LexiconError, Library, install
from faristol.words.lists import WordLists

LEFT_OUT_SHOWN_COUNT = 20
"""Rejected lines that are shown."""

TEXT_CHARACTERS = 60
"""Characters of a rejected line that are shown."""

NO_WORD = N_("No word in this list can be formed with the tiles {tile_set}.")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rejected line of a list."""

    number: int
    text: str
    reason: Refusal


@dataclass(frozen=True, slots=True)
class InstalledList:
    """The installed lexicon, and how its list was read."""

    installed: InstalledLexicon
    encoding: str = ""
    left_out: int = 0
    skipped: Sequence[Skipped] = ()


def install_open_list(folder: Path, name: str) -> InstalledList:
    """Fetch an open list and install it. Raises ``LexiconError``."""
    return InstalledList(install(name, Library(folder)))


def install_own_list(folder: Path, text: str, encoding: str, tile_set: str, about: About) -> InstalledList:
    """Build and install a lexicon from a list. Raises ``LexiconError``, and ``Refusal`` for a list without a word."""
    tiles, read = load_tile_set(tile_set), WordLists()
    with tempfile.TemporaryDirectory(prefix="faristol-words-") as temporary:
        file = Path(temporary) / "list"
        file.write_text(text, encoding="utf-8")
        try:
            read.read(file, tiles)
        except LexiconError as error:
            raise LexiconError(error.reason) from error  # the path is of a temporary file, unknown to the reader
    skipped = [
        Skipped(line.line, line.text[:TEXT_CHARACTERS], line.reason) for line in read.left_out[:LEFT_OUT_SHOWN_COUNT]
    ]
    if not any(read.listed.values()):
        raise Refusal("NO_WORD", NO_WORD, {"tile_set": tile_set})
    installed = Library(folder).install(about.name, (), tile_set=tiles, about=about, listed=read.listed)
    return InstalledList(installed, encoding, len(read.left_out), skipped)
