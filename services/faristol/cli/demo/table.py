"""Two players at a table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from faristol.cli.api import Api, call, when_found
from faristol.cli.demo.plan import Plan
from faristol.cli.demo.player import (
    DOUBTING,
    DRAWING,
    PRESSING,
    SIGNING,
    Exchange,
    Pass,
    Play,
    choose,
    doubts,
    thinking,
)
from faristol.host.times import to_datetime, to_timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.rules.tiles import TileSet
from faristol.words import WordGraph
from faristol.words.generate import Grid

WAIT = 0.02
"""Seconds between two looks at a table that waits for a ruling or for the clock."""

State = game_pb2.GetGameResponse


@dataclass(frozen=True, slots=True)
class Placed:
    """A play on the board that can be challenged."""

    turn: int
    mover: str
    words: list[tuple[str, ...]]
    when: datetime


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
        mover = ""
        while True:
            # Whose turn it is can be told from the turn before, and then the rack comes with the first answer.
            game = await when_found(
                self.api.game.GetGame, game_pb2.GetGameRequest(game_id=self.game_id, player_id=mover)
            )
            match game.phase:
                case game_pb2.PHASE_TURN if game.turn_player_id == mover:
                    mover = await self._take_turn(game)
                case game_pb2.PHASE_TURN:
                    mover = game.turn_player_id
                case game_pb2.PHASE_PLACED:
                    words = [tuple(scored.word.faces) for scored in game.pending.words]
                    placed = Placed(game.pending.turn, game.pending.player_id, words, to_datetime(game.occurred_at))
                    await self._answer_play(game, placed, ruled_valid=game.pending_ruled_valid)
                case game_pb2.PHASE_DRAWN:
                    await self._press(game.turn, game.turn_player_id, to_datetime(game.occurred_at))
                case game_pb2.PHASE_ENDED:
                    await self._sign(game)
                case game_pb2.PHASE_FINAL:
                    return
                case _:
                    await asyncio.sleep(WAIT)

    async def _take_turn(self, game: State) -> str:
        """Play, exchange or pass, up to the press. Gives the player who is on turn next."""
        mover, other = game.turn_player_id, self._opponent(game, game.turn_player_id)
        squares = {(tile.row, tile.column): (tile.face, tile.blank) for tile in game.board}
        lot = partial(self.plan.lot, self.game_id, game.turn)
        temper = partial(self.plan.lot, self.game_id, mover)
        done = to_datetime(game.occurred_at) + thinking(lambda what: temper(what) if what == "temper" else lot(what))
        common: dict[str, Any] = {"game_id": self.game_id, "player_id": mover, "occurred_at": to_timestamp(done)}
        match choose(self.graph, Grid.of(self.tile_set, squares), list(game.rack), game.bag_left, lot):
            case Play(tiles):
                placements = [
                    events_pb2.Placement(row=tile.row, column=tile.col, face=tile.face, blank=tile.is_blank)
                    for tile in tiles
                ]
                command = self._command(game.turn, "play")
                play = game_pb2.PlacePlayRequest(command_id=command, placements=placements, **common)
                answer = await call(self.api.game.PlacePlay, play)
                placed = Placed(game.turn, mover, [tuple(scored.word.faces) for scored in answer.words], done)
                await self._answer_play(game, placed, ruled_valid=False)
            case Exchange(faces):
                command = self._command(game.turn, "exchange")
                exchange = game_pb2.ExchangeRequest(command_id=command, faces=faces, **common)
                await call(self.api.game.Exchange, exchange)
                await self._press(game.turn, mover, done)
            case Pass():
                command = self._command(game.turn, "pass")
                await call(self.api.game.Pass, game_pb2.PassRequest(command_id=command, **common))
                await self._press(game.turn, mover, done)
        return other

    async def _answer_play(self, game: State, placed: Placed, *, ruled_valid: bool) -> None:
        """The opponent may challenge; then the mover draws, if there is anything to draw, and presses."""
        if not ruled_valid:
            lot = partial(self.plan.lot, self.game_id, placed.turn, "doubt")
            if challenged := doubts(self.graph, placed.words, lot):
                request = game_pb2.ChallengeRequest(
                    command_id=self._command(placed.turn, "challenge"),
                    game_id=self.game_id,
                    player_id=self._opponent(game, placed.mover),
                    words=[events_pb2.Word(faces=word) for word in challenged],
                    occurred_at=to_timestamp(placed.when + DOUBTING),
                )
                await call(self.api.game.Challenge, request)
                return
        when = placed.when
        if game.bag_left:
            when += DRAWING
            draw = game_pb2.DrawTilesRequest(
                command_id=self._command(placed.turn, "draw"),
                game_id=self.game_id,
                player_id=placed.mover,
                occurred_at=to_timestamp(when),
            )
            await call(self.api.game.DrawTiles, draw)
        await self._press(placed.turn, placed.mover, when)

    async def _press(self, turn: int, mover: str, since: datetime) -> None:
        request = clock_pb2.PressRequest(
            command_id=self._command(turn, "press"),
            game_id=self.game_id,
            player_id=mover,
            occurred_at=to_timestamp(since + PRESSING),
        )
        await call(self.api.clock.Press, request)

    async def _sign(self, game: State) -> None:
        clock = await when_found(self.api.clock.GetClock, clock_pb2.GetClockRequest(game_id=self.game_id))
        if not clock.stopped or clock.following:
            await asyncio.sleep(WAIT)
            return
        for side in game.sides:
            if not side.signed:
                request = game_pb2.SignSheetRequest(
                    command_id=self._command(game.turn, f"sign-{side.player_id}"),
                    game_id=self.game_id,
                    player_id=side.player_id,
                    occurred_at=to_timestamp(to_datetime(game.occurred_at) + SIGNING),
                )
                await call(self.api.game.SignSheet, request)

    def _command(self, turn: int, act: str) -> str:
        return self.plan.command_id(self.game_id, turn, act)

    @staticmethod
    def _opponent(game: State, player_id: str) -> str:
        return next(side.player_id for side in game.sides if side.player_id != player_id)
