"""Durable consumers: events in position order, each effect once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from opentelemetry.propagate import inject
from sqlalchemy import MetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus.connection import Bus, Pull
from faristol.bus.envelope import is_of, opened
from faristol.bus.progress import Progress
from faristol.bus.tracing import consumed, lag
from faristol.record import Checkpoint, Conflict, Decision, Metadata, Record, Recorded, Stale
from faristol.record.appender import move_checkpoint
from faristol.record.record import start_checkpoint

_log = logging.getLogger(__name__)

BATCH = 256
LAG_EVERY = 1.0
"""Seconds between two measurements of how far a consumer is behind."""
IDLE = 0.5
"""Seconds without news after which a consumer looks into the record by itself: the guarantee behind the hint."""


@dataclass(frozen=True)
class Reaction:
    """Another context's events in, decisions out."""

    name: str
    types: frozenset[str]
    """Full names of the events that it reacts to; the others pass by."""
    react: Callable[[Recorded], Awaitable[Decision | None]]
    """Called again when the streams that it decided on have moved. It has to come to the same end however often
    it is called for one event."""


@dataclass(frozen=True)
class Projection:
    """Events in, rows out."""

    name: str
    version: int
    """Raised when the same events give other rows; part of the tables' names."""
    types: frozenset[str]
    tables: MetaData
    apply: Callable[[AsyncConnection, Sequence[Recorded]], Awaitable[None]]
    """Brings the tables up to these events, inside the transaction that moves the checkpoint."""

    @property
    def consumer(self) -> str:
        """Name of its checkpoint."""
        return f"{self.name}@{self.version}"


class Consumer:
    """Runs a reaction or a projection."""

    def __init__(self, record: Record, bus: Bus, work: Reaction | Projection, progress: Progress) -> None:
        self._record = record
        self._bus = bus
        self._work = work
        self._progress = progress
        self.name = work.consumer if isinstance(work, Projection) else work.name
        self._durable = f"{record.record_id[:8]}-{self.name.replace('.', '-').replace('@', '-v')}"
        self._position = 0
        """Everything up to here is done, if not all of it noted."""
        self._noted = 0
        """The checkpoint in the record."""
        self._measured = 0.0

    async def prepare(self) -> None:
        """Make the checkpoint and the tables, where there are none."""
        async with self._record.writing() as connection:
            await start_checkpoint(connection, self.name)
            if isinstance(self._work, Projection):
                await connection.run_sync(self._work.tables.create_all)

    async def run(self) -> None:
        """Work until cancelled.

        A database or a bus that is away is waited for. Any other failure of the work ends this with its
        exception: an event is never skipped.
        """
        while True:
            pull: Pull | None = None
            try:
                await self._reload()
                pull = await self._bus.subscribe(self._durable)
                while True:
                    await self._turn(pull)
            except (NatsError, JetStreamError, DBAPIError, OSError, TimeoutError) as problem:
                _log.warning("%s waits: %s", self.name, repr(problem))
                await self._without_bus()
            except Stale:
                _log.info("%s: another replica did that work", self.name)
            finally:
                if pull:
                    await pull.close()

    async def _reload(self) -> None:
        self._position = self._noted = await self._record.checkpoint(self.name)
        self._progress.tell(self._noted)

    async def _without_bus(self) -> None:
        """Go on from the record alone for a moment: a bus that is away delays news, and stops nothing."""
        try:
            await self._reload()
            await self._work_on(await self._record.read(self._position, limit=BATCH))
        except (DBAPIError, OSError) as problem:
            _log.warning("%s waits for the record: %s", self.name, problem)
        except Stale:
            pass
        await asyncio.sleep(IDLE)

    async def _turn(self, pull: Pull) -> None:
        messages = await pull.messages(IDLE)
        events = await self._following(messages)
        await self._work_on(events)
        for message in messages:
            await message.ack()
        if not messages and self._position > self._noted:
            await self._note()

    async def _following(self, messages: Sequence[Msg]) -> list[Recorded]:
        """The events after the last one done, without a hole, as far as these messages or the record know."""
        ours = (opened(message) for message in messages if is_of(message, self._record.record_id))
        fresh = {event.position: event for event in ours if event.position > self._position}
        if not messages:
            return await self._record.read(self._position, limit=BATCH)
        if not fresh:
            return []
        last = max(fresh)
        if len(fresh) == last - self._position:
            return [fresh[position] for position in sorted(fresh)]
        return await self._record.read(self._position, up_to=last)

    async def _work_on(self, events: Sequence[Recorded]) -> None:
        if not events:
            return
        wanted = [event for event in events if event.type in self._work.types]
        if isinstance(self._work, Projection):
            await self._project(self._work, wanted, events[-1].position)
        else:
            for event in wanted:
                await self._react(self._work, event)
            self._position = max(self._position, events[-1].position)
            if self._position - self._noted >= BATCH:
                await self._note()
        await self._measure_lag()

    async def _measure_lag(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._measured < LAG_EVERY:
            return
        self._measured = now
        lag.set(max(0, await self._record.last_position() - self._position), {"consumer": self.name})

    async def _project(self, projection: Projection, events: Sequence[Recorded], last: int) -> None:
        with consumed(projection.name, events):
            async with self._record.writing() as connection:
                await projection.apply(connection, events)
                await move_checkpoint(connection, Checkpoint(self.name, self._noted, last))
        self._position = self._noted = last
        self._progress.tell(last)

    async def _react(self, reaction: Reaction, event: Recorded) -> None:
        with consumed(reaction.name, [event]):
            while True:
                decision = await reaction.react(event)
                if decision is None or not decision.writes:
                    return
                checkpoint = Checkpoint(self.name, self._noted, event.position)
                try:
                    await self._record.append(decision, _caused_by(event, reaction.name), checkpoint=checkpoint)
                except Conflict as conflict:
                    _log.debug("%s decides again: %s", self.name, conflict)
                    continue
                self._position = self._noted = event.position
                self._progress.tell(event.position)
                return

    async def _note(self) -> None:
        """Move the checkpoint over events that asked for nothing."""
        async with self._record.writing() as connection:
            await move_checkpoint(connection, Checkpoint(self.name, self._noted, self._position))
        self._noted = self._position
        self._progress.tell(self._noted)


def _caused_by(event: Recorded, actor: str) -> Metadata:
    carrier: dict[str, str] = {}
    inject(carrier)
    return Metadata(
        actor=actor,
        role="service",
        causation_id=event.event_id,
        correlation_id=event.metadata.correlation_id or event.event_id,
        traceparent=carrier.get("traceparent", event.metadata.traceparent),
    )
