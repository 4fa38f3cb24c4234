"""What a decision asks of the record, and how the record can say no."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

STREAM = re.compile(r"[a-z]+-[a-z0-9][a-z0-9-]{0,120}")
"""What a stream is called: its kind, then an id."""

LARGEST_EVENT = 256 * 1024
"""Bytes of one payload."""

LARGEST_DECISION = 5_000
"""Events in one append."""


@dataclass(frozen=True, slots=True)
class Write:
    """Facts for one stream, decided on its state at ``expected_version`` (0: there is no such stream)."""

    stream: str
    expected_version: int
    events: Sequence[Message]
    tournament: str
    """The tournament that the stream belongs to."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A stream that a decision relied on without writing to it."""

    stream: str
    version: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to happen in one transaction, or not at all."""

    writes: Sequence[Write] = ()
    guards: Sequence[Guard] = ()
    also: Callable[[AsyncConnection], Awaitable[None]] | None = None
    """Rows that must be written with the events, such as a name that may not stand in them."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that must be carried out once, however often it is sent."""

    command_id: str
    answer: Callable[[int], bytes]
    """Makes the answer, which is stored with the events, from the position of the last one."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A consumer's progress, moved together with what it brought about."""

    consumer: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Appended:
    """What came of an append."""

    position: int
    """Of the last event written, or of the record's end when none was."""
    answer: bytes
    """The answer to the command; the first one when it is a repetition."""
    repeated: bool


class Conflict(Exception):
    """Another writer was first: the stream is not at the version that the decision was made on."""

    def __init__(self, stream: str, expected: int, found: int) -> None:
        super().__init__(f"stream {stream} was expected at version {expected} and is at {found}")
        self.stream = stream
        self.expected = expected
        self.found = found


class Stale(Exception):
    """Another process moved the consumer's checkpoint: what was about to be done has been done."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(f"{checkpoint.consumer} is no longer at position {checkpoint.before}")
        self.checkpoint = checkpoint


def checked(decision: Decision) -> Decision:
    """The decision itself, when the record can take it.

    Raises ``ValueError`` for a malformed stream name, a stream named twice, an event or a decision that is too large.
    """
    streams = [write.stream for write in decision.writes]
    for stream in (*streams, *(guard.stream for guard in decision.guards)):
        if not STREAM.fullmatch(stream):
            raise ValueError(f"{stream!r} is not a stream name: expected a kind, `-` and an id of a-z, 0-9 and `-`")
    if len(set(streams)) < len(streams):
        raise ValueError("a decision writes each stream once; these are named twice: " + ", ".join(sorted(streams)))
    if (count := sum(len(write.events) for write in decision.writes)) > LARGEST_DECISION:
        raise ValueError(f"{count} events in one append; at most {LARGEST_DECISION} are taken")
    for write in decision.writes:
        for event in write.events:
            if (size := event.ByteSize()) > LARGEST_EVENT:
                kind = event.DESCRIPTOR.name
                raise ValueError(f"{kind} for {write.stream} has {size} bytes; at most {LARGEST_EVENT} are taken")
    return decision
