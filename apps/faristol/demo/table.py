"""The players at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial

from faristol.demo.cast import UserCalls
from faristol.demo.clock import RULING_POLL_SECONDS, TableClock
from faristol.demo.commands import Commands
from faristol.demo.play_finder import FindPlays
from faristol.demo.player import DOUBTING, DRAWING, SIGNING, WRITING, PlayerView, choose, doubts, thinking
from faristol.kernel.times import to_datetime
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.words import WordGraph
from faristol.words.plays import Grid

ARBITER = "arbiter"
"""The arbiter of tables that require one (PES Γ.γ)."""

State = game_pb2.GetGameResponse


@dataclass(frozen=True, slots=True)
class Placed:
    """A play on the board that can be challenged."""

    turn: int
    mover: str
    words: list[tuple[str, ...]]
    when: datetime


@dataclass(frozen=True)
class DemoTable(Commands):
    """The players of one game, from any state to its end. It has no state.

    Their actions follow from the rules of the table: the steps of a turn, the score writers, the clock stops, and how
    long a play can be challenged.
    """

    graph: WordGraph
    cast: UserCalls
    find: FindPlays | None = None
    """Search for plays in another process; in this one if absent."""

    @property
    def rules(self) -> Ruleset:
        """The rules of the table."""
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
        """Act for the players until the result is final."""
        mover = ""
        while True:
            # The mover is known from the turn before, so the first answer already has the rack.
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
                    placed = _to_placed(game.pending, to_datetime(game.occurred_at))
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
                    await asyncio.sleep(RULING_POLL_SECONDS)

    async def _seen_by(self, player_id: str) -> State:
        """Return the game with the rack of a player, or the public state for an empty id."""
        request = game_pb2.GetGameRequest(game_id=self.game_id, player_id=player_id)
        async with self.cast.player(player_id) if player_id else nullcontext():
            return await self.api.call_until_found(request)

    async def _take_turn(self, game: State) -> str:
        """Play, exchange or pass, up to the press. Return the next player."""
        mover, other = game.turn_player_id, self._next(game, game.turn_player_id)
        squares = {(tile.row, tile.column): (tile.face, tile.blank) for tile in game.board}
        lot = partial(self.plan.lot, self.game_id, game.turn)
        temper = partial(self.plan.lot, self.game_id, mover)
        done = to_datetime(game.occurred_at) + thinking(lambda what: temper(what) if what == "temper" else lot(what))
        if await self.clock.time_is_over(game, done, other):
            return other
        turns = (game.turn - 1) // len(game.sides)
        sight = PlayerView(Grid.of(self.rules.tile_set, squares), list(game.rack), game.bag_left, turns)
        plays = await self.find(self.rules, sight) if self.find else None
        act = choose(self.graph, self.rules, sight, lot, plays)
        act.player_id = mover
        match act:
            case game_pb2.PlacePlayRequest():
                answer = await self.send(act, game.turn, "play", done)
                if not self._is_over_as_laid(game):
                    placed = Placed(game.turn, mover, [tuple(scored.word.faces) for scored in answer.words], done)
                    await self._answer_play(game, placed, ruled_valid=False)
                return other
            case game_pb2.FreeExchangeRequest():
                await self.send(act, game.turn, f"free-exchange-{game.version}", done)
                return mover
            case game_pb2.ExchangeRequest():
                await self.send(act, game.turn, "exchange", done)
                if self.rules.exchange.stops_clock:
                    await self.clock.stop(game.turn, mover, done)
            case game_pb2.PassRequest():
                await self.send(act, game.turn, "pass", done)
            case game_pb2.DeclareCannotPlayRequest():
                await self.send(act, game.turn, "cannot-play", done)
        if "press" in self.rules.turn.steps:
            await self.clock.press(game.turn, mover, done)
        return other

    async def _answer_play(self, game: State, placed: Placed, *, ruled_valid: bool) -> None:
        """Challenge a play or take the remaining steps of its turn, by the rules."""
        steps, when = self.rules.turn.steps, placed.when
        if "stop" in steps:
            await self.clock.stop(placed.turn, placed.mover, when)
        if not ruled_valid and not self._open_until_next and await self._doubt(game, placed):
            return
        written = {entry.player_id for entry in game.written} if game.phase == game_pb2.PHASE_PLACED else set()
        for player in self._writers(game, placed.mover):
            if player not in written:
                if await self._is_over_as_written(game):
                    return
                when += WRITING
                await self.send(game_pb2.WriteScoreRequest(player_id=player), placed.turn, f"write-{player}", when)
        if game.bag_left:
            when += DRAWING
            await self.send(game_pb2.DrawTilesRequest(player_id=placed.mover), placed.turn, "draw", when)
        if "press" in steps and not await self._is_over_as_written(game):
            await self.clock.press(placed.turn, placed.mover, when)

    async def _answer_open_play(self, game: State) -> bool:
        """Challenge or accept the play of the turn before, if it is open until the next turn (FM 8).

        Returns whether a command was sent. The next turn accepts it implicitly; only after the last tiles it needs a
        command.
        """
        if not self._open_until_next or not game.HasField("open_play"):
            return False
        placed = _to_placed(game.open_play, to_datetime(game.occurred_at))
        if not game.pending_ruled_valid and await self._doubt(game, placed):
            return True
        if game.bag_left or all(side.rack_size for side in game.sides):
            return False
        accept = game_pb2.AcceptPlayRequest(player_id=self._challenger(game, placed))
        await self.send(accept, placed.turn, "accept", placed.when + DOUBTING)
        return True

    async def _doubt(self, game: State, placed: Placed) -> bool:
        """Challenge a play by lot. Return whether it was challenged."""
        lot = partial(self.plan.lot, self.game_id, placed.turn, "doubt")
        challenged = () if self.rules.challenge.by == "nobody" else doubts(self.graph, placed.words, lot)
        if not challenged:
            return False
        words = [events_pb2.Word(faces=word) for word in challenged]
        request = game_pb2.ChallengeRequest(player_id=self._challenger(game, placed), words=words)
        await self.send(request, placed.turn, "challenge", placed.when + DOUBTING)
        return True

    async def _accept_ruling(self, game: State) -> None:
        """Take back a play that was ruled invalid, without an appeal (FISE 39)."""
        when = to_datetime(game.occurred_at) + DOUBTING
        request = game_pb2.AcceptRulingRequest(player_id=game.pending.player_id)
        await self.send(request, game.pending.turn, "accept-ruling", when)

    async def _seat_arbiter(self, game: State) -> None:
        request = game_pb2.AssignArbiterRequest(arbiter_id=ARBITER)
        async with self.cast.director():
            await self.send(request, game.turn, "arbiter", to_datetime(game.occurred_at))

    async def _sign(self, game: State) -> None:
        if not game.awaited_signer_ids:
            await asyncio.sleep(RULING_POLL_SECONDS)
        for player in game.awaited_signer_ids:
            when = to_datetime(game.occurred_at) + SIGNING
            await self.send(game_pb2.SignSheetRequest(player_id=player), game.turn, f"sign-{player}", when)

    async def _is_over_as_written(self, game: State) -> bool:
        """Check whether the game has ended while the last play was written.

        It ends when all have written it (PES Ε.β), or earlier if the time of the round was over before (UF 27.4).
        """
        if game.bag_left:
            return False
        now = await self.api.call(game_pb2.GetGameRequest(game_id=self.game_id))
        return bool(now.end_condition)

    def _is_over_as_laid(self, game: State) -> bool:
        """Check whether a turn needs no command after its play: it ends, or is ruled on at once."""
        drawn_or_pressed = game.bag_left or "press" in self.rules.turn.steps
        return not drawn_or_pressed or self.rules.challenge.by == "nobody"

    def _writers(self, game: State, mover: str) -> Sequence[str]:
        """Return the players who write the score of a play, in order; empty if the press implies it (FISC I.10)."""
        match self.rules.turn.written_by:
            case "both":
                return [mover, *(side.player_id for side in game.sides if side.player_id != mover)]
            case "keeper":
                return [game.sides[0].player_id]
        return ()

    def _challenger(self, game: State, placed: Placed) -> str:
        """Return the other player who challenges or accepts a play."""
        others = [side.player_id for side in game.sides if side.player_id != placed.mover]
        return others[self.plan.lot(self.game_id, placed.turn, "challenger") % len(others)]

    @staticmethod
    def _next(game: State, player_id: str) -> str:
        """Return the next player in the order of the pairing."""
        seats = [side.player_id for side in game.sides]
        return seats[(seats.index(player_id) + 1) % len(seats)]


def _to_placed(play: events_pb2.PlayPlaced, when: datetime) -> Placed:
    return Placed(play.turn, play.player_id, [tuple(scored.word.faces) for scored in play.words], when)
