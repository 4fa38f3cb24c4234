"""Word lists, fetched by package name when a lexicon is installed. None is part of this project.

The lists are made for spelling, under copyleft licences; a federation's own lexicon can be built with
``faristol.words.build`` from any list of words.
"""

from __future__ import annotations

import datetime
import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.words import debian
from faristol.words.commands import run
from faristol.words.error import LexiconError
from faristol.words.header import About
from faristol.words.hunspell import Affixes


@dataclass(frozen=True, slots=True)
class WordList:
    """A fetched list: one word to a line, names and symbols still among them."""

    about: About
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A lexicon that can be installed by name."""

    name: str
    tile_set: str
    origins: Sequence[Callable[[str, Path], WordList]]
    """Where to get it, the best first: called with the name and an empty folder to work in."""

    def fetch(self) -> WordList:
        """The list from the first origin that this machine can reach; ``LexiconError`` when none answers."""
        refusals: list[str] = []
        for origin in self.origins:
            with tempfile.TemporaryDirectory(prefix="faristol-words-") as folder:
                try:
                    return origin(self.name, Path(folder))
                except LexiconError as error:
                    refusals.append(str(error))
        raise LexiconError(
            f"the word list for {self.name!r} cannot be fetched ({'; '.join(refusals)}); "
            "check the network, then run `faristol lexicon install` again"
        )


def _wcatalan(name: str, folder: Path) -> WordList:
    """Softcatalà's list of 2011, all forms written out: Debian package ``wcatalan``."""
    unpacked = debian.download("wcatalan", folder)
    file = unpacked / "usr/share/dict/catalan"
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise LexiconError(f"package wcatalan has no {file.relative_to(unpacked)}") from error
    about = About(
        name=name,
        edition=f"wcatalan {debian.version('wcatalan', folder)}",
        licence="GPL-2.0-or-later",
        source="Debian package wcatalan: Softcatalà, © 2001–2002 I. Labastida, © 2002–2011 J. Moratinos",
        date=debian.date(file),
    )
    return WordList(about, lines)


NPM_CATALAN = "dictionary-ca@3.0.0"


def _dictionary_ca(name: str, folder: Path) -> WordList:
    """Softcatalà's hunspell dictionary of 2023: npm package ``dictionary-ca``, for machines without apt."""
    packed = run(["npm", "pack", "--silent", NPM_CATALAN], folder).split()[-1]
    with tarfile.open(folder / packed) as archive:
        archive.extractall(folder, filter="data")
    package = folder / "package"
    affixes = (package / "index.aff").read_text(encoding="utf-8")
    stated = re.search(r"\((\d\d)-(\d\d)-(\d{4})\)", affixes)
    if stated is None:
        raise LexiconError(f"{NPM_CATALAN} does not state its date, as (DD-MM-YYYY), in its affix file")
    day, month, year = map(int, stated.groups())
    about = About(
        name=name,
        edition=NPM_CATALAN,
        licence=json.loads((package / "package.json").read_text(encoding="utf-8"))["license"].strip("()"),
        source="npm package dictionary-ca: Softcatalà, © 2002–2008 J. Moratinos, © 2013–2023 J. Ortolà",
        date=datetime.date(year, month, day),
    )
    return WordList(about, list(Affixes(affixes).words((package / "index.dic").read_text(encoding="utf-8"))))


SOURCES = {source.name: source for source in (Source("catalan", "ca-100", (_wcatalan, _dictionary_ca)),)}
"""The lexicons that ``faristol lexicon install`` knows, by name."""
