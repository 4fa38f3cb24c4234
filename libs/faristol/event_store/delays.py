"""The tournaments whose events of games are published with a delay."""

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
        self._read_up_to = 0

    async def read(self, record: Record) -> None:
        """Read the delays of all tournaments up to now; a further call reads later events only.

        No index has the types of events: the first call reads the whole record.
        """
        here = await record.last_position()
        while self._read_up_to < here:
            found = await record.read(self._read_up_to, types=DELAY_TYPES, limit=DELAY_BATCH_EVENTS, up_to=here)
            self.note(found)
            self._read_up_to = found[-1].position if len(found) == DELAY_BATCH_EVENTS else here

    def note(self, events: Iterable[Recorded]) -> None:
        """Note the delays among events, which are in order."""
        for event in events:
            if event.type in DELAY_TYPES and begins_delay(event.message):
                self.starts.setdefault(event.tournament, event.position)

    def holds(self, event: Recorded) -> bool:
        """Check whether an event is not published at its own position."""
        return event.type in HELD_TYPES and event.position > self.starts.get(event.tournament, event.position)
