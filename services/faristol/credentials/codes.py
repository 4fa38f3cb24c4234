"""Codes for signing in: the end of a link, and six-digit PINs.

Both are derived from the id of the credential and the secret of the cell, and are not stored.
"""

from __future__ import annotations

import base64
import hmac
import uuid

from faristol.access_control.keyring import Keyring

PIN_DIGITS = 6


LINK, DEVICE = "link", "device"
"""Purposes of a code: a link signs in; a device mark shows that a device was signed in before."""


def code_of(keyring: Keyring, credential_id: str, purpose: str = LINK) -> str:
    """Return the code of a credential for a URL: 52 characters without need for escaping."""
    mac = keyring.digest(purpose, credential_id)[:16]
    return base64.b32encode(uuid.UUID(credential_id).bytes + mac).decode().rstrip("=").lower()


def credential_of(keyring: Keyring, code: str, purpose: str = LINK) -> str:
    """Return the credential id of a code; empty for an invalid code."""
    try:
        raw = base64.b32decode(code.upper() + "=" * (-len(code) % 8))
    except ValueError:
        return ""
    if len(raw) != 32:
        return ""
    credential_id = str(uuid.UUID(bytes=raw[:16]))
    return credential_id if hmac.compare_digest(keyring.digest(purpose, credential_id)[:16], raw[16:]) else ""


def pin_of(keyring: Keyring, credential_id: str) -> str:
    """Return the six-digit PIN of a credential."""
    number = int.from_bytes(keyring.digest("pin", credential_id)[:8]) % 10**PIN_DIGITS
    return f"{number:0{PIN_DIGITS}}"
