"""The director of the demonstration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import count

import grpc

from faristol.client.problems import reason_of
from faristol.client.services import A_co, Api, RequestFor
from faristol.demo.cast import UserCalls
from faristol.demo.commands import send
from faristol.demo.plan import Entrant, Plan
from faristol.demo.play_finder import FindPlays
from faristol.demo.table import DemoTable
from faristol.kernel.likeness import like
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.rating.v1 import rating_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.words import WordGraph


@dataclass(frozen=True)
class ChampionshipOutcome:
    """The outcome of a championship."""

    tournament: results_pb2.Tournament
    standings: Sequence[results_pb2.Standing]
    ratings: rating_pb2.GetRatingListResponse


def ignore_progress(_number: int, _done: int, _total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class DirectorActions:
    """The common actions of directors."""

    api: Api
    plan: Plan
    graph: WordGraph
    lexicon: str
    now: datetime
    """The present; the championship is dated before it."""

    @cached_property
    def cast(self) -> UserCalls:
        """The users of the championship."""
        return UserCalls(self.api, self.plan.tournament_id)

    async def create(self) -> None:
        """Create the tournament."""
        opening = self.plan.round_start(1, self.now)
        await self.send(self.plan.creation(self.lexicon), opening, "create")

    async def appoint_judges(self, judge_id: str, head_id: str, **times: int) -> None:
        """Appoint a judge of the words and a director of judges, who rule on challenges from now on.

        ``times`` are fields of ``SetAdjudicationRequest``.
        """
        plan = self.plan
        for appointed in (judge_id, head_id):
            appoint = adjudication_pb2.AppointJudgeRequest(
                command_id=plan.command_id("appoint", appointed),
                tournament_id=plan.tournament_id,
                judge_id=appointed,
                languages=[plan.rules.tile_set.language] if appointed == judge_id else [],
                director=appointed == head_id,
            )
            await self.api.call(appoint)
        mode = adjudication_pb2.SetAdjudicationRequest(
            command_id=plan.command_id("adjudication"),
            tournament_id=plan.tournament_id,
            mode=lexicon_events.MODE_JUDGE,
            **times,
        )
        await self.api.call(mode)

    async def send(self, request: RequestFor[A_co], when: datetime | None, *act: object) -> A_co:
        """Send a request about the tournament, with an id derived from ``act`` and the time of the command."""
        return await send(self.api, self.plan, request, when, *act, tournament_id=self.plan.tournament_id)


@dataclass(frozen=True)
class Championship(DirectorActions):
    """A director, from the creation of a championship or any later state to the final standings."""

    seen: Callable[[int, int, int], None] = field(default=ignore_progress, kw_only=True)
    """Callback for progress: round, finished tables, all tables."""
    find: FindPlays | None = field(default=None, kw_only=True)
    """Search for plays in another process; in this one if absent."""

    async def play(self) -> ChampionshipOutcome:
        """Play the whole championship. Raises ``grpc.aio.AioRpcError`` if a service refuses a request."""
        await self.create()
        async with self.cast.director():
            return await self._direct()

    async def _direct(self) -> ChampionshipOutcome:
        plan = self.plan
        tournament = await self._register_players()
        position = 0
        for number in range(1, plan.rounds + 1):
            await self._play_round(number, tournament)
            await self._results_in(number)
            close = pairing_pb2.CloseRoundRequest(round=number)
            closed = await self.send(close, plan.round_end(number, self.now), "close", number)
            position = closed.position
            tournament = await self.api.call(self._which())
        over, publish = plan.round_end(plan.rounds, self.now), pairing_pb2.PublishStandingsRequest()
        position = max(position, (await self.send(publish, over, "publish")).position)
        ratings = await self.api.call_until_found(rating_pb2.GetRatingListRequest(tournament_id=plan.tournament_id))
        standings = await self.api.call(
            results_pb2.GetStandingsRequest(tournament_id=plan.tournament_id, min_position=position)
        )
        shown = await self.api.call(
            results_pb2.GetTournamentRequest(tournament_id=plan.tournament_id, min_position=position)
        )
        return ChampionshipOutcome(shown.tournament, standings.standings, ratings)

    async def _register_players(self) -> pairing_pb2.GetTournamentResponse:
        opening = self.plan.round_start(1, self.now)
        for entrant in self.plan.entrants:
            await self._register(entrant, opening)
        if self.plan.halls_of_tables:
            await self.send(pairing_pb2.SetHallsRequest(halls=self.plan.halls_of_tables), opening, "halls")
        return await self.api.call(self._which())

    async def _register(self, entrant: Entrant, opening: datetime) -> None:
        """Register a player. If the person was erased in this cell, the player gets an id with a number."""
        for attempt in count(1):
            player_id = entrant.player_id if attempt == 1 else f"{entrant.player_id}-{attempt}"
            register = like(pairing_pb2.RegisterPlayerRequest, entrant, player_id=player_id)
            try:
                await self.send(register, opening, "register", player_id)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) != "PERSON_ERASED":
                    raise
            else:
                return

    async def _play_round(self, number: int, tournament: pairing_pb2.GetTournamentResponse) -> None:
        plan = self.plan
        if any(known.round == number and known.phase == pairing_pb2.ROUND_PHASE_CLOSED for known in tournament.played):
            return
        when = plan.round_start(number, self.now)
        pair, start = pairing_pb2.PairRoundRequest(round=number), pairing_pb2.StartRoundRequest(round=number)
        paired = await self.send(pair, when, "pair", number)
        await self.send(start, when, "start", number)
        total, finished = len(paired.pairings), 0
        self.seen(number, finished, total)
        tables = [asyncio.create_task(self._play_table(seat)) for seat in paired.pairings]
        try:
            for table in asyncio.as_completed(tables):
                await table
                finished += 1
                self.seen(number, finished, total)
        finally:
            for task in tables:
                task.cancel()

    async def _play_table(self, seat: pairing_events.Pairing) -> None:
        async with self.cast.scorer(seat.table):
            await DemoTable(self.api, self.plan, seat.game_id, self.graph, self.cast, self.find).play()

    async def _results_in(self, number: int) -> None:
        """Wait until all results of the tables have arrived in the tournament."""
        while True:
            tournament = await self.api.call(self._which())
            known = next(each for each in tournament.played if each.round == number)
            if len(known.finished_game_ids) == len(known.pairings):
                return
            await asyncio.sleep(0.03)

    def _which(self) -> pairing_pb2.GetTournamentRequest:
        return pairing_pb2.GetTournamentRequest(tournament_id=self.plan.tournament_id)
