"""What the results so far come to, calculated once for all who ask."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from faristol.kernel.bounded import keep
from faristol.rating import decide
from faristol.rating.games import Change, Rated
from faristol.rating.model import RatingList, TournamentView
from faristol.record import Loaded

REMEMBERED = 64
"""How many tournaments' last estimates are kept in memory."""

_Basis = tuple[int, int, tuple[Rated, ...]]
"""All that an estimate follows from: the versions of the tournament and of the list, and the players with what earlier
lists say of them, which neither version tells."""


class Estimates:
    """The estimates made last. One is calculated at a time, so that those who ask at once get the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[_Basis, Sequence[Change]]] = OrderedDict()
        self._calculating = asyncio.Lock()

    async def of(
        self, tournament_id: str, published: Loaded[RatingList], tournament: Loaded[TournamentView]
    ) -> Sequence[Change]:
        """The list as the results so far make it: see ``decide.changes``."""
        basis = tournament.version, published.version, tournament.state.players
        async with self._calculating:
            known = self._kept.pop(tournament_id, None)
            if known is None or known[0] != basis:
                known = basis, await asyncio.to_thread(decide.changes, published.state, tournament.state)
            keep(self._kept, tournament_id, known, REMEMBERED)
        return known[1]
