"""Durable consumers: events in order of position, each effect once, and a failed event blocks only its own key."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from nats.aio.msg import Msg

from faristol.bus.connection import Bus, Pull
from faristol.bus.envelope import is_of, position_of, subjects
from faristol.bus.telemetry import parked_gauge, stopped_gauge
from faristol.consumers import parked, stopped
from faristol.consumers.generations import ProjectionError
from faristol.consumers.handlers import REPLAY_STEP_EVENTS, build_handler
from faristol.consumers.leases import WorkShare
from faristol.consumers.progress import Progress
from faristol.consumers.stopped import CannotTake, format_failure, is_transient
from faristol.consumers.work import Projection, Reaction
from faristol.event_store import Record, Recorded, Stale

_log = logging.getLogger(__name__)

CONSUMER_BATCH_EVENTS = 500
"""Events in one batch."""
CONSUMER_POLL_SECONDS = 0.5
"""Seconds without a notification after which a consumer polls the record: a notification is only a hint."""
RETRY_DUE_POLL_SECONDS = 0.001
"""The same while a parked key is due for a retry."""
PARKED_POLL_SECONDS = 0.5
"""Seconds between two reads of the parked keys, and of the request to retry a stopped consumer."""
NO_PARKED_POLL_SECONDS = 5.0
"""Seconds between two reads while no key is parked: a rebuild may park one."""

WAIT_LOG_INTERVAL_SECONDS = 60.0
"""Seconds after which a repeated reason for waiting is logged again."""

PARKED_BACKOFF_SECONDS = 1.0
"""Seconds before the first retry of a parked key; doubled after each attempt."""
MAX_PARKED_BACKOFF_SECONDS = 300.0


async def _ignore_change(_: Consumer) -> None:
    """Ignore the change."""


def durable(cell: str, consumer: str) -> str:
    """Return the name of a consumer of a cell on NATS."""
    return f"{cell}-{consumer.replace('.', '-').replace('@', '-v')}"


class Consumer:
    """Runs a reaction or a projection.

    Notifications on the bus only state how far to read; the events come from the record. A bus that repeats, reorders,
    loses or invents notifications can only delay work.
    """

    def __init__(
        self,
        record: Record,
        bus: Bus,
        work: Reaction | Projection,
        progress: Progress,
        changed: Callable[[Consumer], Awaitable[None]] = _ignore_change,
        *,
        cell: str = "",
        share: WorkShare | None = None,
    ) -> None:
        """``cell`` is the prefix of its name on NATS, by default from the record's id.

        ``share`` decides when this replica works; without one it always works.
        """
        self._record = record
        self._share = share or WorkShare(held=True)
        self._progress = progress
        self._bus = bus
        self._changed = changed
        """Called when the consumer stops or resumes, and when its first key is parked or its last one released."""
        self._taker = build_handler(record, work, progress)
        self.name = work.consumer
        self._cell = cell or record.record_id[:8]
        self._durable = durable(self._cell, self.name)
        self._subjects = () if isinstance(work, Projection) and work.awaited else subjects(work.types)
        """Subjects of its notifications; empty for all."""
        self.problem: CannotTake | None = None
        """Why it has stopped; None while it runs."""
        self.has_parked = False
        """Whether it has parked keys."""
        self._more = True
        """Whether the record may have more events than the last read returned."""
        self._looked = -math.inf
        """Time of the last read of the parked keys."""
        self._said: dict[str, float] = {}
        """Logged reasons for waiting, with their times."""
        self._tried: dict[str, float] = {}
        """Time of this process's last attempt at each parked key. A key without one may be fixed in this version."""
        self._replayed: set[str] = set()
        """Parked keys with a successful retry of an event."""
        self._due: deque[str] = deque()
        """Parked keys due for a retry."""

    @property
    def reached(self) -> int | None:
        """The position up to which it has worked; None while another replica works."""
        return self._taker.position if self._share.held else None

    async def prepare(self) -> None:
        """Create the checkpoint and the tables if they are missing."""
        await self._taker.prepare()

    async def run(self) -> None:
        """Work until cancelled, while this replica holds the share; wait while another one does.

        Waits while a database or bus is unavailable. An event that fails is never skipped: its key is parked, visible
        in the status, and retried automatically and on request of an operator.
        """
        while True:
            await self._share.begin()
            with self._share.working():
                try:
                    while self._share.held:
                        await self._work_until_hindered()
                finally:
                    await self._note_at_the_end()
            await self._rest()

    async def _rest(self) -> None:
        """Clear the state of this replica, since another one reports its progress and problems from now on."""
        _log.info("%s continues in another replica", self.name)
        self._progress.leave()
        self.has_parked = False
        for gauge in (parked_gauge, stopped_gauge):
            gauge.set(0, {"consumer": self.name})
        self.problem = None
        await self._changed(self)

    async def _work_until_hindered(self) -> None:
        try:
            await self._work_on_news()
        except CannotTake as problem:
            await self._stop(problem)
        except Stale:
            _log.info("%s: another replica handled that work", self.name)
        except ProjectionError as problem:
            _log.info("%s: %s", self.name, problem)
        except Exception as problem:
            if not is_transient(problem):
                raise
            self._waits("%s waits: %s", problem)
            await self._without_bus()

    def _waits(self, what: str, problem: Exception) -> None:
        """Log why it waits: once, then again after a while. The log may be on a disk that is full."""
        said, now = what % (self.name, format_failure(problem)), asyncio.get_running_loop().time()
        if now - self._said.get(said, -math.inf) >= WAIT_LOG_INTERVAL_SECONDS:
            self._said = {line: at for line, at in self._said.items() if now - at < WAIT_LOG_INTERVAL_SECONDS} | {
                said: now
            }
            _log.warning("%s", said)

    async def _note_at_the_end(self) -> None:
        """Move the checkpoint past events without an effect, so that they do not count as pending."""
        try:
            if self._taker.position > self._taker.noted:
                await self._taker.note()
        except Exception as problem:
            if not is_transient(problem) and not isinstance(problem, Stale | ProjectionError):
                raise
            _log.info("%s repeats some events at its start: %s", self.name, problem)

    async def _work_on_news(self) -> None:
        pull: Pull | None = None
        try:
            await self._reload()
            pull = await self._bus.subscribe(self._durable, self._subjects, self._cell)
            while self._share.held:
                await self._turn(pull)
        finally:
            if pull is not None:
                await pull.close()

    async def _reload(self) -> None:
        await self._taker.load()
        self._more = True
        self._looked = -math.inf
        await self._went_on()

    async def _without_bus(self) -> None:
        """Read events from the record for a moment: an unavailable bus delays notifications and stops no work."""
        try:
            await self._reload()
            await self._work_on(
                await self._record.recent.after(
                    self._taker.position, limit=CONSUMER_BATCH_EVENTS, age=CONSUMER_POLL_SECONDS / 2
                )
            )
            await self._try_parked()
        except CannotTake as problem:
            await self._stop(problem)
        except (Stale, ProjectionError):
            pass
        except Exception as problem:
            if not is_transient(problem):
                raise
            self._waits("%s waits for the record: %s", problem)
        await asyncio.sleep(CONSUMER_POLL_SECONDS)

    async def _turn(self, pull: Pull) -> None:
        messages = (
            [] if self._more else await pull.messages(RETRY_DUE_POLL_SECONDS if self._due else CONSUMER_POLL_SECONDS)
        )
        told = max((self._parse_position(message) for message in messages), default=0)
        events: Sequence[Recorded] = ()
        if told > self._taker.position or not messages:
            age = math.inf if messages else CONSUMER_POLL_SECONDS / 2
            events = await self._record.recent.after(
                self._taker.position, limit=CONSUMER_BATCH_EVENTS, at_least=told, age=age
            )
            self._more = len(events) == CONSUMER_BATCH_EVENTS
            await self._work_on(events)
        for message in messages:
            await message.ack()
        if not messages and not events and self._taker.position > self._taker.noted:
            await self._taker.note()
            await self._went_on()
        await self._try_parked()

    def _parse_position(self, message: Msg) -> int:
        """Return the position in a message; 0 if it is not a notification of this record."""
        try:
            return position_of(message) if is_of(message, self._record.record_id) else 0
        except ValueError as problem:
            _log.warning("%s: a message that was not sent by a relay: %s", self.name, problem)
            return 0

    async def _work_on(self, events: Sequence[Recorded]) -> None:
        if not events:
            return
        known = set(self._taker.parked)
        try:
            await self._taker.take(events)
        finally:
            for key in self._taker.parked.keys() - known:
                self._is_parked(key)
            await self._tell_parked()
        await self._went_on()

    def _is_parked(self, key: str) -> None:
        self._tried[key] = asyncio.get_running_loop().time()

    async def _tell_parked(self) -> None:
        """Publish the number of parked keys, and report a change between none and some."""
        parked_gauge.set(len(self._taker.parked), {"consumer": self.name})
        if bool(self._taker.parked) != self.has_parked:
            self.has_parked = not self.has_parked
            await self._changed(self)

    async def _try_parked(self) -> None:
        """Retry some events of a parked key, if one is due; other keys wait no longer than that."""
        await self._look_at_parked()
        if not self._due:
            return
        key = self._due.popleft()
        if (row := self._taker.parked.get(key)) is None:
            return
        starts = key not in self._replayed
        if await self._taker.replay(key, 1 if starts else REPLAY_STEP_EVENTS):  # first only the event that failed
            self._replayed.add(key)
            self._due.append(key)
            return
        self._replayed.discard(key)
        if key in self._taker.parked:
            self._tried[key] = asyncio.get_running_loop().time()
        else:
            self._tried.pop(key, None)
            await self._tell_parked()
            _log.warning("%s resumed %s, parked at event %d", self.name, key, row.position)

    async def _look_at_parked(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._looked < (PARKED_POLL_SECONDS if self._taker.parked else NO_PARKED_POLL_SECONDS):
            return
        self._looked = now
        await self._taker.look_at_parked()
        await self._tell_parked()
        self._tried = {key: at for key, at in self._tried.items() if key in self._taker.parked}
        self._replayed &= self._taker.parked.keys()
        waiting = set(self._due)
        self._due.extend(
            key
            for key, row in self._taker.parked.items()
            if key not in waiting and (row.retry or now >= self._tried.get(key, -math.inf) + _backoff(row.attempts))
        )

    async def _went_on(self) -> None:
        if self.problem and self._taker.noted >= self.problem.event.position:
            _log.warning("%s continues after event %d", self.name, self.problem.event.position)
            self.problem = None
            stopped_gauge.set(0, {"consumer": self.name})
            await self._changed(self)

    async def _stop(self, problem: CannotTake) -> None:
        """Note the position and the reason of the stop, and wait until a retry is due."""
        _log.error("%s has stopped before %s", self.name, problem, exc_info=problem.problem)
        self.problem = problem
        stopped_gauge.set(1, {"consumer": self.name})
        await self._changed(self)
        full = len(self._taker.parked) >= parked.MAX_PARKED_KEYS
        noted = False
        while self._share.held:
            try:
                if not noted:
                    if self._taker.position > self._taker.noted:
                        await self._taker.note()
                    async with self._record.writing() as connection:
                        await stopped.note(connection, self.name, problem)
                    noted = True
                if full:
                    await self._try_parked()
                has_room = full and len(self._taker.parked) < parked.MAX_PARKED_KEYS
                if has_room or await stopped.may_go_on(self._record, self.name):
                    return
            except (Stale, ProjectionError):
                return  # another replica is further
            except Exception as failure:
                if not is_transient(failure):
                    raise
                self._waits("%s waits for the record: %s", failure)
            await asyncio.sleep(0 if self._due else PARKED_POLL_SECONDS)


def _backoff(attempts: int) -> float:
    """Return the seconds between an attempt and the next one."""
    return float(min(MAX_PARKED_BACKOFF_SECONDS, PARKED_BACKOFF_SECONDS * 2 ** min(attempts - 1, 16)))
