"""The message for an event, and its signature by Standard Webhooks (https://www.standardwebhooks.com). Pure."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence

from faristol.pb.results.v1 import results_pb2 as results

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


AGENT = "faristol-webhooks"


def body_of(news: results.FollowResponse, changes: Sequence[bytes] | None = None) -> bytes:
    """Return the body: byte for byte the ``data`` of the event stream, with ``changes`` as JSON if requested."""
    data = {
        "position": news.position,
        "type": news.type,
        "game_id": news.game_id,
        "round": news.round,
        "recorded_at": f"{news.recorded_at.ToDatetime().isoformat()}Z",
        "tournament_id": news.tournament_id,
        "table": news.table,
    }
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return body if changes is None else b'%b,"content":[%b]}' % (body[:-1], b",".join(changes))


def id_of(news: results.FollowResponse) -> str:
    """Return the unique id of the message about an event, as in the event stream: the same for each attempt.

    After the restore of a backup, an event that reuses the position has another fingerprint.
    """
    return f"{news.fingerprint}-{news.position}"  # no full stop, which separates the parts that are signed


def headers_of(message_id: str, timestamp: int, body: bytes, secrets: Iterable[str]) -> Mapping[str, str]:
    """Return the headers of an attempt at ``timestamp``, in seconds since 1970, signed with each secret."""
    return {
        "content-type": "application/json",
        "user-agent": AGENT,
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secrets, message_id, timestamp, body),
    }
