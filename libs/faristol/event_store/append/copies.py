"""Copies of events from another record, byte for byte: the same versions, ids, times, payloads, metadata and hashes.

Problem. A hall without a connection appends the events of its tables to a record of its own. Later the record of the
championship needs the same events. An event written a second time would have a new id, time and hash, so it could not
be shown that it is the event that the hall acknowledged.

Idea. The hash of an event covers the previous event of its stream and every column but the position. So a stream can be
copied into another record, where only the positions are new. Each record has its own gapless order of positions.

Invariants:

- A stream has one history. An event is added only as the next version of its stream, and only if its hash follows from
  the previous one. An event that is there already is skipped, so a repeated batch has no effect. Another event at its
  version is a ``Divergence``.
- A batch is copied as a whole or not at all, in its own order. It contains the events of each command together, with
  the command's answer: the command then has no effect in either record, and archives of both can be verified.
- Copied events have positions at the end of the record. Consumers, the relay and seals see no difference.
- A command has one answer in a record, the first one. Events of a command that this record has answered itself are
  added only if the caller permits it (``known``), and the answer stays.

What is beside an event travels beside it. A free text is stored again, unless it concerns an erased person. Bindings of
names are in the metadata and therefore part of the event; the rows of persons are written by ``also``, in the same
transaction, because the caller knows which record is the source of names.

Cost. The lock of the counter is held for the whole transaction, as by the locked path of ``group_commit``. A batch of
1,000 events takes one statement for heads, one for ids, one for answers, and one for each table written.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import and_, bindparam, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.decision import (
    COMMAND_ID_PATTERN,
    MAX_DECISION_EVENTS,
    MAX_EVENT_BYTES,
    STREAM_PATTERN,
    TOURNAMENT_ID_PATTERN,
    Conflict,
    Guard,
)
from faristol.event_store.append.group import EVENT_COLUMNS, Head
from faristol.event_store.append.tail import STREAM_HEADS, Tail, read_rows
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.notes import WITH_WORDS, Note
from faristol.event_store.event import GENESIS, Metadata
from faristol.event_store.stored import Stored
from faristol.kernel.event_types import OF_THE_CELL

Also = Callable[[AsyncConnection, Sequence[Stored]], Awaitable[None]]
"""Writes further rows in the transaction of a copy, for the events that it adds."""

MAX_STATEMENT_VALUES = 400
"""Ids or versions in one statement."""

_EVENT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TYPE = re.compile(r"(?=.{1,128}$)[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\.[A-Z][A-Za-z0-9]*")
MAX_STORED_NUMBER = 2**63 - 1
"""Largest time, in microseconds since 1970."""

_of = tables.events.c
_IDS = select(_of.event_id, _of.stream, _of.version).where(_of.event_id.in_(bindparam("ids", expanding=True)))
_ANSWERED = select(tables.commands.c.command_id).where(
    tables.commands.c.command_id.in_(bindparam("ids", expanding=True))
)
_ERASED = select(tables.erased.c.player_id).where(tables.erased.c.player_id.in_(bindparam("ids", expanding=True)))


class Divergence(Exception):
    """A stream has another event at the version of a copied one: two writers wrote it."""

    def __init__(self, event: Stored) -> None:
        super().__init__(f"version {event.version} of stream {event.stream} of this record is a different event")
        self.event = event
        """The copied event."""
        self.stream = event.stream
        self.version = event.version


class InvalidCopy(ValueError):
    """A copied event cannot be an event of its stream: its bytes, its command or its notes are malformed."""

    def __init__(self, event: Stored, reason: str) -> None:
        super().__init__(f"version {event.version} of stream {event.stream[:128]!r}: {reason}")
        self.event = event
        """The copied event."""
        self.stream = event.stream
        self.version = event.version
        self.reason = reason


class CommandKnown(InvalidCopy):
    """The record has answered the command of a copied event, without this event."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Events of another record, in its order, with the rows beside them.

    ``position`` of an event is that of the other record; it is not used.
    """

    events: Sequence[Stored]
    notes: Mapping[str, Note] = field(default_factory=dict)
    """Free texts by the ids of their events."""
    answers: Mapping[str, bytes] = field(default_factory=dict)
    """Answers by the ids of the commands that caused the events: every command needs one."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The result of a copy."""

    position: int
    """Position of the last event added, or the end of the record if all events were there."""
    events: Sequence[Stored]
    """The events that were added, with their positions in this record."""


