"""The credentials file of a process for NATS, read again for each connection."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.bus.errors import BusError

_JWT = re.compile(r"-----BEGIN NATS USER JWT-----\s+(\S+)\s")
_SEED = re.compile(r"-----BEGIN USER NKEY SEED-----\s+(SU[A-Z2-7]{56})\s")
_KEY = slice(2, 34)
"""Place of the 32 bytes of the key in a seed."""

_log = logging.getLogger(__name__)


class Credentials:
    """A file with ``USER:PASSWORD`` in its first line, or one with a signed user and its seed (``.creds``)."""

    def __init__(self, path: Path) -> None:
        """Raises ``BusError`` if the file is unreadable or malformed."""
        self._path = path
        self.user = self._password = self._jwt = ""
        """Name of the user; empty if it is in the signed token."""
        self._key: Ed25519PrivateKey | None = None
        self._read()

    def options(self) -> Mapping[str, Any]:
        """Return the options of ``nats.connect``, which calls the first of the two before each connection."""
        if self._key:
            return {"signature_cb": self._sign, "user_jwt_cb": lambda: bytearray(self._jwt.encode())}
        return {"user": self._read_again, "password": lambda: self._password}

    def _read(self) -> None:
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise BusError(f"the file {self._path} (FARISTOL_NATS_CREDENTIALS) cannot be read: {reason}") from error
        jwt, seed = _JWT.search(text), _SEED.search(text)
        user, _, password = (text.splitlines() or [""])[0].strip().partition(":")
        if jwt and seed:
            self._jwt = jwt.group(1)
            self._key = Ed25519PrivateKey.from_private_bytes(base64.b32decode(f"{seed.group(1)}======")[_KEY])
        elif user and password:
            self.user, self._password = user, password
        else:
            raise BusError(
                f"the file {self._path} (FARISTOL_NATS_CREDENTIALS) has no credentials: "
                "expected USER:PASSWORD in its first line, or a .creds file"
            )

    def _read_again(self) -> str:
        """Return the user after reading the file again. Keeps the previous credentials if the file is being changed."""
        try:
            self._read()
        except BusError as error:
            _log.warning("%s", error)
        return self.user

    def _sign(self, nonce: str) -> bytes:
        self._read_again()
        assert self._key, "options() passes this only for a key"
        return base64.b64encode(self._key.sign(nonce.encode()))
