"""The services of a tournament on a cell: gRPC, NATS and a record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial

from faristol.casebook.case import Word
from faristol.casebook.hosts.cell import CellServices, appoint, rule_on_cell, serving
from faristol.casebook.hosts.lexicons import install
from faristol.casebook.hosts.services import AtTable
from faristol.casebook.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.casebook.tournament.services import TournamentServices

SERVED = ("lexicon", "game", "clock", "pairing", "rating", "results")
"""The services of a tournament and of its tables."""


class TournamentOnCell(CellServices, TournamentServices):
    """The services of a tournament on a cell. Standings are read from the rows of the results service."""

    position_field = "min_position"
    language = ""
    """The language in which its judges rule."""

    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """Rule at a table as a judge from the queue."""
        await rule_on_cell(table, self._channel, good)

    async def appoint_judges(self) -> None:
        """Appoint judges over gRPC."""
        await appoint(self._channel, TOURNAMENT_ID, self.language)


@asynccontextmanager
async def on_cell(
    nats_url: str, case: TournamentCase, now: Callable[[], datetime]
) -> AsyncIterator[TournamentServices]:
    """Run a cell for the case of a tournament, on a running NATS server."""
    words = partial(install, tile_set=case.ruleset.tile_set, words=(), layers=case.ruleset.lexicon.layers)
    async with serving(nats_url, SERVED, now, words) as cell:
        services = TournamentOnCell(cell)
        services.language = case.ruleset.tile_set.language
        yield services
