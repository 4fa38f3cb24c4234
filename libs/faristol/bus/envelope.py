"""The format of notifications: subject and CloudEvents attributes, without the content of the event."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nats.aio.msg import Msg

from faristol.event_store import Recorded


def subject(event: Recorded) -> str:
    """Return the subject ``faristol.<tournament>.<context>.<event>``."""
    return f"faristol.{event.tournament}.{event.context}.{event.name}"


def subjects(types: Collection[str]) -> list[str]:
    """Return the subjects of events of these types (full names) in every tournament."""
    named = (name.split(".") for name in types)
    return sorted({f"faristol.*.{context}.{event}" for _, context, *_, event in named})


def source(record_id: str, tournament: str) -> str:
    """Return the source ``/faristol/<record>/<tournament>``, which identifies the record of an event."""
    return f"/faristol/{record_id}/{tournament}"


def is_of(message: Msg, record_id: str) -> bool:
    """Check whether a message is a notification of this record; several records may share a NATS server."""
    return (message.headers or {}).get("ce-source", "").startswith(source(record_id, ""))


def headers(event: Recorded, record_id: str) -> dict[str, str]:
    """Return CloudEvents 1.0 attributes, the id for deduplication by JetStream, and the trace context.

    They state that an event happened and where to read it. Payload, metadata and hash remain in the record: an event
    may have a rack, which could be found by trying which one matches the hash.
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
    if event.metadata.traceparent:
        attributes["traceparent"] = event.metadata.traceparent
    return attributes


def position_of(message: Msg) -> int:
    """Return the position of the event of a message. Raises ``ValueError`` if the message has none."""
    given: Mapping[str, str] = message.headers or {}
    try:
        return int(given["ce-sequence"])
    except KeyError:
        raise ValueError(f"a message on {message.subject} has no ce-sequence") from None
