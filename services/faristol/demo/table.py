"""The players at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial

from faristol.client.services import call, when_found
from faristol.demo.cast import Cast
from faristol.demo.clock import WAIT, TableClock
from faristol.demo.commands import Commands
from faristol.demo.player import (
    DOUBTING,
    DRAWING,
    SIGNING,
    WRITING,
    CannotPlay,
    Exchange,
    FreeExchange,
    Pass,
    Play,
    Sight,
    choose,
    doubts,
    thinking,
)
from faristol.kernel.times import to_datetime
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.rules.ruleset import Ruleset
from faristol.rules.tiles import TileSet
from faristol.words import WordGraph
from faristol.words.plays import Grid

ARBITER = "arbiter"
"""Who has the tables where no game is played without an arbiter (PES Γ.γ)."""

State = game_pb2.GetGameResponse


@dataclass(frozen=True, slots=True)
class Placed:
    """A play on the board that can be challenged."""

    turn: int
    mover: str
    words: list[tuple[str, ...]]
    when: datetime


@dataclass(frozen=True)
class Table(Commands):
    """Plays one game to its end, from whatever state it is in. It keeps no state of its own.

    What is done follows from the rules that the table is played under: which steps a turn has, who writes, what stops
    a clock, how long a play can be challenged.
    """

    graph: WordGraph
    tile_set: TileSet
    cast: Cast

    @property
    def rules(self) -> Ruleset:
        """What the table is played under."""
        return self.plan.rules

    @cached_property
    def clock(self) -> TableClock:
        """The clock of the table."""
        return TableClock(self.api, self.plan, self.game_id)

    @property
    def _open_until_next(self) -> bool:
        """Whether a play can be challenged until the next player begins."""
        return self.rules.challenge.closes_on == "next-turn"

    async def play(self) -> None:
        """Act for the player who has to act, until the result is final."""
        mover = ""
        while True:
            # Whose turn it is can be told from the turn before, and then the rack comes with the first answer.
            game = await self._seen_by(mover)
            match game.phase:
                case game_pb2.PHASE_UNSPECIFIED if self.rules.arbiter.required and not game.arbiter_id:
                    await self._seat_arbiter(game)
                case game_pb2.PHASE_TURN if game.turn_player_id != mover:
                    mover = game.turn_player_id
                case game_pb2.PHASE_TURN if await self._answer_open_play(game):
                    pass
                case game_pb2.PHASE_TURN:
                    mover = await self._take_turn(game)
                case game_pb2.PHASE_PLACED:
                    placed = _placed(game.pending, to_datetime(game.occurred_at))
                    await self._answer_play(game, placed, ruled_valid=game.pending_ruled_valid)
                case game_pb2.PHASE_REFUSED:
                    await self._accept_ruling(game)
                case game_pb2.PHASE_DRAWN if "press" in self.rules.turn.steps:
                    await self.clock.press(game.turn, game.turn_player_id, to_datetime(game.occurred_at))
                case game_pb2.PHASE_ENDED:
                    await self._sign(game)
                case game_pb2.PHASE_FINAL:
                    return
                case _:
                    await asyncio.sleep(WAIT)

    async def _seen_by(self, player_id: str) -> State:
        """The game with the rack of a player, who alone may see it; without any for nobody."""
        request = game_pb2.GetGameRequest(game_id=self.game_id, player_id=player_id)
        async with self.cast.player(player_id) if player_id else nullcontext():
            return await when_found(self.api.game.GetGame, request)

    async def _take_turn(self, game: State) -> str:
        """Play, exchange or pass, up to the press. Gives the player who is on turn next."""
        mover, other = game.turn_player_id, self._next(game, game.turn_player_id)
        squares = {(tile.row, tile.column): (tile.face, tile.blank) for tile in game.board}
        lot = partial(self.plan.lot, self.game_id, game.turn)
        temper = partial(self.plan.lot, self.game_id, mover)
        done = to_datetime(game.occurred_at) + thinking(lambda what: temper(what) if what == "temper" else lot(what))
        if await self.clock.time_is_over(game, done, other):
            return other
        turns = (game.turn - 1) // len(game.sides)
        sight = Sight(Grid.of(self.tile_set, squares), list(game.rack), game.bag_left, turns)
        match choose(self.graph, self.rules, sight, lot):
            case Play(tiles):
                placements = [
                    events_pb2.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
                    for square, tile in tiles
                ]
                play = game_pb2.PlacePlayRequest(player_id=mover, placements=placements)
                answer = await self.send(self.api.game.PlacePlay, play, game.turn, "play", done)
                if not self._is_over_as_laid(game):
                    placed = Placed(game.turn, mover, [tuple(scored.word.faces) for scored in answer.words], done)
                    await self._answer_play(game, placed, ruled_valid=False)
                return other
            case FreeExchange():
                free = game_pb2.FreeExchangeRequest(player_id=mover)
                await self.send(self.api.game.FreeExchange, free, game.turn, f"free-exchange-{game.version}", done)
                return mover
            case Exchange(faces):
                exchange = game_pb2.ExchangeRequest(player_id=mover, faces=faces)
                await self.send(self.api.game.Exchange, exchange, game.turn, "exchange", done)
                if self.rules.exchange.stops_clock:
                    await self.clock.stop(game.turn, mover, done)
            case Pass():
                passed = game_pb2.PassRequest(player_id=mover)
                await self.send(self.api.game.Pass, passed, game.turn, "pass", done)
            case CannotPlay():
                declare = game_pb2.DeclareCannotPlayRequest(player_id=mover)
                await self.send(self.api.game.DeclareCannotPlay, declare, game.turn, "cannot-play", done)
        if "press" in self.rules.turn.steps:
            await self.clock.press(game.turn, mover, done)
        return other

    async def _answer_play(self, game: State, placed: Placed, *, ruled_valid: bool) -> None:
        """Another player may challenge; then come the steps that are left of the turn, as the rules have them."""
        steps, when = self.rules.turn.steps, placed.when
        if "stop" in steps:
            await self.clock.stop(placed.turn, placed.mover, when)
        if not ruled_valid and not self._open_until_next and await self._doubt(game, placed):
            return
        written = {entry.player_id for entry in game.written} if game.phase == game_pb2.PHASE_PLACED else set()
        for player in self._writers(game, placed.mover):
            if player not in written:
                when += WRITING
                write = game_pb2.WriteScoreRequest(player_id=player)
                await self.send(self.api.game.WriteScore, write, placed.turn, f"write-{player}", when)
        if game.bag_left:
            when += DRAWING
            draw = game_pb2.DrawTilesRequest(player_id=placed.mover)
            await self.send(self.api.game.DrawTiles, draw, placed.turn, "draw", when)
        if "press" in steps and not await self._is_over_as_written(game):
            await self.clock.press(placed.turn, placed.mover, when)

    async def _answer_open_play(self, game: State) -> bool:
        """Challenge or accept the play of the turn before, where that is open until the next player begins (FM 8).

        Gives whether something was done. Who begins accepts it; only after the last tiles somebody has to say so.
        """
        if not self._open_until_next or not game.HasField("open_play"):
            return False
        placed = _placed(game.open_play, to_datetime(game.occurred_at))
        if not game.pending_ruled_valid and await self._doubt(game, placed):
            return True
        if game.bag_left or all(side.rack_size for side in game.sides):
            return False
        accept = game_pb2.AcceptPlayRequest(player_id=self._challenger(game, placed))
        await self.send(self.api.game.AcceptPlay, accept, placed.turn, "accept", placed.when + DOUBTING)
        return True

    async def _doubt(self, game: State, placed: Placed) -> bool:
        """Challenge a play, perhaps; gives whether it was."""
        lot = partial(self.plan.lot, self.game_id, placed.turn, "doubt")
        challenged = () if self.rules.challenge.by == "nobody" else doubts(self.graph, placed.words, lot)
        if not challenged:
            return False
        words = [events_pb2.Word(faces=word) for word in challenged]
        request = game_pb2.ChallengeRequest(player_id=self._challenger(game, placed), words=words)
        await self.send(self.api.game.Challenge, request, placed.turn, "challenge", placed.when + DOUBTING)
        return True

    async def _accept_ruling(self, game: State) -> None:
        """The mover takes back a play that was found invalid, and does not appeal (FISE 39)."""
        when = to_datetime(game.occurred_at) + DOUBTING
        request = game_pb2.AcceptRulingRequest(player_id=game.pending.player_id)
        await self.send(self.api.game.AcceptRuling, request, game.pending.turn, "accept-ruling", when)

    async def _seat_arbiter(self, game: State) -> None:
        request = game_pb2.AssignArbiterRequest(arbiter_id=ARBITER)
        async with self.cast.director():
            await self.send(self.api.game.AssignArbiter, request, game.turn, "arbiter", to_datetime(game.occurred_at))

    async def _sign(self, game: State) -> None:
        if not game.awaited_signer_ids:
            await asyncio.sleep(WAIT)
        for player in game.awaited_signer_ids:
            when = to_datetime(game.occurred_at) + SIGNING
            request = game_pb2.SignSheetRequest(player_id=player)
            await self.send(self.api.game.SignSheet, request, game.turn, f"sign-{player}", when)

    async def _is_over_as_written(self, game: State) -> bool:
        """Whether the last play has ended the game because all have written it (PES Ε.β)."""
        if game.bag_left or self.rules.turn.complete_on != "both-written":
            return False
        now = await call(self.api.game.GetGame, game_pb2.GetGameRequest(game_id=self.game_id))
        return bool(now.end_condition)

    def _is_over_as_laid(self, game: State) -> bool:
        """Whether the turn ends with the play laid, or the play is ruled on at once, before anybody does anything."""
        drawn_or_pressed = game.bag_left or "press" in self.rules.turn.steps
        return not drawn_or_pressed or self.rules.challenge.by == "nobody"

    def _writers(self, game: State, mover: str) -> Sequence[str]:
        """Who writes the score of a play, in this order; where the mover alone does, the press says it (FISC I.10)."""
        match self.rules.turn.written_by:
            case "both":
                return [mover, *(side.player_id for side in game.sides if side.player_id != mover)]
            case "keeper":
                return [game.sides[0].player_id]
        return ()

    def _challenger(self, game: State, placed: Placed) -> str:
        """Who of the others speaks about a play."""
        others = [side.player_id for side in game.sides if side.player_id != placed.mover]
        return others[self.plan.lot(self.game_id, placed.turn, "challenger") % len(others)]

    @staticmethod
    def _next(game: State, player_id: str) -> str:
        """Who sits next in the order of the pairing."""
        seats = [side.player_id for side in game.sides]
        return seats[(seats.index(player_id) + 1) % len(seats)]


def _placed(play: events_pb2.PlayPlaced, when: datetime) -> Placed:
    return Placed(play.turn, play.player_id, [tuple(scored.word.faces) for scored in play.words], when)
