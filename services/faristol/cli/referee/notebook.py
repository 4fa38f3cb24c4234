"""A record in memory, which holds one case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import UTC, datetime

from google.protobuf.message import Message

from faristol.record import Appended, Checkpoint, Command, Conflict, Decision, Metadata, Record, Recorded
from faristol.record.folding import Folds

_NEVER = datetime.fromtimestamp(0, UTC)


class Notebook(Record):
    """What services need of a record to decide: streams with versions, guards, commands carried out once.

    It keeps the messages themselves, in memory, and nothing of what makes a record last: no chain of hashes, no
    positions of consumers, no news.
    """

    def __init__(self) -> None:
        self.folds = Folds()
        self.written: list[Recorded] = []
        self._streams: defaultdict[str, list[Recorded]] = defaultdict(list)
        self._answers: dict[str, Appended] = {}

    async def append(
        self,
        decision: Decision,
        metadata: Metadata,
        *,
        command: Command | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Appended:
        """As ``Record.append``, without a checkpoint."""
        expected = {write.stream: write.expected_version for write in decision.writes}
        expected |= {guard.stream: guard.version for guard in decision.guards}
        for stream, version in expected.items():
            if len(self._streams[stream]) != version:
                raise Conflict(stream, version, len(self._streams[stream]))
        for write in decision.writes:
            for event in write.events:
                self._write(write.stream, event, write.tournament, metadata)
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
            recorded_at=_NEVER,
            hash=b"",
        )
        vars(recorded)["message"] = event  # what `Recorded.message` would come to, and keep, from the payload
        self.written.append(recorded)
        self._streams[stream].append(recorded)

    async def answered(self, command_id: str) -> Appended | None:
        """As ``Record.answered``."""
        return self._answers.get(command_id)

    async def read_stream(self, stream: str, after_version: int = 0) -> list[Recorded]:
        """As ``Record.read_stream``."""
        return self._streams[stream][after_version:]

    async def facts(self, stream: str, after_version: int = 0) -> list[Message]:
        """As ``Record.facts``."""
        return [recorded.message for recorded in self._streams[stream][after_version:]]

    async def read(
        self,
        after_position: int = 0,
        *,
        limit: int = 1_000,
        tournament: str | None = None,
        types: Collection[str] | None = None,
        up_to: int | None = None,
    ) -> list[Recorded]:
        """As ``Record.read``."""
        found = self.written[after_position:up_to]
        return [
            one
            for one in found
            if (tournament is None or one.tournament == tournament) and (types is None or one.type in types)
        ][:limit]

    async def last_position(self) -> int:
        """As ``Record.last_position``."""
        return len(self.written)
