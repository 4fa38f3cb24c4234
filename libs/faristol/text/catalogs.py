"""Catalogs of translations, compiled once: a ``.po`` file takes ten times as long to read as its compiled form.

The compiled catalog is in ``__pycache__`` beside its source, as the code of Python is. Its name is a digest of the
source and of all else that it depends on, so none is out of date. It begins with a digest of its content, so none is
damaged. Without a writable folder, each process compiles its catalogs in memory.
"""

from __future__ import annotations

import contextlib
import gettext
import hashlib
import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import babel

from faristol.files import replace_file

_STAMP = babel.__version__.encode() + Path(__file__).read_bytes()


def read_catalog(path: Path) -> gettext.GNUTranslations:
    """Return the translations of a ``.po`` file. Raises ``OSError`` if it cannot be read."""
    source = path.read_bytes()
    stored = path.parent / "__pycache__" / f"catalog-{hashlib.sha256(source + _STAMP).hexdigest()[:16]}.cache"
    compiled = _read_stored(stored)
    if compiled is None:
        compiled = _compile(source)
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):  # the folder is not writable
                _store(stored, compiled)
    return gettext.GNUTranslations(BytesIO(compiled))


def _read_stored(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    compiled = content[hashlib.sha256().digest_size :]
    return compiled if content.startswith(hashlib.sha256(compiled).digest()) else None


def _store(path: Path, compiled: bytes) -> None:
    """Store a compiled catalog, and remove those of earlier sources and unfinished ones."""
    path.parent.mkdir(exist_ok=True)
    replace_file(path, hashlib.sha256(compiled).digest() + compiled)
    for pattern in ("catalog-*.cache", ".catalog-*.part"):
        for each in path.parent.glob(pattern):
            if each != path:
                each.unlink(missing_ok=True)


def _compile(source: bytes) -> bytes:
    from babel.messages.mofile import write_mo  # few processes compile a catalog
    from babel.messages.pofile import read_po

    catalog = read_po(BytesIO(source))
    catalog.creation_date = datetime.fromtimestamp(0, UTC)  # the default is the present: two builds would differ
    compiled = BytesIO()
    write_mo(compiled, catalog)
    return compiled.getvalue()
