"""A table of a case: its game, its clock and its judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from google.protobuf.message import Message

from faristol.casebook.case import Word
from faristol.casebook.commands import verbs_of
from faristol.casebook.forms import since_start
from faristol.casebook.hosts import judges
from faristol.casebook.hosts.services import CLOCK, GAME, PAIRING, Services
from faristol.event_store import Conflict, Metadata
from faristol.host.table_store import clock_stream, game_stream, load_table
from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.table.deadlines import next_deadline

TABLE_VERBS = verbs_of((GAME, CLOCK, PAIRING))
"""Every command on a table, by name."""


class CaseTable:
    """A game and its clock on the services of a case."""

    verbs = TABLE_VERBS

    def __init__(self, services: Services, game_id: str, players: Sequence[str]) -> None:
        """``players`` are ids, in the order of turns."""
        self.game_id = game_id
        self.players = players
        self._services = services
        self._record = services.record

    async def call(self, request: Message) -> Message:
        """Execute a command and all reactions to it. Raises the refusal of the service."""
        return await self._services.call(request)

    async def events(self) -> list[Message]:
        """Return the events of this table: its game, its clock, and events that name its game."""
        streams = {game_stream(self.game_id), clock_stream(self.game_id)}
        return [
            recorded.message
            for recorded in await self._services.read_events(0)
            if recorded.stream in streams or getattr(recorded.message, "game_id", "") == self.game_id
        ]

    async def write(self, stream: str, events: Sequence[Message]) -> None:
        """Append events as ``Services.write``, and then the automatic events of the table."""
        await self._services.write({stream: events})
        settled = await load_table(self._record, self.game_id)
        if settled and settled.missing:
            await self._record.append(settled.decision(), Metadata())
            await self._services.settle()

    async def append_due_events(self, until: Instant) -> None:
        """Append the clock events due by ``until``, and run all reactions to them."""
        while True:
            settled = await load_table(self._record, self.game_id)
            if settled is None:
                return
            table = settled.table
            deadline = next_deadline(table.clock, table.game, table.ruleset)
            if deadline is None or deadline.due > until:
                return
            try:
                await self._services.append(settled.decision(settled.with_consequences(deadline.new_events)))
            except Conflict:  # the timer of a cell has written the same events
                await self._services.settle()

    async def rule(self, good: Callable[[Word], bool]) -> None:
        """Rule on the last challenge or appeal as a judge, as ``judges.rule`` does."""
        await judges.rule(self._services, await self.events(), good)

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """Return the table as its service shows it to a player."""
        request = game_pb2.GetGameRequest(game_id=self.game_id, player_id=player)
        shown: game_pb2.GetGameResponse = await self._services.ask(request)
        return shown

    async def clock(self) -> clock_pb2.GetClockResponse:
        """Return the clock as its service shows it."""
        request = clock_pb2.GetClockRequest(game_id=self.game_id)
        shown: clock_pb2.GetClockResponse = await self._services.ask(request)
        return shown

    async def used_ms(self, now_ms: int) -> Mapping[str, int]:
        """Return the milliseconds that each player has used ``now_ms`` after the start of the case."""
        clock = await self.clock()
        used = {side.player_id: side.used_ms for side in clock.times}
        for side in clock.running:
            used[side.player_id] += now_ms - since_start(side.since)
        return used
