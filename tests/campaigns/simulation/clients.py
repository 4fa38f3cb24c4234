"""Director and players on the other side of the network: they send every command until it is answered."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message
from tests.campaigns.simulation.world import BEGINNING

from faristol.client.services import Api
from faristol.demo.plan import Plan
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events_pb2
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2, adjudication_pb2_grpc
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.rating.v1 import rating_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.rules.tiles import TileSet
from faristol.words import WordGraph
from faristol.words.plays import Grid, generate

M = TypeVar("M", bound=Message)

DEADLINE_SECONDS = 2.0
"""Seconds that a caller waits for an answer."""

MEETING_SECONDS = 0.2
"""Seconds between the moments in which both players of a table send a command."""
PREPARING_SECONDS = 1.5
"""Seconds before a deadline at which its player begins to wait for it: services prepare deadlines meanwhile."""
MAX_HASTE_SECONDS = 0.08
"""Limit of seconds before a deadline at which a player acts."""
JUDGES = ("judge-1", "judge-2")
CLAIM_LEASE_SECONDS = 2
"""The shortest lease of a judge's claim."""

_PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED)
_DEFECTS = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED)

_NAMESPACE = uuid.UUID("0d2ff6a5-6f2f-4b0e-9f63-5a1a9c9d7a11")


@dataclass
class Told:
    """The answers that clients received."""

    answers: dict[str, bytes] = field(default_factory=dict)
    """The answer to each command that was acknowledged, by its id."""
    refused: dict[str, str] = field(default_factory=dict)
    """Commands that were refused, and why."""
    reasons: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """Answers that no client should get."""


class Caller:
    """A caller that retries."""

    def __init__(self, api: Api, told: Told, name: str, luck: Random) -> None:
        self.api = api
        self.told = told
        self.name = name
        self.luck = luck
        self._sent = 0

    def command_id(self) -> str:
        """Return the id of the next command."""
        self._sent += 1
        return str(uuid.uuid5(_NAMESPACE, f"{self.name}/{self._sent}"))

    async def call(self, method: Callable[..., Awaitable[M]], request: Message) -> M:
        """Call until there is an answer. Raises ``grpc.aio.AioRpcError`` for a permanent one."""
        pause = 0.05
        while True:
            try:
                return await method(request, timeout=DEADLINE_SECONDS)
            except grpc.aio.AioRpcError as problem:
                if problem.code() in _DEFECTS:
                    self.told.problems.append(f"{type(request).__name__}: {problem.code().name} {problem.details()}")
                if problem.code() not in _PASSING:
                    raise
            await asyncio.sleep(pause * (0.5 + self.luck.random()))
            pause = min(1.0, pause * 1.6)

    async def command(self, method: Callable[..., Awaitable[M]], request: Any) -> M | None:
        """Send a command until it is answered; None when it is refused. Sometimes send it once more."""
        request.command_id = self.command_id()
        try:
            answer = await self.call(method, request)
        except grpc.aio.AioRpcError as problem:
            self.told.refused[request.command_id] = f"{type(request).__name__}: {problem.details()}"
            self.told.reasons[f"{type(request).__name__}: {problem.code().name}"] += 1
            return None
        self.told.answers[request.command_id] = answer.SerializeToString(deterministic=True)
        if self.luck.random() < 0.05:
            again = await self.call(method, request)
            if again != answer:
                self.told.problems.append(f"{type(request).__name__} was answered by {answer}, then by {again}")
        return answer

    async def ask(self, method: Callable[..., Awaitable[M]], request: Message) -> M:
        """Query an automatic consequence until it is there."""
        while True:
            try:
                return await self.call(method, request)
            except grpc.aio.AioRpcError as problem:
                if problem.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
            await asyncio.sleep(0.1)

    async def meet(self) -> None:
        """Wait in half of the cases for a moment of all callers, so that their commands are decided at once."""
        if self.luck.random() < 0.5:
            await asyncio.sleep(MEETING_SECONDS - asyncio.get_running_loop().time() % MEETING_SECONDS)


@dataclass(frozen=True)
class Championship:
    """A small one."""

    plan: Plan
    graph: WordGraph
    tile_set: TileSet
    lexicon: str
    plays: int
    """Turns of a game that are played; then tiles are exchanged until it ends."""
    dated: bool
    """Whether players send the times of actions, or leave them to the services' clocks."""
    slow: float
    """Probability of a turn that takes so long that time runs out, or nearly so."""
    skip: Callable[[float], None]
    """Let some seconds pass by all clocks."""
    now: Callable[[], datetime]
    judged: bool = False
    """Whether judges rule on challenges; otherwise the lexicon does."""
    arbitrated: bool = False
    """Whether an arbiter stops and resumes the clocks of the tables."""


