"""Ed25519 keys: the private key seals, the public key verifies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from faristol.event_store.errors import RecordError
from faristol.files import OWNER_ONLY_BITS, READABLE_BITS, create_file

Keys = Mapping[str, Ed25519PublicKey]
"""Public keys by their ids."""


class SealKey(Protocol):
    """A key that signs seals: in a file, or in another process or device (``token_key``)."""

    def public_key(self) -> Ed25519PublicKey:
        """Return the public key. May block, and raise ``KeyUnavailable``."""

    def sign(self, data: bytes, /) -> bytes:
        """Return an Ed25519 signature, 64 bytes. May block, and raise ``KeyUnavailable``."""


class KeyUnavailable(RecordError):
    """The owner of a key cannot sign at present; the message states the reason and has no secret."""


class KeyFileError(RecordError):
    """A file does not have the expected key; the message states the file and the reason."""


def key_id(key: Ed25519PublicKey) -> str:
    """Return the id of a key in seals: the first 16 hexadecimal digits of SHA-256 over its 32 bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def public_pem(key: Ed25519PublicKey) -> str:
    """Return a public key in PEM."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def public_path(path: Path) -> Path:
    """Return the path of the public key of a private key."""
    return path.with_name(path.name + ".pub")


def make(path: Path) -> Ed25519PrivateKey:
    """Create a key: the private one at ``path``, readable only by its owner, the public one beside it.

    Raises ``KeyFileError`` if either file exists or cannot be written; then neither is created.
    """
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = public_pem(key.public_key()).encode()
    written: list[Path] = []
    try:
        for where, content, mode in ((public_path(path), public, READABLE_BITS), (path, private, OWNER_ONLY_BITS)):
            write_new(where, content, mode)
            written.append(where)
    except KeyFileError:
        for where in written:
            where.unlink()
        raise
    return key


def write_new(path: Path, content: bytes, mode: int) -> None:
    """Create a file, synced to the disk. Raises ``KeyFileError`` if it exists, without changing it."""
    try:
        create_file(path, content, mode)
    except FileExistsError:
        raise KeyFileError(f"there is a file at {path} already: a key never replaces an existing file") from None
    except OSError as error:
        raise KeyFileError(f"a key cannot be written to {path}: {error.strerror}") from error


def read_private(path: Path) -> Ed25519PrivateKey:
    """Read the key that seals. Raises ``KeyFileError``."""
    try:
        found = load_pem_private_key(_content(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, Ed25519PrivateKey):
        raise KeyFileError(f"{path} has no private Ed25519 key: `faristol record key FILE` makes one")
    return found


def read_public(paths: Iterable[Path]) -> Keys:
    """Read the keys that verify. Raises ``KeyFileError``."""
    return by_id(map(_read_public, paths))


def by_id(keys: Iterable[Ed25519PublicKey]) -> Keys:
    """Return keys by their ids in seals."""
    return {key_id(key): key for key in keys}


def _read_public(path: Path) -> Ed25519PublicKey:
    try:
        found = load_pem_public_key(_content(path))
    except (ValueError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, Ed25519PublicKey):
        raise KeyFileError(f"{path} has no public Ed25519 key: the one beside the private key ends in .pub")
    return found


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise KeyFileError(f"the key {path} cannot be read: {error.strerror}") from error
