"""The tournaments whose events of games are told to the public with a delay."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.event_store.event import Recorded
from faristol.event_store.record import Record
from faristol.kernel.event_types import DELAY_TYPES, HELD_TYPES, begins_delay

DELAY_BATCH_EVENTS = 1_000
"""Events that set a delay, per read."""


class Delays:
    """The position of the first delay of each tournament that ever had one. Later events of its games are held."""

    def __init__(self) -> None:
        self.starts: dict[str, int] = {}

    async def read(self, record: Record) -> None:
        """Read the delays of all tournaments up to now."""
        after = 0
        while found := await record.read(after, types=DELAY_TYPES, limit=DELAY_BATCH_EVENTS):
            self.note(found)
            after = found[-1].position

    def note(self, events: Iterable[Recorded]) -> None:
        """Note the delays among events, which are in order."""
        for event in events:
            if event.type in DELAY_TYPES and begins_delay(event.message):
                self.starts.setdefault(event.tournament, event.position)

    def holds(self, event: Recorded) -> bool:
        """Check whether an event is not told to the public at its own position."""
        return event.type in HELD_TYPES and event.position > self.starts.get(event.tournament, event.position)
