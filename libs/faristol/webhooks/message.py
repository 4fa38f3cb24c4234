"""The message for an event. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from faristol.pb.results.v1 import results_pb2 as results
from faristol.webhooks.signature import signature

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
