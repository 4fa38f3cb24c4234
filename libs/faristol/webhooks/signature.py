"""Secrets of webhooks and their signatures, by Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
"""The start of every secret; the key follows in Base64."""

SECRET_KEY_SIZE = 32
"""Bytes of a key."""


def new_secret() -> str:
    """Generate a random secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_KEY_SIZE)).decode()


def signature(keys: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of ``webhook-signature``: the signature of each secret, separated by spaces.

    ``timestamp`` is in seconds since 1970. Raises ``ValueError`` for a malformed secret.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_compute_signature(key, signed)}" for key in keys)


def _compute_signature(secret: str, message: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError as error:
        raise ValueError("a secret is Base64 after its prefix") from error
    return base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()
