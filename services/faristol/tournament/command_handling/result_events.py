"""The events on the results of a tournament by game, without a reading of its whole stream for each question.

A stream of 1,000 players in 7 rounds has more than 10,000 events. The events on results are cached by tournament and
game, and a question reads only the events since the last one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from operator import attrgetter

from faristol.event_store import Record, Recorded
from faristol.kernel.bounded import store_bounded
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.kept.keeping import KeptCommands
from faristol.tournament.state import stream

MAX_CACHED_TOURNAMENTS = 16
"""Number of tournaments whose events are cached."""

_ResultEvent = (
    events.ResultEntered
    | events.ResultRecorded
    | events.ResultCorrected
    | events.ResultConfirmed
    | events.ResultDisputed
)


@dataclass(slots=True)
class _CachedEvents:
    """The events of a tournament up to a version of its stream."""

    version: int = 0
    by_game: dict[str, list[Recorded]] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class ResultEvents:
    """A cache of the events on results."""

    def __init__(self, record: Record, kept: KeptCommands) -> None:
        self._record = record
        self._kept = kept
        self._cached: OrderedDict[str, _CachedEvents] = OrderedDict()

    async def of(self, tournament_id: str, version: int, games: Collection[str]) -> list[Recorded]:
        """Return the events on the results of games up to a version of the tournament, then kept ones, in order."""
        cached = self._cached.pop(tournament_id, None) or _CachedEvents()
        store_bounded(self._cached, tournament_id, cached, MAX_CACHED_TOURNAMENTS)
        async with cached.lock:
            if cached.version < version:
                for event in await self._record.read_stream(stream(tournament_id), cached.version):
                    cached.version = event.version
                    if isinstance(event.message, _ResultEvent):
                        cached.by_game.setdefault(event.message.game_id, []).append(event)
        found = [event for game in games for event in cached.by_game.get(game, ()) if event.version <= version]
        kept = await self._kept.events_of(tournament_id, games)
        of_results = (each for each in kept if isinstance(each.message, _ResultEvent))
        return [*sorted(found, key=attrgetter("version")), *of_results]
