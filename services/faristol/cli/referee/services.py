"""The services of a table, playing together in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from google.protobuf.message import Message

from faristol.bus.work import wanted
from faristol.cli.referee.notebook import Notebook
from faristol.cli.referee.position import GAME_ID, TOURNAMENT_ID
from faristol.cli.referee.verbs import Verb, verbs_of
from faristol.clock.deadlines import next_deadline
from faristol.clock.model import Instant
from faristol.clock.part import part as clock_part
from faristol.clock.pinning import ruleset_of
from faristol.clock.streams import clock_stream, load_clock, load_table
from faristol.game.part import part as game_part
from faristol.game.streams import load_table as load_settled
from faristol.host import Runtime, Settings
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.record import Decision, Metadata, Recorded, Write
from faristol.rules import Board, Placement, Square, Tile


class Caller:
    """Who sends the commands of a case: nobody in particular."""

    def invocation_metadata(self) -> tuple[()]:
        """What travels beside a request."""
        return ()


@cache
def settings() -> Settings:
    """The settings of every world: none of them matters to a table."""
    return Settings()


class Services:
    """Game and clock as they run in a hall, over a notebook: each hears of what the other wrote, at once."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.notebook = Notebook()
        runtime = Runtime(settings(), self.notebook, now)
        parts = (game_part(runtime), clock_part(runtime))
        servicers = [servicer for part in parts for servicer in part.servicers]
        self._instances: Mapping[str, Any] = {one.descriptor.full_name: one.instance for one in servicers}
        self._reactions = [reaction for part in parts for reaction in part.reactions]
        self._heard = 0
        self.verbs = verbs_of(tuple(one.descriptor for one in servicers))

    def facts(self, after: int = 0) -> list[Message]:
        """What was recorded after a position."""
        return [recorded.message for recorded in self.notebook.written[after:]]

    async def call(self, verb: Verb, request: Message) -> Message:
        """Carry a command out, and all that follows from it. Raises what the service refuses it with."""
        answer: Message = await getattr(self._instances[verb.service.full_name], verb.rpc)(request, Caller())
        await self._settle()
        return answer

    async def write(self, stream: str, facts: Sequence[Message]) -> None:
        """Record facts that no command of a table leads to, and all that follows from them."""
        version = len(await self.notebook.read_stream(stream))
        await self.notebook.append(Decision([Write(stream, version, facts, TOURNAMENT_ID)]), Metadata())
        await self._settle()
        settled = await load_settled(self.notebook, GAME_ID)
        if settled and (decision := settled.decision()):
            await self.notebook.append(decision, Metadata())
            await self._settle()

    async def _settle(self) -> None:
        """Let every service hear of what was recorded, until nothing more follows."""
        while self._heard < len(self.notebook.written):
            event: Recorded = self.notebook.written[self._heard]
            self._heard += 1
            for reaction in self._reactions:
                if wanted(reaction, event) and (decision := await reaction.react(event)):
                    await self.notebook.append(decision, Metadata())

    async def let_pass(self, until: Instant) -> None:
        """Let time go by: what the clock is due to say by then is said, with all that follows from it."""
        while True:
            clock = await load_clock(self.notebook, GAME_ID)
            table = (await load_table(self.notebook, GAME_ID)).state
            deadline = next_deadline(clock.state, table, ruleset_of(table)) if table.game_id else None
            if deadline is None or deadline.due > until:
                return
            await self.write(clock_stream(GAME_ID), deadline.facts)

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """The table as its service shows it to a player."""
        shown: game_pb2.GetGameResponse = await self._instances["faristol.game.v1.GameService"].GetGame(
            game_pb2.GetGameRequest(game_id=GAME_ID, player_id=player), Caller()
        )
        return shown

    async def clock(self) -> clock_pb2.GetClockResponse:
        """The clock as its service shows it."""
        shown: clock_pb2.GetClockResponse = await self._instances["faristol.clock.v1.ClockService"].GetClock(
            clock_pb2.GetClockRequest(game_id=GAME_ID), Caller()
        )
        return shown

    async def board(self) -> Board:
        """The tiles that lie on the board."""
        return Board().place(
            Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in (await self.table()).board
        )
