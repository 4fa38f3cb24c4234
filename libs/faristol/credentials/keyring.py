"""The keys of a cell in a folder: private ones that sign, public ones that verify, and the secret of links and PINs.

A key is a pair of files, `<name>.pem` and `<name>.pem.pub`, named after when it was made: the last private one signs,
once every process has had time to read the public one; every public one verifies. A new key is put beside the old ones,
which go when no token is left that they signed. A process that only verifies needs the public files alone.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from faristol.record import keys
from faristol.record.errors import RecordError
from faristol.record.event import utc_now

SECRET = "secret"  # noqa: S105 # the name of a file
"""File of 32 random bytes in hexadecimal, from which codes and PINs are made."""

RECORD = "record"
"""File with the id of the record that the keys are for: tokens made here are for that cell alone."""

MADE_AT = "%Y%m%dT%H%M%S.%fZ.pem"
"""The name of a private key, after when it was made."""

SETTLES = timedelta(minutes=2)
"""After it was made a key signs, if there was another before: what it signs at once nobody could check."""

_SECRET = re.compile(rb"[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class KeyringError(RecordError):
    """The folder does not hold what it should; the message says what to do."""


def prepare(folder: Path, now: Callable[[], datetime] = utc_now) -> bool:
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


def name_record(path: Path, record_id: str) -> None:
    """Note in a file which record the keys are for, for commands at the console that do not open it."""
    if not path.exists() or path.read_text(encoding="utf-8") != record_id:
        path.write_text(record_id, encoding="utf-8")


def rotate(folder: Path, now: Callable[[], datetime] = utc_now) -> Path:
    """Put a new key beside the others: it signs from now on. Gives its file. Raises ``KeyFileError``."""
    path = folder / now().strftime(MADE_AT)
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


def listed(folder: Path, now: Callable[[], datetime] = utc_now) -> list[tuple[str, str, bool]]:
    """Each key: its id, the name of its public file, and whether it signs; the oldest first."""
    signing = _signing(folder, now())
    signs = signing.name if signing else ""
    return [(keys.key_id(_read(path)), path.name, path.stem == signs) for path in _public(folder)]


def _private(folder: Path) -> list[Path]:
    return _found(folder, ".pem")


def _found(folder: Path, suffix: str) -> list[Path]:
    """The files of a folder, if it is there. Raises ``KeyringError`` where nobody may look into it."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(suffix))
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise KeyringError(f"the folder of keys {folder} cannot be read: {problem.strerror}") from problem


def _signing(folder: Path, now: datetime) -> Path | None:
    """The last private key that is old enough to sign, or the oldest where none is."""
    private = _private(folder)
    return next((path for path in reversed(private) if _made_at(path) <= now - SETTLES), next(iter(private), None))


def _made_at(path: Path) -> datetime:
    """When a key was made, by its name; long ago for one of another name."""
    try:
        return datetime.strptime(path.name, MADE_AT).replace(tzinfo=UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)


def _public(folder: Path) -> list[Path]:
    return _found(folder, ".pem.pub")


def _read(path: Path) -> Ed25519PublicKey:
    (key,) = keys.read_public([path]).values()
    return key


class Keyring:
    """The keys of a folder."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = utc_now) -> None:
        """Raises ``KeyringError`` for a folder without a public key, ``KeyFileError`` for a file that holds none."""
        self._folder = folder
        self._now = now
        self._stamp = self._files()
        self._keys = keys.read_public(_public(folder))
        if not self._keys:
            raise KeyringError(
                f"there is no public key in {folder}: `faristol access keys rotate` makes a key, "
                "and a service that only verifies needs its .pub file there"
            )

    def public(self, key: str) -> Ed25519PublicKey | None:
        """The public key of an id; None where the folder had none when it was read last."""
        return self._keys.get(key)

    def read_again(self) -> None:
        """Read the public keys again if there are others: to be called now and then, off the event loop."""
        try:
            stamp = self._files()
            if stamp != self._stamp:
                self._keys = keys.read_public(_public(self._folder))
                self._stamp = stamp
        except (OSError, RecordError) as problem:  # somebody is at the folder: what is known stays good
            _log.warning("the keys in %s cannot be read again: %s", self._folder, problem)

    def signer(self) -> Ed25519PrivateKey:
        """The key that signs. Raises ``KeyringError`` where the folder has no private key."""
        signing = _signing(self._folder, self._now())
        if signing is None:
            raise KeyringError(f"there is no private key in {self._folder}, which signing in needs")
        return keys.read_private(signing)

    def digest(self, purpose: str, text: str) -> bytes:
        """32 bytes that nobody makes without the secret. Raises ``KeyringError`` where the folder has none."""
        return hmac.new(self._secret, f"{purpose}\0{text}".encode(), hashlib.sha256).digest()

    @cached_property
    def _secret(self) -> bytes:
        try:
            secret = (self._folder / SECRET).read_bytes()
        except OSError as problem:
            raise KeyringError(f"the secret {self._folder / SECRET} cannot be read: {problem.strerror}") from problem
        if not _SECRET.fullmatch(secret):
            raise KeyringError(f"the secret {self._folder / SECRET} is damaged: expected 64 hexadecimal digits")
        return secret

    def _files(self) -> tuple[tuple[str, int], ...]:
        return tuple((path.name, path.stat().st_mtime_ns) for path in _public(self._folder))
