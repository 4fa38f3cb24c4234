"""The processing of events by consumers: each effect once, in order, with failing keys parked."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import count

from opentelemetry.propagate import inject
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.assertions import Sometimes
from faristol.bus.telemetry import trace_consumption
from faristol.consumers import generations, parked, stopped, tables
from faristol.consumers.generations import ProjectionError
from faristol.consumers.parked import Parked
from faristol.consumers.progress import Progress
from faristol.consumers.rebuild import Rebuild
from faristol.consumers.stopped import CannotTake, is_transient
from faristol.consumers.work import Projection, Reaction, UnknownEvent, is_wanted
from faristol.event_store import Checkpoint, Conflict, Decision, Metadata, Record, Recorded, Stale
from faristol.event_store.backends.databases import is_full
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.positions import checkpoint, move_checkpoint, start_checkpoint

_log = logging.getLogger(__name__)

CHECKPOINT_INTERVAL_EVENTS = 500
"""Events without an effect after which a reaction moves its checkpoint."""
REPLAY_STEP_EVENTS = 100
"""Events of a tournament in one step of a replay, during which others wait."""

MAX_REACTION_ATTEMPTS = 8
"""Attempts of a reaction at one event with conflicts: about half a second."""
MAX_PARKED_ATTEMPTS = 2
"""The same for an event of a parked key, which is retried later."""
CONFLICT_RETRY_SECONDS = 0.01
"""Seconds before the third attempt; doubled before each further one."""

MAX_APPARENT_OUTAGES = 6
"""Apparent outages at one event, while the record answers, after which the event fails: about two seconds."""

Commit = Callable[[Sequence[Recorded], int], Awaitable[None]]
"""Applies events, and notes that all up to a position are processed."""


REACTED_AGAIN = Sometimes("a reaction is decided again after a conflict")


class EventHandler(ABC):
    """One replica of a consumer, with its position and its parked keys.

    Work after ``noted`` is committed only if the checkpoint of the record is still there. If not, another replica was
    faster: that raises ``Stale``, and ``load`` reads the new position.
    """

    def __init__(self, record: Record, work: Reaction | Projection, progress: Progress) -> None:
        self.record = record
        self.name = work.consumer
        self.position = 0
        """All events up to here are processed or parked, though not all of it noted."""
        self.noted = 0
        """The checkpoint in the record."""
        self.parked: dict[str, Parked] = {}
        """Parked keys, the oldest first."""
        self.may_be_stopped = True
        """Whether there may be a note that the consumer has stopped."""
        self._work = work
        self._progress = progress
        self._skipped: list[tuple[int, str]] = []
        """Positions and keys of events after ``noted`` that were skipped because their key is parked."""
        self._hindered = (0, 0)
        """The position after which an outage was seen, and how often in a row."""

    @abstractmethod
    async def prepare(self) -> None:
        """Create the checkpoint and the tables if they are missing."""

    async def load(self) -> None:
        """Read the position of the consumer and its parked keys."""
        async with self.record.reading() as connection:
            self.position = self.noted = await checkpoint(connection, self.name)
            self.parked = await parked.of_consumer(connection, self.name)
        self._skipped = []
        self.may_be_stopped = True
        self._progress.tell(self.noted)

    async def look_at_parked(self) -> None:
        """Read the parked keys again: other replicas may release them, and operators may request a retry."""
        async with self.record.reading() as connection:
            self.parked = await parked.of_consumer(connection, self.name)

    async def take(self, events: Sequence[Recorded]) -> None:
        """Process events in order of position; park the key of one that fails.

        Raises ``CannotTake`` if the limit of parked keys is exceeded; every event before that one is then processed.
        """
        left = [event for event in events if event.position > self.position]
        while left:
            try:
                await self._take_to_failure(left)
            except CannotTake as error:
                await self._park(error)
                left = [event for event in left if event.position > error.event.position]
            else:
                return

    async def _take_to_failure(self, events: Sequence[Recorded]) -> None:
        """Process events up to the first that fails. Raises ``CannotTake`` for that one."""
        self._skipped = [(at, key) for at, key in self._skipped if at < events[0].position]
        others = []
        for event in events:
            if (key := self._work.key(event)) in self.parked:
                self._skipped.append((event.position, key))
            else:
                others.append(event)
        mine, last, unknown = self._select_events(others, events[-1].position)
        await self._take(mine, last)
        if unknown:
            raise unknown

    def _select_events(self, events: Sequence[Recorded], last: int) -> tuple[list[Recorded], int, CannotTake | None]:
        """Return the events for this consumer, the position up to which they reach, and the error of the next event."""
        mine = []
        for event in events:
            try:
                if is_wanted(self._work, event):
                    mine.append(event)
            except UnknownEvent as unknown:
                return mine, event.position - 1, CannotTake(event, unknown)
        return mine, last, None

    async def _passes(self, problem: Exception, position: int) -> bool:
        """Check whether a failure after ``position`` is transient, rather than one of the next event.

        A repeated outage at the same event, while the record answers, counts as a failure of that event, such as a
        missing file; a full disk never does. Raises the exception of the database if it really is unavailable.
        """
        if isinstance(problem, Stale | ProjectionError):
            return True
        if not is_transient(problem):
            return False
        if isinstance(problem, DBAPIError) and is_full(problem):
            return True  # a database with a full disk still answers reads
        await self.record.checkpoint(self.name)
        at, times = self._hindered
        self._hindered = (position, times + 1 if at == position else 1)
        return self._hindered[1] < MAX_APPARENT_OUTAGES

    @abstractmethod
    async def _take(self, events: Sequence[Recorded], last: int) -> None:
        """Process events of keys that are not parked, and move to ``last``.

        Raises ``CannotTake`` for the first that fails; those before it are then processed.
        """

    async def _park(self, problem: CannotTake) -> None:
        """Park the key of an event and move past it in one transaction. Raises ``problem`` if the limit is exceeded."""
        if len(self.parked) >= parked.MAX_PARKED_KEYS:
            raise problem
        event, key = problem.event, self._work.key(problem.event)
        async with self.record.writing() as connection:
            await self._move(connection, event.position)
            row = await parked.park(connection, self.name, key, problem, microseconds(utc_now()))
        self._note_progress(event.position)
        self.parked[key] = row
        _log.error("%s has parked %s before %s", self.name, key, problem, exc_info=problem.problem)

    async def note(self) -> None:
        """Move the checkpoint past events without an effect and of parked keys."""
        async with self.record.writing() as connection:
            await self._move(connection, self.position)
        self._note_progress(self.position)

    async def _move(self, connection: AsyncConnection, last: int) -> None:
        """Move the checkpoint. Raises ``Stale`` if it has moved already, or if a skipped key was released."""
        # The update of the checkpoint comes first: it locks the rows of parked keys until the end.
        if last > self.noted:
            await move_checkpoint(connection, Checkpoint(self.name, self.noted, last))
        await parked.check_there(connection, self.name, self._skipped_to(last))
        if self.may_be_stopped:
            await stopped.clear(connection, self.name, last)

    def _skipped_to(self, last: int) -> set[str]:
        return {key for at, key in self._skipped if at <= last}

    def _note_progress(self, last: int) -> None:
        self.noted = last
        self.position = max(self.position, last)
        self.may_be_stopped = False
        self._skipped = [(at, key) for at, key in self._skipped if at > last]
        self._progress.tell(last)

    async def replay(self, key: str, limit: int = REPLAY_STEP_EVENTS) -> bool:
        """Process some events of a parked key, and release it if none is pending.

        Reads at most ``limit`` events of its tournament. Returns whether to continue at once: False after a failure,
        which is noted.
        """
        row = self.parked[key]
        here = await self.record.checkpoint(self.name)
        events = await self.record.read(row.done, limit=limit, tournament=row.tournament, up_to=here)
        full = len(events) == limit
        of_key = [event for event in events if self._work.key(event) == key]
        mine, last, unknown = self._select_events(of_key, events[-1].position if full else here)
        try:
            await self._replay(key, mine, last)
            if unknown:
                raise unknown
        except CannotTake as error:
            async with self.record.writing() as connection:
                self.parked[key] = await parked.fail_again(connection, self.parked[key], error)
            return False
        return full or not await self._lift(key)

    @abstractmethod
    async def _replay(self, key: str, events: Sequence[Recorded], last: int) -> None:
        """Process events of a parked key, and note that those up to ``last`` are processed.

        Raises ``CannotTake`` for the first that fails; those before it are then processed.
        """

    async def _advance(self, connection: AsyncConnection, key: str, done: int) -> None:
        if done > self.parked[key].done:
            self.parked[key] = await parked.advance(connection, self.parked[key], done)

    async def _lift(self, key: str) -> bool:
        """Release a parked key, unless more of its events were skipped by now."""
        row = self.parked[key]
        async with self.record.writing() as connection:
            here = await generations.checkpoint_held(connection, self.name)
            left = await self.record.read(row.done, limit=REPLAY_STEP_EVENTS, tournament=row.tournament, up_to=here)
            if len(left) == REPLAY_STEP_EVENTS or any(self._work.key(event) == key for event in left):
                return False
            await parked.lift(connection, row)
        del self.parked[key]
        return True


class Reactor(EventHandler):
    """Processes events by deciding on them."""

    def __init__(self, record: Record, reaction: Reaction, progress: Progress) -> None:
        super().__init__(record, reaction, progress)
        self._reaction = reaction

    async def prepare(self) -> None:
        """Create the checkpoint if it is missing."""
        async with self.record.writing() as connection:
            await tables.make(connection)
            await start_checkpoint(connection, self.name)

    async def _take(self, events: Sequence[Recorded], last: int) -> None:
        taken = await self._take_together(events) if len(events) > 1 and not self._skipped else 0
        for event in events[taken:]:
            self.position = event.position - 1
            if await self._react(event, self._append, MAX_REACTION_ATTEMPTS):
                self._note_progress(event.position)
        self.position = max(self.position, last)
        if self.position - self.noted >= CHECKPOINT_INTERVAL_EVENTS or self.may_be_stopped:
            await self.note()

    async def _take_together(self, events: Sequence[Recorded]) -> int:
        """Append the decisions on the first events in one transaction, and return the number of these events.

        After any failure but one of the database, the events are decided on one by one.
        """
        if self._reaction.react_together is None:
            return 0
        try:
            with trace_consumption(self._work.name, events):
                decisions = await self._reaction.react_together(events)
        except Exception as error:
            if await self._passes(error, events[0].position - 1):
                raise
            return 0
        before, appends = self.noted, list[tuple[int, Awaitable[object]]]()
        for number, (event, decision) in enumerate(zip(events, decisions, strict=False)):
            if decision is not None and decision.writes:
                progress = Checkpoint(self.name, before, event.position)
                metadata = _caused_by(event, self.name, decision)
                appends.append((number, self.record.append(decision, metadata, checkpoint=progress)))
                before = event.position
        # The appender writes what waits in one transaction, and each append needs those before it.
        results = await asyncio.gather(*(append for _, append in appends), return_exceptions=True)
        for (number, _), result in zip(appends, results, strict=True):
            if isinstance(result, Conflict):
                return number
            if isinstance(result, BaseException):
                raise result
            self._note_progress(events[number].position)
        return len(decisions)

    async def _append(self, event: Recorded, decision: Decision) -> None:
        if self._skipped_to(event.position):
            await self.note()  # unlike an append, this checks that the keys are still parked
        checkpoint = Checkpoint(self.name, self.noted, event.position)
        await self.record.append(decision, _caused_by(event, self.name, decision), checkpoint=checkpoint)

    async def _react(
        self, event: Recorded, append: Callable[[Recorded, Decision], Awaitable[None]], attempts: int
    ) -> bool:
        """Decide on an event and return whether something was appended. Raises ``CannotTake`` if it fails."""
        try:
            with trace_consumption(self._work.name, [event]):
                for attempt in count(1):
                    decision = await self._reaction.react(event)
                    if decision is None or not decision.writes:
                        return False
                    try:
                        await append(event, decision)
                    except Conflict:
                        REACTED_AGAIN.note()
                        if attempt == attempts:
                            # this number of conflicts is not due to other writers: the decision does not fit the state
                            raise
                        await asyncio.sleep(CONFLICT_RETRY_SECONDS * 2 ** (attempt - 2) if attempt > 1 else 0)
                    else:
                        return True
        except Exception as error:
            if await self._passes(error, event.position - 1):
                raise
            raise CannotTake(event, error) from error
        raise AssertionError  # the loop has no end

    async def _replay(self, key: str, events: Sequence[Recorded], last: int) -> None:
        async def append(event: Recorded, decision: Decision) -> None:
            """Append with an update of the key's row, instead of the checkpoint."""
            before = self.parked[key]

            async def also(connection: AsyncConnection) -> str | Sequence[str] | None:
                names = await decision.also(connection) if decision.also else None
                await parked.advance(connection, before, event.position)
                return names

            await self.record.append(replace(decision, also=also), _caused_by(event, self.name, decision))
            self.parked[key] = replace(before, done=event.position)

        for event in events:
            await self._react(event, append, MAX_PARKED_ATTEMPTS)
        async with self.record.writing() as connection:
            await self._advance(connection, key, last)


