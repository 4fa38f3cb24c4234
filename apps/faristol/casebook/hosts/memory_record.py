"""A record in memory, which holds one case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from google.protobuf.message import Message
from sqlalchemy import StaticPool
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from faristol.consumers import tables as consumers
from faristol.event_store import (
    AppendCommand,
    Appended,
    Checkpoint,
    Conflict,
    Decision,
    Metadata,
    Record,
    Recorded,
)
from faristol.event_store.backends.tables import metadata
from faristol.event_store.beside_events.notes import split_note
from faristol.event_store.folds import Folds
from faristol.event_store.recent import Recent

_UNRECORDED_AT = datetime.fromtimestamp(0, UTC)


class Notebook(Record):
    """The part of a record that decisions of services need: streams with versions, guards, deduplicated commands.

    It stores the messages themselves, in memory, without a hash chain, positions of consumers, or notifications. Names
    of players are in a database that is created on first use.
    """

    def __init__(self) -> None:
        self.folds = Folds()
        self.recent = Recent(self._read_written)
        self.written: list[Recorded] = []
        self._streams: defaultdict[str, list[Recorded]] = defaultdict(list)
        self._notes: defaultdict[str, dict[int, str]] = defaultdict(dict)
        self._answers: dict[str, Appended] = {}
        self._leases: dict[str, str] = {}
        self._beside: AsyncEngine | None = None

    async def append(
        self,
        decision: Decision,
        metadata: Metadata,
        *,
        command: AppendCommand | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Appended:
        """Append as ``Record.append``, without a checkpoint."""
        expected = {write.stream: write.expected_version for write in decision.writes}
        expected |= {guard.stream: guard.version for guard in decision.guards}
        for stream, version in expected.items():
            if len(self._streams[stream]) != version:
                raise Conflict(stream, version, len(self._streams[stream]))
        if decision.also:
            async with (await self._database()).begin() as connection:
                await decision.also(connection)
        for write in decision.writes:
            for event in write.events:
                stored, note = split_note(event, write.concerned)
                self._write(write.stream, stored, write.tournament, metadata)
                if note:
                    self._notes[write.stream][len(self._streams[write.stream])] = note.text
        answer = command.answer(len(self.written)) if command else b""
        if command:
            self._answers[command.command_id] = Appended(len(self.written), answer, repeated=True)
        return Appended(len(self.written), answer, repeated=False)

    def _write(self, stream: str, event: Message, tournament: str, metadata: Metadata) -> None:
        position = len(self.written) + 1
        recorded = Recorded(
            position=position,
            stream=stream,
            version=len(self._streams[stream]) + 1,
            event_id=str(position),
            type=event.DESCRIPTOR.full_name,
            schema_version=1,
            tournament=tournament,
            payload=b"",
            metadata=metadata,
            recorded_at=_UNRECORDED_AT,
            hash=b"",
        )
        vars(recorded)["message"] = event  # the value that `Recorded.message` would decode and cache
        self.written.append(recorded)
        self._streams[stream].append(recorded)

    async def _read_written(self, after_position: int, *, limit: int) -> list[Recorded]:
        return self.written[after_position : after_position + limit]

    def has_read_notified(self) -> bool:
        """Return False: no append is notified."""
        return False

    async def find_answer(self, command_id: str) -> Appended | None:
        """Return the result of a command, as ``Record.answered``."""
        return self._answers.get(command_id)

    async def read_whole_stream(self, stream: str) -> list[Recorded]:
        """Return all events of a stream."""
        return await self.read_stream(stream)

    async def read_stream(self, stream: str, after_version: int = 0) -> list[Recorded]:
        """Return the events of a stream, as ``Record.read_stream``."""
        return self._streams[stream][after_version:]

    async def notes_of(self, stream: str) -> dict[int, str]:
        """Return the notes of a stream, as ``Record.notes_of``."""
        return self._notes[stream]

    async def notes_at(self, positions: Collection[int]) -> dict[int, str]:
        """Return the notes at positions, as ``Record.notes_at``."""
        found = (self.written[position - 1] for position in positions)
        noted = {event.position: self._notes[event.stream].get(event.version, "") for event in found}
        return {position: note for position, note in noted.items() if note}

    async def events(self, stream: str, after_version: int = 0) -> list[Message]:
        """Return the messages of a stream, as ``Record.events``."""
        return [recorded.message for recorded in self._streams[stream][after_version:]]

    async def events_after(self, versions: Mapping[str, int]) -> list[tuple[str, Message]]:
        """Return messages of several streams, as ``Record.events_after``."""
        found = [recorded for stream, version in versions.items() for recorded in self._streams[stream][version:]]
        found.sort(key=lambda recorded: recorded.position)
        return [(recorded.stream, recorded.message) for recorded in found]

    async def read(
        self,
        after_position: int = 0,
        *,
        limit: int = 1_000,
        tournament: str | Collection[str] | None = None,
        types: Collection[str] | None = None,
        up_to: int | None = None,
    ) -> list[Recorded]:
        """Return events of all streams, as ``Record.read``."""
        found = self.written[after_position:up_to]
        of = {tournament} if isinstance(tournament, str) else tournament
        return [
            noted
            for noted in found
            if (of is None or noted.tournament in of) and (types is None or noted.type in types)
        ][:limit]

    async def last_position(self) -> int:
        """Return the last position, as ``Record.last_position``."""
        return len(self.written)

    async def lease(self, name: str, holder: str, seconds: float, longest: float = 0) -> bool:
        """Acquire a lease, as ``Record.lease``, until it is released."""
        return self._leases.setdefault(name, holder) == holder

    async def release(self, name: str, holder: str) -> None:
        """Release a lease, as ``Record.release``."""
        if self._leases.get(name) == holder:
            del self._leases[name]

    async def holder(self, name: str, longest: float) -> str:
        """Return the holder of a lease, as ``Record.holder``."""
        return self._leases.get(name, "")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection to the tables beside the events, as ``Record.reading``."""
        async with (await self._database()).connect() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction on the tables beside the events, as ``Record.writing``."""
        async with (await self._database()).begin() as connection:
            yield connection

    async def _database(self) -> AsyncEngine:
        if self._beside is None:
            self._beside = create_async_engine("sqlite+aiosqlite://", poolclass=StaticPool)
            async with self._beside.begin() as connection:
                await connection.run_sync(metadata.create_all)
                await consumers.make(connection)
        return self._beside

    async def close(self) -> None:
        """Close the database, as ``Record.close``."""
        if self._beside is not None:
            await self._beside.dispose()
