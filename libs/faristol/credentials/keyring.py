"""The keys of a cell in a folder: private ones that sign, public ones that verify, and the secret of links and PINs.

A key is a pair of files, `<name>.pem` and `<name>.pem.pub`, named after when it was made: the last private one signs,
every public one verifies. A new key is put beside the old ones, which go when no token is left that they signed. A
process that only verifies needs the public files alone.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from faristol.record import keys
from faristol.record.errors import RecordError

SECRET = "secret"  # noqa: S105 # the name of a file
"""File of 32 random bytes in hexadecimal, from which codes and PINs are made."""

RECORD = "record"
"""File with the id of the record that the keys are for: tokens made here are for that cell alone."""

READ_AGAIN = 1.0
"""Seconds after which a process looks whether there are other keys."""


_SECRET = re.compile(rb"[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class KeyringError(RecordError):
    """The folder does not hold what it should; the message says what to do."""


def prepare(folder: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> bool:
    """Make the folder with a first key and the secret, for their owner alone, where they are missing.

    Gives whether something was made. Raises ``KeyringError`` or ``KeyFileError`` where that cannot be.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise KeyringError(f"the folder of keys {folder} cannot be made: {problem.strerror}") from problem
    made = False
    if not _private(folder):
        rotate(folder, now)
        made = True
    if not (folder / SECRET).exists():
        keys.write_new(folder / SECRET, secrets.token_hex(32).encode(), 0o600)
        made = True
    return made


def name_record(folder: Path, record_id: str) -> None:
    """Note which record the keys are for, for commands at the console that do not open it."""
    path = folder / RECORD
    if not path.exists() or path.read_text(encoding="utf-8") != record_id:
        path.write_text(record_id, encoding="utf-8")


def rotate(folder: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Path:
    """Put a new key beside the others: it signs from now on. Gives its file. Raises ``KeyFileError``."""
    path = folder / f"{now():%Y%m%dT%H%M%S.%f}Z.pem"
    keys.make(path)
    return path


def retire(folder: Path, key: str) -> list[Path]:
    """Remove a key by its id: no token that it signed is taken any more. Gives the files removed.

    Raises ``KeyringError`` for the key that signs, and for one that there is not.
    """
    private = _private(folder)
    found = [path for path in _public(folder) if keys.key_id(_read(path)) == key]
    if not found:
        raise KeyringError(f"there is no key {key} in {folder}: `faristol access keys list` shows those that there are")
    own = found[0].with_suffix("")
    if private and own == private[-1]:
        raise KeyringError(f"{key} is the key that signs: make another with `faristol access keys rotate` first")
    files = [path for path in (own, found[0]) if path.exists()]
    for path in files:
        path.unlink()
    return files


def listed(folder: Path) -> list[tuple[str, str, bool]]:
    """Each key: its id, the name of its public file, and whether it signs; the oldest first."""
    private = _private(folder)
    signs = private[-1].name if private else ""
    return [(keys.key_id(_read(path)), path.name, path.stem == signs) for path in _public(folder)]


def _private(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pem"))


def _public(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pem.pub"))


def _read(path: Path) -> Ed25519PublicKey:
    (key,) = keys.read_public([path]).values()
    return key


class Keyring:
    """The keys of a folder, read again when it changes."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises ``KeyringError`` for a folder without a public key, ``KeyFileError`` for a file that holds none."""
        self._folder = folder
        self._clock = clock
        self._read_at = clock()
        self._stamp = self._files()
        self._keys = keys.read_public(_public(folder))
        if not self._keys:
            raise KeyringError(
                f"there is no public key in {folder}: `faristol access keys rotate` makes a key, "
                "and a service that only verifies needs its .pub file there"
            )

    def public(self, key: str) -> Ed25519PublicKey | None:
        """The public key of an id; None where the folder has none, or no longer."""
        if self._clock() - self._read_at > READ_AGAIN:
            self._read_at = self._clock()
            self._read_again()
        return self._keys.get(key)

    def _read_again(self) -> None:
        try:
            stamp = self._files()
            if stamp != self._stamp:
                self._keys = keys.read_public(_public(self._folder))
                self._stamp = stamp
        except (OSError, keys.KeyFileError) as problem:  # somebody is at the folder: what is known stays good
            _log.warning("the keys in %s cannot be read again: %s", self._folder, problem)

    def signer(self) -> Ed25519PrivateKey:
        """The key that signs. Raises ``KeyringError`` where the folder has no private key."""
        private = _private(self._folder)
        if not private:
            raise KeyringError(f"there is no private key in {self._folder}, which signing in needs")
        return keys.read_private(private[-1])

    def digest(self, purpose: str, text: str) -> bytes:
        """32 bytes that nobody makes without the secret. Raises ``KeyringError`` where the folder has none."""
        try:
            secret = (self._folder / SECRET).read_bytes()
        except OSError as problem:
            raise KeyringError(f"the secret {self._folder / SECRET} cannot be read: {problem.strerror}") from problem
        if not _SECRET.fullmatch(secret):
            raise KeyringError(f"the secret {self._folder / SECRET} is damaged: expected 64 hexadecimal digits")
        return hmac.new(secret, f"{purpose}\0{text}".encode(), hashlib.sha256).digest()

    def _files(self) -> tuple[tuple[str, int], ...]:
        return tuple((path.name, path.stat().st_mtime_ns) for path in _public(self._folder))
