"""The identity of a hall's cell: its key, and what it received when it joined, in files of its data folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.event_store.errors import RecordError
from faristol.event_store.integrity.keys import make, read_private
from faristol.files import OWNER_ONLY_BITS, replace_file
from faristol.host import duplicate_store, table_store

KEY, JOINED, TOKEN = "key", "joined.json", "token"
"""Files in the folder of a hall's cell."""

CASE = "case-"
"""Prefix of the names of streams of cases."""

TABLE_STREAM_PREFIXES = (table_store.GAME, table_store.CLOCK, CASE, duplicate_store.SLIPS)
"""Prefixes of the names of streams of a table, and of the slips of a hall in a duplicate game."""

WRITTEN_STREAM_KINDS = frozenset({"access", "case", "clock", "game", "hall", "slips"})
"""Kinds of streams that a hall's cell writes. It copies all others from the championship."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer of the championship when the hall's cell joined."""

    of: str
    """Address of the championship."""
    tournament_id: str
    hall: str
    pages_address: str = ""
    """Address of the pages of the championship; empty if unknown."""


def load_key(folder: Path) -> Ed25519PrivateKey:
    """Return the key of a hall's cell, which is made at the first call. Raises ``RecordError``."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise RecordError(f"the folder {folder} cannot be made: {error.strerror}") from error
    path = folder / KEY
    return read_private(path) if path.exists() else make(path)


def load_joined(folder: Path) -> Joined | None:
    """Return what the cell received when it joined; None before. Raises ``RecordError`` for a damaged file."""
    path = folder / JOINED
    try:
        return Joined(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error


def store_joined(folder: Path, joined: Joined) -> None:
    """Store what the cell received when it joined. Raises ``OSError``."""
    replace_file(folder / JOINED, json.dumps(asdict(joined), ensure_ascii=False, indent=1).encode(), OWNER_ONLY_BITS)


def load_token(folder: Path) -> str:
    """Return the token with which the cell joined; empty before."""
    try:
        return (folder / TOKEN).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def store_token(folder: Path, token: str) -> None:
    """Store the token with which the cell joined, readable by its owner only. Raises ``OSError``."""
    replace_file(folder / TOKEN, token.encode(), OWNER_ONLY_BITS)
