"""The kinds of keys that seal."""

from __future__ import annotations

from pathlib import Path

from faristol.event_store.integrity.keys import SealKey, read_private
from faristol.event_store.integrity.token_key import SCHEME, TokenKey


def open_key(where: str) -> SealKey:
    """Open the key in a file, or in a token if ``where`` is a ``pkcs11:`` URI. Raises ``KeyFileError``."""
    return TokenKey(where) if where.startswith(SCHEME) else read_private(Path(where))
