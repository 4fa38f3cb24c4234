"""The timer that publishes the events that a delay of the broadcast holds back.

From the first delay of a tournament on, its events of games are published by an event each, in the order of the record,
when they are old enough. A delay of 0 publishes those that are left, and later ones at once, so the order never
changes. A longer delay stops the next ones until they are that old. The state is the last published event on the
record, so a process that starts continues there; of several timers the expected version lets one write. While no timer
runs, no event is published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from faristol.consumers.due_timer import MINUTES_TIMER_READ_DELAY_SECONDS, TIMER_READ_DELAY_SECONDS, DueTimer
from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.event_store.delays import Delays
from faristol.kernel import event_types
from faristol.kernel.event_types import DELAY_TYPES, HELD_TYPES, broadcast_stream
from faristol.pb.pairing.v1 import events_pb2 as events

TOLD_BATCH_EVENTS = 500
"""Events published by one append."""


class BroadcastTimer(DueTimer):
    """The writer of ``HeldEventTold``."""

    start_types = DELAY_TYPES
    work = "held events"
    read_delay_seconds = MINUTES_TIMER_READ_DELAY_SECONDS

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        super().__init__(record)
        self._now = now
        self._delays = Delays()

    def keys_of(self, found: Sequence[Recorded]) -> Iterable[str]:
        """Return the tournaments with a new delay, and those with a held event while none was held back."""
        self._delays.note(found)
        return {
            event.tournament
            for event in found
            if (event.type in DELAY_TYPES and event.tournament in self._delays.starts)
            or (event.tournament not in self._checks and self._delays.holds(event))
        }

    async def check(self, key: str) -> float | None:
        """Tell the events of a tournament that are old enough."""
        return await self.tell_due(key, self._delays.starts[key])

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
            await self._record.append(Decision([write]), Metadata(actor="pairing.broadcast", role="service"))
        except Conflict:
            return TIMER_READ_DELAY_SECONDS
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
    of_game = rest if f"{kind}-" in ("game-", "clock-") else event_types.game_of(event.message)
    return events.HeldEventTold(
        told=event.position, type=event.type, of_game=of_game, of_round=event_types.round_of(event.message)
    )
