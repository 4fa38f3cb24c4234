"""Deadlines that fire: what comes by itself when nobody does anything.

The timer keeps nothing of its own. It reads in the record which clocks run, waits for the first deadline among them,
and writes what is due then on the same path as any command: with what it means for the game, and once, whoever else
does the same. A process that starts reads them again, so a deadline is not lost with the process that waited for it.

Many deadlines can come at one instant. So tables are loaded many at a time, what a deadline brings is decided some
seconds before it comes, and what is due together is appended together. A decision that was made before rests on
versions, as any does: where the table has moved, it is refused and made again. Replicas split the clocks among them
(``replicas``). Each also prepares what the others keep, and writes it when its keeper is silent.
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

from faristol.bus.stopped import away
from faristol.clock.failures import Failures
from faristol.clock.replicas import Replicas
from faristol.host.telemetry import SECONDS
from faristol.kernel.facts import types_of
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, instant, to_timestamp
from faristol.pb.clock.v1 import events_pb2
from faristol.record import Command, Conflict, Decision, Metadata, Record, Recorded, UnreadableEvent
from faristol.record.appender import LARGEST_GROUP
from faristol.table.clock import FACTS
from faristol.table.deadlines import due, next_deadline
from faristol.table_store import GAME, TOGETHER, Settled, clock_stream, game_of, load_tables

SECOND = 1_000_000_000

BATCH = 1_000
"""Events that are read at a time."""
LOOK = 1.0
"""Seconds between two looks when there is no deadline and no news."""
GATHER = 0.05
"""Seconds in which news gathers before it is read: much is appended while many play."""
LIVE = 5 * 60 * SECOND
"""A table is live while what happens there is written within this time (nanoseconds). What was played long before it
was written is decided by its facts alone: nobody knows what time it is at that table."""
AGAIN = 1 * SECOND
"""When to look again at a deadline that is due and waits for something, in nanoseconds."""
AHEAD = 5 * SECOND
"""How long before a deadline comes it is decided what it brings, in nanoseconds."""
LATER = 1 * SECOND
"""How long news of clocks that another replica keeps may gather, in nanoseconds."""
GRACE = SECOND // 5
"""How long the replica that keeps a clock may be silent before another writes what is due there, in nanoseconds."""
IN_PLACE = LARGEST_GROUP
"""Deadlines of a silent replica that are written between two looks at what it has written after all."""

MEND = 60 * SECOND
"""When to look again at a clock whose deadlines cannot be found or written, in nanoseconds."""

TYPES = types_of(FACTS)
ENDS = types_of((events_pb2.ClockOpened, events_pb2.ClockStopped))
"""The first and the last fact of every clock."""

_NEVER = 1 << 62
"""An instant after all others."""

_COMMANDS = uuid.UUID("0f7c2b52-6d0b-4f0e-9d57-3a3b1f5d0c11")

_log = logging.getLogger(__name__)
_late = metrics.get_meter("faristol.clock").create_histogram(
    "faristol.deadline.late",
    unit="s",
    description="how long after it was due a deadline was on the record",
    explicit_bucket_boundaries_advisory=SECONDS,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is to be written at a deadline."""

    due: Instant
    """By the time of day."""
    decision: Decision
    command_id: str
    """The same whoever prepares it."""


