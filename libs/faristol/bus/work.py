"""What consumers do: reactions decide, projections write rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import Decision, Recorded, message_class


class UnknownEvent(Exception):
    """An event of a kind that this version does not know, in a context that the consumer depends on."""


@dataclass(frozen=True)
class Reaction:
    """Another context's events in, decisions out."""

    name: str
    types: frozenset[str]
    """Full names of the events that it reacts to; the others pass by."""
    react: Callable[[Recorded], Awaitable[Decision | None]]
    """Called again when the streams that it decided on have moved. It has to come to the same end however often
    it is called for one event."""

    @property
    def consumer(self) -> str:
        """Name of its checkpoint."""
        return self.name

    @staticmethod
    def key(event: Recorded) -> str:
        """What is parked when the event cannot be taken: its stream."""
        return event.stream


class Fold(Protocol):
    """A projection in memory, for a rebuild: it may hold rows back and write many at once."""

    async def take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events; ``connection`` is there to read the rows that are not in memory."""

    @property
    def held(self) -> int:
        """Number of rows that are changed and not written."""

    async def write(self, connection: AsyncConnection) -> None:
        """Write every row that is held."""

    async def finish(self, connection: AsyncConnection) -> bool:
        """Write a part of what is made once of all rows, after they are written; False when nothing of it is left."""


@dataclass(frozen=True)
class Projection:
    """Events in, rows out."""

    name: str
    version: int
    """Raised when the same events give other rows. A newer version can read the rows of an older one."""
    types: frozenset[str]
    tables: MetaData
    apply: Callable[[AsyncConnection, Sequence[Recorded]], Awaitable[None]]
    """Brings the tables up to these events, inside the transaction that moves the checkpoint."""
    generation: int = 1
    again: Callable[[int], Projection] | None = None
    """The same projection on tables of another generation. Without it there is no rebuild beside the live one."""
    fold: Callable[[], Fold] | None = None
    """A faster way to the same rows, for a rebuild."""
    awaited: bool = True
    """Callers wait until it has come to the position of any event. Otherwise it hears of its own events at once, and
    comes past the others when it looks by itself."""

    @property
    def consumer(self) -> str:
        """Name of its checkpoint: that of the generation which is read."""
        return f"{self.name}@{self.version}"

    @staticmethod
    def key(event: Recorded) -> str:
        """What is parked when the event cannot be applied: its tournament, as rows depend on several streams of it."""
        return event.tournament

    def at(self, generation: int) -> Projection:
        """The same projection on the tables of a generation. Raises ``ValueError`` when it has only one."""
        if generation == self.generation:
            return self
        if self.again is None:
            raise ValueError(f"the projection {self.name} has no generation {generation}")
        return self.again(generation)


def wanted(work: Reaction | Projection, event: Recorded) -> bool:
    """Whether the event is for this consumer; others pass by.

    Raises ``UnknownEvent`` for one of a kind that this version does not know, if the consumer depends on its
    context: a newer version wrote it, and who passes it by may show a result that is wrong.
    """
    if event.type in work.types:
        return True
    if any(wanted_type.startswith(f"faristol.{event.context}.") for wanted_type in work.types):
        try:
            message_class(event.type)
        except LookupError:
            raise UnknownEvent(f"this version of Faristol does not know the event {event.type}") from None
    return False
