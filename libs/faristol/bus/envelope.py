"""The format of events on the bus: subject, CloudEvents attributes, payload.

An event is published whole if every caller may know all its values, and as a reference without a payload otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from nats.aio.msg import Msg

from faristol.bus.permissions import INTERNAL_ROOT, PUBLIC_ROOT
from faristol.event_store import Recorded
from faristol.event_store.upcasters import UnreadableEvent
from faristol.kernel.event_types import PUBLIC_TYPES, has_private

PROTOBUF_TYPE = "application/protobuf"
MAX_PAYLOAD_BYTES = 512 * 1024
"""Largest payload on the bus: half of the default `max_payload` of NATS. An event may be larger."""


def is_whole(event: Recorded) -> bool:
    """Check whether an event is published whole. A larger event, or one that this version cannot read, is not."""
    if event.type not in PUBLIC_TYPES or len(event.payload) > MAX_PAYLOAD_BYTES:
        return False
    try:
        return not has_private(event.message)
    except UnreadableEvent:
        return False


def subject(event: Recorded, *, whole: bool) -> str:
    """Return the subject ``faristol.<tournament>.<context>.<event>``; a reference begins with another root."""
    return f"{PUBLIC_ROOT if whole else INTERNAL_ROOT}.{event.tournament}.{event.context}.{event.name}"


def subjects(types: Collection[str]) -> list[str]:
    """Return the subjects of events of these types (full names) in every tournament, whole or as references."""
    named = [name.split(".") for name in types]
    return sorted(
        {f"{root}.*.{context}.{event}" for root in (PUBLIC_ROOT, INTERNAL_ROOT) for _, context, *_, event in named}
    )


def source(record_id: str, tournament: str) -> str:
    """Return the source ``/faristol/<record>/<tournament>``, which identifies the record of an event."""
    return f"/faristol/{record_id}/{tournament}"


def is_of(message: Msg, record_id: str) -> bool:
    """Check whether a message is a notification of this record; several records may share a NATS server."""
    return (message.headers or {}).get("ce-source", "").startswith(source(record_id, ""))


def headers(event: Recorded, record_id: str, *, whole: bool) -> dict[str, str]:
    """Return the attributes of CloudEvents 1.0 in binary mode, the id for deduplication, and the trace context.

    A whole event has the type of its payload and a digest, by which a subscriber detects an altered payload. A
    reference only states that an event happened and where to read it. Metadata and chained hash remain in the record:
    an event may have a rack, which could be found by trying which one matches the hash.
    """
    attributes = {
        "Nats-Msg-Id": event.event_id,
        "ce-specversion": "1.0",
        "ce-id": event.event_id,
        "ce-type": event.type,
        "ce-source": source(record_id, event.tournament),
        "ce-subject": event.stream,
        "ce-time": event.recorded_at.isoformat(),
        "ce-sequence": str(event.position),
        "ce-streamversion": str(event.version),
    }
    if whole:
        attributes |= {
            "content-type": PROTOBUF_TYPE,
            "ce-schemaversion": str(event.schema_version),
            "ce-digest": digest(event.payload),
        }
    if event.metadata.traceparent:
        attributes["traceparent"] = event.metadata.traceparent
    return attributes


def digest(payload: bytes) -> str:
    """Return the digest of a payload: ``sha-256=`` and 64 hexadecimal digits."""
    return f"sha-256={hashlib.sha256(payload).hexdigest()}"


def position_of(message: Msg) -> int:
    """Return the position of the event of a message. Raises ``ValueError`` if the message has none."""
    given: Mapping[str, str] = message.headers or {}
    try:
        return int(given["ce-sequence"])
    except KeyError:
        raise ValueError(f"a message on {message.subject} has no ce-sequence") from None
