"""Codes with which devices sign in at the cell of a hall by their credential of the championship. Pure.

Problem. A hall without a line lets in the players and scorers whom the championship knows. But its laptop can be
stolen, or changed by an attacker, so it must learn no secret that is valid in the championship or in another hall.

Idea. The code at a hall is the hash of the code of the link with the public key of the hall. The championship hashes
its own codes, so papers and pages have those at the hall. A browser hashes a link of the championship before it sends
it to the laptop (``static/hall-code.js``). The laptop has a digest of the code at the hall, with the credential.

Invariants:

- The code of a link has 128 secret bits, so it cannot be found from its hash. PINs have six digits and are not hashed:
  they are valid where they were granted.
- A code at a hall is valid for one key: neither in the championship, nor on the next laptop of the hall.

Rejected: to let the laptop accept the codes of the championship, since it would see them. And codes of the hall that do
not derive from them: a player whose card was printed before could not sign in without a line.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from google.protobuf.message import Message

from faristol.access_control.credential import Credential
from faristol.access_control.roles import ARBITER, DIRECTOR, PLAYER, SCORER
from faristol.access_control.state import Access, to_message
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import events_pb2 as events

HALL_CODE_PREFIX = "h."
"""Beginning of a code at a hall."""

HALL_CODE_HEADING = b"faristol hall code 1\n"
"""Bytes before the key of the hall and the code of the link, which are hashed together."""

HALF_CODE_BYTES = 16
"""Bytes of the credential's id in a code, and of the proof after it."""

HALL_ROLES = frozenset((PLAYER, SCORER, ARBITER, DIRECTOR))
"""Roles whose holders act at the tables of a hall."""

HALL_FORMS = frozenset((events.FORM_LINK, events.FORM_PIN, events.FORM_OPEN_ID))
"""Forms of credentials whose holders sign in at a hall: all but tokens of programs."""


def hall_code(code: str, key: bytes) -> str:
    """Return the code at the hall with a public key, 32 bytes, for the code of a link. Raises ``ValueError``."""
    raw = _decode(code)
    proof = hashlib.sha256(HALL_CODE_HEADING + key + code.encode()).digest()[:HALF_CODE_BYTES]
    text = base64.b32encode(raw[:HALF_CODE_BYTES] + proof).decode().rstrip("=").lower()
    return f"{HALL_CODE_PREFIX}{text}"


def credential_in(code: str) -> str:
    """Return the id of the credential in a code at a hall, which is not checked; empty for a malformed code."""
    try:
        return str(uuid.UUID(bytes=_decode(code.removeprefix(HALL_CODE_PREFIX))[:HALF_CODE_BYTES]))
    except ValueError:
        return ""


def digest_of(code: str) -> bytes:
    """Return the digest by which a hall knows a code, 32 bytes."""
    return hashlib.sha256(code.encode()).digest()


def is_known(access: Access, code: str) -> bool:
    """Check a code at a hall against the credentials that the hall has from the championship."""
    granted = access.granted.get(credential_in(code))
    known = granted.hall_code_digest if granted else b""
    return bool(known) and hmac.compare_digest(known, digest_of(code))


def _decode(code: str) -> bytes:
    raw = base64.b32decode(code.upper() + "=" * (-len(code) % 8))
    if len(raw) != 2 * HALF_CODE_BYTES:
        raise ValueError("the code has another length")
    return raw


@dataclass(frozen=True, slots=True)
class HallCredential:
    """A credential of the championship, as a hall knows it."""

    credential: Credential
    form: events.Form.ValueType
    code_digest: bytes
    """Digest of its code at the hall, 32 bytes."""


def follow(
    access: Access, tournament_id: str, known: Iterable[HallCredential], ended: Iterable[str], now: datetime
) -> list[Message]:
    """Return the events by which a hall has the credentials of its championship: new ones are granted, ended ones end.

    Their scope is limited to the tournament. A credential that was granted or has ended in the hall itself stays so.
    """
    new_events: list[Message] = [
        events.CredentialGranted(
            credential=to_message(_within(each.credential, tournament_id)),
            form=each.form,
            hall_code_digest=each.code_digest,
        )
        for each in known
        if each.credential.credential_id not in access.granted
    ]
    for credential_id in ended:
        granted = access.granted.get(credential_id)
        if granted and granted.hall_code_digest and credential_id not in access.revoked:
            new_events.append(events.CredentialRevoked(credential_id=credential_id, occurred_at=to_timestamp(now)))
    return new_events


def _within(credential: Credential, tournament_id: str) -> Credential:
    return replace(credential, scope=replace(credential.scope, tournaments=frozenset({tournament_id})), ancestors=())
