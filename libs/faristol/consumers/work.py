"""The work of consumers: reactions decide, projections write rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Recorded, message_class


class UnknownEvent(Exception):
    """An event of a type that this version does not know, in a context that the consumer depends on."""


@dataclass(frozen=True)
class Reaction:
    """Maps events of other contexts to decisions."""

    name: str
    types: frozenset[str]
    """Full names of the event types that it reacts to; others are ignored."""
    react: Callable[[Recorded], Awaitable[Decision | None]]
    """Called again if the streams of its decision have moved. It must be idempotent for each event."""
    react_together: Callable[[Sequence[Recorded]], Awaitable[Sequence[Decision | None]]] | None = None
    """Returns the decisions on the first of some events, each on the state after those before it.

    They are appended in one transaction, if the streams have not moved. ``react`` is called for the other events.
    """

    @property
    def consumer(self) -> str:
        """Name of its checkpoint."""
        return self.name

    @staticmethod
    def key(event: Recorded) -> str:
        """Return the key that is parked if the event fails: its stream."""
        return event.stream


class Fold(Protocol):
    """A projection in memory, for a rebuild: it may buffer rows and write many at once."""

    async def take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events; ``connection`` reads the rows that are not in memory."""

    @property
    def held(self) -> int:
        """Number of rows that are changed and not written."""

    async def write(self, connection: AsyncConnection) -> None:
        """Write all buffered rows."""

    async def finish(self, connection: AsyncConnection) -> bool:
        """Write a part of the rows that are computed from all others; return False if no part is left."""


@dataclass(frozen=True)
class Projection:
    """Maps events to rows."""

    name: str
    version: int
    """Incremented if the same events give other rows. A newer version reads the rows of an older one until its own are
    built, unless it needs columns that they lack."""
    types: frozenset[str]
    tables: MetaData
    apply: Callable[[AsyncConnection, Sequence[Recorded]], Awaitable[None]]
    """Applies these events to the tables, inside the transaction that moves the checkpoint."""
    generation: int = 1
    again: Callable[[int], Projection] | None = None
    """Returns the same projection on tables of another generation.

    Without it, no rebuild beside the live one is possible.
    """
    fold: Callable[[], Fold] | None = None
    """A faster way to the same rows, for a rebuild."""
    awaited: bool = True
    """Whether callers wait for it to reach the position of any event.

    If not, only its own events wake it, and it moves past the others when it polls.
    """

    @property
    def consumer(self) -> str:
        """Name of its checkpoint: that of the generation in use."""
        return f"{self.name}@{self.version}"

    @staticmethod
    def key(event: Recorded) -> str:
        """Return the key that is parked if the event fails: its tournament, since rows depend on several streams."""
        return event.tournament

    def at(self, generation: int) -> Projection:
        """Return the same projection on the tables of a generation. Raises ``ValueError`` if it has only one."""
        if generation == self.generation:
            return self
        if self.again is None:
            raise ValueError(f"the projection {self.name} has no generation {generation}")
        return self.again(generation)


@cache
def _contexts_of(types: frozenset[str]) -> frozenset[str]:
    """Return the contexts of event types, such as ``game``."""
    return frozenset(name.split(".")[1] for name in types)


def is_wanted(work: Reaction | Projection, event: Recorded) -> bool:
    """Check whether the event is for this consumer.

    Raises ``UnknownEvent`` for an unknown type in a context that the consumer depends on: a newer version wrote it, and
    ignoring it may lead to wrong results.
    """
    if event.type in work.types:
        return True
    if event.context in _contexts_of(work.types):
        try:
            message_class(event.type)
        except LookupError:
            raise UnknownEvent(f"this version of Faristol does not support the event {event.type}") from None
    return False