class Projector(EventHandler):
    """Processes events by applying them to tables."""

    def __init__(self, record: Record, projection: Projection, progress: Progress) -> None:
        super().__init__(record, projection, progress)
        self._projection = projection
        self._generation: int | None = None
        """The generation in use when the consumer was loaded."""

    async def prepare(self) -> None:
        """Create the checkpoint and the tables if they are missing."""
        async with self.record.writing() as connection:
            await generations.create_first_generation(connection, self._projection)

    async def load(self) -> None:
        """Read the position; if an older version is in use, build the tables of this one first."""
        async with self.record.reading() as connection:
            self._generation = await generations.own(connection, self._projection)
        if self._generation is None:
            self._generation = (await Rebuild(self.record, self._projection).run()).generation
        await super().load()

    async def _take(self, events: Sequence[Recorded], last: int) -> None:
        await self._in_parts(self._project, events, last)

    async def _project(self, events: Sequence[Recorded], last: int) -> None:
        if last <= self.noted:
            return
        with trace_consumption(self._work.name, events):
            async with self.record.writing() as connection:
                await self._move(connection, last)
                await self._apply(connection, events)
        self._note_progress(last)

    async def _move(self, connection: AsyncConnection, last: int) -> None:
        await super()._move(connection, last)
        await self._check_generation(connection)

    async def _check_generation(self, connection: AsyncConnection) -> None:
        """Raise ``Stale`` after a switch to another generation, which may have other parked keys."""
        generation = await generations.own(connection, self._projection)
        if generation is None:
            raise ProjectionError(f"the tables of {self.name} were dropped")
        if generation != self._generation:
            raise Stale(Checkpoint(self.name, self.noted, self.noted))

    async def _apply(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        if events:
            assert self._generation is not None
            await self._projection.at(self._generation).apply(connection, events)

    async def _replay(self, key: str, events: Sequence[Recorded], last: int) -> None:
        async def commit(some: Sequence[Recorded], done: int) -> None:
            before = self.parked[key]
            try:
                with trace_consumption(self._work.name, some):
                    async with self.record.writing() as connection:
                        await generations.checkpoint_held(connection, self.name)
                        await self._check_generation(connection)
                        await self._apply(connection, some)
                        await self._advance(connection, key, done)
            except BaseException:
                self.parked[key] = before
                raise

        await self._in_parts(commit, events, last)

    async def _in_parts(self, commit: Commit, events: Sequence[Recorded], last: int) -> None:
        """Commit events together, or else up to the first that fails. Raises ``CannotTake`` for that one."""
        try:
            await commit(events, last)
        except CannotTake as error:
            before = error.event.position - 1
            await self._in_parts(commit, [event for event in events if event.position <= before], before)
            raise
        except Exception as error:
            if not events or await self._passes(error, events[0].position - 1):
                raise
            if len(events) == 1:
                raise CannotTake(events[0], error) from error
            half = len(events) // 2  # find the failing event by bisection
            await self._in_parts(commit, events[:half], events[half].position - 1)
            await self._in_parts(commit, events[half:], last)


def build_handler(record: Record, work: Reaction | Projection, progress: Progress) -> EventHandler:
    """Return the handler of the events of a reaction or a projection."""
    return Projector(record, work, progress) if isinstance(work, Projection) else Reactor(record, work, progress)


def _caused_by(event: Recorded, consumer: str, decision: Decision) -> Metadata:
    """Return the metadata of a decision: its actor is the consumer, or that of the event (``Decision.for_actor``)."""
    carrier: dict[str, str] = {}
    inject(carrier)
    return Metadata(
        actor=event.metadata.actor if decision.for_actor else consumer,
        role=event.metadata.role if decision.for_actor else "service",
        causation_id=event.event_id,
        correlation_id=event.metadata.correlation_id or event.event_id,
        traceparent=carrier.get("traceparent", event.metadata.traceparent),
    )
