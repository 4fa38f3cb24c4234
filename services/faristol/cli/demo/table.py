"""Two players at a table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.cli.demo.api import Api, call, when_found
from faristol.cli.demo.plan import Plan
from faristol.cli.demo.player import DOUBTING, DRAWING, PRESSING, Exchange, Pass, Play, choose, doubts, thinking
from faristol.host.times import to_datetime, to_timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.rules.tiles import TileSet
from faristol.words import WordGraph
from faristol.words.generate import Grid

WAIT = 0.02
"""Seconds between two looks at a table that waits for a ruling or for the clock."""

State = game_pb2.GetGameResponse


@dataclass(frozen=True)
class Table:
    """Plays one game to its end, from whatever state it is in. It keeps no state of its own."""

    api: Api
    plan: Plan
    graph: WordGraph
    tile_set: TileSet
    game_id: str

    async def play(self) -> None:
        """Act for whoever has to act, until the result is final."""
        while True:
            game = await when_found(self.api.game.GetGame, game_pb2.GetGameRequest(game_id=self.game_id))
            match game.phase:
                case game_pb2.PHASE_TURN:
                    await self._take_turn(game)
                case game_pb2.PHASE_PLACED:
                    await self._answer_play(game)
                case game_pb2.PHASE_DRAWN:
                    await self._press(game, game.turn_player_id)
                case game_pb2.PHASE_ENDED:
                    await self._sign(game)
                case game_pb2.PHASE_FINAL:
                    return
                case _:
                    await asyncio.sleep(WAIT)

    async def _take_turn(self, game: State) -> None:
        mover = game.turn_player_id
        request = game_pb2.GetGameRequest(game_id=self.game_id, player_id=mover)
        rack = list((await call(self.api.game.GetGame, request)).rack)
        squares = {(tile.row, tile.column): (tile.face, tile.blank) for tile in game.board}
        lot = partial(self.plan.lot, self.game_id, game.turn)
        temper = partial(self.plan.lot, self.game_id, mover)
        when = self._later(game, thinking(lambda what: temper(what) if what == "temper" else lot(what)))
        common: dict[str, Any] = {"game_id": self.game_id, "player_id": mover, "occurred_at": when}
        match choose(self.graph, Grid.of(self.tile_set, squares), rack, game.bag_left, lot):
            case Play(tiles):
                placements = [
                    events_pb2.Placement(row=tile.row, column=tile.col, face=tile.face, blank=tile.is_blank)
                    for tile in tiles
                ]
                command = self._command(game, "play")
                play = game_pb2.PlacePlayRequest(command_id=command, placements=placements, **common)
                await call(self.api.game.PlacePlay, play)
            case Exchange(faces):
                command = self._command(game, "exchange")
                await call(self.api.game.Exchange, game_pb2.ExchangeRequest(command_id=command, faces=faces, **common))
            case Pass():
                command = self._command(game, "pass")
                await call(self.api.game.Pass, game_pb2.PassRequest(command_id=command, **common))

    async def _answer_play(self, game: State) -> None:
        """The opponent may challenge; then the mover draws, or presses when there is nothing to draw."""
        pending = game.pending
        mover = pending.player_id
        if not game.pending_ruled_valid:
            words = [tuple(scored.word.faces) for scored in pending.words]
            if challenged := doubts(self.graph, words, partial(self.plan.lot, self.game_id, pending.turn, "doubt")):
                challenger = next(side.player_id for side in game.sides if side.player_id != mover)
                request = game_pb2.ChallengeRequest(
                    command_id=self._command(game, "challenge"),
                    game_id=self.game_id,
                    player_id=challenger,
                    words=[events_pb2.Word(faces=word) for word in challenged],
                    occurred_at=self._later(game, DOUBTING),
                )
                await call(self.api.game.Challenge, request)
                return
        if game.bag_left:
            draw = game_pb2.DrawTilesRequest(
                command_id=self._command(game, "draw"),
                game_id=self.game_id,
                player_id=mover,
                occurred_at=self._later(game, DRAWING),
            )
            await call(self.api.game.DrawTiles, draw)
        else:
            await self._press(game, mover)

    async def _press(self, game: State, mover: str) -> None:
        request = clock_pb2.PressRequest(
            command_id=self._command(game, "press"),
            game_id=self.game_id,
            player_id=mover,
            occurred_at=self._later(game, PRESSING),
        )
        await call(self.api.clock.Press, request)

    async def _sign(self, game: State) -> None:
        clock = await when_found(self.api.clock.GetClock, clock_pb2.GetClockRequest(game_id=self.game_id))
        if not clock.stopped:
            await asyncio.sleep(WAIT)
            return
        for side in game.sides:
            if not side.signed:
                request = game_pb2.SignSheetRequest(
                    command_id=self._command(game, f"sign-{side.player_id}"),
                    game_id=self.game_id,
                    player_id=side.player_id,
                    occurred_at=self._later(game, timedelta(minutes=1)),
                )
                await call(self.api.game.SignSheet, request)

    def _command(self, game: State, act: str) -> str:
        return self.plan.command_id(self.game_id, game.turn, act)

    @staticmethod
    def _later(game: State, delay: timedelta) -> Timestamp:
        return to_timestamp(to_datetime(game.occurred_at) + delay)
