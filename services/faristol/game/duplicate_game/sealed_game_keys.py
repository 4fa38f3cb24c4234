"""The sealing and opening of games, with a key file of the cell outside the record.

The cell of a hall has no such file. Its championship gives it the key of each game whose slips it hands over, which the
cell stores in its folder (``given_keys``).
"""

from __future__ import annotations

import logging
import secrets
from functools import lru_cache
from pathlib import Path

from faristol.duplicate_game.game import Duplicate, Seal
from faristol.duplicate_game.sealed import (
    KEY_BYTES,
    NONCE_BYTES,
    EnvelopeError,
    SealedGame,
    content_of,
    document_of,
    read_document,
    seal,
    unwrap,
)
from faristol.duplicate_game.situation import OpenedSeal
from faristol.event_store.integrity.keys import KeyFileError, write_new
from faristol.host.halls.given_keys import load_keys
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events

_log = logging.getLogger(__name__)


class SealedGameKeys:
    """Seals games and opens them."""

    def __init__(self, path: Path, hall_folder: Path | None = None) -> None:
        """``path`` is the key file, which the first sealed game creates; ``hall_folder`` is that of a hall's cell."""
        self._path = path
        self._hall_folder = hall_folder
        self._opened = lru_cache(maxsize=64)(self._open)

    def seal(self, game: SealedGame) -> events.Seal:
        """Seal a game in an envelope. Raises ``Refusal`` if there is no key and none can be created."""
        key, first, second = secrets.token_bytes(KEY_BYTES), *(secrets.token_bytes(NONCE_BYTES) for _ in range(2))
        envelope = seal(document_of(game), game.game_id, key, self._wrapping(), (first, second))
        return events.Seal(envelope=envelope, commitment=game.commitment, rerun_of=game.rerun_of)

    def open(self, game: Duplicate) -> OpenedSeal | None:
        """Open the sealed game of a game. Returns None if it has none or if this process cannot open it."""
        if game.seal is None:
            return None
        return self._opened(game.game_id, game.seal.envelope.SerializeToString(deterministic=True), game.seal.key)

    def key_of(self, game_id: str, sealed: Seal) -> bytes:
        """Return the key of a sealed game; empty if this process does not have it."""
        if sealed.key:
            return sealed.key
        if self._hall_folder is not None:
            return load_keys(self._hall_folder).get(game_id, b"")
        try:
            return unwrap(sealed.envelope, game_id, self._read())
        except (EnvelopeError, KeyFileError) as error:
            _log.warning("the sealed game %s cannot be opened: %s", game_id, error)
            return b""

    def _open(self, game_id: str, envelope: bytes, key: bytes) -> OpenedSeal | None:
        sealed = Seal(events.Envelope.FromString(envelope), b"", "", key=key)
        key = self.key_of(game_id, sealed)
        return OpenedSeal(read_document(content_of(sealed.envelope, game_id, key)), key) if key else None

    def _wrapping(self) -> bytes:
        """Return the key of the cell, created if needed. Raises ``Refusal``."""
        try:
            if not self._path.exists():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_new(self._path, secrets.token_bytes(KEY_BYTES).hex().encode(), 0o600)
            return self._read()
        except (KeyFileError, OSError) as error:
            raise Refusal(
                "NO_SEALING_KEY", N_("No game can be sealed here: {problem}."), {"problem": str(error)}
            ) from error

    def _read(self) -> bytes:
        """Read the key of the cell. Raises ``KeyFileError``."""
        try:
            key = bytes.fromhex(self._path.read_text(encoding="ascii").strip())
        except (OSError, ValueError) as error:
            raise KeyFileError(f"the key of sealed games {self._path} cannot be read: {error}") from error
        if len(key) != KEY_BYTES:
            raise KeyFileError(f"{self._path} has no key: expected {2 * KEY_BYTES} hexadecimal digits")
        return key
