"""The timer that tells the public the events that a delay of the broadcast holds back.

From the first delay of a tournament on, its events of games are told by an event each, in the order of the record, when
they are old enough. A delay of 0 tells those that are left, and later ones at once, so the order never changes. A
longer delay stops the next ones until they are that old. The state is the last told event on the record, so a process
that starts continues there; of several timers the expected version lets one write. While no timer runs, none is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from faristol.consumers.stopped import is_transient
from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.event_store.delays import Delays
from faristol.kernel import event_types
from faristol.kernel.event_types import DELAY_TYPES, HELD_TYPES, broadcast_stream
from faristol.pb.pairing.v1 import events_pb2 as events

BROADCAST_POLL_SECONDS = 1.0
"""Longest interval between two checks, in seconds."""
BROADCAST_READ_DELAY_SECONDS = 0.05
"""Delay after a notification before events are read, in seconds."""
TOLD_BATCH_EVENTS = 500
"""Events told by one append."""

BROADCAST_ACTOR = "pairing.broadcast"

_GAME_STREAMS = ("game-", "clock-")
_log = logging.getLogger(__name__)


class BroadcastTimer:
    """The writer of ``HeldEventTold``."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._delays = Delays()
        self._checks: dict[str, float] = {}
        """Time of the next check of each of them, in loop time."""

    async def run(self) -> None:
        """Tell events until cancelled. Retries while the database is unavailable."""
        begun = False
        while True:
            wait = BROADCAST_POLL_SECONDS
            try:
                await (self._read() if begun else self._begin())
                begun = True
                wait = await self._look()
            except Exception as problem:
                if not is_transient(problem):
                    raise
                _log.warning("held events are told later: %r", problem)
            await self._record.news.wait(max(0.001, wait), self._position)
            await asyncio.sleep(min(BROADCAST_READ_DELAY_SECONDS, wait))

    async def _begin(self) -> None:
        here = await self._record.last_position()
        await self._delays.read(self._record)
        self._checks = dict.fromkeys(self._delays.starts, 0.0)
        self._position = here

    async def _read(self) -> None:
        """Note the tournaments with a new delay or new held events since the last read."""
        more = True
        while more:
            found = await self._record.recent.after(
                self._position, limit=TOLD_BATCH_EVENTS, age=BROADCAST_READ_DELAY_SECONDS
            )
            self._take(found)
            self._position = found[-1].position if found else self._position
            more = len(found) == TOLD_BATCH_EVENTS

    def _take(self, found: Sequence[Recorded]) -> None:
        now = asyncio.get_running_loop().time()
        self._delays.note(found)
        for event in found:
            if event.tournament in self._delays.starts and event.type in DELAY_TYPES:
                self._checks[event.tournament] = now
            elif self._delays.holds(event):
                self._checks.setdefault(event.tournament, now)

    async def _look(self) -> float:
        """Check the tournaments that are due; return the seconds until the next check, at most the poll interval."""
        loop = asyncio.get_running_loop()
        for tournament_id in [each for each, at in self._checks.items() if at <= loop.time()]:
            wait = await self.tell_due(tournament_id, self._delays.starts[tournament_id])
            if wait is None:
                self._checks.pop(tournament_id, None)  # the next held event brings the next check
            else:
                self._checks[tournament_id] = loop.time() + wait
        left = min(self._checks.values(), default=loop.time() + BROADCAST_POLL_SECONDS) - loop.time()
        return max(0.0, min(BROADCAST_POLL_SECONDS, left))

    async def tell_due(self, tournament_id: str, begun: int) -> float | None:
        """Tell the events of a tournament that are old enough, in order; ``begun`` is the position of its first delay.

        Return the seconds until the next one is, or None if none is held back.
        """
        stream = broadcast_stream(tournament_id)
        last = (await self._record.last_events([stream])).get(stream)
        told = last.message.told if last and isinstance(last.message, events.HeldEventTold) else begun
        delay = await self._find_delay(tournament_id)
        held = await self._record.read(told, limit=TOLD_BATCH_EVENTS, tournament=tournament_id, types=HELD_TYPES)
        due, left = [], None
        for event in held:
            left = (event.recorded_at + timedelta(minutes=delay) - self._now()).total_seconds()
            if left > 0:
                break
            due.append(event)
            left = 0.0
        if not due:
            return left
        write = Write(stream, last.version if last else 0, [tell(event) for event in due], tournament_id)
        try:
            await self._record.append(Decision([write]), Metadata(actor=BROADCAST_ACTOR, role="service"))
        except Conflict:
            return BROADCAST_READ_DELAY_SECONDS
        if len(due) == len(held) < TOLD_BATCH_EVENTS:
            return None
        return left

    async def _find_delay(self, tournament_id: str) -> int:
        """Return the delay in force, in minutes."""
        minutes, after = 0, 0
        while found := await self._record.read(after, tournament=tournament_id, types=DELAY_TYPES):
            last = found[-1].message
            assert isinstance(last, events.BroadcastDelaySet)
            minutes, after = last.minutes, found[-1].position
        return minutes


def tell(event: Recorded) -> events.HeldEventTold:
    """Return the event that tells a held one."""
    kind, _, rest = event.stream.partition("-")
    of_game = rest if f"{kind}-" in _GAME_STREAMS else event_types.game_of(event.message)
    return events.HeldEventTold(
        told=event.position, type=event.type, of_game=of_game, of_round=event_types.round_of(event.message)
    )
