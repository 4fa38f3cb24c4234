"""The timer that fires the deadlines of clocks.

The timer has no state. It reads the running clocks from the record and waits for the first deadline. It then writes the
due events as a command does: with their effects on the game, and once. A process that starts reads the record again, so
that no deadline is lost with a process.

Many deadlines can come at once. Tables are therefore loaded in batches, decisions are prepared some seconds ahead, and
decisions due together are appended together. A prepared decision rests on stream versions: if the table has changed,
the append conflicts and the decision is made again. Replicas share the clocks (``replicas``). Each also prepares the
deadlines of the others, and writes them if their owner is silent.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from opentelemetry import metrics

from faristol.assertions import Sometimes
from faristol.clock.failures import Failures
from faristol.clock.replicas import Replicas
from faristol.consumers.stopped import is_transient
from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, Recorded, UnreadableEvent
from faristol.event_store.append.group_commit import MAX_GROUP_REQUESTS
from faristol.host.observability.telemetry import DURATION_BUCKETS
from faristol.host.table_store import GAME, TABLE_BATCH_SIZE, Settled, clock_stream, game_of, load_tables
from faristol.kernel.event_types import types_of
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, instant, to_timestamp
from faristol.pb.clock.v1 import events_pb2
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table.clock import EVENT_KINDS
from faristol.table.deadlines import due, next_deadline

NANOSECONDS_FACTOR = 1_000_000_000

CLOCK_BATCH_EVENTS = 1_000
"""Events per read."""
CLOCK_POLL_SECONDS = 1.0
"""Poll interval without deadlines and notifications, in seconds."""
CLOCK_READ_DELAY_SECONDS = 0.05
"""Delay after a notification before events are read, in seconds: busy tables append often."""
MAX_LIVE_LAG_NANOSECONDS = 5 * 60 * NANOSECONDS_FACTOR
"""Limit of the lag of a live table, in nanoseconds. Events recorded long after they happened are decided by their own
times only: the current time at their table is unknown.
"""
APPEND_RETRY_NANOSECONDS = 1 * NANOSECONDS_FACTOR
"""Retry interval of a due deadline that waits for an append, in nanoseconds."""
PREPARE_AHEAD_NANOSECONDS = 5 * NANOSECONDS_FACTOR
"""How long before its deadline a decision is prepared, in nanoseconds."""
FOREIGN_READ_DELAY_NANOSECONDS = 1 * NANOSECONDS_FACTOR
"""Delay before events of clocks that another replica owns are read, in nanoseconds."""
OWNER_GRACE_NANOSECONDS = NANOSECONDS_FACTOR // 5
"""How long a clock's owner may be silent before another replica writes its deadlines, in nanoseconds."""
MAX_FOREIGN_DEADLINES = MAX_GROUP_REQUESTS
"""Limit of another replica's deadlines that are written before its new events are read."""

CLOCK_RETRY_NANOSECONDS = 60 * NANOSECONDS_FACTOR
"""Retry interval of a clock whose deadlines cannot be computed or written, in nanoseconds."""

CLOCK_EVENT_TYPES = types_of(EVENT_KINDS)
OPEN_AND_STOP_TYPES = types_of((events_pb2.ClockOpened, events_pb2.ClockStopped))
"""The first and the last event of every clock."""

OWNER_TYPES = types_of((game_events.TableHandedOver, game_events.TableReturned, game_events.TableTakenBack))
"""The events after which another cell decides at a table."""

_NO_DEADLINE_NS = 1 << 62
"""An instant after all others."""

_CLOCK_COMMAND_NAMESPACE = uuid.UUID("0f7c2b52-6d0b-4f0e-9d57-3a3b1f5d0c11")

CHECKED_AGAIN = Sometimes("a deadline is checked again after a conflict")

