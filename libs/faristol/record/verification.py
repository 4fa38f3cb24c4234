"""Check that a record is what was written: order, versions and chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from faristol.record.event import GENESIS, Recorded, chained, microseconds
from faristol.record.record import Record


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found."""

    events: int
    """How many were read and found right."""
    streams: int
    wrong: str
    """What is wrong with the first event that is, with its position; empty when nothing is."""


async def verify(record: Record, progress: Callable[[int, int], None] = lambda done, total: None) -> Verdict:
    """Read the whole record and recompute every hash.

    ``progress`` is called with the number of events checked and the number there are.
    """
    total = await record.last_position()
    heads: dict[str, tuple[int, bytes]] = {}
    position = 0
    while batch := await record.read(position, limit=2_000):
        for event in batch:
            if wrong := _problem(event, position, heads):
                return Verdict(position, len(heads), wrong)
            position = event.position
            heads[event.stream] = (event.version, event.hash)
        progress(position, max(total, position))
    if position < total:
        return Verdict(position, len(heads), f"position {position + 1}: the record ends here, its counter says {total}")
    return Verdict(position, len(heads), "")


def _problem(event: Recorded, last_position: int, heads: dict[str, tuple[int, bytes]]) -> str:
    version, previous = heads.get(event.stream, (0, GENESIS))
    where = f"position {event.position} ({event.stream}, version {event.version}, {event.name})"
    if event.position != last_position + 1:
        return f"position {last_position + 1}: missing; the next event is at {event.position}"
    if event.version != version + 1:
        return f"{where}: version {version + 1} of the stream is missing"
    expected = chained(
        previous,
        stream=event.stream,
        version=event.version,
        event_id=event.event_id,
        type_name=event.type,
        schema_version=event.schema_version,
        tournament=event.tournament,
        payload=event.payload,
        metadata=event.metadata.to_json(),
        recorded_at=microseconds(event.recorded_at),
    )
    if expected != event.hash:
        return f"{where}: the stored bytes do not give the stored hash; they or an earlier event were changed"
    return ""
