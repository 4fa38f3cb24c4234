"""A cache of estimates by the results so far."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from faristol.event_store import Loaded
from faristol.kernel.bounded import store_bounded
from faristol.rating import decide
from faristol.rating.games import Change, Rated
from faristol.rating.model import RatingList, TournamentView

MAX_CACHED_ESTIMATES = 64
"""Number of tournaments whose last estimate is cached."""

_Basis = tuple[int, int, tuple[Rated, ...]]
"""Versions of the tournament and of the list, and the players, whose deviations neither version covers."""


class Estimates:
    """A cache of the latest estimates. A lock makes concurrent callers share one computation."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[_Basis, Sequence[Change]]] = OrderedDict()
        self._calculating = asyncio.Lock()

    async def of(
        self, tournament_id: str, published: Loaded[RatingList], tournament: Loaded[TournamentView]
    ) -> Sequence[Change]:
        """Return ``decide.changes`` by the results so far, from the cache if its inputs have not changed."""
        basis = tournament.version, published.version, tuple(tournament.state.players)
        async with self._calculating:
            known = self._kept.pop(tournament_id, None)
            if known is None or known[0] != basis:
                known = basis, await asyncio.to_thread(decide.changes, published.state, tournament.state)
            store_bounded(self._kept, tournament_id, known, MAX_CACHED_ESTIMATES)
        return known[1]
