"""Ring of the latest events, in order of position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from faristol.fanout.frames import FRAME_BATCH_SIZE, Batch, batch


class Topic(Protocol):
    """Filter of events. Equal topics are equal and have the same hash."""

    def has(self, event: Any, /) -> bool:
        """Check whether an event passes."""

    def __hash__(self) -> int: ...


class Gone(Exception):
    """The ring no longer has the next frames: they are read from the record."""


class PositionedEntry(Protocol):
    """Event with its position."""

    @property
    def position(self) -> int:
        """Position of the event."""

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the event; empty if unknown."""


class Entry(PositionedEntry, Protocol):
    """Event that is ready to send, or will be."""

    @property
    def event(self) -> Any:
        """Event, as topics filter it."""

    def frame(self, topic: Any, /) -> bytes | None:
        """Return the frame for a topic that has the event; None before it is ready. Raises ``Gone`` afterwards."""


_POSITION = attrgetter("position")

E = TypeVar("E", bound=PositionedEntry)


class RecentEntries(Generic[E]):
    """Latest events."""

    def __init__(self, capacity: int) -> None:
        """Create an empty ring, which stores at least the last ``capacity`` entries."""
        self.capacity = capacity
        self.before = 0
        """Every event after this position, up to ``position``, is in the ring."""
        self.position = 0
        self.fingerprint = ""
        """Fingerprint of the event at ``position``; empty if unknown."""
        self.version = 0
        """Number of changes."""
        self._entries: list[E] = []

    def restart(self, position: int, fingerprint: str) -> None:
        """Restart empty after a position."""
        self._entries = []
        self.before = self.position = position
        self.fingerprint = fingerprint
        self.version += 1

    def add(self, entries: Sequence[E], position: int, fingerprint: str) -> None:
        """Add the next entries, which are complete up to ``position``."""
        self._entries += entries
        self.position, self.fingerprint = position, fingerprint
        self.version += 1
        if len(self._entries) > 2 * self.capacity:  # many at once, which costs less
            self.before = self._entries[-self.capacity - 1].position
            del self._entries[: -self.capacity]

    def fingerprint_at(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty if unknown."""
        if position == self.position:
            return self.fingerprint
        at = bisect_right(self._entries, position, key=_POSITION) - 1
        return self._entries[at].fingerprint if at >= 0 and self._entries[at].position == position else ""

    def list_after(self, position: int, most: int) -> Sequence[E]:
        """Return at most ``most`` entries after a position, which is not before ``before``, in order."""
        start = bisect_right(self._entries, position, key=_POSITION)
        return self._entries[start : start + most]


class Ring(RecentEntries[Entry]):
    """Latest events with their frames."""

    def after(self, topic: Topic, position: int) -> Batch:
        """Return the next frames of a topic after a position, up to the first that is not ready.

        Raises ``Gone`` if the first of them is not in the ring.
        """
        if position < self.before:
            raise Gone
        start = bisect_right(self._entries, position, key=_POSITION)
        found: list[bytes] = []
        for at in range(start, len(self._entries)):
            entry = self._entries[at]
            if not topic.has(entry.event):
                continue
            try:
                frame = entry.frame(topic) if len(found) < FRAME_BATCH_SIZE else None
            except Gone:
                if not found:
                    raise
                frame = None
            if frame is None:
                last = self._entries[at - 1] if at > start else None
                return batch(found, last.position, last.fingerprint) if last else batch((), position)
            found.append(frame)
        return batch(found, max(position, self.position), self.fingerprint if position <= self.position else "")
