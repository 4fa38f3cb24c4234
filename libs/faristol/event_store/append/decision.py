"""The input of an append, its limits, and its refusals."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.refusal import N_, Param

STREAM_PATTERN = re.compile(r"(?=.{3,128}$)[a-z]+-[a-z0-9][a-z0-9-]{0,120}")
"""Name of a stream: its kind, then an id; at most 128 characters."""

TOURNAMENT_ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""Id of a tournament. It is part of subjects on the bus."""

COMMAND_ID_PATTERN = re.compile(r"[0-9a-zA-Z-]{1,36}")
"""Id of a command, such as a UUID."""

MAX_EVENT_BYTES = 1024 * 1024
"""Bytes of one payload: the pairings of 10,000 players are one event."""

MAX_DECISION_EVENTS = 50_000
"""Events in one append: one append opens the tables of a round of 10,000 players."""

MAX_SHOWN_NAME_CHARACTERS = 200
"""Characters of a malformed name that an error message repeats."""

NO_STREAM = N_(
    "{name} is not a stream name: expected a kind, - and an id of a-z, 0-9 and -, at most 128 characters in total"
)
NO_TOURNAMENT = N_("{name} is not a tournament id: expected 1 to 64 of a-z, 0-9 and -, not beginning with -")
LARGE_EVENT = N_("the event {event} would have {size} bytes; at most {most} are accepted")
MANY_EVENTS = N_("the command would write {count} events; at most {most} are accepted")


@dataclass(frozen=True, slots=True)
class Write:
    """Events for one stream, decided on its state at ``expected_version`` (0: the stream does not exist).

    A decision may write a stream in several parts, interleaved with other streams. Each part has the version before the
    decision.
    """

    stream: str
    expected_version: int
    events: Sequence[Message]
    tournament: str
    """The tournament that the stream belongs to, or ``faristol.kernel.event_types.OF_THE_CELL``."""
    concerned: Collection[str] = ()
    """Players that the free text of these events concerns, other than those named in an event (see ``notes``)."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A stream that a decision relies on without writing to it."""

    stream: str
    version: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The content of one transaction."""

    writes: Sequence[Write] = ()
    guards: Sequence[Guard] = ()
    also: Callable[[AsyncConnection], Awaitable[str | Sequence[str] | None]] | None = None
    """Writes further rows in the same transaction, such as a name that must not be in an event.

    Returns the commitments to stored names for the metadata of the events (see ``bindings``): one text for all events,
    or one for each event in order.
    """
    causation_id: str = ""
    """Id of the event that a command undoes. The metadata of a reaction name its event instead."""
    for_actor: bool = False
    """Whether a reaction executes a command of the actor of its event: the new events name the actor."""


@dataclass(frozen=True, slots=True)
class AppendCommand:
    """A command that takes effect once, however often it is sent."""

    command_id: str
    answer: Callable[[int], bytes]
    """Builds the answer from the position of the last event. It is stored with the events."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A consumer's progress, updated together with the events that it caused."""

    consumer: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append."""

    position: int
    """Position of the last event written, or the end of the record if none was."""
    answer: bytes
    """The answer to the command; for a repetition, the first answer."""
    repeated: bool


class Conflict(Exception):
    """Another writer was first: the stream is not at the expected version."""

    def __init__(self, stream: str, expected: int, found: int) -> None:
        super().__init__(f"stream {stream} was expected at version {expected} and is at {found}")
        self.stream = stream


class Stale(Exception):
    """Another process moved the consumer's checkpoint: the work is already done."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(f"{checkpoint.consumer} is no longer at position {checkpoint.before}")


class Unacceptable(ValueError):
    """A request exceeds a limit of the record, or has a malformed name.

    ``text`` is an English text, marked with ``N_``, with placeholders ``{named}`` that ``params`` fill.
    """

    def __init__(self, text: str, **params: Param) -> None:
        super().__init__(text.format(**params))
        self.text = text
        self.params: Mapping[str, Param] = params


def check_decision(decision: Decision, command: AppendCommand | None = None) -> Decision:
    """Validate a decision and return it.

    Raises ``Unacceptable`` for a malformed name, or an event or decision that is too large. Raises ``ValueError`` for a
    stream with two versions or an invalid command id.
    """
    if command and not COMMAND_ID_PATTERN.fullmatch(command.command_id):
        raise ValueError(f"{command.command_id[:MAX_SHOWN_NAME_CHARACTERS]!r} is not a command id: expected a UUID")
    versions: dict[str, int] = {}
    for guard in decision.guards:
        _check_name(STREAM_PATTERN, guard.stream, NO_STREAM)
    count = 0
    for write in decision.writes:
        _check_name(STREAM_PATTERN, write.stream, NO_STREAM)
        if write.tournament != OF_THE_CELL:
            _check_name(TOURNAMENT_ID_PATTERN, write.tournament, NO_TOURNAMENT)
        if versions.setdefault(write.stream, write.expected_version) != write.expected_version:
            raise ValueError(f"{write.stream} is named with two versions, but a decision is made on one of each stream")
        count += len(write.events)
        for event in write.events:
            if (size := event.ByteSize()) > MAX_EVENT_BYTES:
                raise Unacceptable(LARGE_EVENT, event=event.DESCRIPTOR.name, size=size, most=MAX_EVENT_BYTES)
    if count > MAX_DECISION_EVENTS:
        raise Unacceptable(MANY_EVENTS, count=count, most=MAX_DECISION_EVENTS)
    return decision


def _check_name(pattern: re.Pattern[str], name: str, otherwise: str) -> None:
    if not pattern.fullmatch(name):
        raise Unacceptable(otherwise, name=repr(name[:MAX_SHOWN_NAME_CHARACTERS]))