_log = logging.getLogger(__name__)
_late = metrics.get_meter("faristol.clock").create_histogram(
    "faristol.deadline.late",
    unit="s",
    description="delay of a deadline until it is recorded",
    explicit_bucket_boundaries_advisory=DURATION_BUCKETS,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A decision to write at a deadline."""

    due: Instant
    """In wall-clock time."""
    decision: Decision
    command_id: str
    """The same in every replica, for deduplication."""


class ClockTimer:
    """The timer of all clocks of a cell. Several replicas share the clocks."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self.written = 0
        """Number of deadlines that this timer has tried to write."""
        self._record = record
        self._now = now
        self._replicas = Replicas(record, "clock.timer")
        self._position = 0
        self._lags: dict[str, int] = {}
        """Recording lag of the last event of each clock that is not stopped, in nanoseconds."""
        self._alarms: dict[str, Instant] = {}
        """Time of the next deadline, or of the next check, by clock."""
        self._look: dict[str, Instant] = {}
        """Time of the check of each clock with new events."""
        self._prepared: dict[str, Prepared] = {}
        """Prepared decisions for the next deadlines."""
        self._waiting: set[str] = set()
        """Clocks that are not checked before their alarm."""
        self._heard: dict[int, Instant] = {}
        """Time at which each replica last wrote due events, by its place."""
        self._failures = Failures("clocks")

    async def run(self) -> None:
        """Fire deadlines until cancelled.

        An error of one clock is logged and counted, and does not affect the others. That clock is retried after
        ``CLOCK_RETRY_NANOSECONDS`` and after new events.
        """
        begun = False
        try:
            while True:
                wait = CLOCK_POLL_SECONDS
                try:
                    await self._replicas.look()
                    await (self._read() if begun else self._begin())
                    begun = True
                    await self._prepare(self._to_look_at()[:TABLE_BATCH_SIZE])
                    await self._fire(self._to_fire())
                    wait = self._wait()
                except UnreadableEvent as error:
                    _log.error("deadlines wait for a newer version of this program: %s", error)
                except Exception as error:
                    if not is_transient(error):
                        raise
                    _log.warning("deadlines wait: %r", error)
                if wait:
                    await self._record.news.wait(wait, self._position)
                    await asyncio.sleep(min(CLOCK_READ_DELAY_SECONDS, self._wait()))
                else:
                    await asyncio.sleep(0)
        finally:
            await self._replicas.leave()

    async def _begin(self) -> None:
        """Find the clocks that are not stopped by reading only their first and last events."""
        here, position = await self._record.last_position(), 0
        games: set[str] = set()
        while position < here:
            events = await self._record.read(position, limit=CLOCK_BATCH_EVENTS, types=OPEN_AND_STOP_TYPES, up_to=here)
            for event in events:
                stopped = isinstance(event.message, events_pb2.ClockStopped)
                (games.discard if stopped else games.add)(game_of(event.stream))
            position = events[-1].position if len(events) == CLOCK_BATCH_EVENTS else here
        self._position = here
        self._look |= dict.fromkeys(games, 0)

    async def _read(self) -> None:
        """Read the new events, and schedule checks of their clocks."""
        more = True
        while more:
            events = await self._record.recent.after(
                self._position, limit=CLOCK_BATCH_EVENTS, age=CLOCK_READ_DELAY_SECONDS
            )
            for event in events:
                if event.type in CLOCK_EVENT_TYPES:
                    self._hear(event)
                elif event.stream.startswith(GAME):
                    self._prepared.pop(game_of(event.stream), None)  # its decision is based on the previous version
                    if event.type in OWNER_TYPES and game_of(event.stream) in self._lags:
                        self._look[game_of(event.stream)] = 0
            self._position = events[-1].position if events else self._position
            more = len(events) == CLOCK_BATCH_EVENTS

    def _hear(self, event: Recorded) -> None:
        """Process an event of a clock."""
        game_id, now = game_of(event.stream), _instant(self._now())
        kept = self._replicas.owns(game_id)
        prepared = self._prepared.pop(game_id, None)
        if prepared is not None and prepared.due <= now and not kept:
            self._heard[self._replicas.owner_of(game_id)] = now
        if isinstance(event.message, events_pb2.ClockStopped):
            self._forget(game_id)
            return
        self._lags[game_id] = _lag(event)
        self._waiting.discard(game_id)
        self._look[game_id] = min(
            self._look.get(game_id, now + FOREIGN_READ_DELAY_NANOSECONDS),
            now if kept else now + FOREIGN_READ_DELAY_NANOSECONDS,
        )

    def _to_look_at(self) -> list[str]:
        """Return the clocks to check now: those of this replica first, by next deadline."""
        now = _instant(self._now())
        wanted = {game_id for game_id, at in self._look.items() if at <= now}
        for game_id, at in self._alarms.items():
            if (
                at <= now + PREPARE_AHEAD_NANOSECONDS
                and game_id not in self._prepared
                and (game_id not in self._waiting or at <= now)
            ):
                wanted.add(game_id)
        return sorted(wanted, key=lambda game_id: (not self._replicas.owns(game_id), self._alarms.get(game_id, 0)))

    def _to_fire(self) -> list[str]:
        """Return the clocks with a deadline to write now: all of this replica, and some of silent ones."""
        now = _instant(self._now())
        mine, others = [], []
        for game_id, prepared in self._prepared.items():
            if prepared.due > now:
                continue
            if self._replicas.owns(game_id):
                mine.append(game_id)
            elif (
                max(prepared.due, self._heard.get(self._replicas.owner_of(game_id), 0)) + OWNER_GRACE_NANOSECONDS <= now
            ):
                others.append(game_id)
        return mine + others[:MAX_FOREIGN_DEADLINES]

    async def _prepare(self, game_ids: Sequence[str]) -> None:
        """Set the alarms of clocks to their next deadlines, and prepare decisions for those that come soon."""
        if not game_ids:
            return
        new = [game_id for game_id in game_ids if game_id not in self._lags]
        last = await self._record.last_events([clock_stream(game_id) for game_id in new])
        self._lags |= {game_of(stream): _lag(event) for stream, event in last.items()}
        tables = await load_tables(
            self._record,
            [game_id for game_id in game_ids if self._lags[game_id] <= MAX_LIVE_LAG_NANOSECONDS],
            age=CLOCK_READ_DELAY_SECONDS,
        )
        for game_id in game_ids:
            self._look.pop(game_id, None)
            self._waiting.discard(game_id)
            self._alarms.pop(game_id, None)
            self._prepared.pop(game_id, None)
            with self._of_one(game_id):
                self._set(game_id, tables.get(game_id))

    def _set(self, game_id: str, found: Settled | Exception | None) -> None:
        """Set the alarm of a clock, and prepare its decision if the deadline comes soon.

        The decision has the due events with their consequences at the table.
        """
        if isinstance(found, Refusal):
            _log.error("the clock of %s has no deadlines: %s", game_id, found)
            return
        if isinstance(found, Exception):
            raise found
        if found is None or not found.game.hosted or not found.is_own:
            return
        table = found.table
        deadline = next_deadline(table.clock, table.game, table.ruleset)
        if deadline is None:
            return
        at = self._alarms[game_id] = deadline.due + self._lags[game_id]
        if at <= _instant(self._now()) + PREPARE_AHEAD_NANOSECONDS:
            new_events = due(table.clock, table.game, table.ruleset, deadline.due)
            command_id = str(
                uuid.uuid5(
                    _CLOCK_COMMAND_NAMESPACE, f"{game_id}/{deadline.new_events[0].DESCRIPTOR.name}/{deadline.due}"
                )
            )
            self._prepared[game_id] = Prepared(at, found.decision(found.with_consequences(new_events)), command_id)

    @contextmanager
    def _of_one(self, game_id: str) -> Iterator[None]:
        """Record an error of one clock, and retry that clock after ``CLOCK_RETRY_NANOSECONDS``."""
        with self._failures.of(game_id):
            yield
        if game_id in self._failures:
            self._wait_for(game_id, CLOCK_RETRY_NANOSECONDS)

    async def _fire(self, game_ids: Sequence[str]) -> None:
        """Append the due decisions of clocks, unless their tables have changed."""
        self.written += len(game_ids)
        outcomes = await asyncio.gather(*map(self._write, game_ids), return_exceptions=True)
        for problem in filter(None, outcomes):
            raise problem

    async def _write(self, game_id: str) -> None:
        prepared = self._prepared.pop(game_id)
        self._wait_for(game_id, APPEND_RETRY_NANOSECONDS)
        metadata = Metadata(command_id=prepared.command_id, correlation_id=prepared.command_id)
        command = AppendCommand(prepared.command_id, lambda position: b"")
        with self._of_one(game_id):
            try:
                await self._record.append(prepared.decision, metadata, command=command)
                _late.record(max(0, _instant(self._now()) - prepared.due) / NANOSECONDS_FACTOR)
            except Conflict as conflict:
                CHECKED_AGAIN.note()
                _log.info("the deadline of %s is checked again: %s", game_id, conflict)
                self._look[game_id] = 0

    def _wait_for(self, game_id: str, nanoseconds: int) -> None:
        """Suspend checks of a clock for a time, unless it has new events."""
        self._prepared.pop(game_id, None)
        self._alarms[game_id] = _instant(self._now()) + nanoseconds
        self._waiting.add(game_id)

    def _forget(self, game_id: str) -> None:
        for kept in (self._lags, self._alarms, self._look, self._prepared):
            kept.pop(game_id, None)
        self._failures.forget(game_id)
        self._waiting.discard(game_id)

    def _wait(self) -> float:
        """Return the seconds until the next action, at most ``CLOCK_POLL_SECONDS``."""
        until = [*self._look.values()]
        for game_id, at in self._alarms.items():
            prepared = game_id in self._prepared
            if not prepared:
                until.append(at if game_id in self._waiting else at - PREPARE_AHEAD_NANOSECONDS)
            elif self._replicas.owns(game_id):
                until.append(at)
            else:
                until.append(max(at, self._heard.get(self._replicas.owner_of(game_id), 0)) + OWNER_GRACE_NANOSECONDS)
        return max(
            0.0,
            min(
                CLOCK_POLL_SECONDS,
                (min(until, default=_NO_DEADLINE_NS) - _instant(self._now())) / NANOSECONDS_FACTOR,
            ),
        )


def _lag(event: Recorded) -> int:
    """Return the recording lag of an event, in nanoseconds, at least 0."""
    happened = instant(event.message.occurred_at)  # type: ignore[attr-defined] # every event of a clock has it
    return max(0, _instant(event.recorded_at) - happened)


def _instant(moment: datetime) -> Instant:
    return instant(to_timestamp(moment))
