"""Championships of short games through the public interfaces: a play or two, and one of the players leaves."""

from __future__ import annotations

import asyncio
import datetime
import random
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import httpx
from tests.component.table_play import next_to
from tests.support.plain_http import PLAIN
from tests.support.stage import ANEW

from faristol.client.services import Api, call_until_found
from faristol.host import SERVICES, Settings
from faristol.launcher.processes import Running, running
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import with_options
from faristol.words import About, Library

CALL_TIMEOUT_SECONDS = 180.0
OVER = frozenset({game_pb2.PHASE_ENDED, game_pb2.PHASE_FINAL})


@dataclass
class Championship:
    """One tournament, its director and all its players."""

    running: Running
    http: httpx.AsyncClient
    api: Api
    ruleset: Ruleset
    tournament_id: str
    rounds: int
    chance: random.Random
    position: int = 0
    """The furthest position that is known of."""
    games: dict[int, list[str]] = field(default_factory=dict)
    """Games by round."""

    @property
    def address(self) -> str:
        """The address of gRPC."""
        return self.running.grpc_address

    async def create(self, players: int, unrated: int = 2) -> None:
        """Create a tournament and players ``p01`` and so on; the last ones have no rating."""
        options = [
            game_events.ChosenOption(name=name, value=format_value(value))
            for name, value in self.ruleset.chosen.items()
        ]
        create = pairing_pb2.CreateTournamentRequest(
            name="Open «de Reus»",
            rounds=self.rounds,
            ruleset=self.ruleset.name,
            lexicon="words",
            options=options,
            seed=b"q" * 32,
        )
        await self.direct(self.api.pairing.CreateTournament, create)
        for number in range(1, players + 1):
            await self.register(number, None if number > players - unrated else 2000 - 25 * number)

    async def register(self, number: int, rating: int | None) -> None:
        """Register a player; a late entry once the first round is paired."""
        request = pairing_pb2.RegisterPlayerRequest(player_id=f"p{number:02}", name=f"Player {number}", rating=rating)
        await self.direct(self.api.pairing.RegisterPlayer, request)

    async def direct(self, method: Any, request: Any) -> Any:
        """Send a command of the director."""
        request.command_id, request.tournament_id = str(uuid.uuid4()), self.tournament_id
        answer = await method(request, timeout=CALL_TIMEOUT_SECONDS)
        self.position = max(self.position, answer.position)
        return answer

    async def _start_round(self, number: int) -> pairing_pb2.PairRoundResponse:
        """Pair and start a round; return its pairings."""
        paired: pairing_pb2.PairRoundResponse = await self.direct(
            self.api.pairing.PairRound, pairing_pb2.PairRoundRequest(round=number)
        )
        await self.direct(self.api.pairing.StartRound, pairing_pb2.StartRoundRequest(round=number))
        return paired

    async def _close_round(self, number: int) -> None:
        await self.direct(self.api.pairing.CloseRound, pairing_pb2.CloseRoundRequest(round=number))

    async def play_round(self, number: int, *, leavers: Sequence[str] = ()) -> None:
        """Pair, start, play and close a round. ``leavers`` go before their first turn is over."""
        paired = await self._start_round(number)
        self.games[number] = [pairing.game_id for pairing in paired.pairings]
        for pairing in paired.pairings:
            gone = [player for player in (pairing.first_player_id, pairing.second_player_id) if player in leavers]
            await self._game(pairing.game_id, gone)
        await self._until_in(number)
        await self._close_round(number)

    async def enter_round(self, number: int) -> None:
        """Pair, start and close a round whose results are entered: no game is played."""
        paired = await self._start_round(number)
        for pairing in paired.pairings:
            result = pairing_pb2.EnterResultRequest(game_id=pairing.game_id, arbiter_id="arbiter")
            for player_id in (pairing.first_player_id, pairing.second_player_id):
                result.scores.add(player_id=player_id, score=self.chance.randrange(250, 500))
            await self.direct(self.api.pairing.EnterResult, result)
        await self._close_round(number)

    async def json(self, path: str, **asked: Any) -> Any:
        """Return the JSON of the tournament, once it includes all commands."""
        answer = await self.http.get(
            f"/api/v1/tournaments/{self.tournament_id}{path}", params={"min_position": self.position, **asked}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def _until_in(self, number: int) -> None:
        which = pairing_pb2.GetTournamentRequest(tournament_id=self.tournament_id)
        for _ in range(1000):
            found = await self.api.pairing.GetTournament(which)
            known = next(round_ for round_ in found.played if round_.round == number)
            if len(known.finished_game_ids) == len(known.pairings):
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"the results of round {number} do not come in")

    async def _game(self, game_id: str, leavers: Sequence[str]) -> None:
        await call_until_found(self.api.game.GetGame, game_pb2.GetGameRequest(game_id=game_id))
        if self.ruleset.arbiter.required:
            await self._ask(game_pb2.AssignArbiterRequest(game_id=game_id, arbiter_id="arbiter"))
        game = await self._until_turn(game_id)
        mover = game.turn_player_id
        other = next(side.player_id for side in game.sides if side.player_id != mover)
        if not leavers:
            rack = await self.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id, player_id=mover))
            placed = game_pb2.PlacePlayRequest(game_id=game_id, player_id=mover, placements=next_to(rack))
            await self._ask(placed)
            for step in self.ruleset.turn.steps:
                if step == "stop":
                    await self._ask(clock_pb2.StopRequest(game_id=game_id, player_id=mover))
                if step == "write" and self.ruleset.turn.written_by == "both":
                    for player in (mover, other):
                        await self._ask(game_pb2.WriteScoreRequest(game_id=game_id, player_id=player))
                if step == "draw":
                    await self._ask(game_pb2.DrawTilesRequest(game_id=game_id, player_id=mover))
                if step == "press":
                    await self._ask(clock_pb2.PressRequest(game_id=game_id, player_id=mover))
            await self._until_turn(game_id, other)
        leaving = list(leavers) or self.chance.choice([[mover], [other], [other], [mover, other]])
        await self._ask(game_pb2.AbandonRequest(game_id=game_id, player_ids=leaving))
        game = await self.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
        if game.phase == game_pb2.PHASE_ENDED:
            for player in [player_id for player_id in (mover, other) if player_id not in leaving] or [mover, other]:
                await self._ask(game_pb2.SignSheetRequest(game_id=game_id, player_id=player))

    async def _until_turn(self, game_id: str, player_id: str = "") -> game_pb2.GetGameResponse:
        for _ in range(1000):
            game = await self.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
            if game.phase == game_pb2.PHASE_TURN and player_id in {"", game.turn_player_id}:
                return game
            await asyncio.sleep(0.01)
        raise AssertionError(f"it does not come to be anybody's turn at {game_id}: {game}")

    async def _ask(self, request: Any) -> Any:
        """Send a command at a table, and retry until its precondition arrives from another service."""
        request.command_id = str(uuid.uuid4())
        stub = self.api.clock if type(request).__module__.endswith("clock_pb2") else self.api.game
        method = getattr(stub, type(request).__name__.removesuffix("Request"))
        for _ in range(1000):
            try:
                return await method(request, timeout=CALL_TIMEOUT_SECONDS)
            except grpc.aio.AioRpcError as problem:
                if problem.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                    raise
                refused = problem
            await asyncio.sleep(0.02)
        raise AssertionError(f"{type(request).__name__} is refused: {refused.details()}")


@asynccontextmanager
async def championship(
    folder: Path, nats_url: str, *, book: str, rounds: int, seed: int, options: dict[str, Any] | None = None
) -> AsyncIterator[Championship]:
    """Yield the whole platform in this process, and a tournament that is not created yet."""
    ruleset = with_options(load_ruleset(book), options or {})
    tile_set = ruleset.tile_set
    about = About("words", "first", "CC0-1.0", "written for the tests", datetime.date(2024, 2, 29))
    lexicons = folder / "lexicons"
    Library(lexicons).install("words", [(tile_set.faces[0], tile_set.faces[1])], tile_set=tile_set, about=about)
    settings = Settings.model_validate(
        {"data": folder, "nats_url": nats_url, "http_port": 0, "grace_seconds": 0.5, "lexicons": lexicons}
    )
    async with (
        running(settings, SERVICES) as process,
        httpx.AsyncClient(
            verify=PLAIN, base_url=process.http_address, timeout=CALL_TIMEOUT_SECONDS, headers=ANEW
        ) as http,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
    ):
        yield Championship(
            process, http, Api(lambda _: channel), ruleset, f"{book}-{seed}", rounds, random.Random(seed)
        )
