"""The services of a cell as a case uses them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import TOURNAMENT_ID, Case, TournamentCase
from faristol.client.services import A_co, RequestFor
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.kernel.pins import Pin
from faristol.pb.clock.v1 import clock_pb2, turns_pb2
from faristol.pb.game.v1 import duplicate_pb2, game_pb2
from faristol.pb.pairing.v1 import pairing_pb2

GAME, CLOCK, PAIRING, DUPLICATE, TURN_CLOCK = (
    module.DESCRIPTOR.services_by_name[name]
    for module, name in (
        (game_pb2, "GameService"),
        (clock_pb2, "ClockService"),
        (pairing_pb2, "PairingService"),
        (duplicate_pb2, "DuplicateService"),
        (turns_pb2, "TurnClockService"),
    )
)
"""The services whose commands are the verbs of cases."""

SERVED = ("pairing", "game", "clock", "lexicon", "rating", "results")
"""The services of a case."""

TOURNAMENTS_ONLY = frozenset(("rating", "results"))
"""Services that follow paired rounds. They cannot apply the events of a game that no round has paired."""


def services_of(case: Case) -> tuple[str, ...]:
    """Return the services that a case needs: a table or a duplicate game of a case belongs to no paired round."""
    if isinstance(case, TournamentCase):
        return SERVED
    return tuple(name for name in SERVED if name not in TOURNAMENTS_ONLY)


class Services(ABC):
    """The services of a cell, and the record that they share."""

    position_field: str
    """The field of a request for standings with the position to query."""

    def __init__(self, record: Record, lexicon: Pin) -> None:
        """``lexicon`` is the one that games pin."""
        self.record = record
        self.lexicon = lexicon

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

    async def events(self, after: int = 0) -> list[Message]:
        """Return the messages of the events after a position, in order."""
        return [recorded.message for recorded in await self.read_events(after)]

    async def call(self, request: Message) -> Message:
        """Execute a command and all reactions to it. Raises the refusal of the service."""
        answer: Message = await self.ask(request)
        await self.settle()
        return answer

    async def write(self, events: Mapping[str, Sequence[Message]], tournament_id: str = TOURNAMENT_ID) -> None:
        """Append events, by stream, that no command of a case causes, and run all reactions to them."""
        writes = [
            Write(stream, len(await self.record.read_stream(stream)), some, tournament_id)
            for stream, some in events.items()
        ]
        await self.append(Decision(writes))

    async def append(self, decision: Decision) -> None:
        """Append events that no command of a case causes, and run all reactions to them.

        Raises ``Conflict`` if a stream is not at the version that the decision expects.
        """
        await self.record.append(decision, Metadata())
        await self.settle()

    async def query(self, request: RequestFor[A_co]) -> A_co:
        """Return the answer to a query about the tournament, as of the last event."""
        message: Any = request
        message.tournament_id = TOURNAMENT_ID
        if self.position_field in message.DESCRIPTOR.fields_by_name:
            setattr(message, self.position_field, await self.record.last_position())
        answer: A_co = await self.ask(message)
        return answer

    async def tournament(self) -> pairing_pb2.GetTournamentResponse:
        """Return the tournament as its service shows it."""
        return await self.query(pairing_pb2.GetTournamentRequest())


Host = Callable[[Case, Callable[[], datetime]], AbstractAsyncContextManager[Services]]
"""Opens the services for a case; their time is that of the case."""
