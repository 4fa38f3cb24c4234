"""Durable consumers: events in position order, each effect once."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from nats.aio.msg import Msg
from opentelemetry.propagate import inject
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import generations, stopped, tables
from faristol.bus.connection import Bus, Pull
from faristol.bus.envelope import is_of, position_of
from faristol.bus.generations import ProjectionError
from faristol.bus.progress import Progress
from faristol.bus.rebuild import Rebuild
from faristol.bus.stopped import CannotTake, away
from faristol.bus.tracing import consumed, lag, standing
from faristol.bus.work import Projection, Reaction, UnknownEvent, wanted
from faristol.record import Checkpoint, Conflict, Metadata, Record, Recorded, Stale
from faristol.record.record import move_checkpoint, start_checkpoint

_log = logging.getLogger(__name__)

BATCH = 500
"""Events that are worked on at a time."""
LAG_EVERY = 1.0
"""Seconds between two measurements of how far a consumer is behind."""
IDLE = 0.5
"""Seconds without news after which a consumer looks into the record by itself: the guarantee behind the hint."""
RETRY_LOOK = 0.5
"""Seconds between two looks whether a consumer that stands still should try again."""

ATTEMPTS = 25
"""Times that a reaction decides on one event, when others are faster each time: about 15 seconds."""
PAUSE = 0.01
"""Seconds before the third attempt; before each further one twice as many."""
LONGEST_PAUSE = 1.0


async def _nobody(_: Consumer) -> None:
    """Nobody wants to know."""


class Consumer:
    """Runs a reaction or a projection.

    News on the bus say how far to read; what is worked on comes from the record alone. So a bus that repeats,
    reorders, loses or invents news delays work at most.
    """

    def __init__(
        self,
        record: Record,
        bus: Bus,
        work: Reaction | Projection,
        progress: Progress,
        changed: Callable[[Consumer], Awaitable[None]] = _nobody,
    ) -> None:
        self._record = record
        self._bus = bus
        self._work = work
        self._progress = progress
        self._changed = changed
        """Called when it comes to stand still, and when it goes on."""
        self.name = work.consumer
        self._durable = f"{record.record_id[:8]}-{self.name.replace('.', '-').replace('@', '-v')}"
        self.problem: CannotTake | None = None
        """Why it stands still, while it does."""
        self._position = 0
        """Everything up to here is done, if not all of it noted."""
        self._noted = 0
        """The checkpoint in the record."""
        self._more = True
        """The record may hold more than was read last."""
        self._parked = True
        """There may be a note that it stands still."""
        self._measured = 0.0

    async def prepare(self) -> None:
        """Make the checkpoint and the tables, where there are none."""
        async with self._record.writing() as connection:
            if isinstance(self._work, Projection):
                await generations.found(connection, self._work)
            else:
                await tables.make(connection)
                await start_checkpoint(connection, self.name)

    async def run(self) -> None:
        """Work until cancelled.

        A database or a bus that is away is waited for. An event that the work cannot take is never skipped: the
        consumer notes where it stands, for everyone to see, and tries again when it is asked to.
        """
        try:
            while True:
                await self._work_until_hindered()
        finally:
            await self._note_at_the_end()

    async def _work_until_hindered(self) -> None:
        try:
            await self._work_on_news()
        except CannotTake as problem:
            await self._stand_still(problem)
        except Stale:
            _log.info("%s: another replica did that work", self.name)
        except ProjectionError as problem:
            _log.info("%s: %s", self.name, problem)
        except Exception as problem:
            if not away(problem):
                raise
            _log.warning("%s waits: %s", self.name, repr(problem))
            await self._without_bus()

    async def _note_at_the_end(self) -> None:
        """Note how far it came over events that asked for nothing, so that nobody takes them for work to be done."""
        try:
            if self._position > self._noted:
                await self._note()
        except Exception as problem:
            if not away(problem) and not isinstance(problem, Stale):
                raise
            _log.info("%s goes over some events again when it starts: %s", self.name, problem)

    async def _work_on_news(self) -> None:
        pull: Pull | None = None
        try:
            await self._reload()
            pull = await self._bus.subscribe(self._durable)
            while True:
                await self._turn(pull)
        finally:
            if pull:
                await pull.close()

    async def _reload(self) -> None:
        if isinstance(self._work, Projection):
            async with self._record.reading() as connection:
                generation = await generations.own(connection, self._work)
            if generation is None:  # an older version is read: ours is built beside it
                await Rebuild(self._record, self._work).run()
        self._position = self._noted = await self._record.checkpoint(self.name)
        self._more = self._parked = True
        await self._went_on()

    async def _without_bus(self) -> None:
        """Go on from the record alone for a moment: a bus that is away delays news, and stops nothing."""
        try:
            await self._reload()
            await self._work_on(await self._record.recent.after(self._position, limit=BATCH, age=IDLE / 2))
        except CannotTake as problem:
            await self._stand_still(problem)
        except (Stale, ProjectionError):
            pass
        except Exception as problem:
            if not away(problem):
                raise
            _log.warning("%s waits for the record: %s", self.name, problem)
        await asyncio.sleep(IDLE)

    async def _turn(self, pull: Pull) -> None:
        messages = [] if self._more else await pull.messages(IDLE)
        told = max((self._told(message) for message in messages), default=0)
        if not messages or told > self._position:
            age = math.inf if messages else IDLE / 2
            events = await self._record.recent.after(self._position, limit=BATCH, at_least=told, age=age)
            self._more = len(events) == BATCH
            await self._work_on(events)
        for message in messages:
            await message.ack()
        if not messages and not self._more and self._position > self._noted:
            await self._note()

    def _told(self, message: Msg) -> int:
        """The position that a message tells of; 0 when it tells nothing of this record."""
        try:
            return position_of(message) if is_of(message, self._record.record_id) else 0
        except ValueError as problem:
            _log.warning("%s: a message that no relay sent: %s", self.name, problem)
            return 0

    async def _work_on(self, events: Sequence[Recorded]) -> None:
        if not events:
            return
        mine: list[Recorded] = []
        strange: CannotTake | None = None
        last = events[-1].position
        for event in events:
            try:
                if wanted(self._work, event):
                    mine.append(event)
            except UnknownEvent as unknown:
                strange, last = CannotTake(event, unknown), event.position - 1
                break
        if isinstance(self._work, Projection):
            await self._project_all(self._work, mine, last)
        else:
            await self._react_to_all(self._work, mine, last)
        if strange:
            raise strange
        await self._measure_lag()

    async def _measure_lag(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._measured < LAG_EVERY:
            return
        self._measured = now
        lag.set(max(0, await self._record.last_position() - self._position), {"consumer": self.name})

    async def _project_all(self, projection: Projection, events: Sequence[Recorded], last: int) -> None:
        """Project events, as far as they can be. Raises ``CannotTake`` for the first that cannot."""
        if last <= self._position:
            return
        try:
            await self._project(projection, events, last)
        except CannotTake as problem:
            before = problem.event.position - 1
            await self._project_all(projection, [one for one in events if one.position <= before], before)
            raise
        except Exception as problem:
            if away(problem) or isinstance(problem, Stale):
                raise
            if not events:
                raise
            if len(events) == 1:
                raise CannotTake(events[0], problem) from problem
            for event in events:  # one of them is the culprit
                await self._project_all(projection, [event], event.position)
            await self._project_all(projection, [], last)

    async def _project(self, projection: Projection, events: Sequence[Recorded], last: int) -> None:
        with consumed(projection.name, events):
            async with self._record.writing() as connection:
                # First the checkpoint: whoever moves it has the rows for himself until the end.
                await move_checkpoint(connection, Checkpoint(self.name, self._noted, last))
                if events:
                    generation = await generations.own(connection, projection)
                    if generation is None:
                        raise ProjectionError(f"the tables of {self.name} were dropped")
                    await projection.at(generation).apply(connection, events)
                await self._passed(connection, last)
        self._position = self._noted = last
        self._parked = False
        await self._went_on()

    async def _react_to_all(self, reaction: Reaction, events: Sequence[Recorded], last: int) -> None:
        for event in events:
            if event.position <= self._position:
                continue
            try:
                await self._react(reaction, event)
            except Exception as problem:
                if away(problem) or isinstance(problem, Stale):
                    raise
                self._position = max(self._position, event.position - 1)
                raise CannotTake(event, problem) from problem
        self._position = max(self._position, last)
        if self._position - self._noted >= BATCH or self.problem or self._parked:
            await self._note()

    async def _react(self, reaction: Reaction, event: Recorded) -> None:
        with consumed(reaction.name, [event]):
            for attempt in count(1):
                decision = await reaction.react(event)
                if decision is None or not decision.writes:
                    return
                checkpoint = Checkpoint(self.name, self._noted, event.position)
                try:
                    await self._record.append(decision, _caused_by(event, reaction.name), checkpoint=checkpoint)
                except Conflict as conflict:
                    if attempt == ATTEMPTS:
                        raise  # nobody is that often faster: what it decides does not follow from what is there
                    _log.debug("%s decides again: %s", self.name, conflict)
                    await asyncio.sleep(min(LONGEST_PAUSE, PAUSE * 2 ** (attempt - 2)) if attempt > 1 else 0)
                    continue
                self._position = self._noted = event.position
                self._progress.tell(event.position)
                return

    async def _note(self) -> None:
        """Move the checkpoint over events that asked for nothing."""
        async with self._record.writing() as connection:
            if self._position > self._noted:
                await move_checkpoint(connection, Checkpoint(self.name, self._noted, self._position))
            await self._passed(connection, self._position)
        self._noted = self._position
        self._parked = False
        await self._went_on()

    async def _passed(self, connection: AsyncConnection, position: int) -> None:
        if self._parked:
            await stopped.clear(connection, self.name, position)

    async def _went_on(self) -> None:
        self._progress.tell(self._noted)
        if self.problem and self._noted >= self.problem.event.position:
            _log.warning("%s goes on after event %d", self.name, self.problem.event.position)
            self.problem = None
            standing.set(0, {"consumer": self.name})
            await self._changed(self)

    async def _stand_still(self, problem: CannotTake) -> None:
        """Note where it stands and why, and wait until it should try again."""
        _log.error("%s stands still before %s", self.name, problem, exc_info=problem.problem)
        self.problem = problem
        standing.set(1, {"consumer": self.name})
        await self._changed(self)
        noted = False
        while True:
            try:
                if not noted:
                    if self._position > self._noted:
                        await self._note()
                    async with self._record.writing() as connection:
                        await stopped.park(connection, self.name, problem, generations.microseconds())
                    noted = True
                if await stopped.may_go_on(self._record, self.name):
                    return
                await self._measure_lag()
            except Stale:
                return  # another replica is further
            except Exception as failure:
                if not away(failure):
                    raise
                _log.warning("%s waits for the record: %s", self.name, failure)
            await asyncio.sleep(RETRY_LOOK)


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