def check_batch(batch: Batch) -> Batch:
    """Check everything that needs no record, and return the batch.

    Raises ``InvalidCopy`` for a malformed event, for versions of a stream without order, and for a command whose events
    are not together or that has no answer.
    """
    if len(batch.events) > MAX_DECISION_EVENTS:
        raise InvalidCopy(batch.events[0], f"the batch has {len(batch.events)} events, more than {MAX_DECISION_EVENTS}")
    versions: dict[str, int] = {}
    finished, command = set[str](), ""
    for event in batch.events:
        if problem := _find_problem(event):
            raise InvalidCopy(event, problem)
        if event.version != versions.setdefault(event.stream, event.version - 1) + 1:
            raise InvalidCopy(event, f"it follows version {versions[event.stream]} in the batch")
        versions[event.stream] = event.version
        if event.command_id != command:
            finished.add(command)
            command = event.command_id
            if command and command in finished:
                raise InvalidCopy(event, f"other events separate those of command {command}")
        if command and command not in batch.answers:
            raise InvalidCopy(event, f"the answer to its command {command} is missing")
        if event.event_id in batch.notes and event.type not in WITH_WORDS:
            raise InvalidCopy(event, "an event of this type has no free text")
    return batch


def _find_problem(event: Stored) -> str:
    """Return the malformed part of an event on its own; empty if it is valid."""
    try:
        Metadata.from_json(event.metadata)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return "its metadata cannot be read"
    checks = (
        (STREAM_PATTERN.fullmatch(event.stream), "the name of the stream is invalid"),
        (0 < event.version < 2**31, "the version is invalid"),
        (_EVENT_ID.fullmatch(event.event_id), "its id is not a UUID"),
        (_TYPE.fullmatch(event.type), "its type is not the name of a message"),
        (0 < event.schema_version < 2**31, "the version of its type is invalid"),
        (
            event.tournament == OF_THE_CELL or TOURNAMENT_ID_PATTERN.fullmatch(event.tournament),
            "its tournament is not an id",
        ),
        (len(event.payload) <= MAX_EVENT_BYTES, f"it has more than {MAX_EVENT_BYTES} bytes"),
        (0 <= event.recorded_at <= MAX_STORED_NUMBER, "its time is invalid"),
        (not event.command_id or COMMAND_ID_PATTERN.fullmatch(event.command_id), "its command has an invalid id"),
    )
    return next((reason for accepted, reason in checks if not accepted), "")


async def copy(
    tail: Tail,
    batch: Batch,
    guards: Iterable[Guard] = (),
    also: Also | None = None,
    *,
    known: Collection[str] = (),
) -> Copied:
    """Add the events of a checked batch that are not there yet, in the transaction of ``tail``.

    ``known`` are ids of commands that the record may have answered itself: it keeps its answers to them.

    Raises ``Conflict`` if earlier events of a stream are missing or a guarded stream has moved, ``Divergence`` if a
    stream has another event, ``InvalidCopy`` for bytes that do not give their hash and for an id that another event
    has, and ``CommandKnown`` for a command that the record has answered without its events.
    """
    guards = list(guards)
    streams = {event.stream for event in batch.events} | {guard.stream for guard in guards}
    heads = await _load_heads(tail.connection, streams)
    for guard in guards:
        if (found := heads.get(guard.stream, (0, GENESIS))[0]) != guard.version:
            raise Conflict(guard.stream, guard.version, found)
    await _check_repeated(tail.connection, batch.events, heads)
    added: list[Stored] = []
    for event in batch.events:
        version, previous = heads.get(event.stream, (0, GENESIS))
        if event.version <= version:
            continue
        if event.version > version + 1:
            raise Conflict(event.stream, event.version - 1, version)
        if event.hash_after(previous) != event.hash:
            raise InvalidCopy(event, "its bytes do not give its hash after the event before it")
        heads[event.stream] = (event.version, event.hash)
        added.append(replace(event, position=tail.begin + len(added) + 1))
    await _check_ids(tail.connection, added)
    answered = await _find_answered(tail.connection, added, known)
    await _write(tail, batch, added, answered)
    if also is not None:
        await also(tail.connection, added)
    return Copied(tail.begin + len(added), added)


