"""The services of a tournament on a cell: gRPC, NATS and a record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from faristol.kernel.pins import Pin
from faristol.referee.case import Word
from faristol.referee.cell import OnCell, appoint, rule_on_cell, serving
from faristol.referee.lexicons import install
from faristol.referee.services import AtTable
from faristol.referee.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.referee.tournament.commands import tournament_verbs
from faristol.referee.tournament.services import Tournaments, TournamentServices
from faristol.words import Library

SERVED = ("lexicon", "game", "clock", "pairing", "rating", "results")
"""The services of a tournament and of its tables."""


class TournamentOnCell(OnCell, TournamentServices):
    """The services of a tournament. Standings are read out of the rows of the results service."""

    position_field = "min_position"
    language = ""
    """The language that its judges rule in."""

    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """See ``TournamentServices``."""
        await rule_on_cell(table, self._channel, good)

    async def appoint_judges(self) -> None:
        """See ``TournamentServices``."""
        await appoint(self._channel, TOURNAMENT_ID, self.language)


def on_cell(nats_url: str) -> Tournaments:
    """Opens a cell for the case of a tournament, on a NATS server that runs."""

    @asynccontextmanager
    async def tournaments(case: TournamentCase, now: Callable[[], datetime]) -> AsyncIterator[TournamentServices]:
        def installed(library: Library) -> Pin:
            return install(library, case.ruleset.tile_set, (), case.ruleset.lexicon.layers)

        async with serving(nats_url, SERVED, now, installed) as cell:
            services = TournamentOnCell(cell.record, cell.channel, cell.reactions, tournament_verbs(), TOURNAMENT_ID)
            services.language = case.ruleset.tile_set.language
            yield services

    return tournaments
