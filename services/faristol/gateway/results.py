"""The way to the results service."""

from __future__ import annotations

import grpc

from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

DEADLINE = 10.0
"""Seconds within which the service has to answer."""


class Results:
    """What the results service tells. Every method raises ``grpc.aio.AioRpcError``."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: results_pb2_grpc.ResultsServiceAsyncStub = results_pb2_grpc.ResultsServiceStub(channel)

    async def tournaments(self, min_position: int = 0) -> pb.ListTournamentsResponse:
        """All tournaments, the latest first."""
        return await self._stub.ListTournaments(pb.ListTournamentsRequest(min_position=min_position), timeout=DEADLINE)

    async def tournament(self, tournament_id: str, min_position: int = 0) -> pb.GetTournamentResponse:
        """One tournament."""
        return await self._stub.GetTournament(
            pb.GetTournamentRequest(tournament_id=tournament_id, min_position=min_position), timeout=DEADLINE
        )

    async def standings(self, tournament_id: str, round_: int = 0, min_position: int = 0) -> pb.GetStandingsResponse:
        """Standings after a round, or with the results so far when that is 0."""
        return await self._stub.GetStandings(
            pb.GetStandingsRequest(tournament_id=tournament_id, round=round_, min_position=min_position),
            timeout=DEADLINE,
        )

    async def pairings(self, tournament_id: str, round_: int, min_position: int = 0) -> pb.GetPairingsResponse:
        """Pairings of a round."""
        return await self._stub.GetPairings(
            pb.GetPairingsRequest(tournament_id=tournament_id, round=round_, min_position=min_position),
            timeout=DEADLINE,
        )

    async def players(self, tournament_id: str, min_position: int = 0) -> pb.ListPlayersResponse:
        """Players with their ratings."""
        return await self._stub.ListPlayers(
            pb.ListPlayersRequest(tournament_id=tournament_id, min_position=min_position), timeout=DEADLINE
        )

    async def game(self, game_id: str, min_position: int = 0) -> pb.GetGameResponse:
        """A game."""
        return await self._stub.GetGame(pb.GetGameRequest(game_id=game_id, min_position=min_position), timeout=DEADLINE)

    def follow(self, tournament_id: str, after: int) -> grpc.aio.UnaryStreamCall[pb.FollowRequest, pb.FollowResponse]:
        """News of a tournament after a position. Whoever follows has to cancel the call at the end."""
        return self._stub.Follow(pb.FollowRequest(tournament_id=tournament_id, after_position=after))