class Director(Caller):
    """Directs it from its creation to its published standings."""

    def __init__(self, api: Api, told: Told, championship: Championship, luck: Callable[[str], Random]) -> None:
        super().__init__(api, told, "director", luck("director"))
        self._championship = championship
        self._adjudication = adjudication_pb2_grpc.AdjudicationServiceStub(grpc.aio.insecure_channel("lexicon"))
        self._luck = luck
        self.places: list[tuple[str, int]] = []
        """Who came where, once the standings are published."""
        self._latest = championship.plan.round_start(1, BEGINNING)
        """The time of the last event that the director knows: games may take longer than planned."""

    async def direct(self) -> None:
        """Direct the whole tournament."""
        plan, pairing = self._championship.plan, self.api.pairing
        which: dict[str, Any] = {"tournament_id": plan.tournament_id}
        opening = self._at(plan.round_start(1, BEGINNING))
        create = pairing_pb2.CreateTournamentRequest(
            name=plan.title,
            rounds=plan.rounds,
            ruleset=plan.ruleset,
            lexicon=self._championship.lexicon,
            seed=plan.secret,
            **which,
            **opening,
        )
        await self._must(pairing.CreateTournament, create)
        if self._championship.judged:
            await self._appoint_judges()
        await asyncio.gather(*(self._register(entrant) for entrant in plan.entrants))
        for number in range(1, plan.rounds + 1):
            begin: dict[str, Any] = {"round": number, **which, **self._at(plan.round_start(number, BEGINNING))}
            paired = await self._must(pairing.PairRound, pairing_pb2.PairRoundRequest(**begin))
            await self._must(pairing.StartRound, pairing_pb2.StartRoundRequest(**begin))
            await asyncio.gather(*(self._table(pairing) for pairing in paired.pairings))
            await self._results_in(number)
            over = {**which, **self._at(plan.round_end(number, BEGINNING))}
            await self._must(pairing.CloseRound, pairing_pb2.CloseRoundRequest(round=number, **over))
        published = await self._must(pairing.PublishStandings, pairing_pb2.PublishStandingsRequest(**over))
        await self.ask(self.api.rating.GetRatingList, rating_pb2.GetRatingListRequest(**which))
        request = results_pb2.GetStandingsRequest(min_position=published.position, **which)
        standings = await self.ask(self.api.results.GetStandings, request)
        self.places = [(line.player_id, line.rank) for line in standings.standings]
        if len(self.places) != plan.players:
            self.told.problems.append(f"standings of {len(self.places)} players: {standings}")

    async def _must(self, method: Callable[..., Awaitable[M]], request: Any) -> M:
        answer = await self.command(method, request)
        if answer is None:
            raise Refused(self.told.refused[request.command_id])
        return answer

    async def _appoint_judges(self) -> None:
        which: dict[str, Any] = {"tournament_id": self._championship.plan.tournament_id}
        mode = adjudication_pb2.SetAdjudicationRequest(
            mode=lexicon_events_pb2.MODE_JUDGE, lease_seconds=CLAIM_LEASE_SECONDS, **which
        )
        chief = adjudication_pb2.AppointJudgeRequest(judge_id="chief", director=True, **which)
        await self._must(self._adjudication.AppointJudge, chief)
        for judge_id in JUDGES:
            appoint = adjudication_pb2.AppointJudgeRequest(judge_id=judge_id, languages=["ca"], **which)
            await self._must(self._adjudication.AppointJudge, appoint)
        await self._must(self._adjudication.SetAdjudication, mode)

    async def _register(self, entrant: Any) -> None:
        director = Caller(self.api, self.told, f"desk {entrant.player_id}", self._luck(entrant.player_id))
        request = pairing_pb2.RegisterPlayerRequest(
            tournament_id=self._championship.plan.tournament_id,
            player_id=entrant.player_id,
            name=entrant.name,
            rating=entrant.rating,
            **self._at(self._championship.plan.round_start(1, BEGINNING)),
        )
        if await director.command(self.api.pairing.RegisterPlayer, request) is None:
            raise Refused(f"{entrant.player_id} was refused")

    def _at(self, planned: datetime) -> dict[str, Any]:
        return {"occurred_at": to_timestamp(max(planned, self._latest))} if self._championship.dated else {}

    async def _table(self, pairing: Any) -> None:
        game_id = pairing.game_id
        players = [
            Player(self.api, self.told, self._championship, game_id, player, self._luck(f"{game_id}/{player}"))
            for player in (pairing.first_player_id, pairing.second_player_id)
        ]
        arbiter = Arbiter(self.api, self.told, f"{game_id}/arbiter", self._luck(f"{game_id}/arbiter"))
        beside = [asyncio.create_task(arbiter.watch(game_id))] if self._championship.arbitrated else []
        over = await asyncio.gather(*(player.play() for player in players))
        await cancel_tasks(beside)
        self._latest = max(self._latest, *over)

    async def _results_in(self, number: int) -> None:
        request = pairing_pb2.GetTournamentRequest(tournament_id=self._championship.plan.tournament_id)
        while True:
            tournament = await self.call(self.api.pairing.GetTournament, request)
            known = next((each for each in tournament.played if each.round == number), None)
            if known and len(known.finished_game_ids) == len(known.pairings):
                return
            await asyncio.sleep(0.2)


