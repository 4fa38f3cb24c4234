"""Games whose commands depend on a seed and on the racks only, so that two runs of them can be compared."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from tests.component.quick import Championship
from tests.component.table_play import next_to

from faristol.client.services import call_until_found
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2

ARBITER_ID = "arbiter"
MAX_TURNS_COUNT = 9
MAX_PAUSE_SECONDS = 0.3
"""Longest pause between two turns."""
RULING_POLL_SECONDS = 0.02


class SeededGame:
    """One game: turns with challenges, calls of an arbiter and sanctions, until a player leaves."""

    def __init__(self, desk: Championship, game_id: str, seed: int, pause_seconds: float = MAX_PAUSE_SECONDS) -> None:
        """``pause_seconds`` is the longest pause between two turns."""
        self._pause_seconds = pause_seconds
        self._desk = desk
        self._game_id = game_id
        self._chance = random.Random(f"{seed}/{game_id}")

    async def play(self) -> None:
        """Play the game to its result."""
        desk, game_id = self._desk, self._game_id
        await call_until_found(desk.api.game.GetGame, game_pb2.GetGameRequest(game_id=game_id))
        await desk._ask(game_pb2.AssignArbiterRequest(game_id=game_id, arbiter_id=ARBITER_ID))
        for _ in range(self._chance.randint(2, MAX_TURNS_COUNT)):
            await self._take_turn()
            await asyncio.sleep(self._chance.random() * self._pause_seconds)
        game = await desk._until_turn(game_id)
        players = [side.player_id for side in game.sides]
        leaving = self._chance.choice([players[:1], players[1:], players])
        await desk._ask(game_pb2.AbandonRequest(game_id=game_id, player_ids=leaving))
        game = await desk.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
        if game.phase == game_pb2.PHASE_ENDED:
            for player_id in [player_id for player_id in players if player_id not in leaving] or players:
                await desk._ask(game_pb2.SignSheetRequest(game_id=game_id, player_id=player_id))

    async def _take_turn(self) -> None:
        desk, game_id, chance = self._desk, self._game_id, self._chance
        game = await desk._until_turn(game_id)
        mover = game.turn_player_id
        other = next(side.player_id for side in game.sides if side.player_id != mover)
        if chance.random() < 0.2:
            await desk._ask(game_pb2.CallArbiterRequest(game_id=game_id, player_id=mover))
            if chance.random() < 0.5:
                await desk._ask(self._impose(other))
            await desk._ask(game_pb2.DismissArbiterRequest(game_id=game_id, arbiter_id=ARBITER_ID))
        rack = await desk.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id, player_id=mover))
        placements = next_to(rack)
        placed = await desk._ask(game_pb2.PlacePlayRequest(game_id=game_id, player_id=mover, placements=placements))
        if chance.random() < 0.3:
            words = [scored.word for scored in placed.words]
            await desk._ask(game_pb2.ChallengeRequest(game_id=game_id, player_id=other, words=words))
            if await self._read_phase_after_ruling() == game_pb2.PHASE_TURN:
                return
        for step in desk.ruleset.turn.steps:
            await self._do_step(step, (mover, other))

    def _impose(self, player_id: str) -> game_pb2.ImposeSanctionRequest:
        points = self._chance.choice([0, 30])
        kind = events.SANCTION_KIND_POINTS if points else events.SANCTION_KIND_WARNING
        return game_pb2.ImposeSanctionRequest(
            game_id=self._game_id, player_id=player_id, kind=kind, points=points, arbiter_id=ARBITER_ID
        )

    async def _read_phase_after_ruling(self) -> game_pb2.Phase.ValueType:
        while True:
            game = await self._desk.api.game.GetGame(game_pb2.GetGameRequest(game_id=self._game_id))
            if game.phase != game_pb2.PHASE_CHALLENGED:
                return game.phase
            await asyncio.sleep(RULING_POLL_SECONDS)

    async def _do_step(self, step: str, players: Sequence[str]) -> None:
        desk, game_id, mover = self._desk, self._game_id, players[0]
        match step:
            case "stop":
                await desk._ask(clock_pb2.StopRequest(game_id=game_id, player_id=mover))
            case "write" if desk.ruleset.turn.written_by == "both":
                for player_id in players:
                    await desk._ask(game_pb2.WriteScoreRequest(game_id=game_id, player_id=player_id))
            case "draw":
                await desk._ask(game_pb2.DrawTilesRequest(game_id=game_id, player_id=mover))
            case "press":
                await desk._ask(clock_pb2.PressRequest(game_id=game_id, player_id=mover))
