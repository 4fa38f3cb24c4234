"""Word lists from packages of a Debian archive, without installing them and without root."""

from __future__ import annotations

import datetime
from pathlib import Path

from faristol.words.commands import run
from faristol.words.error import LexiconError


def download(package: str, folder: Path) -> Path:
    """Fetch ``package`` into ``folder`` and unpack it there; the folder that holds its files.

    The machine's package lists are used when it has them. When they are missing or out of date, lists of
    our own are fetched into ``folder``, so nothing of the machine changes. Raises ``LexiconError`` when there
    is no ``apt-get`` or the package cannot be had.
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
        raise LexiconError(f"apt-get downloaded no {package}")
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
        # One archive of several that does not answer fails the whole update; ours may have answered.
        trouble = error
    try:
        run(["apt-get", "--quiet", *own, "download", package], folder)
    except LexiconError as error:
        raise trouble or error from None


def version(package: str, folder: Path) -> str:
    """The version of the ``package`` that ``download`` put into ``folder``."""
    return run(["dpkg-deb", "--field", str(_archive_in(package, folder)), "Version"], folder).strip()


def _archive_in(package: str, folder: Path) -> Path:
    return next(folder.glob(f"{package}_*.deb"))


def date(file: Path) -> datetime.date:
    """The date that the package gives ``file``, which unpacking keeps."""
    return datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date()
