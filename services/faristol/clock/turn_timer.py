"""The timer of duplicate games."""

from __future__ import annotations

import asyncio
import logging
import math
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime

from faristol.clock.failures import Failures
from faristol.consumers.stopped import is_transient
from faristol.duplicate_game.settlement import next_tick, settle
from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.host.duplicate_store import game_stream, load_game
from faristol.host.ruleset_store import rules_of
from faristol.kernel import event_types
from faristol.kernel.times import instant, to_timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks

TURN_TIMER_POLL_SECONDS = 1.0
"""Poll interval without due events and notifications, in seconds."""
TURN_READ_DELAY_SECONDS = 0.05
"""Delay after a notification before events are read, in seconds."""
TURN_TIMER_RETRY_SECONDS = 60.0
"""Retry interval of a game whose time cannot be read or written, in seconds, unless its time starts again."""
TURN_BATCH_EVENTS = 1_000
"""Events per read."""
TURN_START_TYPES = event_types.types_of((ticks.TurnTimerStarted, ticks.TurnTimerResumed))
"""Events that start the time of a turn."""

_TURN_COMMAND_NAMESPACE = uuid.UUID("3c1d8a52-9d1c-4a61-8e0e-2f6d2f4b7a90")
_log = logging.getLogger(__name__)


class TurnTimer:
    """The timer of running turns: it writes their warnings and ends when due.

    Each event is dated with its due time, and every command in a game writes the due events before it. The timer only
    ensures that the events are written without a command. Several may run: the others find the events already written.
    """

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._due: dict[str, float] = {}
        """Time of the next check of each game with a running turn, in loop time."""
        self._failures = Failures("turns")

    async def run(self) -> None:
        """Write due events until cancelled. An error in one game does not affect the others."""
        begun = False
        while True:
            wait = TURN_TIMER_POLL_SECONDS
            try:
                await (self._read() if begun else self._begin())
                begun = True
                wait = await self._look()
            except Exception as error:
                if not is_transient(error):
                    raise
                _log.warning("the timers of duplicate games are delayed: %r", error)
            await self._record.news.wait(max(0.001, wait), self._position)
            await asyncio.sleep(min(TURN_READ_DELAY_SECONDS, wait))

    async def _begin(self) -> None:
        """Find the games in which time has ever started, by reading only those events."""
        here, position = await self._record.last_position(), 0
        while events := await self._record.read(position, limit=TURN_BATCH_EVENTS, types=TURN_START_TYPES, up_to=here):
            self._take(events)
            position = events[-1].position
        self._position = here

    async def _read(self) -> None:
        """Find the games in which time has started since the last read."""
        more = True
        while more:
            events = await self._record.recent.after(
                self._position, limit=TURN_BATCH_EVENTS, age=TURN_READ_DELAY_SECONDS
            )
            self._take([event for event in events if event.type in TURN_START_TYPES])
            self._position = events[-1].position if events else self._position
            more = len(events) == TURN_BATCH_EVENTS

    def _take(self, begins: Sequence[Recorded]) -> None:
        self._due |= dict.fromkeys((event.stream.removeprefix("duplicate-") for event in begins), -math.inf)

    async def _look(self) -> float:
        """Check the games with due events.

        Return the seconds until the next check, at most ``TURN_TIMER_POLL_SECONDS``.
        """
        loop = asyncio.get_running_loop()
        for game_id in sorted(game_id for game_id, at in self._due.items() if at <= loop.time()):
            wait: float | None = TURN_TIMER_RETRY_SECONDS
            with self._failures.of(game_id):
                wait = await self._write_due_events(game_id)
            if wait is None:
                del self._due[game_id]
            else:
                self._due[game_id] = loop.time() + wait
        return max(0.0, min(TURN_TIMER_POLL_SECONDS, min(self._due.values(), default=math.inf) - loop.time()))

    async def _write_due_events(self, game_id: str) -> float | None:
        """Write the due events of a game. Return the seconds until its next check, or None if no time runs."""
        loaded = await load_game(self._record, game_id)
        game = loaded.state
        ruleset = await rules_of(self._record, game.ruleset)
        at = instant(to_timestamp(self._now()))
        if due := settle(game, ruleset, at):
            write = Write(game_stream(game_id), loaded.version, due, game.tournament_id)
            command_id = str(uuid.uuid5(_TURN_COMMAND_NAMESPACE, f"{game_id}:{loaded.version}"))
            try:
                await self._record.append(
                    Decision([write]), Metadata(role="service"), command=AppendCommand(command_id, lambda _: b"")
                )
            except Conflict:
                return TURN_READ_DELAY_SECONDS
            return 0.0
        tick = next_tick(game, ruleset)
        return None if tick is None else max(0.0, min(TURN_TIMER_POLL_SECONDS, (tick[0] - at) / 1_000_000_000))
