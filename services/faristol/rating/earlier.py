"""What earlier lists of the cell say of players: how certain their ratings are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from faristol.kernel import facts
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.games import Rated
from faristol.rating.model import RatingList, TournamentView, stream, tournament_stream
from faristol.rating.systems import system_named
from faristol.record import Record, Recorded

SLICE = 1_000
"""Lines read at once."""

_LINES = facts.types_of([events.RatingUpdated])


class Certainty(NamedTuple):
    """How certain a list left a rating."""

    position: int
    """In the record."""
    stream: str
    """The list."""
    deviation: int
    volatility: int


class Earlier:
    """The lists of the cell as far as they say how certain ratings are.

    They are kept in memory, and read on from where they were read to: about 200 bytes for each line of each list of a
    system with deviations. Other systems need none of it.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lines: dict[str, list[Certainty]] = {}
        """Of each player, in the order of the record."""
        self._position = 0
        """Read up to here."""
        self._reading = asyncio.Lock()

    async def before(
        self, tournament_id: str, tournament: TournamentView, published: RatingList, position: int
    ) -> TournamentView:
        """The tournament whose players have the deviations and volatilities of the last lists before a position.

        For a list that is published that is the position at which it was made first, however often it is revised:
        lists after it may rest on it.
        """
        if not system_named(published.system).deviations:
            return tournament
        up_to = await self._first_followed(tournament_id) if published.tournament_id else position
        await self._read_on(up_to)
        own = stream(tournament_id)
        return replace(tournament, players=tuple(self._certain(player, own, up_to) for player in tournament.players))

    def _certain(self, player: Rated, own: str, up_to: int) -> Rated:
        for line in reversed(self._lines.get(player.player_id, ())):
            if line.position <= up_to and line.stream != own:
                return replace(player, deviation=line.deviation, volatility=line.volatility)
        return player

    async def _read_on(self, up_to: int) -> None:
        async with self._reading:
            while self._position < up_to:
                found = await self._record.read(self._position, types=_LINES, up_to=up_to, limit=SLICE)
                self._add(found)
                self._position = found[-1].position if len(found) == SLICE else up_to

    def _add(self, found: Iterable[Recorded]) -> None:
        for event in found:
            line = event.message
            assert isinstance(line, events.RatingUpdated)
            if line.deviation:
                certainty = Certainty(event.position, event.stream, line.deviation, line.volatility)
                self._lines.setdefault(line.player_id, []).append(certainty)

    async def _first_followed(self, tournament_id: str) -> int:
        """Position of the event that a published list followed when it was published first."""
        published = next(
            event
            for event in await self._record.read_stream(stream(tournament_id))
            if isinstance(event.message, events.RatingListPublished)
        )
        for event in await self._record.read_stream(tournament_stream(tournament_id)):
            if event.event_id == published.metadata.causation_id:
                return event.position
        return published.position - 1
