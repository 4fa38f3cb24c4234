"""gRPC in: what the public reads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import grpc

from faristol.bus import Progress
from faristol.host.errors import Behind, Invalid
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc as results_grpc
from faristol.record import Record
from faristol.results import news, ranking, reading
from faristol.results.store import Kind
from faristol.rules.refusal import N_

Context = grpc.aio.ServicerContext[Any, Any]

PATIENCE = 10.0
"""Seconds to wait for ``min_position`` when the caller set no deadline."""

NO_POSITION = N_("{position} is no position: expected 0 or more")

MARGIN = 0.1
"""Seconds before the caller's deadline at which waiting stops, so that the answer still says why."""


class ResultsService(results_grpc.ResultsServiceServicer):
    """The read models of a cell."""

    def __init__(self, record: Record, progress: Progress) -> None:
        self._record = record
        self._progress = progress

    async def ListTournaments(  # noqa: N802
        self, request: results.ListTournamentsRequest, context: Context
    ) -> results.ListTournamentsResponse:
        """All tournaments, the latest first."""
        position = await self._reach(request.min_position, context)
        return results.ListTournamentsResponse(tournaments=await reading.tournaments(self._record), position=position)

    async def GetTournament(  # noqa: N802
        self, request: results.GetTournamentRequest, context: Context
    ) -> results.GetTournamentResponse:
        """One tournament with where its rounds stand."""
        position = await self._reach(request.min_position, context)
        found = await reading.tournament(self._record, request.tournament_id)
        return results.GetTournamentResponse(tournament=found.tournament, position=position)

    async def GetStandings(  # noqa: N802
        self, request: results.GetStandingsRequest, context: Context
    ) -> results.GetStandingsResponse:
        """Standings with their tie-breaks, with the results so far or as of a round."""
        if request.round < 0:
            raise Invalid(
                "round",
                N_("{round} is no round: expected 1 or more, or 0 for the results so far"),
                {"round": request.round},
            )
        position = await self._reach(request.min_position, context)
        found = await reading.tournament(self._record, request.tournament_id, [Kind.PLAYERS, Kind.ROUND])
        if request.round:
            found.round(request.round)
        counted = [one for one in found.rounds if not request.round or one.round <= request.round]
        lines = ranking.rank(found.tournament, found.players, counted)
        people = await reading.people(self._record, (line.player_id for line in lines))
        for line in lines:
            line.name = people[line.player_id].name
        last = request.round or ranking.last_counted(counted)
        return results.GetStandingsResponse(standings=lines, round=last, position=position)

    async def GetPairings(  # noqa: N802
        self, request: results.GetPairingsRequest, context: Context
    ) -> results.GetPairingsResponse:
        """Pairings of a round, with scores as they are."""
        if request.round < 1:
            raise Invalid("round", N_("{round} is no round: expected 1 or more"), {"round": request.round})
        position = await self._reach(request.min_position, context)
        found = await reading.tournament(self._record, request.tournament_id, [Kind.ROUND])
        answer = found.round(request.round)
        seats = [seat for table in answer.tables for seat in table.seats]
        if answer.HasField("bye"):
            seats.append(answer.bye)
        await self._name(seats)
        answer.position = position
        return answer

    async def ListPlayers(  # noqa: N802
        self, request: results.ListPlayersRequest, context: Context
    ) -> results.ListPlayersResponse:
        """Players with their ratings."""
        position = await self._reach(request.min_position, context)
        found = await reading.tournament(self._record, request.tournament_id, [Kind.PLAYERS])
        people = await reading.people(self._record, (player.player_id for player in found.players))
        for player in found.players:
            player.name = people[player.player_id].name
            player.club = people[player.player_id].club
        return results.ListPlayersResponse(players=found.players, rating_system=found.rating_system, position=position)

    async def GetGame(  # noqa: N802
        self, request: results.GetGameRequest, context: Context
    ) -> results.GetGameResponse:
        """A game: board and scoresheet."""
        position = await self._reach(request.min_position, context)
        answer = await reading.game(self._record, request.game_id)
        await self._name(list(answer.seats))
        answer.position = position
        return answer

    async def Follow(  # noqa: N802
        self, request: results.FollowRequest, context: Context
    ) -> AsyncIterator[results.FollowResponse]:
        """News of a tournament from a position on, then live."""
        if request.after_position < 0:
            raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
        await reading.tournament(self._record, request.tournament_id)
        async for piece in news.follow(self._record, self._progress, request.tournament_id, request.after_position):
            yield piece

    async def _name(self, seats: list[results.Seat]) -> None:
        people = await reading.people(self._record, (seat.player_id for seat in seats))
        for seat in seats:
            seat.name = people[seat.player_id].name

    async def _reach(self, min_position: int, context: Context) -> int:
        """The position up to which the rows hold, once that is at least ``min_position``."""
        if min_position < 0:
            raise Invalid("min_position", NO_POSITION, {"position": min_position})
        if min_position:
            left = cast("float | None", context.time_remaining())  # None when the caller set none
            patience = PATIENCE if left is None else max(0.0, left - MARGIN)
            if not await self._progress.reached(min_position, patience):
                raise Behind(min_position, await self._progress.position())
        return await self._progress.position()