async def _load_heads(connection: AsyncConnection, streams: Collection[str]) -> dict[str, Head]:
    heads: dict[str, Head] = {}
    for some in _slices(sorted(streams)):
        for row in await read_rows(connection, STREAM_HEADS, "streams", some):
            heads[row.stream] = (int(row.version), bytes(row.hash))
    return heads


async def _check_repeated(connection: AsyncConnection, events: Sequence[Stored], heads: Mapping[str, Head]) -> None:
    """Compare the events that should be there already with the stored ones. Raises ``Divergence``."""
    repeated = [event for event in events if event.version <= heads.get(event.stream, (0, GENESIS))[0]]
    for start in range(0, len(repeated), MAX_STATEMENT_VALUES):
        some = repeated[start : start + MAX_STATEMENT_VALUES]
        ranges: dict[str, tuple[int, int]] = {}
        for event in some:
            first, _ = ranges.get(event.stream, (event.version, 0))
            ranges[event.stream] = (first, event.version)
        wanted = or_(*(and_(_of.stream == name, _of.version.between(*versions)) for name, versions in ranges.items()))
        rows = await connection.execute(select(_of.stream, _of.version, _of.hash).where(wanted))
        stored = {(row.stream, row.version): bytes(row.hash) for row in rows}
        for event in some:
            if stored.get((event.stream, event.version)) != event.hash:
                raise Divergence(event)


async def _check_ids(connection: AsyncConnection, added: Sequence[Stored]) -> None:
    """Check that no other event has the id of a new one. Raises ``InvalidCopy``."""
    by_id = {event.event_id: event for event in added}
    if len(by_id) != len(added):
        twice = next(event for event in added if by_id[event.event_id] is not event)
        raise InvalidCopy(twice, "two events of the batch have its id")
    for some in _slices(sorted(by_id)):
        for row in await read_rows(connection, _IDS, "ids", some):
            raise InvalidCopy(by_id[row.event_id], f"version {row.version} of stream {row.stream} has its id")


async def _find_answered(
    connection: AsyncConnection, added: Sequence[Stored], known: Collection[str]
) -> Collection[str]:
    """Return the commands of new events that the record has answered. Raises ``CommandKnown`` for one not ``known``."""
    commands = {event.command_id: event for event in reversed(added) if event.command_id}
    answered: set[str] = set()
    for some in _slices(sorted(commands)):
        for row in await read_rows(connection, _ANSWERED, "ids", some):
            if row.command_id not in known:
                raise CommandKnown(commands[row.command_id], f"its command {row.command_id} was executed without it")
            answered.add(row.command_id)
    return answered


async def _write(tail: Tail, batch: Batch, added: Sequence[Stored], answered: Collection[str]) -> None:
    """Write new events, and what is beside them: no answer to a command that has one."""
    await tail.write([_row(event) for event in added])
    answers = {
        event.command_id: event.position for event in added if event.command_id and event.command_id not in answered
    }
    if answers:
        rows: list[dict[str, Any]] = [
            {"command_id": command, "answer": batch.answers[command], "position": position}
            for command, position in answers.items()
        ]
        await tail.connection.execute(insert(tables.commands), rows)
    noted = {event.position: batch.notes[event.event_id] for event in added if event.event_id in batch.notes}
    gone = set[str]()
    for some in _slices(sorted({player for note in noted.values() for player in note.player_ids})):
        gone.update(row.player_id for row in await read_rows(tail.connection, _ERASED, "ids", some))
    rows = [
        {"position": position, "text": note.text, "player_ids": note.written_ids}
        for position, note in noted.items()
        if gone.isdisjoint(note.player_ids)
    ]
    if rows:
        await tail.connection.execute(insert(tables.notes), rows)


def _row(event: Stored) -> Any:
    return tuple(getattr(event, column) for column in EVENT_COLUMNS)


def _slices(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[start : start + MAX_STATEMENT_VALUES] for start in range(0, len(values), MAX_STATEMENT_VALUES))
