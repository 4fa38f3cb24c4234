"""The kinds of keys to seal with."""

from __future__ import annotations

from pathlib import Path

from faristol.record.keys import SealKey, read_private
from faristol.record.token_key import SCHEME, TokenKey


def open_key(where: str) -> SealKey:
    """The key in a file, or in a token when ``where`` is a ``pkcs11:`` address. Raises ``KeyFileError``."""
    return TokenKey(where) if where.startswith(SCHEME) else read_private(Path(where))
