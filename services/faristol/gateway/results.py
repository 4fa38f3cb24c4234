"""The way to the results service, and to the rulings of the lexicon service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

import grpc
from fastapi import Depends
from google.protobuf.message import Message
from starlette.requests import Request

from faristol.client.rulesets import fetch
from faristol.gateway.asked import Asked, asked_for
from faristol.gateway.language import language_of
from faristol.host.interceptor import REFUSAL_LANGUAGE
from faristol.kernel.times import to_timestamp
from faristol.pb.lexicon.v1 import adjudication_pb2, adjudication_pb2_grpc
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

Q = TypeVar("Q", bound=Message)
"""A question."""

A = TypeVar("A")
"""Its answer."""

DEADLINE = 10.0
"""Seconds within which the service has to answer."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """What an answer is to be as of: a position of the record or a time; now when neither is given."""

    position: int = 0
    time: datetime | None = None


def fields(as_of: AsOf | None) -> dict[str, Any]:
    """The same as fields of a request."""
    if as_of is None:
        return {}
    given: dict[str, Any] = {"as_of_position": as_of.position}
    if as_of.time is not None:
        given["as_of"] = to_timestamp(as_of.time)
    return given


class Results:
    """What the results service tells, with words in ``language``.

    Every method raises ``grpc.aio.AioRpcError``, with words in ``refusals``, or else in ``language``.
    """

    def __init__(
        self,
        stub: results_pb2_grpc.ResultsServiceAsyncStub,
        language: str,
        refusals: str = "",
        asked: Asked | None = None,
    ) -> None:
        """``asked`` is told of every question and its answer."""
        self._stub = stub
        self._to_tell = asked
        self._metadata = (("accept-language", language), (REFUSAL_LANGUAGE, refusals or language))

    async def _asked(self, method: grpc.aio.UnaryUnaryMultiCallable[Q, A], request: Q) -> A:
        answer = await method(request, timeout=DEADLINE, metadata=self._metadata)
        if self._to_tell:
            self._to_tell.note(request, answer)
        return answer

    async def tournaments(
        self,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        search: str = "",
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.ListTournamentsResponse:
        """Tournaments with these words in their name, the latest first, a page of them; all when nothing is said."""
        return await self._asked(
            self._stub.ListTournaments,
            pb.ListTournamentsRequest(
                min_position=min_position,
                search=search,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def tournament(
        self, tournament_id: str, min_position: int = 0, as_of: AsOf | None = None
    ) -> pb.GetTournamentResponse:
        """One tournament."""
        head = await self._asked(
            self._stub.GetTournament,
            pb.GetTournamentRequest(tournament_id=tournament_id, min_position=min_position, **fields(as_of)),
        )
        await fetch(self._stub, head.tournament.ruleset)
        return head

    async def standings(
        self,
        tournament_id: str,
        round_: int = 0,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        player_id: str = "",
        arithmetic: bool = False,
        category: str = "",
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.GetStandingsResponse:
        """Standings after a round, or with the results so far when that is 0; of one player when one is named."""
        return await self._asked(
            self._stub.GetStandings,
            pb.GetStandingsRequest(
                tournament_id=tournament_id,
                round=round_,
                min_position=min_position,
                player_id=player_id,
                arithmetic=arithmetic,
                category=category,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def team_standings(
        self,
        tournament_id: str,
        round_: int = 0,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        team_id: str = "",
        arithmetic: bool = False,
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.GetTeamStandingsResponse:
        """Standings of teams after a round, or with the results so far when that is 0; of one when one is named."""
        return await self._asked(
            self._stub.GetTeamStandings,
            pb.GetTeamStandingsRequest(
                tournament_id=tournament_id,
                round=round_,
                min_position=min_position,
                team_id=team_id,
                arithmetic=arithmetic,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def teams(
        self,
        tournament_id: str,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.ListTeamsResponse:
        """Teams with their line-ups."""
        return await self._asked(
            self._stub.ListTeams,
            pb.ListTeamsRequest(
                tournament_id=tournament_id,
                min_position=min_position,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def pairings(
        self,
        tournament_id: str,
        round_: int,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        seats_alone: bool = False,
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.GetPairingsResponse:
        """Pairings of a round; without what running games have come to where ``seats_alone`` matter."""
        return await self._asked(
            self._stub.GetPairings,
            pb.GetPairingsRequest(
                tournament_id=tournament_id,
                round=round_,
                min_position=min_position,
                seats_alone=seats_alone,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def crosstable(
        self,
        tournament_id: str,
        round_: int = 0,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.GetCrosstableResponse:
        """Everybody's rounds up to one, or so far when that is 0."""
        return await self._asked(
            self._stub.GetCrosstable,
            pb.GetCrosstableRequest(
                tournament_id=tournament_id,
                round=round_,
                min_position=min_position,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def report(
        self,
        tournament_id: str,
        edition: pb.ReportEdition.ValueType,
        round_: int = 0,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        for_officials: bool = False,
    ) -> pb.GetReportResponse:
        """A TRF file up to a round, or up to the last that is over when that is 0; for officials with all arranged."""
        return await self._asked(
            self._stub.GetReport,
            pb.GetReportRequest(
                tournament_id=tournament_id,
                edition=edition,
                round=round_,
                min_position=min_position,
                for_officials=for_officials,
                **fields(as_of),
            ),
        )

    async def prizes(self, tournament_id: str, min_position: int = 0) -> pb.GetPrizesResponse:
        """Who is ahead for the special prizes."""
        return await self._asked(
            self._stub.GetPrizes, pb.GetPrizesRequest(tournament_id=tournament_id, min_position=min_position)
        )

    async def players(
        self,
        tournament_id: str,
        min_position: int = 0,
        as_of: AsOf | None = None,
        *,
        page_size: int = 0,
        page_token: str = "",
    ) -> pb.ListPlayersResponse:
        """Players with their ratings."""
        return await self._asked(
            self._stub.ListPlayers,
            pb.ListPlayersRequest(
                tournament_id=tournament_id,
                min_position=min_position,
                page_size=page_size,
                page_token=page_token,
                **fields(as_of),
            ),
        )

    async def player(
        self, player_id: str, page_size: int = 0, page_token: str = "", min_position: int = 0
    ) -> pb.GetPlayerResponse:
        """A player across tournaments: a page of them, from where another one ended."""
        return await self._asked(
            self._stub.GetPlayer,
            pb.GetPlayerRequest(
                player_id=player_id, page_size=page_size, page_token=page_token, min_position=min_position
            ),
        )

    async def search_players(
        self, search: str, page_size: int = 0, page_token: str = "", min_position: int = 0
    ) -> pb.SearchPlayersResponse:
        """Players by name, a page of them."""
        return await self._asked(
            self._stub.SearchPlayers,
            pb.SearchPlayersRequest(
                search=search, page_size=page_size, page_token=page_token, min_position=min_position
            ),
        )

    async def game(self, game_id: str, min_position: int = 0, as_of: AsOf | None = None) -> pb.GetGameResponse:
        """A game."""
        game = await self._asked(
            self._stub.GetGame, pb.GetGameRequest(game_id=game_id, min_position=min_position, **fields(as_of))
        )
        await fetch(self._stub, game.ruleset)
        return game

    async def status(self) -> pb.GetStatusResponse:
        """Where everything stands that follows the record."""
        return await self._asked(self._stub.GetStatus, pb.GetStatusRequest())

    async def seals(self, after: int, limit: int, *, newest: bool) -> pb.ListSealsResponse:
        """Seals of the record that reach beyond a position, or the newest alone."""
        request = pb.ListSealsRequest(after_position=after, limit=limit, newest=newest)
        return await self._asked(self._stub.ListSeals, request)


class Rulings:
    """What the lexicon service tells the public. Raises as ``Results`` does."""

    def __init__(
        self, stub: adjudication_pb2_grpc.AdjudicationServiceAsyncStub, language: str, asked: Asked | None = None
    ) -> None:
        self._stub = stub
        self._to_tell = asked
        self._metadata = (("accept-language", language),)

    async def of(
        self, tournament_id: str, round_: int = 0, page_size: int = 0, page_token: str = ""
    ) -> adjudication_pb2.ListRulingsResponse:
        """The rulings of a closed round, or of all when that is 0: a page of so many, from where another one ended."""
        request = adjudication_pb2.ListRulingsRequest(
            tournament_id=tournament_id, round=round_, page_size=page_size, page_token=page_token
        )
        answer = await self._stub.ListRulings(request, timeout=DEADLINE, metadata=self._metadata)
        if self._to_tell:
            self._to_tell.note(request, answer)
        return answer


async def rulings_reader(request: Request) -> Rulings:
    """The lexicon service in the visitor's language. The application keeps the stub in ``app.state.rulings``."""
    return Rulings(request.app.state.rulings, language_of(request), asked_for(request))


RulingsReader = Annotated[Rulings, Depends(rulings_reader)]
"""A parameter of a route."""


async def reader(request: Request) -> Results:
    """The results service in the visitor's language. The application keeps the stub in ``app.state.results``."""
    return Results(request.app.state.results, language_of(request), asked=asked_for(request))


Reader = Annotated[Results, Depends(reader)]
"""A parameter of a route."""
