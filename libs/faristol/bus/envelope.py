"""How an event travels: its subject, its CloudEvents attributes, and back again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from nats.aio.msg import Msg

from faristol.record import Metadata, Recorded


def subject(event: Recorded) -> str:
    """``faristol.<tournament>.<context>.<event>``."""
    return f"faristol.{event.tournament}.{event.context}.{event.name}"


def headers(event: Recorded) -> dict[str, str]:
    """CloudEvents 1.0 attributes, the id by which JetStream drops duplicates, and the trace."""
    attributes = {
        "Nats-Msg-Id": event.event_id,
        "ce-specversion": "1.0",
        "ce-id": event.event_id,
        "ce-type": event.type,
        "ce-source": f"/faristol/{event.tournament}",
        "ce-subject": event.stream,
        "ce-time": event.recorded_at.isoformat(),
        "ce-datacontenttype": "application/protobuf",
        "ce-sequence": str(event.position),
        "ce-streamversion": str(event.version),
        "ce-schemaversion": str(event.schema_version),
        "ce-metadata": event.metadata.to_json(),
        "ce-hash": event.hash.hex(),
    }
    if event.metadata.traceparent:
        attributes["traceparent"] = event.metadata.traceparent
    return attributes


def opened(message: Msg) -> Recorded:
    """The event that a message carries."""
    given: Mapping[str, str] = message.headers or {}
    return Recorded(
        position=int(given["ce-sequence"]),
        stream=given["ce-subject"],
        version=int(given["ce-streamversion"]),
        event_id=given["ce-id"],
        type=given["ce-type"],
        schema_version=int(given["ce-schemaversion"]),
        tournament=given["ce-source"].rpartition("/")[2],
        payload=message.data,
        metadata=Metadata.from_json(given["ce-metadata"]),
        recorded_at=datetime.fromisoformat(given["ce-time"]),
        hash=bytes.fromhex(given["ce-hash"]),
    )
