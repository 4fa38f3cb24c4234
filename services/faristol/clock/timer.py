"""Deadlines that fire: what comes by itself when nobody does anything.

The timer keeps nothing of its own. It reads in the record which clocks run, waits for the first deadline among them,
and writes what is due then on the same path as any command: with what it means for the game, and once, whoever else
does the same. A process that starts reads them again, so a deadline is not lost with the process that waited for it.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from opentelemetry import metrics

from faristol.bus.stopped import away
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, instant, to_timestamp
from faristol.pb.clock.v1 import events_pb2
from faristol.record import Command, Conflict, Decision, Metadata, Record, Recorded, UnreadableEvent
from faristol.table.deadlines import Deadline, due, next_deadline
from faristol.table_store import clock_stream, game_of, load_table

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

MEND = 60 * SECOND
"""When to look again at a clock whose deadlines cannot be found or written, in nanoseconds."""

TYPES = frozenset(message.full_name for message in events_pb2.DESCRIPTOR.message_types_by_name.values())
ENDS = frozenset(kind.DESCRIPTOR.full_name for kind in (events_pb2.ClockOpened, events_pb2.ClockStopped))
"""The first and the last fact of every clock."""

_COMMANDS = uuid.UUID("0f7c2b52-6d0b-4f0e-9d57-3a3b1f5d0c11")

_log = logging.getLogger(__name__)
_failing = metrics.get_meter("faristol.clock").create_gauge(
    "faristol.clock.failing", unit="{clock}", description="clocks whose deadlines cannot be found or written"
)


@dataclass(frozen=True, slots=True)
class Lag:
    """How long after it happened the last fact of a clock was written, in nanoseconds."""

    nanoseconds: int

    @property
    def live(self) -> bool:
        """The table goes by the time of day."""
        return self.nanoseconds <= LIVE

    @classmethod
    def of(cls, event: Recorded) -> Lag:
        """Of the fact in ``event``; never negative."""
        happened = instant(event.message.occurred_at)  # type: ignore[attr-defined] # every fact of a clock has it
        return cls(max(0, _instant(event.recorded_at) - happened))


class Timer:
    """Fires the deadlines of all clocks of a cell. Several may run at once: one of them is first."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._lags: dict[str, Lag] = {}
        """The clocks that have not stopped, by game."""
        self._alarms: dict[str, Instant] = {}
        """When to look at a clock next."""
        self._new: set[str] = set()
        """Clocks that have something new, whose alarms are to be set."""
        self._failing: dict[str, str] = {}
        """What is wrong with a clock whose deadlines cannot be found or written."""

    async def run(self) -> None:
        """Fire deadlines until cancelled.

        What goes wrong with one clock is logged and counted, and leaves the others their deadlines; that clock is
        looked at again after ``MEND``, and when it has something new.
        """
        begun = False
        while True:
            try:
                await (self._read() if begun else self._begin())
                begun = True
                for game_id in sorted(self._new):
                    await self._of_one(self._set, game_id)
                    self._new.discard(game_id)
                for game_id in [game_id for game_id, at in self._alarms.items() if at <= _instant(self._now())]:
                    await self._of_one(self._fire, game_id)
                wait = self._wait()
            except UnreadableEvent as problem:
                _log.error("deadlines wait for a newer version of this program: %s", problem)
                wait = LOOK
            except Exception as problem:
                if not away(problem):
                    raise
                _log.warning("deadlines wait: %r", problem)
                wait = LOOK
            await self._record.news(wait, self._position)
            await asyncio.sleep(GATHER)

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
        self._new |= games

    async def _read(self) -> None:
        """Read which clocks have something new and have not stopped."""
        more = True
        while more:
            events = await self._record.recent.after(self._position, limit=BATCH, age=GATHER)
            for event in events:
                if event.type not in TYPES:
                    continue
                game_id = game_of(event.stream)
                if isinstance(event.message, events_pb2.ClockStopped):
                    self._new.discard(game_id)
                    self._forget(game_id)
                else:
                    self._new.add(game_id)
                    self._lags[game_id] = Lag.of(event)
            self._position = events[-1].position if events else self._position
            more = len(events) == BATCH

    async def _of_one(self, step: Callable[[str], Awaitable[None]], game_id: str) -> None:
        """Do ``step`` for one clock; whatever goes wrong with it, but for a database that is away, is its own."""
        try:
            await step(game_id)
        except Exception as problem:
            if away(problem):
                raise
            told = f"{type(problem).__name__}: {problem}"
            if self._failing.get(game_id) != told:
                _log.exception("the deadlines of %s fail; those of other clocks do not", game_id)
            self._failing[game_id] = told
            self._alarms[game_id] = _instant(self._now()) + MEND
        else:
            if self._failing.pop(game_id, None):
                _log.warning("the deadlines of %s are kept again", game_id)
        _failing.set(len(self._failing))

    async def _set(self, game_id: str) -> None:
        """Set the alarm of a clock to its next deadline."""
        self._alarms.pop(game_id, None)
        lag = self._lags.get(game_id) or Lag.of((await self._record.read_stream(clock_stream(game_id)))[-1])
        self._lags[game_id] = lag
        if lag.live and (found := await self._next(game_id)):
            deadline, _ = found
            self._alarms[game_id] = deadline.due + lag.nanoseconds

    async def _next(self, game_id: str) -> tuple[Deadline, Decision] | None:
        """The next deadline of a clock, and what writes it when it is due, with what follows from it at the table."""
        try:
            settled = await load_table(self._record, game_id)
        except Refusal as refusal:
            _log.error("the clock of %s has no deadlines: %s", game_id, refusal)
            return None
        if settled is None or not settled.game.hosted:
            return None
        table = settled.table
        deadline = next_deadline(table.clock, table.game, table.ruleset)
        if deadline is None:
            return None
        facts = due(table.clock, table.game, table.ruleset, deadline.due)
        return deadline, settled.decision(settled.with_consequences(facts))

    async def _fire(self, game_id: str) -> None:
        """Write what is due at a clock, unless somebody did something meanwhile, or wrote it first."""
        if game_id in self._failing:
            await self._set(game_id)
        found = await self._next(game_id)
        lag = self._lags.get(game_id)
        now = _instant(self._now())
        if found is None or lag is None:
            self._alarms.pop(game_id, None)
            return
        deadline, decision = found
        if deadline.due + lag.nanoseconds > now:
            self._alarms[game_id] = deadline.due + lag.nanoseconds
        else:
            command_id = str(uuid.uuid5(_COMMANDS, f"{game_id}/{deadline.facts[0].DESCRIPTOR.name}/{deadline.due}"))
            metadata = Metadata(command_id=command_id, correlation_id=command_id)
            try:
                await self._record.append(decision, metadata, command=Command(command_id, lambda position: b""))
            except Conflict as conflict:
                _log.info("the deadline of %s is looked at again: %s", game_id, conflict)
            self._alarms[game_id] = now + AGAIN

    def _forget(self, game_id: str) -> None:
        self._failing.pop(game_id, None)
        self._lags.pop(game_id, None)
        self._alarms.pop(game_id, None)

    def _wait(self) -> float:
        """Seconds until the next alarm, at most ``LOOK``."""
        until = min(self._alarms.values(), default=None)
        return LOOK if until is None else min(LOOK, max(0.0, (until - _instant(self._now())) / SECOND))


def _instant(moment: datetime) -> Instant:
    return instant(to_timestamp(moment))