class Refused(Exception):
    """A permitted command of the director was refused."""


class Arbiter(Caller):
    """An arbiter at a table, who stops its clocks for a moment now and then."""

    async def watch(self, game_id: str) -> None:
        """Watch the table until cancelled."""
        which: dict[str, Any] = {"game_id": game_id, "arbiter_id": "arbiter"}
        reason = clock_events_pb2.NEUTRALISATION_REASON_FORCE_MAJEURE
        while True:
            await asyncio.sleep(0.5 * self.luck.random())
            await self.meet()
            stop = clock_pb2.NeutraliseRequest(reason=reason, **which)
            if await self.command(self.api.clock.Neutralise, stop) is not None or await self._have_stopped(game_id):
                await self.meet()
                while await self.command(self.api.clock.Resume, clock_pb2.ResumeRequest(**which)) is None:  # noqa: ASYNC110
                    await asyncio.sleep(0.2)

    async def _have_stopped(self, game_id: str) -> bool:
        """Check whether a refused command has stopped the clocks: an earlier attempt of it may arrive later."""
        try:
            clock = await self.call(self.api.clock.GetClock, clock_pb2.GetClockRequest(game_id=game_id))
        except grpc.aio.AioRpcError:
            return False
        return clock.neutralised and clock.reason == clock_events_pb2.NEUTRALISATION_REASON_FORCE_MAJEURE


