"""Durable consumers: events in order of position, each effect once, and a failed event blocks only its own key.

Problem. A consumer must neither miss an event nor apply it twice. But processes die, and a bus repeats, reorders and
loses messages. An event that it cannot process must not stop the events of all other games and tournaments.

Idea. The record is the queue. A checkpoint is the position up to which a consumer has worked. It moves in the
transaction of the effects: the tables of a projection, or the events that a reaction appends. Notifications on the bus
only state the position to read. The checkpoint is compared when it moves, so of two replicas only one succeeds.

A failed event parks its key: its stream for a reaction, its tournament for a projection. This is a dead letter channel
(Hohpe and Woolf, 2003) with one queue for each key. Later events of the key are skipped and stay pending in the record.
``ParkedRetries`` processes them in order, after a backoff or on request of an operator.

Invariants:

- The events of one key are processed in order of position, and each takes effect once.
- No event is lost. An event before the checkpoint is processed, or its key is parked.
- The checkpoint passes an event of a parked key only if the row of the key still exists (``parked``).
- A row is removed only under the lock of the checkpoint, when no event of its key is pending.

Cost. All consumers of a process share the latest events (``Recent``), so a batch is read once. A projection finds a
failing event by bisection of its batch. Parked keys are read every ``PARKED_POLL_SECONDS``, and one step of a retry
processes ``REPLAY_STEP_EVENTS`` at most. Beyond ``MAX_PARKED_KEYS`` the consumer stops as a whole.

Alternatives that are not used:

- A stop at the first failure. One event would stop the consumer for the whole cell.
- A skip of the failed event only. Later events of its key would be applied to a state that lacks it.
- Acknowledgements of the bus as the checkpoint. They are not in the transaction of the effects, and the bus can be
  wiped.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum, auto

from nats.aio.msg import Msg

from faristol.assertions import Always, Sometimes
from faristol.bus.connection import Bus, Pull
from faristol.bus.envelope import is_of, position_of, subjects
from faristol.bus.telemetry import parked_gauge, stopped_gauge
from faristol.consumers import parked, parked_retries, stopped
from faristol.consumers.generations import ProjectionError
from faristol.consumers.handlers import build_handler
from faristol.consumers.leases import WorkShare
from faristol.consumers.parked_retries import ParkedRetries
from faristol.consumers.progress import Progress
from faristol.consumers.stopped import CannotTake, format_failure, is_transient
from faristol.consumers.work import Projection, Reaction
from faristol.event_store import Record, Recorded, Stale

WORK_OF_ANOTHER = Sometimes("another replica has done the work of a consumer")
WITHOUT_BUS = Sometimes("a consumer reads the record without NATS")
UNANNOUNCED = Sometimes("a consumer finds events that no message announced")
ANNOUNCED_AGAIN = Sometimes("a message announces only events that its consumer has handled")
PARKED_KEY_RELEASED = Sometimes("a parked key is released after a retry")
NO_GAP = Always("a consumer handles every event in order of position")


_log = logging.getLogger(__name__)

CONSUMER_BATCH_EVENTS = 500
"""Events in one batch."""
CONSUMER_POLL_SECONDS = 0.5
"""Seconds without a notification after which a consumer polls the record: a notification is only a hint."""
RETRY_DUE_POLL_SECONDS = 0.001
"""The same while a parked key is due for a retry."""
WAIT_LOG_INTERVAL_SECONDS = 60.0
"""Seconds after which a repeated reason for waiting is logged again."""


async def _ignore_change(_: Consumer) -> None:
    """Ignore the change."""


def durable(cell: str, consumer: str) -> str:
    """Return the name of a consumer of a cell on NATS."""
    return f"{cell}-{consumer.replace('.', '-').replace('@', '-v')}"


class ConsumerState(Enum):
    """The state of a consumer in this process."""

    RESTING = auto()
    """Another replica works."""
    WORKING = auto()
    """It works, and no key is parked."""
    PARKED = auto()
    """It works, without the events of parked keys."""
    STOPPED = auto()
    """It has stopped before an event that it can neither process nor park."""


HINDERED_STATES = frozenset({ConsumerState.PARKED, ConsumerState.STOPPED})
"""States in which events are pending until a cause is removed."""


class Consumer:
    """Runs a reaction or a projection.

    Notifications on the bus only state the position to read; the events come from the record. A bus that repeats,
    reorders, loses or invents notifications can only delay work.
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
        """Called after a change of the state."""
        self._handler = build_handler(record, work, progress)
        self.name = work.consumer
        self._cell = cell or record.record_id[:8]
        self._durable = durable(self._cell, self.name)
        self._subjects = () if isinstance(work, Projection) and work.awaited else subjects(work.types)
        """Subjects of its notifications; empty for all."""
        self.state = ConsumerState.WORKING
        self.problem: CannotTake | None = None
        """The event before which it has stopped."""
        self._more = True
        """Whether the record may have more events than the last read returned."""
        self._said: dict[str, float] = {}
        """Logged reasons for waiting, with their times."""
        self._retries = ParkedRetries(self._handler)

    @property
    def reached(self) -> int | None:
        """The position up to which it has worked; None while another replica works."""
        return self._handler.position if self._share.held else None

    async def prepare(self) -> None:
        """Create the checkpoint and the tables if they are missing."""
        await self._handler.prepare()

    async def run(self) -> None:
        """Work until cancelled, while this replica holds the share; wait while another one does.

        Waits while a database or bus is unavailable. An event that fails is never skipped: its key is parked, visible
        in the status, and retried automatically and on request of an operator.
        """
        while True:
            await self._share.begin()
            self.state = ConsumerState.WORKING
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
        parked_gauge.set(0, {"consumer": self.name})
        self.problem = None
        await self._enter(ConsumerState.RESTING)

    async def _enter(self, state: ConsumerState) -> None:
        """Change the state, and report the change."""
        stopped_gauge.set(int(state is ConsumerState.STOPPED), {"consumer": self.name})
        if state is not self.state:
            self.state = state
            await self._changed(self)

    async def _work_until_hindered(self) -> None:
        try:
            await self._work_on_news()
        except CannotTake as error:
            await self._stop(error)
        except Stale:
            WORK_OF_ANOTHER.note()
            _log.info("%s: another replica handled that work", self.name)
        except ProjectionError as error:
            _log.info("%s: %s", self.name, error)
        except Exception as error:
            if not is_transient(error):
                raise
            self._waits("%s waits: %s", error)
            await self._without_bus()

    def _waits(self, what: str, problem: Exception) -> None:
        """Log why it waits: once, then again after a while. The log may be on a disk that is full."""
        message, now = what % (self.name, format_failure(problem)), asyncio.get_running_loop().time()
        if now - self._said.get(message, -math.inf) >= WAIT_LOG_INTERVAL_SECONDS:
            self._said = {line: at for line, at in self._said.items() if now - at < WAIT_LOG_INTERVAL_SECONDS} | {
                message: now
            }
            _log.warning("%s", message)

    async def _note_at_the_end(self) -> None:
        """Move the checkpoint past events without an effect, so that they do not count as pending."""
        try:
            if self._handler.position > self._handler.noted:
                await self._handler.note()
        except Exception as error:
            if not is_transient(error) and not isinstance(error, Stale | ProjectionError):
                raise
            _log.info("%s repeats some events at its start: %s", self.name, error)

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
        await self._handler.load()
        self._more = True
        self._retries.reload()
        await self._went_on()

    async def _without_bus(self) -> None:
        """Read events from the record for a moment: an unavailable bus delays notifications and stops no work."""
        WITHOUT_BUS.note()
        try:
            await self._reload()
            await self._work_on(
                await self._record.recent.after(
                    self._handler.position, limit=CONSUMER_BATCH_EVENTS, age=CONSUMER_POLL_SECONDS / 2
                )
            )
            await self._try_parked()
        except CannotTake as error:
            await self._stop(error)
        except (Stale, ProjectionError):
            pass
        except Exception as error:
            if not is_transient(error):
                raise
            self._waits("%s waits for the record: %s", error)
        await asyncio.sleep(CONSUMER_POLL_SECONDS)

    async def _turn(self, pull: Pull) -> None:
        seconds = RETRY_DUE_POLL_SECONDS if self._retries.are_due else CONSUMER_POLL_SECONDS
        messages = [] if self._more else await pull.messages(seconds)
        notified = max((self._parse_position(message) for message in messages), default=0)
        events: Sequence[Recorded] = ()
        if notified > self._handler.position or not messages:
            age = math.inf if messages else CONSUMER_POLL_SECONDS / 2
            events = await self._record.recent.after(
                self._handler.position, limit=CONSUMER_BATCH_EVENTS, at_least=notified, age=age
            )
            self._more = len(events) == CONSUMER_BATCH_EVENTS
            UNANNOUNCED.note(events and not messages)
            await self._work_on(events)
        else:
            ANNOUNCED_AGAIN.note(notified)
        for message in messages:
            await message.ack()
        if not messages and not events and self._handler.position > self._handler.noted:
            await self._handler.note()
            await self._went_on()
        await self._try_parked()

    def _parse_position(self, message: Msg) -> int:
        """Return the position in a message; 0 if it is not a notification of this record."""
        try:
            return position_of(message) if is_of(message, self._record.record_id) else 0
        except ValueError as error:
            _log.warning("%s: a message that was not sent by a relay: %s", self.name, error)
            return 0

    async def _work_on(self, events: Sequence[Recorded]) -> None:
        if not events:
            return
        NO_GAP.check(
            (events[0].position, events[-1].position)
            == (self._handler.position + 1, self._handler.position + len(events)),
            f"{self.name} at position {self._handler.position}",
        )
        known = set(self._handler.parked)
        try:
            await self._handler.take(events)
        finally:
            self._retries.note_attempt(self._handler.parked.keys() - known)
            await self._report_parked()
        await self._went_on()

    async def _report_parked(self) -> None:
        """Export the number of parked keys, and enter the state that follows from it unless stopped."""
        parked_gauge.set(len(self._handler.parked), {"consumer": self.name})
        if self.state is not ConsumerState.STOPPED:
            await self._enter(self._find_working_state())

    def _find_working_state(self) -> ConsumerState:
        return ConsumerState.PARKED if self._handler.parked else ConsumerState.WORKING

    async def _try_parked(self) -> None:
        """Retry some events of a parked key, if one is due."""
        if await self._retries.poll():
            await self._report_parked()
        if (released := await self._retries.retry_next()) is not None:
            PARKED_KEY_RELEASED.note()
            await self._report_parked()
            _log.warning("%s resumed %s, parked at event %d", self.name, released.key, released.position)

    async def _went_on(self) -> None:
        """Resume once the checkpoint has passed the event of the stop."""
        if self.problem and self._handler.noted >= self.problem.event.position:
            _log.warning("%s continues after event %d", self.name, self.problem.event.position)
            self.problem = None
            await self._enter(self._find_working_state())

    async def _stop(self, problem: CannotTake) -> None:
        """Note the position and the reason of the stop, and wait until a retry is due."""
        _log.error("%s has stopped before %s", self.name, problem, exc_info=problem.problem)
        self.problem = problem
        await self._enter(ConsumerState.STOPPED)
        full = len(self._handler.parked) >= parked.MAX_PARKED_KEYS
        noted = False
        while self._share.held:
            try:
                if not noted:
                    if self._handler.position > self._handler.noted:
                        await self._handler.note()
                    async with self._record.writing() as connection:
                        await stopped.note(connection, self.name, problem)
                    noted = True
                if full:
                    await self._try_parked()
                has_room = full and len(self._handler.parked) < parked.MAX_PARKED_KEYS
                if has_room or await stopped.may_go_on(self._record, self.name):
                    return
            except (Stale, ProjectionError):
                return  # another replica is ahead
            except Exception as failure:
                if not is_transient(failure):
                    raise
                self._waits("%s waits for the record: %s", failure)
            await asyncio.sleep(0 if self._retries.are_due else parked_retries.PARKED_POLL_SECONDS)
