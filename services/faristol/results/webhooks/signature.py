"""Secrets of webhooks, and what they sign: as Standard Webhooks (https://www.standardwebhooks.com) has it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
"""What every secret begins with; the key follows in Base64."""

SIZE = 32
"""Bytes of a key."""


def new_secret() -> str:
    """A secret that nobody knows."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SIZE)).decode()


def signature(keys: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``: what each of some secrets signs, with a space between.

    ``timestamp`` is in seconds since 1970. Raises ``ValueError`` for a secret that is none.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signed(key, signed)}" for key in keys)


def _signed(secret: str, message: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError as problem:
        raise ValueError("a secret is Base64 after its prefix") from problem
    return base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()
