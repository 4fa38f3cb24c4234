"""Catalogs of translations, compiled once: a ``.po`` file takes ten times as long to read as its ``.mo`` file.

The compiled file is in ``__pycache__`` beside the catalog, as those of Python are. Its name is the digest of the
catalog, so none is out of date. Without a writable folder, each process compiles its catalogs in memory.
"""

from __future__ import annotations

import contextlib
import gettext
import hashlib
import struct
from io import BytesIO
from pathlib import Path

from faristol.files import replace_file


def read_catalog(path: Path) -> gettext.GNUTranslations:
    """Return the translations of a ``.po`` file. Raises ``OSError`` if it cannot be read."""
    source = path.read_bytes()
    folder = path.parent / "__pycache__"
    stored = folder / f"{hashlib.sha256(source).hexdigest()}.mo"
    with contextlib.suppress(OSError, ValueError, struct.error):  # it does not exist, or is damaged
        return gettext.GNUTranslations(BytesIO(stored.read_bytes()))
    compiled = _compile(source)
    with contextlib.suppress(OSError):  # the folder is not writable
        folder.mkdir(exist_ok=True)
        replace_file(stored, compiled)
        for each in folder.glob("*.mo"):
            if each != stored:
                each.unlink(missing_ok=True)
    return gettext.GNUTranslations(BytesIO(compiled))


def _compile(source: bytes) -> bytes:
    from babel.messages.mofile import write_mo  # few processes compile a catalog
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    write_mo(compiled, read_po(BytesIO(source)))
    return compiled.getvalue()
