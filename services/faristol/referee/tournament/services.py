"""The services of a tournament, as a case is played on them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.rating.v1 import rating_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.referee.case import Word
from faristol.referee.services import PAIRING, AtTable, Services
from faristol.referee.tournament.case import TOURNAMENT_ID, TournamentCase

RESULTS = results_pb2.DESCRIPTOR.services_by_name["ResultsService"]
RATING = rating_pb2.DESCRIPTOR.services_by_name["RatingService"]


class TournamentServices(Services):
    """Pairing, the tables of its rounds, rating and results."""

    @abstractmethod
    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """Let a judge rule at a table; see ``AtTable``."""

    @abstractmethod
    async def appoint_judges(self) -> None:
        """Appoint judges who rule on what is challenged in the tournament, which has been created."""

    @abstractmethod
    async def standings(self, round_: int) -> results_pb2.GetStandingsResponse:
        """The standings after a round; with the results so far when that is 0."""

    @abstractmethod
    async def team_standings(self, round_: int) -> results_pb2.GetTeamStandingsResponse:
        """The same of the teams."""

    async def tournament(self) -> pairing_pb2.GetTournamentResponse:
        """The tournament as its service shows it."""
        request = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT_ID)
        shown = await self.ask(PAIRING, "GetTournament", request)
        assert isinstance(shown, pairing_pb2.GetTournamentResponse)
        return shown

    async def obstacles(self) -> pairing_pb2.ListObstaclesResponse:
        """What keeps the next round from being paired."""
        request = pairing_pb2.ListObstaclesRequest(tournament_id=TOURNAMENT_ID)
        told = await self.ask(PAIRING, "ListObstacles", request)
        assert isinstance(told, pairing_pb2.ListObstaclesResponse)
        return told

    async def ratings(self) -> rating_pb2.GetRatingListResponse:
        """The ratings after the last round."""
        request = rating_pb2.GetRatingListRequest(tournament_id=TOURNAMENT_ID)
        shown = await self.ask(RATING, "GetRatingList", request)
        assert isinstance(shown, rating_pb2.GetRatingListResponse)
        return shown


Tournaments = Callable[[TournamentCase, Callable[[], datetime]], AbstractAsyncContextManager[TournamentServices]]
"""Opens the services that the case of a tournament is played on, which go by the time of the case."""
