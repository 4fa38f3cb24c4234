"""How an event travels: its subject, its CloudEvents attributes, and back again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from nats.aio.msg import Msg

from faristol.record import Metadata, Recorded


def subject(event: Recorded) -> str:
    """``faristol.<tournament>.<context>.<event>``."""
    return f"faristol.{event.tournament}.{event.context}.{event.name}"


def source(record_id: str, tournament: str) -> str:
    """``/faristol/<record>/<tournament>``: which record an event is of."""
    return f"/faristol/{record_id}/{tournament}"


def is_of(message: Msg, record_id: str) -> bool:
    """Say whether a message is news of this record; several records may share a NATS server."""
    return (message.headers or {}).get("ce-source", "").startswith(source(record_id, ""))


def headers(event: Recorded, record_id: str) -> dict[str, str]:
    """CloudEvents 1.0 attributes, the id by which JetStream drops duplicates, and the trace."""
    attributes = {
        "Nats-Msg-Id": event.event_id,
        "ce-specversion": "1.0",
        "ce-id": event.event_id,
        "ce-type": event.type,
        "ce-source": source(record_id, event.tournament),
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
