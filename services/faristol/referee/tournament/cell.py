"""The services of a tournament on a cell: gRPC, NATS and a record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from faristol.kernel.pins import Pin
from faristol.pb.results.v1 import results_pb2
from faristol.referee.case import Word
from faristol.referee.cell import OnCell, appoint, rule_on_cell, serving
from faristol.referee.lexicons import install
from faristol.referee.services import AtTable
from faristol.referee.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.referee.tournament.commands import tournament_verbs
from faristol.referee.tournament.services import RESULTS, Tournaments, TournamentServices
from faristol.words import Library

SERVED = ("lexicon", "game", "clock", "pairing", "rating", "results")
"""The services of a tournament and of its tables."""


class TournamentOnCell(OnCell, TournamentServices):
    """The services of a tournament."""

    language = ""
    """The language that its judges rule in."""

    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """See ``TournamentServices``."""
        await rule_on_cell(table, self._channel, good)

    async def appoint_judges(self) -> None:
        """See ``TournamentServices``."""
        await appoint(self._channel, TOURNAMENT_ID, self.language)

    async def standings(self, round_: int) -> results_pb2.GetStandingsResponse:
        """See ``TournamentServices``; out of the rows of the results service."""
        request = results_pb2.GetStandingsRequest(
            tournament_id=TOURNAMENT_ID, round=round_, min_position=await self.record.last_position()
        )
        shown = await self.ask(RESULTS, "GetStandings", request)
        assert isinstance(shown, results_pb2.GetStandingsResponse)
        return shown

    async def team_standings(self, round_: int) -> results_pb2.GetTeamStandingsResponse:
        """See ``TournamentServices``."""
        request = results_pb2.GetTeamStandingsRequest(
            tournament_id=TOURNAMENT_ID, round=round_, min_position=await self.record.last_position()
        )
        shown = await self.ask(RESULTS, "GetTeamStandings", request)
        assert isinstance(shown, results_pb2.GetTeamStandingsResponse)
        return shown


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
