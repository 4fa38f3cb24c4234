"""Word lists, fetched as packages when a lexicon is installed. None is part of this project.

The lists are made for spelling, under copyleft licences. ``faristol.words.build`` builds a federation's own lexicon
from any list of words.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.words.error import LexiconError
from faristol.words.header import About
from faristol.words.hunspell import expand

COMMAND_TIMEOUT_SECONDS = 300
"""Timeout of one command in seconds; downloads are a few megabytes."""


def run(command: Sequence[str], folder: Path) -> str:
    """Run ``command`` in ``folder`` and return its standard output.

    Raises ``LexiconError`` with the last line of the command's output if it is missing, fails or takes over 300 s.
    """
    name = command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the callers pass constants and their own paths
            command, cwd=folder, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False
        )
    except FileNotFoundError:
        raise LexiconError(f"this machine has no {name}") from None
    except subprocess.TimeoutExpired:
        raise LexiconError(f"{name} did not end within {COMMAND_TIMEOUT_SECONDS} s") from None
    if done.returncode:
        complaint = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise LexiconError(f"{name} failed: {complaint}")
    return done.stdout


def download(package: str, folder: Path) -> Path:
    """Download ``package`` into ``folder`` and unpack it; return the folder of its files.

    The machine's package lists are used if they are complete. If they are missing or out of date, lists are fetched
    into ``folder``: the machine is not changed. Raises ``LexiconError`` without ``apt-get``, or if the package is
    unavailable.
    """
    unpacked = folder / "unpacked"
    run(["dpkg-deb", "-x", str(_archive(package, folder)), str(unpacked)], folder)
    return unpacked


def _archive(package: str, folder: Path) -> Path:
    try:
        run(["apt-get", "--quiet", "download", package], folder)
    except LexiconError:
        _download_with_own_lists(package, folder)
    archive = next(folder.glob(f"{package}_*.deb"), None)
    if archive is None:
        raise LexiconError(f"apt-get did not download {package}")
    return archive


def _download_with_own_lists(package: str, folder: Path) -> None:
    state, cache = folder / "state", folder / "cache"
    for needed in (state / "lists" / "partial", cache / "archives" / "partial"):
        needed.mkdir(parents=True)
    own = ["-o", f"Dir::State={state}", "-o", f"Dir::Cache={cache}", "-o", "Debug::NoLocking=1"]
    try:
        run(["apt-get", "--quiet", *own, "update"], folder)
        trouble = None
    except LexiconError as error:
        # One unavailable archive of several fails the whole update; the package may be in another one.
        trouble = error
    try:
        run(["apt-get", "--quiet", *own, "download", package], folder)
    except LexiconError as error:
        raise trouble or error from None


def read_version(package: str, folder: Path) -> str:
    """Return the version of the ``package`` that ``download`` put into ``folder``."""
    return run(["dpkg-deb", "--field", str(_archive_in(package, folder)), "Version"], folder).strip()


def _archive_in(package: str, folder: Path) -> Path:
    return next(folder.glob(f"{package}_*.deb"))


def read_date(file: Path) -> datetime.date:
    """Return the date of ``file`` in its package, which unpacking preserves."""
    return datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date()


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
        base = download(package, folder) / "usr/share/hunspell" / dictionary
        entries = base.with_suffix(".dic")
        lines = list(expand(base.with_suffix(".aff"), entries))
        edition = f"{package} {read_version(package, folder)}"
        return WordList(About(name, edition, licence, f"Debian package {package}: {by}", read_date(entries)), lines)

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
        file = download(package, folder) / path
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise LexiconError(f"package {package} has no {path}") from error
        edition = f"{package} {read_version(package, folder)}"
        return WordList(About(name, edition, licence, f"Debian package {package}: {by}", read_date(file)), lines)

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
