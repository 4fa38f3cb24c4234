"""What the games of a tournament come to for its prizes, taken from each game again only when it has changed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Live
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record
from faristol.results import lookup, store
from faristol.results.prizes import Figures, figures
from faristol.results.shelf import Kind

REMEMBERED = 16
"""How many tournaments' games are kept in memory."""

Kept = Mapping[str, tuple[int, Figures]]
"""By game: the position of the event that changed it last, and what it comes to."""


class Playing:
    """The figures of the games of the tournaments that were asked for last.

    Rows of one generation of the read models hold the position of the event that changed them last: a game whose row
    has another position than the one that was read is read again, and no other.
    """

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[str, int, int], Kept] = OrderedDict()
        """By tournament, and by version and generation of the read models."""

    async def of(self, record: Record, tournament_id: str) -> tuple[lookup.Tournament, Sequence[Figures]]:
        """A tournament with its rounds and what its games come to, all of one moment. Raises ``NotFound``."""

        async def look(connection: AsyncConnection, live: Live) -> tuple[lookup.Tournament, Sequence[Figures]]:
            kinds = [Kind.TOURNAMENT, Kind.ROUND]
            above = await store.fetch(connection, live, kinds, tournament_id=tournament_id)
            positions = await store.positions(connection, live, Kind.GAME, tournament_id)
            key = (tournament_id, live.version, live.generation)
            known = self._kept.get(key, {})
            changed = [game for game, position in positions.items() if known.get(game, (0, None))[0] != position]
            rows = await store.fetch(
                connection, live, [Kind.GAME], tournament_id=tournament_id, only=changed if known else None
            )
            bodies, taken = await asyncio.to_thread(lambda: ([row.body for row in above], _taken(rows)))
            now = {game: taken.get(game) or known[game] for game in positions}
            self._keep(key, now)
            found = lookup.gathered(tournament_id, bodies, live.position)
            return found, [one for _, one in now.values()]

        answer, _ = await lookup.read_now(record, look, tournament_id)
        return answer

    def _keep(self, key: tuple[str, int, int], games: Kept) -> None:
        if games:
            self._kept[key] = games
            self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)


def _taken(rows: Iterable[store.Row]) -> dict[str, tuple[int, Figures]]:
    return {row.id: (row.position, figures(row.body)) for row in rows if isinstance(row.body, results.GetGameResponse)}
