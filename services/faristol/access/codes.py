"""What people sign in by: the code that a link ends with, and six digits.

Both are made from the id of the credential and the secret of the cell, and kept nowhere.
"""

from __future__ import annotations

import base64
import hmac
import uuid

from faristol.credentials.keyring import Keyring

DIGITS = 6


LINK, DEVICE = "link", "device"
"""What a code is for: a link signs in, the mark of a device says that it was signed in before."""


def code_of(keyring: Keyring, credential_id: str, purpose: str = LINK) -> str:
    """What the link of a credential ends with: 52 characters that need no escape in a URL."""
    mac = keyring.digest(purpose, credential_id)[:16]
    return base64.b32encode(uuid.UUID(credential_id).bytes + mac).decode().rstrip("=").lower()


def credential_of(keyring: Keyring, code: str, purpose: str = LINK) -> str:
    """The id of the credential that a code is of; empty for one that nobody was given."""
    try:
        raw = base64.b32decode(code.upper() + "=" * (-len(code) % 8))
    except ValueError:
        return ""
    if len(raw) != 32:
        return ""
    credential_id = str(uuid.UUID(bytes=raw[:16]))
    return credential_id if hmac.compare_digest(keyring.digest(purpose, credential_id)[:16], raw[16:]) else ""


def pin_of(keyring: Keyring, credential_id: str) -> str:
    """The PIN of a credential: six digits."""
    number = int.from_bytes(keyring.digest("pin", credential_id)[:8]) % 10**DIGITS
    return f"{number:0{DIGITS}}"
