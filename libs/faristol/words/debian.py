"""Word lists from packages of a Debian archive, without installing them and without root."""

from __future__ import annotations

import datetime
from pathlib import Path

from faristol.words.commands import run
from faristol.words.error import LexiconError


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


def version(package: str, folder: Path) -> str:
    """Return the version of the ``package`` that ``download`` put into ``folder``."""
    return run(["dpkg-deb", "--field", str(_archive_in(package, folder)), "Version"], folder).strip()


def _archive_in(package: str, folder: Path) -> Path:
    return next(folder.glob(f"{package}_*.deb"))


def date(file: Path) -> datetime.date:
    """Return the date of ``file`` in its package, which unpacking preserves."""
    return datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date()
