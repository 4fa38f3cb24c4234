"""The requests of one transaction: their preconditions, their events, and the resulting rows."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.event_store.append.decision import AppendCommand, Appended, Checkpoint, Conflict, Decision, Stale
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.notes import WITH_WORDS, Note, split_note
from faristol.event_store.event import GENESIS, Metadata, chain_content, frame_content
from faristol.event_store.upcasters import upcasters

Head = tuple[int, bytes]
"""Version of a stream, and hash of its last event."""

EVENT_COLUMNS = tuple(tables.events.columns.keys())

EventRow = tuple[int, str, int, str, str, int, str, bytes, str, int, bytes]
"""Values in the order of ``EVENT_COLUMNS``."""

Outcome = Appended | Exception
"""Result of one request: an exception refuses it, without effect on the others."""

_EncodedEvent = tuple[str, int, bytes, Note | None]
"""Type, schema version, payload, and the note beside the event."""


class Request:
    """A queued append, with everything that can be computed in advance."""

    __slots__ = (
        "_metadata",
        "checkpoint",
        "command",
        "decision",
        "done",
        "events",
        "expected",
        "metadata",
        "noted",
        "of_each",
        "streams",
    )

    def __init__(
        self, decision: Decision, metadata: Metadata, command: AppendCommand | None, checkpoint: Checkpoint | None
    ) -> None:
        self.decision = decision
        self._metadata = metadata
        self.metadata = metadata.to_json()
        self.of_each: Sequence[str] = ()
        """Metadata of each event, if they differ."""
        self.metadata.encode()  # text that is not valid Unicode fails here, for its caller only
        self.command = command
        self.checkpoint = checkpoint
        self.events = [
            (write.stream, write.tournament, [_serialize(message, write.concerned) for message in write.events])
            for write in decision.writes
            if write.events
        ]
        self.noted = any(event[-1] for _, _, new_events in self.events for event in new_events)
        """Whether an event has a note."""
        self.streams = {stream for stream, _, _ in self.events}
        """Streams written to. A write without events is a guard."""
        self.expected: list[tuple[str, int]] = [(write.stream, write.expected_version) for write in decision.writes]
        """Streams that the decision relies on, with their expected versions."""
        self.expected += [(guard.stream, guard.version) for guard in decision.guards]
        self.done: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()

    def bind(self, names: str | Sequence[str]) -> None:
        """Put commitments to names into the metadata: one text for all events, or one for each."""
        if isinstance(names, str):
            self.metadata = replace(self._metadata, names=names).to_json()
        else:
            self.of_each = [replace(self._metadata, names=own).to_json() for own in names]


def _serialize(message: Message, concerned: Collection[str]) -> _EncodedEvent:
    type_name = message.DESCRIPTOR.full_name
    note = None
    if type_name in WITH_WORDS:
        message, note = split_note(message, concerned)
    return type_name, upcasters.version(type_name), message.SerializeToString(deterministic=True), note


@dataclass(slots=True)
class Group:
    """The state at the start of a transaction, and the changes of its requests."""

    begin: int
    """Position of the last event before it."""
    begin_hash: bytes
    """Hash of that event; empty if the record is empty."""
    heads: dict[str, Head]
    answers: dict[str, Appended]
    progress: dict[str, int]
    recorded_at: int
    events: list[EventRow] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)
    """The content of each event (``frame_content``), from which the log computes its entry."""
    commands: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    """Answer and position by command id."""
    notes: dict[int, Note] = field(default_factory=dict)
    """Notes by the position of the event. Empty on the fast path."""
    moves: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Position of each consumer's checkpoint before and after."""

    @property
    def position(self) -> int:
        """Position of the last event, including this group."""
        return self.begin + len(self.events)

    @property
    def hash(self) -> bytes:
        """Hash of the last event, including this group."""
        return self.events[-1][-1] if self.events else self.begin_hash

    def check(self, request: Request) -> None:
        """Check the preconditions of a request. Raises ``Conflict`` or ``Stale`` if one is not met."""
        for stream, version in request.expected:
            found = self.heads.get(stream, (0, GENESIS))[0]
            if found != version:
                raise Conflict(stream, version, found)
        checkpoint = request.checkpoint
        if checkpoint and self.progress.get(checkpoint.consumer) != checkpoint.before:
            raise Stale(checkpoint)

    def add(self, request: Request) -> Appended:
        """Add a checked request. If building its answer raises, the group is unchanged."""
        position = self.position + sum(len(messages) for _, _, messages in request.events)
        answer = b""
        if command := request.command:
            answer = command.answer(position)
            self.commands[command.command_id] = (answer, position)
            self.answers[command.command_id] = Appended(position, answer, repeated=True)
        metadata = iter(request.of_each or repeat(request.metadata))
        for stream, tournament, messages in request.events:
            self._write(stream, tournament, messages, metadata)
        if checkpoint := request.checkpoint:
            before, _ = self.moves.get(checkpoint.consumer, (checkpoint.before, 0))
            self.moves[checkpoint.consumer] = (before, checkpoint.after)
            self.progress[checkpoint.consumer] = checkpoint.after
        return Appended(position, answer, repeated=False)

    def _write(self, stream: str, tournament: str, messages: list[_EncodedEvent], metadata: Iterator[str]) -> None:
        version, previous = self.heads.get(stream, (0, GENESIS))
        position, recorded_at = self.position, self.recorded_at
        moment = f"{recorded_at // 1_000:012x}"
        moment = f"{moment[:8]}-{moment[8:]}-7"
        for type_name, schema_version, payload, note in messages:
            version += 1
            position += 1
            if note:
                self.notes[position] = note
            chance = os.urandom(10).hex()
            # UUIDs of version 7 begin with the time, so ids of one moment are adjacent in the index.
            event_id = f"{moment}{chance[:3]}-{'89ab'[int(chance[3], 16) & 3]}{chance[4:7]}-{chance[7:19]}"
            own = next(metadata)
            columns = (stream, version, event_id, type_name, schema_version, tournament, payload)
            content = frame_content(*columns)
            previous = chain_content(previous, content, own, recorded_at)
            self.contents.append(content)
            self.events.append((position, *columns, own, recorded_at, previous))
        self.heads[stream] = (version, previous)


class Written(NamedTuple):
    """Result of one transaction."""

    outcomes: Sequence[Outcome]
    """Outcome of each request, in order."""
    group: Group
    """The rows that it has written."""
