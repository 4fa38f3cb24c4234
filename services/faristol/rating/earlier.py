"""Deviations and volatilities of players in earlier lists of the cell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from faristol.event_store import Record, Recorded
from faristol.kernel import event_types
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.games import Rated
from faristol.rating.model import RatingList, TournamentView, stream, tournament_stream
from faristol.rating.systems import system_named

RATING_BATCH_LINES = 1_000
"""Lines per read."""

_LINES = event_types.types_of([events.RatingUpdated])


class Certainty(NamedTuple):
    """The deviation and volatility of a player after a list."""

    position: int
    """Position in the record."""
    stream: str
    """Stream of the list."""
    deviation: int
    volatility: int


class EarlierDeviations:
    """An index, by player, of the deviations and volatilities in the lists of the cell.

    The index is held in memory and read incrementally: about 200 bytes for each line of a list of a system with
    deviations. Systems without deviations do not read it.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lines: dict[str, list[Certainty]] = {}
        """By player id, in the order of the record."""
        self._position = 0
        """The last position read."""
        self._reading = asyncio.Lock()

    async def before(
        self, tournament_id: str, tournament: TournamentView, published: RatingList, position: int
    ) -> TournamentView:
        """Return the tournament with its players' deviations and volatilities from the last lists before a position.

        For a published list, the position is that of its first publication, even after revisions: later lists may
        depend on it.
        """
        if not system_named(published.system).deviations:
            return tournament
        up_to = await self._first_followed(tournament_id) if published.tournament_id else position
        await self._read_on(up_to)
        own = stream(tournament_id)
        return replace(tournament, players=[self._certain(player, own, up_to) for player in tournament.players])

    def _certain(self, player: Rated, own: str, up_to: int) -> Rated:
        for line in reversed(self._lines.get(player.player_id, ())):
            if line.position <= up_to and line.stream != own:
                return replace(player, deviation=line.deviation, volatility=line.volatility)
        return player

    async def _read_on(self, up_to: int) -> None:
        async with self._reading:
            while self._position < up_to:
                found = await self._record.read(self._position, types=_LINES, up_to=up_to, limit=RATING_BATCH_LINES)
                self._add(found)
                self._position = found[-1].position if len(found) == RATING_BATCH_LINES else up_to

    def _add(self, found: Iterable[Recorded]) -> None:
        for event in found:
            line = event.message
            assert isinstance(line, events.RatingUpdated)
            if line.deviation:
                certainty = Certainty(event.position, event.stream, line.deviation, line.volatility)
                self._lines.setdefault(line.player_id, []).append(certainty)

    async def _first_followed(self, tournament_id: str) -> int:
        """Return the position of the event that caused the first publication of a list."""
        published = next(
            event
            for event in await self._record.read_stream(stream(tournament_id))
            if isinstance(event.message, events.RatingListPublished)
        )
        for event in await self._record.read_stream(tournament_stream(tournament_id)):
            if event.event_id == published.metadata.causation_id:
                return event.position
        return published.position - 1
