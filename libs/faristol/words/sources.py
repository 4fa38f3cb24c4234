"""Word lists, fetched as packages when a lexicon is installed. None is part of this project.

The lists are made for spelling, under copyleft licences. ``faristol.words.build`` builds a federation's own lexicon
from any list of words.
"""

from __future__ import annotations

import datetime
import json
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.words import debian
from faristol.words.commands import run
from faristol.words.error import LexiconError
from faristol.words.header import About
from faristol.words.hunspell import expand


@dataclass(frozen=True, slots=True)
class WordList:
    """A fetched list: one word to a line, including names and symbols."""

    about: About
    lines: Sequence[str]


Origin = Callable[[str, Path], WordList]
"""Fetches a list; called with the name of the lexicon and an empty working folder."""


@dataclass(frozen=True, slots=True)
class Source:
    """A lexicon that can be installed by name."""

    name: str
    tile_set: str
    origins: Sequence[Origin]
    """Origins of the list, the best first."""

    def fetch(self) -> WordList:
        """Fetch the list from the first available origin. Raises ``LexiconError`` if all fail."""
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


def _debian_hunspell(package: str, dictionary: str, licence: str, by: str) -> Origin:
    """Return the origin of a hunspell dictionary in a Debian package."""

    def fetch(name: str, folder: Path) -> WordList:
        base = debian.download(package, folder) / "usr/share/hunspell" / dictionary
        entries = base.with_suffix(".dic")
        lines = list(expand(base.with_suffix(".aff"), entries))
        edition = f"{package} {debian.version(package, folder)}"
        return WordList(About(name, edition, licence, f"Debian package {package}: {by}", debian.date(entries)), lines)

    return fetch


def _npm_hunspell(package: str, date: str, by: str) -> Origin:
    """Return the origin of a hunspell dictionary in an npm package, without apt; ``date`` is of its words."""

    def fetch(name: str, folder: Path) -> WordList:
        packed = run(["npm", "pack", "--silent", package], folder).split()[-1]
        with tarfile.open(folder / packed) as archive:
            archive.extractall(folder, filter="data")
        unpacked = folder / "package"
        licence = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))["license"].strip("()")
        about = About(name, package, licence, f"npm package {package}: {by}", datetime.date.fromisoformat(date))
        return WordList(about, list(expand(unpacked / "index.aff", unpacked / "index.dic")))

    return fetch


def _debian_list(package: str, path: str, licence: str, by: str) -> Origin:
    """Return the origin of a list with all forms in a Debian package."""

    def fetch(name: str, folder: Path) -> WordList:
        file = debian.download(package, folder) / path
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise LexiconError(f"package {package} has no {path}") from error
        edition = f"{package} {debian.version(package, folder)}"
        return WordList(About(name, edition, licence, f"Debian package {package}: {by}", debian.date(file)), lines)

    return fetch


_SOFTCATALA = "Softcatalà, © 2002–2008 J. Moratinos, © 2013–2023 J. Ortolà"
_RLA_ES = "S. Bosio and RLA-ES"
_STAVROPOULOS = "S. Stavropoulos"
_SCOWL = "SCOWL, © 2000–2020 K. Atkinson"

SOURCES = {
    source.name: source
    for source in (
        Source(
            "catalan",
            "ca-100",
            (
                _debian_hunspell("hunspell-ca", "ca", "GPL-2.0-or-later OR LGPL-2.1-or-later", _SOFTCATALA),
                _npm_hunspell("dictionary-ca@3.0.0", "2023-08-06", _SOFTCATALA),
            ),
        ),
        Source(
            "spanish",
            "es-100",
            (
                _debian_hunspell("hunspell-es", "es_ES", "GPL-3.0-or-later OR LGPL-3.0-or-later OR MPL-1.1", _RLA_ES),
                _npm_hunspell("dictionary-es@4.0.0", "2025-10-01", _RLA_ES),
            ),
        ),
        Source(
            "greek",
            "el-104",
            (
                _debian_hunspell(
                    "hunspell-el", "el_GR", "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later", _STAVROPOULOS
                ),
                _npm_hunspell("dictionary-el@4.0.0", "2025-10-02", _STAVROPOULOS),
            ),
        ),
        Source(
            "english",
            "en-100",
            (
                _debian_list("wamerican-huge", "usr/share/dict/american-english-huge", "LicenseRef-SCOWL", _SCOWL),
                _npm_hunspell("dictionary-en@4.0.0", "2020-12-07", _SCOWL),
            ),
        ),
    )
}
"""The lexicons of ``faristol lexicon install``, by name."""
