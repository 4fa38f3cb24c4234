"""Building a projection again, from the first event on, beside the one that is read."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import generations, parked, tables
from faristol.bus.generations import ProjectionError
from faristol.bus.stopped import CannotTake, away, clear
from faristol.bus.work import Fold, Projection, UnknownEvent, wanted
from faristol.record import Record, Recorded

BATCH = 2_000
"""Events that are in memory at a time."""
HELD = 256
"""Changed rows after which they are written."""
SLICE = 100
"""Events after which others have their turn, and of which one may be found to be what cannot be taken."""
LEASE_SECONDS = 6.0
ATTEMPTS = 8
"""Times that the live one may get ahead while it is caught up with, before it is held."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to."""

    generation: int
    position: int
    """The rows held up to here when they took over."""
    events: int
    seconds: float
    parked: int
    """Keys that have an event which cannot be taken."""


class _Plain:
    """The fold of a projection that has none of its own: its ``apply``, on many events at once."""

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
        except Exception as problem:
            if away(problem) or isinstance(problem, CannotTake):
                raise
            await self._find(connection, events)
            raise

    async def finish(self, _: AsyncConnection) -> bool:
        return False

    async def _find(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Raise ``CannotTake`` for the event that cannot be applied; nothing of this is kept."""
        for event in events:
            try:
                async with connection.begin_nested():
                    await self._apply(connection, [event])
            except Exception as problem:
                if away(problem):
                    raise
                raise CannotTake(event, problem) from problem


class _OneOfThese(Exception):
    """One of some events cannot be taken; it is not known which."""

    def __init__(self, last: int) -> None:
        super().__init__(f"one of the events up to {last} cannot be taken")
        self.last = last


class Rebuild:
    """One rebuild of a projection.

    Its rows go into tables of a new generation, while those of the live one are read and go on. Once it has come
    to where the live one is, it takes its place by one row, and the old tables are dropped. A rebuild that was
    interrupted leaves tables that nobody reads; the next one drops them.

    Of a key with an event that cannot be taken the rows end before that event; it is parked when they are read.
    """

    def __init__(
        self,
        record: Record,
        projection: Projection,
        progress: Callable[[int, int], None] = lambda done, total: None,
        batch: int = BATCH,
    ) -> None:
        self._record = record
        self._asked = projection
        self._tell = progress
        """Called with the position that it has come to and the record's last one."""
        self._batch = batch
        self._lease = f"rebuild:{projection.consumer}"
        self._holder = str(uuid.uuid4())
        self._renew_at = 0.0
        self._position = 0
        self._written = (0, 0)
        """The position up to which rows are written, and how many events that were."""
        self._failed: dict[str, CannotTake] = {}
        """By key, the event that cannot be taken; events of the key after it are passed by."""
        self._alone_to = 0
        """Up to this position events are taken one at a time, to find the one that cannot be."""
        self._total = 0
        self._events = 0
        self._before: int | None = None
        """The generation that was read until the switch."""

    async def run(self) -> Rebuilt:
        """Build, switch, drop the old tables.

        Raises ``CannotTake`` when more keys have an event that cannot be taken than may be parked, and
        ``ProjectionError`` when another rebuild is under way; the live tables are then as they were.
        """
        start = time.perf_counter()
        await self._take_lease()
        try:
            await self._begin()
            try:
                attempt = 1
                await self._catch_up()
                while not await self._switch_or_go_back(hold=attempt > ATTEMPTS):
                    await self._catch_up()
                    attempt += 1
            except BaseException:
                with suppress(SQLAlchemyError, OSError):
                    await self._drop(self._built.generation)
                raise
            if self._before is not None:
                await self._drop(self._before)
        finally:
            with suppress(SQLAlchemyError, OSError):  # it runs out by itself
                await self._record.release(self._lease, self._holder)
        seconds = time.perf_counter() - start
        return Rebuilt(self._built.generation, self._position, self._events, seconds, len(self._failed))

    async def _begin(self) -> None:
        """Drop what was left over, and make new tables."""
        name, version = self._asked.name, self._asked.version
        async with self._record.writing() as connection:
            await tables.make(connection)
        async with self._record.writing() as connection:
            # One that lost its lease may be switching at this moment: then this waits, and what it built is read.
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
        give_up = time.monotonic() + LEASE_SECONDS + 1
        while not await self._record.lease(self._lease, self._holder, LEASE_SECONDS):
            if time.monotonic() > give_up:
                raise ProjectionError(f"{self._asked.consumer} is being rebuilt already: wait until that is done")
            await asyncio.sleep(0.2)
        self._renew_at = time.monotonic() + LEASE_SECONDS / 3

    async def _keep_lease(self) -> None:
        if time.monotonic() < self._renew_at:
            return
        if not await self._record.lease(self._lease, self._holder, LEASE_SECONDS):
            raise ProjectionError(f"another rebuild of {self._asked.consumer} took this one's place")
        self._renew_at = time.monotonic() + LEASE_SECONDS / 3

    async def _catch_up(self) -> None:
        """Come to the end of the record, or as near to it as one batch."""
        self._total = await self._record.last_position()
        full = True
        while full:
            events = await self._record.read(self._position, limit=self._batch)
            full = len(events) == self._batch
            try:
                async with self._record.reading() as connection:
                    await self._take(connection, events)
                if self._fold.held >= HELD or not full:
                    await self._write()
            except (CannotTake, _OneOfThese) as problem:
                self._go_back(problem)
                full = True
            await self._keep_lease()
        while await self._finish():
            await self._keep_lease()

    def _go_back(self, problem: CannotTake | _OneOfThese) -> None:
        """Go back to what is written, which has nothing of a failed event; from that event on its key is passed by.

        Raises ``problem`` when that is one key too many.
        """
        if isinstance(problem, _OneOfThese):
            self._alone_to = problem.last
        elif len(self._failed) >= parked.MOST:
            raise problem
        else:
            self._failed[self._built.key(problem.event)] = problem
        self._fold = self._new_fold()
        self._position, self._events = self._written

    async def _take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        start = 0
        while start < len(events):
            some = events[start : start + (1 if events[start].position <= self._alone_to else SLICE)]
            start += len(some)
            await self._take_some(connection, [event for event in some if self._wanted(event)])
            self._position = some[-1].position
            self._tell(self._position, max(self._position, self._total))
            await asyncio.sleep(0)

    async def _take_some(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        try:
            await self._fold.take(connection, events)
        except Exception as problem:
            if away(problem) or isinstance(problem, CannotTake | _OneOfThese):
                raise
            if len(events) == 1:
                raise CannotTake(events[0], problem) from problem
            raise _OneOfThese(events[-1].position) from problem
        self._events += len(events)

    def _wanted(self, event: Recorded) -> bool:
        failed = self._failed.get(self._built.key(event))
        if failed and event.position >= failed.event.position:
            return False
        try:
            return wanted(self._built, event)
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
        """Note how far it is. Raises ``ProjectionError`` when the tables are not its own any more."""
        if not await generations.built_to(connection, self._built, self._position):
            raise ProjectionError(f"another rebuild of {self._asked.consumer} took this one's place")

    async def _switch_or_go_back(self, *, hold: bool) -> bool:
        try:
            return await self._switch(hold=hold)
        except (CannotTake, _OneOfThese) as problem:
            self._go_back(problem)
            return False

    async def _switch(self, *, hold: bool) -> bool:
        """Take the live one's place at exactly its position.

        The live one cannot go on meanwhile. False when it is further ahead than one batch, unless it is to be held
        all the same.
        """
        async with self._record.writing() as connection:
            live = await generations.checkpoint_held(connection, self._built.consumer)
            while self._position < live:
                events = await self._record.read(self._position, limit=self._batch, up_to=live)
                if len(events) == self._batch and not hold:
                    return False
                await self._take(connection, events)
                if self._fold.held >= HELD:
                    await self._fold.write(connection)
            await self._write_in(connection)
            while await self._fold.finish(connection):
                pass
            self._before = await generations.own(connection, self._asked)
            await generations.switch(connection, self._built, self._position)
            await clear(connection, self._built.consumer, self._position)
            await parked.take_over(connection, self._built.consumer, self._failed)
        return True