class Player(Caller):
    """A player at a table. Both act independently, so that a challenge and a draw can coincide."""

    def __init__(
        self, api: Api, told: Told, championship: Championship, game_id: str, player_id: str, luck: Random
    ) -> None:
        super().__init__(api, told, f"{game_id}/{player_id}", luck)
        self._championship = championship
        self._game_id = game_id
        self._player_id = player_id
        self._doubted = 0
        """The last turn of which it was decided whether to challenge."""

    async def play(self) -> datetime:
        """Play until the result is final. Return its time."""
        request = game_pb2.GetGameRequest(game_id=self._game_id, player_id=self._player_id)
        while True:
            game = await self.ask(self.api.game.GetGame, request)
            if game.phase == game_pb2.PHASE_FINAL:
                return to_datetime(game.occurred_at)
            await self._act(game)
            await asyncio.sleep(0.02 + 0.13 * self.luck.random())

    async def _act(self, game: game_pb2.GetGameResponse) -> None:
        mine = game.turn_player_id == self._player_id
        if game.phase == game_pb2.PHASE_TURN and mine:
            await self._take_turn(game)
        elif game.phase == game_pb2.PHASE_PLACED and mine:
            await self._after_play(game)
        elif game.phase == game_pb2.PHASE_PLACED and not game.pending_ruled_valid:
            await self._doubt(game)
        elif game.phase == game_pb2.PHASE_DRAWN and mine:
            await self._press(game)
        elif game.phase == game_pb2.PHASE_ENDED:
            await self._sign(game)

    async def _take_turn(self, game: game_pb2.GetGameResponse) -> None:
        if self._championship.arbitrated:
            await self.meet()
        slow = self.luck.random() < self._championship.slow
        if slow and not self._championship.dated:
            await self._let_time_run_out()
        moment = self._moment(game, 40 * 60 if slow else 90)
        scoreless = all(side.score == 0 for side in game.sides)
        if game.turn <= self._championship.plays or (scoreless and self.luck.random() < 0.7):
            squares = {(tile.row, tile.column): (tile.face, tile.blank) for tile in game.board}
            grid = Grid.of(self._championship.tile_set, squares)
            if tiles := self._tiles(grid, list(game.rack)):
                play = game_pb2.PlacePlayRequest(
                    placements=[
                        events_pb2.Placement(row=row, column=column, face=face, blank=blank)
                        for row, column, face, blank in tiles
                    ],
                    **moment,
                )
                await self.command(self.api.game.PlacePlay, play)
                return
        if game.bag_left:
            exchange = game_pb2.ExchangeRequest(faces=game.rack[: 1 + self.luck.randrange(2)], **moment)
            await self.command(self.api.game.Exchange, exchange)
        else:
            await self.command(self.api.game.Pass, game_pb2.PassRequest(**moment))

    async def _let_time_run_out(self) -> None:
        """Think until the moment of the next deadline of the clock, so that the turn and the deadline meet."""
        clock = await self.ask(self.api.clock.GetClock, clock_pb2.GetClockRequest(game_id=self._game_id))
        if clock.HasField("deadline_at"):
            deadline = to_datetime(clock.deadline_at)
            self._championship.skip((deadline - self._championship.now()).total_seconds() - PREPARING_SECONDS)
            left = (deadline - self._championship.now()).total_seconds() - MAX_HASTE_SECONDS * self.luck.random()
            await asyncio.sleep(max(0.0, min(left, PREPARING_SECONDS)))

    def _tiles(self, grid: Grid, rack: list[str]) -> list[tuple[int, int, str, bool]]:
        """Return a play; sometimes one with an invalid word."""
        candidates = generate(self._championship.graph, grid, rack)
        if not candidates:
            return []
        tiles = candidates[self.luck.randrange(min(8, len(candidates)))].placements
        faces = [tile.face for _, tile in tiles]
        if self.luck.random() < 0.3 and not any(tile.blank for _, tile in tiles):
            faces.reverse()
        return [(*square, face, tile.blank) for (square, tile), face in zip(tiles, faces, strict=True)]

    async def _after_play(self, game: game_pb2.GetGameResponse) -> None:
        """Draw and press; with no tile left to draw, press."""
        await asyncio.sleep(0.15 * self.luck.random())
        await self.meet()
        if game.bag_left:
            await self.command(self.api.game.DrawTiles, game_pb2.DrawTilesRequest(**self._moment(game, 8)))
        else:
            await self._press(game)

    async def _doubt(self, game: game_pb2.GetGameResponse) -> None:
        """Challenge in some cases, and sometimes too late."""
        if self._doubted == game.turn:
            return
        self._doubted = game.turn
        words = [scored.word for scored in game.pending.words]
        right = all(self._championship.graph.contains(tuple(word.faces)) for word in words)
        if self.luck.random() < (0.15 if right else 0.8):
            await self.meet()
            challenge = game_pb2.ChallengeRequest(words=words, **self._moment(game, 8))
            await self.command(self.api.game.Challenge, challenge)

    async def _press(self, game: game_pb2.GetGameResponse) -> None:
        await self.command(self.api.clock.Press, clock_pb2.PressRequest(**self._moment(game, 5)))

    async def _sign(self, game: game_pb2.GetGameResponse) -> None:
        if any(side.player_id == self._player_id and side.signed for side in game.sides):
            return
        clock = await self.ask(self.api.clock.GetClock, clock_pb2.GetClockRequest(game_id=self._game_id))
        if clock.stopped:
            await self.meet()
            await self.command(self.api.game.SignSheet, game_pb2.SignSheetRequest(**self._moment(game, 60)))

    def _moment(self, game: game_pb2.GetGameResponse, seconds: float) -> dict[str, Any]:
        """Return the author of a command, the place and, for players with a clock, the time: some time after the last
        event.
        """
        moment: dict[str, Any] = {"game_id": self._game_id, "player_id": self._player_id}
        if self._championship.dated:
            after: datetime = to_datetime(game.occurred_at)
            moment["occurred_at"] = to_timestamp(after + timedelta(seconds=seconds * (0.5 + self.luck.random() / 2)))
        return moment
