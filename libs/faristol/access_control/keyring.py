"""The keys of a cell in a folder: private keys that sign, public keys that verify, and the secret of links and PINs.

A key is a pair of files, `<name>.pem` and `<name>.pem.pub`, named after its creation time. The newest private key signs
once every process has had time to read its public key; every public key verifies. A new key is added beside the old
ones, which are removed when no token signed by them remains. A process that only verifies needs only public files.
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

from faristol.event_store.errors import RecordError
from faristol.event_store.event import utc_now
from faristol.event_store.integrity import keys
from faristol.files import replace_file

SECRET = "secret"  # noqa: S105 # a file name
"""Name of the file with 32 random bytes in hexadecimal, the secret of codes and PINs."""

RECORD = "record"
"""Name of the file with the id of the record: tokens signed here are valid only for that cell."""

MADE_AT = "%Y%m%dT%H%M%S.%fZ.pem"
"""Format of the file name of a private key: its creation time."""

MIN_SIGNING_KEY_AGE = timedelta(minutes=2)
"""Age from which a key signs if an older key exists. Other processes may not have read a younger one yet."""

_SECRET = re.compile(rb"[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class KeyringError(RecordError):
    """The folder does not have the expected content; the message states the remedy."""


def prepare(folder: Path, now: Callable[[], datetime] = utc_now) -> bool:
    """Create the folder, a first key and the secret, readable by their owner only, if they are missing.

    Return whether a key or the secret was created. Raises ``KeyringError`` or ``KeyFileError`` on failure.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise KeyringError(f"the folder of keys {folder} cannot be created: {error.strerror}") from error
    made = False
    if not _private(folder):
        rotate(folder, now)
        made = True
    if not (folder / SECRET).exists():
        keys.write_new(folder / SECRET, secrets.token_hex(32).encode(), 0o600)
        made = True
    return made


def name_record(path: Path, record_id: str) -> None:
    """Write the id of the record to a file, for commands at the console that do not open the record.

    It is synced to the disk: an empty file would be that of another record after a loss of power.
    """
    if not path.exists() or path.read_text(encoding="utf-8") != record_id:
        replace_file(path, record_id.encode())


def rotate(folder: Path, now: Callable[[], datetime] = utc_now) -> Path:
    """Create a key, which signs after ``MIN_SIGNING_KEY_AGE``, and return its private file. Raises ``KeyFileError``."""
    path = folder / now().strftime(MADE_AT)
    keys.make(path)
    return path


def retire(folder: Path, key: str) -> list[Path]:
    """Remove a key by its id and return the files removed; tokens signed by it become invalid.

    Raises ``KeyringError`` for the newest private key and for an unknown id.
    """
    private = _private(folder)
    found = [path for path in _public(folder) if keys.key_id(_read(path)) == key]
    if not found:
        raise KeyringError(f"there is no key {key} in {folder}: `faristol access keys list` lists the keys")
    own = found[0].with_suffix("")
    if private and own == private[-1]:
        raise KeyringError(f"{key} is the signing key: first create another with `faristol access keys rotate`")
    files = [path for path in (own, found[0]) if path.exists()]
    for path in files:
        path.unlink()
    return files


def list_keys(folder: Path, now: Callable[[], datetime] = utc_now) -> list[tuple[str, str, bool]]:
    """List the keys, the oldest first: id, name of the public file, and whether the key signs."""
    signing = _signing(folder, now())
    signs = signing.name if signing else ""
    return [(keys.key_id(_read(path)), path.name, path.stem == signs) for path in _public(folder)]


def _private(folder: Path) -> list[Path]:
    return _list_files(folder, ".pem")


def _list_files(folder: Path, suffix: str) -> list[Path]:
    """List the files of a folder; empty if it does not exist. Raises ``KeyringError`` if it is not readable."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(suffix))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KeyringError(f"the folder of keys {folder} cannot be read: {error.strerror}") from error


def _signing(folder: Path, now: datetime) -> Path | None:
    """Return the newest private key that is old enough to sign, or the oldest key if none is."""
    private = _private(folder)
    return next(
        (path for path in reversed(private) if _made_at(path) <= now - MIN_SIGNING_KEY_AGE), next(iter(private), None)
    )


def _made_at(path: Path) -> datetime:
    """Parse the creation time from the name of a key; return the minimum for another name."""
    try:
        return datetime.strptime(path.name, MADE_AT).replace(tzinfo=UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)


def _public(folder: Path) -> list[Path]:
    return _list_files(folder, ".pem.pub")


def _read(path: Path) -> Ed25519PublicKey:
    (key,) = keys.read_public([path]).values()
    return key


class Keyring:
    """The keys of a folder, cached."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = utc_now) -> None:
        """Raises ``KeyringError`` for a folder without a public key, ``KeyFileError`` for a malformed key file."""
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
        """Return the public key with an id; None if the folder had none at the last read."""
        return self._keys.get(key)

    def read_again(self) -> None:
        """Reload the public keys if the files have changed. Call it periodically, off the event loop."""
        try:
            stamp = self._files()
            if stamp != self._stamp:
                self._keys = keys.read_public(_public(self._folder))
                self._stamp = stamp
        except (OSError, RecordError) as error:  # the folder may be in the middle of a change: use the cached keys
            _log.warning("the keys in %s cannot be reloaded: %s", self._folder, error)

    def signer(self) -> Ed25519PrivateKey:
        """Return the key that signs. Raises ``KeyringError`` if the folder has no private key."""
        signing = _signing(self._folder, self._now())
        if signing is None:
            raise KeyringError(f"there is no private key in {self._folder}, which sign-in requires")
        return keys.read_private(signing)

    def digest(self, purpose: str, text: str) -> bytes:
        """Compute a keyed digest of 32 bytes (HMAC-SHA256). Raises ``KeyringError`` if the folder has no secret."""
        return hmac.new(self._secret, f"{purpose}\0{text}".encode(), hashlib.sha256).digest()

    @cached_property
    def _secret(self) -> bytes:
        try:
            secret = (self._folder / SECRET).read_bytes()
        except OSError as error:
            raise KeyringError(f"the secret {self._folder / SECRET} cannot be read: {error.strerror}") from error
        if not _SECRET.fullmatch(secret):
            raise KeyringError(f"the secret {self._folder / SECRET} is damaged: expected 64 hexadecimal digits")
        return secret

    def _files(self) -> tuple[tuple[str, int], ...]:
        return tuple((path.name, path.stat().st_mtime_ns) for path in _public(self._folder))