class Timer:
    """Fires the deadlines of all clocks of a cell. Several may run at once: they split the clocks among them."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self.written = 0
        """Deadlines that this timer has tried to write."""
        self._record = record
        self._now = now
        self._replicas = Replicas(record, "clock.timer")
        self._position = 0
        self._lags: dict[str, int] = {}
        """How long after it happened the last fact of each clock was written that has not stopped, in nanoseconds."""
        self._alarms: dict[str, Instant] = {}
        """When a deadline comes, or a clock is looked at again."""
        self._look: dict[str, Instant] = {}
        """Clocks that have something new, and when they are looked at."""
        self._prepared: dict[str, Prepared] = {}
        """What is to be written at the deadlines that come next."""
        self._waiting: set[str] = set()
        """Clocks that are left alone until their alarm."""
        self._heard: dict[int, Instant] = {}
        """When each replica was last known to have written what was due, by its place."""
        self._failures = Failures("clocks")

    async def run(self) -> None:
        """Fire deadlines until cancelled.

        What goes wrong with one clock is logged and counted, and leaves the others their deadlines; that clock is
        looked at again after ``MEND``, and when it has something new.
        """
        begun = False
        try:
            while True:
                wait = LOOK
                try:
                    await self._replicas.look()
                    await (self._read() if begun else self._begin())
                    begun = True
                    await self._prepare(self._to_look_at()[:TOGETHER])
                    await self._fire(self._to_fire())
                    wait = self._wait()
                except UnreadableEvent as problem:
                    _log.error("deadlines wait for a newer version of this program: %s", problem)
                except Exception as problem:
                    if not away(problem):
                        raise
                    _log.warning("deadlines wait: %r", problem)
                if wait:
                    await self._record.news.wait(wait, self._position)
                    await asyncio.sleep(min(GATHER, self._wait()))
                else:
                    await asyncio.sleep(0)
        finally:
            await self._replicas.leave()

    async def _begin(self) -> None:
        """Find the clocks that have not stopped, without reading all that ever happened."""
        here, position = await self._record.last_position(), 0
        games: set[str] = set()
        while position < here:
            events = await self._record.read(position, limit=BATCH, types=ENDS, up_to=here)
            for event in events:
                stopped = isinstance(event.message, events_pb2.ClockStopped)
                (games.discard if stopped else games.add)(game_of(event.stream))
            position = events[-1].position if len(events) == BATCH else here
        self._position = here
        self._look |= dict.fromkeys(games, 0)

    async def _read(self) -> None:
        """Read which clocks have something new and have not stopped."""
        more = True
        while more:
            events = await self._record.recent.after(self._position, limit=BATCH, age=GATHER)
            for event in events:
                if event.type in TYPES:
                    self._hear(event)
                elif event.stream.startswith(GAME):
                    self._prepared.pop(game_of(event.stream), None)  # it rests on what was
            self._position = events[-1].position if events else self._position
            more = len(events) == BATCH

    def _hear(self, event: Recorded) -> None:
        """Take in a fact of a clock."""
        game_id, now = game_of(event.stream), _instant(self._now())
        kept = self._replicas.keeps(game_id)
        prepared = self._prepared.pop(game_id, None)
        if prepared is not None and prepared.due <= now and not kept:
            self._heard[self._replicas.keeper(game_id)] = now
        if isinstance(event.message, events_pb2.ClockStopped):
            self._forget(game_id)
            return
        self._lags[game_id] = _lag(event)
        self._waiting.discard(game_id)
        self._look[game_id] = min(self._look.get(game_id, now + LATER), now if kept else now + LATER)

    def _to_look_at(self) -> list[str]:
        """The clocks to be looked at now: those that this replica keeps come first, and what comes next among them."""
        now = _instant(self._now())
        wanted = {game_id for game_id, at in self._look.items() if at <= now}
        for game_id, at in self._alarms.items():
            if at <= now + AHEAD and game_id not in self._prepared and (game_id not in self._waiting or at <= now):
                wanted.add(game_id)
        return sorted(wanted, key=lambda game_id: (not self._replicas.keeps(game_id), self._alarms.get(game_id, 0)))

    def _to_fire(self) -> list[str]:
        """The clocks of which a deadline is to be written now: all that this replica keeps, and some of others."""
        now = _instant(self._now())
        mine, others = [], []
        for game_id, prepared in self._prepared.items():
            if prepared.due > now:
                continue
            if self._replicas.keeps(game_id):
                mine.append(game_id)
            elif max(prepared.due, self._heard.get(self._replicas.keeper(game_id), 0)) + GRACE <= now:
                others.append(game_id)
        return mine + others[:IN_PLACE]

    async def _prepare(self, game_ids: Sequence[str]) -> None:
        """Set the alarms of clocks to their next deadlines, and make ready to write those that come soon."""
        if not game_ids:
            return
        new = [game_id for game_id in game_ids if game_id not in self._lags]
        last = await self._record.last_events([clock_stream(game_id) for game_id in new])
        self._lags |= {game_of(stream): _lag(event) for stream, event in last.items()}
        tables = await load_tables(self._record, [game_id for game_id in game_ids if self._lags[game_id] <= LIVE])
        for game_id in game_ids:
            self._look.pop(game_id, None)
            self._waiting.discard(game_id)
            self._alarms.pop(game_id, None)
            self._prepared.pop(game_id, None)
            with self._of_one(game_id):
                self._set(game_id, tables.get(game_id))

    def _set(self, game_id: str, found: Settled | Exception | None) -> None:
        """Set the alarm of a clock, and prepare what is to be written where that is soon.

        That is what is due, with what follows from it at the table.
        """
        if isinstance(found, Refusal):
            _log.error("the clock of %s has no deadlines: %s", game_id, found)
            return
        if isinstance(found, Exception):
            raise found
        if found is None or not found.game.hosted:
            return
        table = found.table
        deadline = next_deadline(table.clock, table.game, table.ruleset)
        if deadline is None:
            return
        at = self._alarms[game_id] = deadline.due + self._lags[game_id]
        if at <= _instant(self._now()) + AHEAD:
            facts = due(table.clock, table.game, table.ruleset, deadline.due)
            command_id = str(uuid.uuid5(_COMMANDS, f"{game_id}/{deadline.facts[0].DESCRIPTOR.name}/{deadline.due}"))
            self._prepared[game_id] = Prepared(at, found.decision(found.with_consequences(facts)), command_id)

    @contextmanager
    def _of_one(self, game_id: str) -> Iterator[None]:
        """What goes wrong with one clock leaves it alone for ``MEND``."""
        with self._failures.of(game_id):
            yield
        if game_id in self._failures:
            self._wait_for(game_id, MEND)

    async def _fire(self, game_ids: Sequence[str]) -> None:
        """Write what is due at clocks, unless somebody did something meanwhile, or wrote it first."""
        self.written += len(game_ids)
        outcomes = await asyncio.gather(*map(self._write, game_ids), return_exceptions=True)
        for problem in filter(None, outcomes):
            raise problem

    async def _write(self, game_id: str) -> None:
        prepared = self._prepared.pop(game_id)
        self._wait_for(game_id, AGAIN)
        metadata = Metadata(command_id=prepared.command_id, correlation_id=prepared.command_id)
        command = Command(prepared.command_id, lambda position: b"")
        with self._of_one(game_id):
            try:
                await self._record.append(prepared.decision, metadata, command=command)
                _late.record(max(0, _instant(self._now()) - prepared.due) / SECOND)
            except Conflict as conflict:
                _log.info("the deadline of %s is looked at again: %s", game_id, conflict)
                self._look[game_id] = 0

    def _wait_for(self, game_id: str, nanoseconds: int) -> None:
        """Leave a clock alone for so long, unless it has something new."""
        self._prepared.pop(game_id, None)
        self._alarms[game_id] = _instant(self._now()) + nanoseconds
        self._waiting.add(game_id)

    def _forget(self, game_id: str) -> None:
        for kept in (self._lags, self._alarms, self._look, self._prepared):
            kept.pop(game_id, None)
        self._failures.forget(game_id)
        self._waiting.discard(game_id)

    def _wait(self) -> float:
        """Seconds until there is something to do, at most ``LOOK``."""
        until = [*self._look.values()]
        for game_id, at in self._alarms.items():
            prepared = game_id in self._prepared
            if not prepared:
                until.append(at if game_id in self._waiting else at - AHEAD)
            elif self._replicas.keeps(game_id):
                until.append(at)
            else:
                until.append(max(at, self._heard.get(self._replicas.keeper(game_id), 0)) + GRACE)
        return max(0.0, min(LOOK, (min(until, default=_NEVER) - _instant(self._now())) / SECOND))


def _lag(event: Recorded) -> int:
    """How long after it happened a fact of a clock was written, in nanoseconds; never negative."""
    happened = instant(event.message.occurred_at)  # type: ignore[attr-defined] # every fact of a clock has it
    return max(0, _instant(event.recorded_at) - happened)


def _instant(moment: datetime) -> Instant:
    return instant(to_timestamp(moment))
