"""The services of a tournament for a case."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import Word
from faristol.casebook.hosts.services import AtTable, Services
from faristol.casebook.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.casebook.tournament.commands import TOURNAMENT_VERBS
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.rating.v1 import events_pb2 as rating_events
from faristol.pb.rating.v1 import rating_pb2
from faristol.pb.results.v1 import results_pb2


class TournamentServices(Services):
    """Pairing, the tables of its rounds, rating and results."""

    verbs, tournament_id = TOURNAMENT_VERBS, TOURNAMENT_ID
    position_field: str
    """The field of a request for standings with the position to query."""

    @abstractmethod
    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """Rule as a judge at a table, as ``AtTable.rule`` does."""

    @abstractmethod
    async def appoint_judges(self) -> None:
        """Appoint the judges of the tournament, which has been created."""

    async def standings(self, round_: int) -> Sequence[results_pb2.Standing]:
        """Return the standings after a round; the current ones for 0."""
        request = results_pb2.GetStandingsRequest(tournament_id=TOURNAMENT_ID, round=round_)
        shown: results_pb2.GetStandingsResponse = await self._as_of_now(request)
        return shown.standings

    async def team_standings(self, round_: int) -> Sequence[results_pb2.TeamStanding]:
        """Return the standings of teams after a round; the current ones for 0."""
        request = results_pb2.GetTeamStandingsRequest(tournament_id=TOURNAMENT_ID, round=round_)
        shown: results_pb2.GetTeamStandingsResponse = await self._as_of_now(request)
        return shown.standings

    async def _as_of_now(self, request: Message) -> Any:
        setattr(request, self.position_field, await self.record.last_position())
        return await self.ask(request)

    async def tournament(self) -> pairing_pb2.GetTournamentResponse:
        """Return the tournament as its service shows it."""
        request = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT_ID)
        shown: pairing_pb2.GetTournamentResponse = await self.ask(request)
        return shown

    async def obstacles(self) -> Sequence[pairing_pb2.Obstacle]:
        """Return the obstacles to pairing the next round."""
        request = pairing_pb2.ListObstaclesRequest(tournament_id=TOURNAMENT_ID)
        told: pairing_pb2.ListObstaclesResponse = await self.ask(request)
        return told.obstacles

    async def ratings(self) -> Sequence[rating_events.RatingUpdated]:
        """Return the ratings after the last round."""
        request = rating_pb2.GetRatingListRequest(tournament_id=TOURNAMENT_ID)
        shown: rating_pb2.GetRatingListResponse = await self.ask(request)
        return shown.ratings


Tournaments = Callable[[TournamentCase, Callable[[], datetime]], AbstractAsyncContextManager[TournamentServices]]
"""Opens the services for the case of a tournament; their time is that of the case."""
