"""How news of an event travel: its subject and its CloudEvents attributes, and nothing of what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nats.aio.msg import Msg

from faristol.record import Recorded


def subject(event: Recorded) -> str:
    """``faristol.<tournament>.<context>.<event>``."""
    return f"faristol.{event.tournament}.{event.context}.{event.name}"


def subjects(types: Collection[str]) -> list[str]:
    """The subjects of events of these types, given by their full names, in every tournament."""
    named = (name.split(".") for name in types)
    return sorted({f"faristol.*.{context}.{event}" for _, context, *_, event in named})


def source(record_id: str, tournament: str) -> str:
    """``/faristol/<record>/<tournament>``: which record an event is of."""
    return f"/faristol/{record_id}/{tournament}"


def is_of(message: Msg, record_id: str) -> bool:
    """Say whether a message is news of this record; several records may share a NATS server."""
    return (message.headers or {}).get("ce-source", "").startswith(source(record_id, ""))


def headers(event: Recorded, record_id: str) -> dict[str, str]:
    """CloudEvents 1.0 attributes, the id by which JetStream drops duplicates, and the trace.

    They say that something has happened and where to read it. Payload, metadata and hash stay on the record: an event
    may hold a rack, and a rack can be found by trying which one gives the hash.
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
    """The position of the event that a message tells of. Raises ``ValueError`` when it tells of none."""
    given: Mapping[str, str] = message.headers or {}
    try:
        return int(given["ce-sequence"])
    except KeyError:
        raise ValueError(f"a message on {message.subject} has no ce-sequence") from None
