"""The rebuild of a projection from the first event on, beside the live one."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.assertions import Sometimes
from faristol.consumers import generations, parked, tables
from faristol.consumers.generations import ProjectionError
from faristol.consumers.stopped import CannotTake, clear, is_transient
from faristol.consumers.work import Fold, Projection, UnknownEvent, is_wanted
from faristol.event_store import Record, Recorded

REBUILD_BATCH_EVENTS = 2_000
"""Events in memory at a time."""
REBUILD_WRITE_ROWS = 256
"""Changed rows after which they are written."""
REBUILD_SLICE_EVENTS = 100
"""Events between pauses for other tasks, and the unit of the search for a failed event."""
REBUILD_LEASE_SECONDS = 6.0
MAX_CATCH_UP_ATTEMPTS = 8
"""Attempts to catch up with the live projection before it is locked."""


REPLACED = Sometimes("a rebuild loses its lease to another")
GREW_MEANWHILE = Sometimes("events are appended while a rebuild ends")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Result of a rebuild."""

    generation: int
    position: int
    """Position of the record that the rows included at the switch."""
    events: int
    seconds: float
    parked: int
    """Number of keys with an event that failed."""


class _Plain:
    """The default fold of a projection: its ``apply``, on many events at once."""

    def __init__(self, projection: Projection) -> None:
        self._apply = projection.apply
        self._events: list[Recorded] = []

    async def take(self, _: AsyncConnection, events: Sequence[Recorded]) -> None:
        self._events.extend(events)

    @property
    def held(self) -> int:
        return len(self._events)

    async def write(self, connection: AsyncConnection) -> None:
        events, self._events = self._events, []
        try:
            async with connection.begin_nested():
                await self._apply(connection, events)
        except Exception as error:
            if is_transient(error) or isinstance(error, CannotTake):
                raise
            await self._find(connection, events)
            raise

    async def finish(self, _: AsyncConnection) -> bool:
        return False

    async def _find(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Raise ``CannotTake`` for the event that fails; every change is rolled back."""
        for event in events:
            try:
                async with connection.begin_nested():
                    await self._apply(connection, [event])
            except Exception as error:
                if is_transient(error):
                    raise
                raise CannotTake(event, error) from error


class _OneOfThese(Exception):
    """An unknown one of several events fails."""

    def __init__(self, last: int) -> None:
        super().__init__(f"one of the events up to {last} cannot be taken")
        self.last = last


class Rebuild:
    """One rebuild of a projection.

    Its rows go into tables of a new generation, while the live ones remain in use. At the position of the live
    projection it takes over by an update of one row, and the old tables are dropped. An interrupted rebuild leaves
    unused tables, which the next one drops.

    The rows of a key with a failed event end before that event; the key is parked at the switch.
    """

    def __init__(
        self,
        record: Record,
        projection: Projection,
        progress: Callable[[int, int], None] = lambda done, total: None,
        batch: int = REBUILD_BATCH_EVENTS,
    ) -> None:
        self._record = record
        self._asked = projection
        self._tell = progress
        """Called with the current position and the last one of the record."""
        self._batch = batch
        self._lease = f"rebuild:{projection.consumer}"
        self._holder = str(uuid.uuid4())
        self._renew_at = 0.0
        self._position = 0
        self._written = (0, 0)
        """The position up to which rows are written, and their number of events."""
        self._failed: dict[str, CannotTake] = {}
        """The failed event by key; later events of the key are skipped."""
        self._alone_to = 0
        """Up to this position events are applied one at a time, to find the one that fails."""
        self._total = 0
        self._events = 0
        self._before: int | None = None
        """The generation in use before the switch."""

    async def run(self) -> Rebuilt:
        """Build, switch, and drop the old tables.

        Raises ``CannotTake`` if more keys fail than may be parked, and ``ProjectionError`` if another rebuild is
        running; the live tables are then unchanged.
        """
        start = time.perf_counter()
        await self._take_lease()
        try:
            await self._begin()
            try:
                attempt = 1
                await self._catch_up()
                while not await self._switch_or_go_back(hold=attempt > MAX_CATCH_UP_ATTEMPTS):
                    await self._catch_up()
                    attempt += 1
            except BaseException:
                with suppress(SQLAlchemyError, OSError):
                    await self._drop(self._built.generation)
                raise
            if self._before is not None:
                await self._drop(self._before)
        finally:
            with suppress(SQLAlchemyError, OSError):  # it expires by itself
                await self._record.release(self._lease, self._holder)
        seconds = time.perf_counter() - start
        return Rebuilt(self._built.generation, self._position, self._events, seconds, len(self._failed))

    async def _begin(self) -> None:
        """Drop leftovers and create new tables."""
        name, version = self._asked.name, self._asked.version
        async with self._record.writing() as connection:
            await tables.make(connection)
        async with self._record.writing() as connection:
            # A rebuild that lost its lease may be switching now: then this waits, and its tables are in use.
            await generations.checkpoint_held(connection, self._asked.consumer)
            self._built = self._asked.at(await generations.next_generation(connection, name, version))
            await generations.drop_unread(connection, name, version)
            await generations.add(connection, self._built)
        self._fold = self._new_fold()

    def _new_fold(self) -> Fold:
        return self._built.fold() if self._built.fold else _Plain(self._built)

    async def _drop(self, generation: int) -> None:
        async with self._record.writing() as connection:
            await generations.checkpoint_held(connection, self._asked.consumer)
            await generations.drop_unread(connection, self._asked.name, self._asked.version, generation)

    async def _take_lease(self) -> None:
        give_up = time.monotonic() + REBUILD_LEASE_SECONDS + 1
        while not await self._record.lease(self._lease, self._holder, REBUILD_LEASE_SECONDS):
            if time.monotonic() > give_up:
                raise ProjectionError(f"{self._asked.consumer} is already being rebuilt: wait until that is done")
            await asyncio.sleep(0.2)
        self._renew_at = time.monotonic() + REBUILD_LEASE_SECONDS / 3

    async def _keep_lease(self) -> None:
        if time.monotonic() < self._renew_at:
            return
        if not await self._record.lease(self._lease, self._holder, REBUILD_LEASE_SECONDS):
            REPLACED.note()
            raise ProjectionError(f"another rebuild of {self._asked.consumer} replaced this one")
        self._renew_at = time.monotonic() + REBUILD_LEASE_SECONDS / 3

    async def _catch_up(self) -> None:
        """Catch up with the end of the record, or come within one batch of it."""
        self._total = await self._record.last_position()
        full = True
        while full:
            events = await self._record.read(self._position, limit=self._batch)
            full = len(events) == self._batch
            try:
                async with self._record.reading() as connection:
                    await self._take(connection, events)
                if self._fold.held >= REBUILD_WRITE_ROWS or not full:
                    await self._write()
            except (CannotTake, _OneOfThese) as error:
                self._go_back(error)
                full = True
            await self._keep_lease()
        while await self._finish():
            await self._keep_lease()

    def _go_back(self, problem: CannotTake | _OneOfThese) -> None:
        """Return to the written position, which is before the failed event, and skip the key from that event on.

        Raises ``problem`` if the limit of parked keys is exceeded.
        """
        if isinstance(problem, _OneOfThese):
            self._alone_to = problem.last
        elif len(self._failed) >= parked.MAX_PARKED_KEYS:
            raise problem
        else:
            self._failed[self._built.key(problem.event)] = problem
        self._fold = self._new_fold()
        self._position, self._events = self._written

    async def _take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        start = 0
        while start < len(events):
            some = events[start : start + (1 if events[start].position <= self._alone_to else REBUILD_SLICE_EVENTS)]
            start += len(some)
            await self._take_some(connection, [event for event in some if self._is_wanted(event)])
            self._position = some[-1].position
            self._tell(self._position, max(self._position, self._total))
            await asyncio.sleep(0)

    async def _take_some(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        try:
            await self._fold.take(connection, events)
        except Exception as error:
            if is_transient(error) or isinstance(error, CannotTake | _OneOfThese):
                raise
            if len(events) == 1:
                raise CannotTake(events[0], error) from error
            raise _OneOfThese(events[-1].position) from error
        self._events += len(events)

    def _is_wanted(self, event: Recorded) -> bool:
        failed = self._failed.get(self._built.key(event))
        if failed and event.position >= failed.event.position:
            return False
        try:
            return is_wanted(self._built, event)
        except UnknownEvent as unknown:
            raise CannotTake(event, unknown) from unknown

    async def _write(self) -> None:
        async with self._record.writing() as connection:
            await self._write_in(connection)
        self._written = (self._position, self._events)

    async def _finish(self) -> bool:
        async with self._record.writing() as connection:
            await self._hold(connection)
            return await self._fold.finish(connection)

    async def _write_in(self, connection: AsyncConnection) -> None:
        await self._hold(connection)
        await self._fold.write(connection)

    async def _hold(self, connection: AsyncConnection) -> None:
        """Note the position. Raises ``ProjectionError`` if another rebuild has replaced this one."""
        if not await generations.built_to(connection, self._built, self._position):
            raise ProjectionError(f"another rebuild of {self._asked.consumer} replaced this one")

    async def _switch_or_go_back(self, *, hold: bool) -> bool:
        try:
            return await self._switch(hold=hold)
        except (CannotTake, _OneOfThese) as error:
            self._go_back(error)
            return False

    async def _switch(self, *, hold: bool) -> bool:
        """Switch at exactly the live position, which is locked.

        Returns False if the live projection is more than one batch ahead, unless ``hold`` is true.
        """
        async with self._record.writing() as connection:
            live = await generations.checkpoint_held(connection, self._built.consumer)
            GREW_MEANWHILE.note(self._position < live)
            while self._position < live:
                events = await self._record.read(self._position, limit=self._batch, up_to=live)
                if len(events) == self._batch and not hold:
                    return False
                await self._take(connection, events)
                if self._fold.held >= REBUILD_WRITE_ROWS:
                    await self._fold.write(connection)
            await self._write_in(connection)
            while await self._fold.finish(connection):
                pass
            self._before = await generations.own(connection, self._asked)
            await generations.switch(connection, self._built, self._position)
            await clear(connection, self._built.consumer, self._position)
            await parked.take_over(connection, self._built.consumer, self._failed)
        return True
