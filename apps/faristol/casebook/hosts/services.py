"""The services for cases, and those of a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import TableCase, Word
from faristol.casebook.forms import since_start
from faristol.casebook.position import CASE_GAME_ID, TOURNAMENT_ID
from faristol.casebook.verbs import Verb, verbs_of
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.host.table_store import clock_stream, load_table
from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.table.deadlines import next_deadline

GAME, CLOCK, PAIRING = (
    module.DESCRIPTOR.services_by_name[name]
    for module, name in (
        (game_pb2, "GameService"),
        (clock_pb2, "ClockService"),
        (pairing_pb2, "PairingService"),
    )
)
"""The services whose commands are the verbs of cases."""

TABLE_VERBS = verbs_of((GAME, CLOCK, PAIRING))
"""Every command on a table, by name."""


class Services(ABC):
    """Services as in a hall, and the record that they share."""

    verbs: Mapping[str, Verb]
    tournament_id: str
    """The tournament of all events."""

    def __init__(self, record: Record) -> None:
        self.record = record

    @abstractmethod
    async def ask(self, request: Message) -> Any:
        """Send a request to its service and return the answer.

        Raises ``Refusal``, ``Invalid``, ``NotFound`` or ``AlreadyExists`` as the service does.
        """

    @abstractmethod
    async def settle(self) -> None:
        """Let every service react to new events until no event follows."""

    async def read_events(self, after: int) -> list[Recorded]:
        """Return the events after a position, in order."""
        found: list[Recorded] = []
        while read := await self.record.read(after):
            found += read
            after = read[-1].position
        return found

    async def facts(self, after: int = 0) -> list[Message]:
        """Return the messages of the events after a position, in order."""
        return [recorded.message for recorded in await self.read_events(after)]

    async def call(self, request: Message) -> Message:
        """Execute a command and all reactions to it. Raises the refusal of the service."""
        answer: Message = await self.ask(request)
        await self.settle()
        return answer

    async def write(self, stream: str, facts: Sequence[Message]) -> None:
        """Append events that no command of a case causes, and run all reactions to them."""
        version = len(await self.record.read_stream(stream))
        await self.record.append(Decision([Write(stream, version, facts, self.tournament_id)]), Metadata())
        await self.settle()


class AtTable(Services):
    """Game and clock of one table as in a hall, and the judges."""

    verbs = TABLE_VERBS
    game_id: str

    @abstractmethod
    async def rule(self, good: Callable[[Word], bool]) -> None:
        """Rule on the last challenge or appeal, word by word, as a judge; an appeal has another judge.

        Raises ``Refusal`` if no word was challenged, or the ruling was already made.
        """

    async def write(self, stream: str, facts: Sequence[Message]) -> None:
        """Append events as ``Services.write``, and then the automatic events of the table."""
        await super().write(stream, facts)
        settled = await load_table(self.record, self.game_id)
        if settled and settled.missing:
            await self.record.append(settled.decision(), Metadata())
            await self.settle()

    async def append_due_events(self, until: Instant) -> None:
        """Append the clock events due by ``until``, and run all reactions to them."""
        while True:
            settled = await load_table(self.record, self.game_id)
            table = settled.table if settled else None
            deadline = next_deadline(table.clock, table.game, table.ruleset) if table else None
            if deadline is None or deadline.due > until:
                return
            await self.write(clock_stream(self.game_id), deadline.facts)

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """Return the table as its service shows it to a player."""
        request = game_pb2.GetGameRequest(game_id=self.game_id, player_id=player)
        shown: game_pb2.GetGameResponse = await self.ask(request)
        return shown

    async def clock(self) -> clock_pb2.GetClockResponse:
        """Return the clock as its service shows it."""
        shown: clock_pb2.GetClockResponse = await self.ask(clock_pb2.GetClockRequest(game_id=self.game_id))
        return shown

    async def used_ms(self, now_ms: int) -> Mapping[str, int]:
        """Return the milliseconds that each player has used ``now_ms`` after the start of the case."""
        clock = await self.clock()
        used = {side.player_id: side.used_ms for side in clock.times}
        for side in clock.running:
            used[side.player_id] += now_ms - since_start(side.since)
        return used


class TableServices(AtTable):
    """The services of the one table of a case."""

    tournament_id, game_id = TOURNAMENT_ID, CASE_GAME_ID
    lexicon: Pin
    """The lexicon that the table pins."""

    @abstractmethod
    async def choose_layers(self, layers: Sequence[str]) -> None:
        """Enable layers of the lexicon, as the director. Raises ``Refusal`` if the rules forbid it."""


Tables = Callable[[TableCase, Callable[[], datetime]], AbstractAsyncContextManager[TableServices]]
"""Opens the services for the case of a table; their time is that of the case."""
