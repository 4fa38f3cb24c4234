"""Client of the results service, and of the public rulings of the lexicon service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Depends
from starlette.requests import Request

from faristol.client.rulesets import fetch
from faristol.gateway.auth.session import calls, token_of
from faristol.gateway.http.language import language_of
from faristol.gateway.rpc.service import Service
from faristol.kernel.times import to_timestamp
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.results.v1 import results_pb2 as pb


@dataclass(frozen=True, slots=True)
class Moment:
    """State of an answer: at least at a position, or at a past moment; by default the present."""

    min_position: int = 0
    as_of_position: int = 0
    as_of: datetime | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of a request."""
        past = {} if self.as_of is None else {"as_of": to_timestamp(self.as_of)}
        return {"min_position": self.min_position, "as_of_position": self.as_of_position, **past}


NOW = Moment()


class Page(NamedTuple):
    """Page of an answer: its size and the token of the page before; by default all lines."""

    size: int = 0
    token: str = ""

    def fields(self) -> dict[str, Any]:
        """Return the fields of a request."""
        return {"page_size": self.size, "page_token": self.token}


WHOLE_LIST = Page()


class Results(Service):
    """Public calls of the results service."""

    kept = "results"

    async def tournaments(
        self, when: Moment = NOW, page: Page = WHOLE_LIST, *, search: str = "", archived: bool = False, **among: Any
    ) -> pb.ListTournamentsResponse:
        """Return tournaments, the latest first, optionally with words in their name.

        Archived ones are included on request. ``among`` are further filters of the request.
        """
        request = pb.ListTournamentsRequest(search=search, archived=archived, **among, **when.fields(), **page.fields())
        return await self.ask(request)

    async def tournament(self, tournament_id: str, when: Moment = NOW) -> pb.GetTournamentResponse:
        """Return a tournament, and load its rule set."""
        head = await self.ask(pb.GetTournamentRequest(tournament_id=tournament_id, **when.fields()))
        await fetch(self._stub, head.tournament.ruleset)
        return head

    async def player_day(self, tournament_id: str, player_id: str) -> pb.GetPlayerDayResponse:
        """Return a player's day in a tournament, and load its rule set. Only that player and officials may call."""
        found = await self.ask(pb.GetPlayerDayRequest(tournament_id=tournament_id, player_id=player_id))
        await fetch(self._stub, found.head.tournament.ruleset)
        return found

    async def standings(
        self, tournament_id: str, round_: int = 0, when: Moment = NOW, page: Page = WHOLE_LIST, **more: Any
    ) -> pb.GetStandingsResponse:
        """Return the standings after a round, or so far if it is 0; ``more`` are further fields of the request."""
        fields = {"tournament_id": tournament_id, "round": round_, **when.fields(), **page.fields(), **more}
        return await self.ask(pb.GetStandingsRequest(**fields))

    async def team_standings(
        self, tournament_id: str, round_: int = 0, when: Moment = NOW, page: Page = WHOLE_LIST, **more: Any
    ) -> pb.GetTeamStandingsResponse:
        """Return the standings of teams, as ``standings`` does those of players."""
        fields = {"tournament_id": tournament_id, "round": round_, **when.fields(), **page.fields(), **more}
        return await self.ask(pb.GetTeamStandingsRequest(**fields))

    async def teams(self, tournament_id: str, when: Moment = NOW, page: Page = WHOLE_LIST) -> pb.ListTeamsResponse:
        """Return the teams with their line-ups."""
        return await self.ask(pb.ListTeamsRequest(tournament_id=tournament_id, **when.fields(), **page.fields()))

    async def pairings(
        self, tournament_id: str, round_: int, when: Moment = NOW, page: Page = WHOLE_LIST, **more: Any
    ) -> pb.GetPairingsResponse:
        """Return the pairings of a round; ``more`` are further fields of the request, such as ``seats_alone``."""
        fields = {"tournament_id": tournament_id, "round": round_, **when.fields(), **page.fields(), **more}
        return await self.ask(pb.GetPairingsRequest(**fields))

    async def crosstable(
        self, tournament_id: str, round_: int = 0, when: Moment = NOW, page: Page = WHOLE_LIST
    ) -> pb.GetCrosstableResponse:
        """Return the crosstable up to a round, or so far if it is 0."""
        request = pb.GetCrosstableRequest(tournament_id=tournament_id, round=round_, **when.fields(), **page.fields())
        return await self.ask(request)

    async def prospects(
        self, tournament_id: str, place: int = 0, when: Moment = NOW, *, player_id: str = ""
    ) -> pb.GetProspectsResponse:
        """Return the places that players can still reach, and their chances for one of the first ``place`` places."""
        request = pb.GetProspectsRequest(tournament_id=tournament_id, place=place, player_id=player_id, **when.fields())
        return await self.ask(request)

    async def stages(self, tournament_id: str, when: Moment = NOW) -> pb.GetStagesResponse:
        """Return the stages of the championship of a tournament, the brackets, and the final table."""
        return await self.ask(pb.GetStagesRequest(tournament_id=tournament_id, **when.fields()))

    async def report(
        self,
        tournament_id: str,
        edition: pb.ReportEdition.ValueType,
        round_: int = 0,
        when: Moment = NOW,
        *,
        for_officials: bool = False,
    ) -> pb.GetReportResponse:
        """Return a TRF file up to a round, or up to the last closed one if it is 0.

        With ``for_officials``, it includes every arrangement.
        """
        request = pb.GetReportRequest(
            tournament_id=tournament_id, edition=edition, round=round_, for_officials=for_officials, **when.fields()
        )
        return await self.ask(request)

    async def awards(
        self, tournament_id: str, min_position: int = 0, *, provisional: bool = False
    ) -> pb.GetAwardsResponse:
        """Return the prize lists with their awards, ``provisional`` ones for officials only."""
        request = pb.GetAwardsRequest(tournament_id=tournament_id, min_position=min_position, provisional=provisional)
        return await self.ask(request)

    async def prizes(self, tournament_id: str, min_position: int = 0) -> pb.GetPrizesResponse:
        """Return the leaders for the special prizes."""
        return await self.ask(pb.GetPrizesRequest(tournament_id=tournament_id, min_position=min_position))

    async def players(self, tournament_id: str, when: Moment = NOW, page: Page = WHOLE_LIST) -> pb.ListPlayersResponse:
        """Return the players with their ratings."""
        return await self.ask(pb.ListPlayersRequest(tournament_id=tournament_id, **when.fields(), **page.fields()))

    async def player(self, player_id: str, page: Page = WHOLE_LIST, min_position: int = 0) -> pb.GetPlayerResponse:
        """Return a player across tournaments."""
        return await self.ask(pb.GetPlayerRequest(player_id=player_id, min_position=min_position, **page.fields()))

    async def search_players(
        self, search: str, page: Page = WHOLE_LIST, min_position: int = 0
    ) -> pb.SearchPlayersResponse:
        """Return players by name."""
        return await self.ask(pb.SearchPlayersRequest(search=search, min_position=min_position, **page.fields()))

    async def game(self, game_id: str, when: Moment = NOW) -> pb.GetGameResponse:
        """Return a game, and load its rule set."""
        game = await self.ask(pb.GetGameRequest(game_id=game_id, **when.fields()))
        await fetch(self._stub, game.ruleset)
        return game

    async def proof(self, subject: pb.ProofSubject.ValueType, **of: Any) -> pb.GetProofResponse:
        """Return the proof of a scoresheet, a result, a round or standings; ``of`` are fields of the request."""
        return await self.ask(pb.GetProofRequest(subject=subject, **of))


class RulingsClient(Service):
    """Public calls of the lexicon service."""

    kept = "rulings"

    async def of(
        self, tournament_id: str, round_: int = 0, page: Page = WHOLE_LIST
    ) -> adjudication_pb2.ListRulingsResponse:
        """Return the rulings of a closed round, or of all if it is 0."""
        request = adjudication_pb2.ListRulingsRequest(tournament_id=tournament_id, round=round_, **page.fields())
        return await self.ask(request)


RulingsReader = Annotated[RulingsClient, Depends(RulingsClient.for_visitor)]
"""Route parameter."""


Reader = Annotated[Results, Depends(Results.for_visitor)]
"""Route parameter of public content, which is the same for all callers."""


async def _results_for_user(request: Request) -> Results:
    token = token_of(request)
    calls(request, token)  # raises for a token that would corrupt the headers of a call
    return Results(request.app.state.results, language_of(request), token=token)


OwnReader = Annotated[Results, Depends(_results_for_user)]
"""Route parameter of a console: officials get at once the events that a delay of the broadcast holds back."""
