"""The watch over hall cells: it records when a hall falls behind and when it has caught up, for pages and streams.

A heartbeat is no event, so pages that depend on events would not change when one is missing. The watch writes one event
at each change. Several processes may watch: the expected version of the stream lets one of them write.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from google.protobuf.message import Message

from faristol.consumers.stopped import is_transient
from faristol.event_store import Conflict, Decision, Metadata, Record, Write, load
from faristol.game.halls.model import Halls, JoinedHall, evolve, halls_stream
from faristol.game.halls.slips import list_played
from faristol.game.halls.tables import load_tournament
from faristol.host.halls.heartbeats import last_heartbeats
from faristol.kernel.event_types import types_of
from faristol.kernel.times import to_timestamp
from faristol.pb.hall.v1 import events_pb2 as events

WATCH_SECONDS = 5.0
"""Seconds between two looks at the heartbeats."""
WATCH_BATCH_EVENTS = 1_000
"""Events per read."""

JOINED_TYPES = types_of((events.HallJoined,))
WATCH_ACTOR = "game.halls"

_log = logging.getLogger(__name__)


class HallWatch:
    """Writes the events of halls that fall behind and catch up."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._tournaments: set[str] = set()
        """Tournaments with a hall cell."""

    async def run(self) -> None:
        """Watch until cancelled. Retries while the database is unavailable."""
        while True:
            try:
                await self.look()
            except Conflict:
                continue  # a hall joined, or another process wrote
            except Exception as problem:
                if not is_transient(problem):
                    raise
                _log.warning("the watch over halls is delayed: %r", problem)
            await asyncio.sleep(WATCH_SECONDS)

    async def look(self) -> None:
        """Write the changes since the last look. Raises ``Conflict`` if a stream of halls has moved."""
        while found := await self._record.read(self._position, limit=WATCH_BATCH_EVENTS, types=JOINED_TYPES):
            self._tournaments |= {event.tournament for event in found}
            self._position = found[-1].position
        for tournament_id in sorted(self._tournaments):
            await self._look_at(tournament_id)

    async def _look_at(self, tournament_id: str) -> None:
        stream = halls_stream(tournament_id)
        loaded = await load(self._record, stream, Halls(), evolve)
        new_events = await self._changes(tournament_id, loaded.state)
        if new_events:
            decision = Decision([Write(stream, loaded.version, new_events, tournament_id)])
            await self._record.append(decision, Metadata(actor=WATCH_ACTOR, role="service"))

    async def _changes(self, tournament_id: str, halls: Halls) -> list[Message]:
        """Return the events of halls whose state differs from the recorded one."""
        heard = await last_heartbeats(self._record, tournament_id, halls.joined)
        at = to_timestamp(self._now())
        changes: list[Message] = [
            events.HallCaughtUp(hall=hall, occurred_at=at) for hall in sorted(halls.behind - halls.joined.keys())
        ]
        for hall, cell in sorted(halls.joined.items()):
            last, was_behind = heard.get(hall), hall in halls.behind
            is_silent = last is None or last.is_behind
            in_play = is_silent and await self._has_tables(tournament_id, cell)
            if in_play and not was_behind:
                since = to_timestamp(last.at) if last else cell.joined_at
                changes.append(events.HallFellBehind(hall=hall, since=since, occurred_at=at))
            elif was_behind and not in_play and (last is None or is_silent or not last.unsent):
                changes.append(events.HallCaughtUp(hall=hall, occurred_at=at))
        return changes

    async def _has_tables(self, tournament_id: str, cell: JoinedHall) -> bool:
        """Check whether a hall has a table, or slips of a duplicate game, that are not final here."""
        tournament = await load_tournament(self._record, tournament_id)
        return bool(await list_played(self._record, tournament, cell.hall, cell.key))
