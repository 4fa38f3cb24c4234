"""The identity of a cell towards push services (VAPID, RFC 8292): its keys, and the header of a request.

The folder of keys has files named after their creation times. The newest one is the key of new subscriptions. A browser
binds its subscription to a key, so older keys sign for the subscriptions that were made with them: to rotate, add a key
and keep the older ones; to withdraw a key, remove its file, and the subscriptions of that key are deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from joserfc import jwt
from joserfc.jwk import ECKey

from faristol.event_store.integrity.keys import KeyFileError, write_new
from faristol.web_push.encryption import to_base64

KEY_NAME_FORMAT = "%Y%m%dT%H%M%S.%fZ.pem"
"""Format of the file name of a key: its creation time."""

TOKEN_HOURS = 12
"""Lifetime of a token; RFC 8292 allows a day."""


class NoPushKeys(KeyFileError):
    """The folder has no key, and none can be created in it."""


class PushKeys:
    """The keys of a folder, by their public keys in base64url."""

    def __init__(self, keys: Mapping[str, ec.EllipticCurvePrivateKey], newest: str) -> None:
        self._keys = keys
        self.newest = newest
        """The public key of new subscriptions."""

    def __contains__(self, public: str) -> bool:
        return public in self._keys

    def header(self, public: str, origin: str, now: datetime, contact: str = "") -> str:
        """Return the value of ``Authorization`` for a push service with an origin, such as ``https://push.example``.

        ``contact`` is a ``mailto:`` or ``https:`` address for the operator of the service. Raises ``KeyError`` for an
        unknown key.
        """
        expires = int(now.timestamp()) + TOKEN_HOURS * 3_600
        claims = {"aud": origin, "exp": expires, **({"sub": contact} if contact else {})}
        key = ECKey.import_key(self._keys[public].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        token = jwt.encode({"typ": "JWT", "alg": "ES256"}, claims, key, algorithms=["ES256"])
        return f"vapid t={token}, k={public}"


def load_keys(folder: Path, now: datetime) -> PushKeys:
    """Read the keys of a folder, after creating the first one if it has none.

    Raises ``NoPushKeys`` if it has none and cannot be written, ``KeyFileError`` for a file that is not such a key.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        files = sorted(path for path in folder.iterdir() if path.suffix == ".pem")
    except OSError as error:
        raise NoPushKeys(f"the folder of push keys {folder} cannot be used: {error.strerror}") from error
    if not files:
        try:
            files = [add_key(folder, now)]
        except KeyFileError as error:
            raise NoPushKeys(str(error)) from error
    keys = {public_of(key): key for key in map(_read, files)}
    return PushKeys(keys, list(keys)[-1])


def add_key(folder: Path, now: datetime) -> Path:
    """Create a key in a folder, readable only by its owner. Raises ``KeyFileError``."""
    path = folder / now.strftime(KEY_NAME_FORMAT)
    key = ec.generate_private_key(ec.SECP256R1())
    write_new(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
    return path


def public_of(key: ec.EllipticCurvePrivateKey) -> str:
    """Return the public key as browsers expect it: an uncompressed point in base64url."""
    return to_base64(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def _read(path: Path) -> ec.EllipticCurvePrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise KeyFileError(f"the push key {path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise KeyFileError(f"{path} is not a private key in PEM without a password") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise KeyFileError(f"{path} is not a key of the curve P-256, which push services require")
    return key
