"""The record: appends, reads, notifications and leases on one database."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import positions
from faristol.event_store.append import copies
from faristol.event_store.append.copies import Batch, Copied
from faristol.event_store.append.decision import AppendCommand, Appended, Checkpoint, Decision, Guard, check_decision
from faristol.event_store.append.group import Group
from faristol.event_store.append.group_commit import Appender
from faristol.event_store.backends import migrations, tables
from faristol.event_store.backends.backend import Backend, format_url
from faristol.event_store.backends.databases import FAILURES, is_away, is_full, kind_of, parse, unusable
from faristol.event_store.beside_events import notes
from faristol.event_store.errors import RecordError, UnknownDatabase
from faristol.event_store.event import Metadata, Recorded, fingerprint_of, to_recorded, utc_now
from faristol.event_store.folds import Folds, StreamCache
from faristol.event_store.leases import is_held, take_lease
from faristol.event_store.recent import News, Recent
from faristol.event_store.upcasters import upcasters

# Statements of the hot paths are built once: building a statement costs as much as running it.
_events = tables.events.c
_OF_STREAM = (_events.stream == bindparam("stream"), _events.version > bindparam("after_version"))
_STREAM_EVENTS = select(tables.events).where(*_OF_STREAM).order_by(_events.version)
_EVENT = (_events.type, _events.schema_version, _events.payload)
_EVENTS = select(*_EVENT).where(*_OF_STREAM).order_by(_events.version)
_FIRSTS = (
    select(*_EVENT)
    .where(_events.stream == bindparam("stream"), _events.version <= bindparam("most"))
    .order_by(_events.version)
)
_COMMAND = select(tables.commands.c.position, tables.commands.c.answer).where(
    tables.commands.c.command_id == bindparam("command_id")
)
_HASH = select(_events.hash).where(_events.position == bindparam("position"))
_LAST_EVENTS = select(tables.events).where(tables.are_last()).order_by(_events.position)
_EVENTS_BETWEEN = (
    select(tables.events)
    .where(_events.position > bindparam("after_position"), _events.position <= bindparam("last_position"))
    .order_by(_events.position)
)
_ALL_EVENTS = (
    select(_events.stream, *_EVENT)
    .where(_events.stream.in_(bindparam("streams", expanding=True)))
    .order_by(_events.stream, _events.version)
)


@cache
def _events_after(streams: int) -> Any:
    """Build the statement that reads this number of streams, each after its version."""
    wanted = (
        and_(_events.stream == bindparam(f"stream_{number}"), _events.version > bindparam(f"after_{number}"))
        for number in range(streams)
    )
    return select(_events.stream, *_EVENT).where(or_(*wanted)).order_by(_events.position)


_WRITE_TEST_LEASE = {"name": "written", "holder": "", "until": 0}
"""A lease that is never held: every role may write it."""
_WRITE_TEST_UPDATE = update(tables.leases).where(tables.leases.c.name == _WRITE_TEST_LEASE["name"]).values(until=0)
MAX_EXACT_STREAMS = 8
"""Number of streams up to which each number has its own statement."""
MAX_STATEMENT_STREAMS = 400
"""Streams or positions in one statement."""

FOLLOW_BATCH_EVENTS = 500
"""Events that ``follow`` reads at a time."""

FOLLOW_POLL_SECONDS = 0.25
"""Seconds between polls of ``follow`` without a notification."""


class WriteProblem(StrEnum):
    """Reasons for which the record accepts no writes."""

    FULL = "the disk of the record is full"
    REFUSED = "the record cannot be written"


def _accept_writer(stream: str) -> None:
    """Accept every stream: a record that copies none writes all."""


def _find_no_loss(game_id: str) -> str:
    """Return no loss: a cell without a championship loses no table."""
    return ""


class Record:
    """An append-only store of events on one of the databases in ``databases``.

    Positions are global and gapless: they come from one counter row, updated in the transaction that writes the events.
    So an event is never visible before one with a smaller position.
    """

    owner_key: bytes = b""
    """Public key of the hall cell whose record this is, which decides at its tables; empty for a championship."""
    loss_of: Callable[[str], str] = staticmethod(_find_no_loss)
    """Returns why the hall cell no longer decides at the table of a game, if its stream here does not say so; empty for
    no reason."""

    def __init__(self, backend: Backend, now: Callable[[], datetime] = utc_now) -> None:
        self.engine = backend.engine
        """For read models, whose tables are in the same database."""
        self.record_id = ""
        """A UUID that identifies the record, so that its notifications are not confused with those of another."""
        self.folds = Folds()
        """Cached folds of ``load``."""
        self._whole_streams = StreamCache(self.read_stream)
        self.news = News(backend, self._clear_recent)
        """Notifications of appends to this process."""
        self.recent = Recent(self._read_after, self.news.quiet_since)
        """The latest events, for all consumers in this process."""
        self.check_writer: Callable[[str], None] = _accept_writer
        """Raises ``Refusal`` for a stream that this record only copies, because another cell writes it."""
        self._backend = backend
        self._now = now
        self.trouble: WriteProblem | None = None
        """Why the last write failed, unless its content was the reason; None while writes succeed."""
        self._committed_at = -math.inf
        """Time of the last commit of this process, by the loop's clock."""
        self._watcher: Callable[[Group], None] | None = None
        """Called with the events of each append of this process."""
        self._appender = Appender(backend, now, self._note_written)

    @classmethod
    async def open(cls, url: str, now: Callable[[], datetime] = utc_now, *, create: bool = True) -> Record:
        """Open the record at ``url`` (``sqlite:///PATH`` or ``postgresql://…``); create its tables if they are missing.

        Raises ``RecordError`` if the database is unreachable or has a record of another format. Without ``create``, a
        missing record is an error that leaves the database unchanged, and a read-only file is opened for reading.
        """
        try:
            parsed = parse(url)
            kind = kind_of(parsed)
            if not create and not kind.may_exist(parsed):
                raise migrations.none_at(parsed)
            record = cls(kind(parsed), now)
        except (UnknownDatabase, OSError) as error:
            raise RecordError(str(error)) from error
        try:
            way = record.reading if record.is_read_only else record.writing
            async with way() as connection:
                record.record_id = await migrations.prepare(connection, create=create)
            if create and record.is_read_only:
                raise OSError("the file is read-only, and services need to write: serve a copy of it")
        except migrations.NoRecord:
            await record.close()
            raise migrations.none_at(parsed) from None
        except migrations.OtherFormat as error:
            await record.close()
            raise RecordError(f"the record at {format_url(parsed)} {error}") from error
        except (SQLAlchemyError, OSError) as error:
            await record.close()
            raise unusable(parsed, error) from error
        return record

    @property
    def is_read_only(self) -> bool:
        """Whether the record is a file that this process may read but not write."""
        return self._backend.is_read_only

    async def close(self) -> None:
        """Finish pending writes and close all connections."""
        await self._appender.close()
        await self.news.close()
        await self._backend.close()

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Return a connection whose reads see one snapshot."""
        return self._backend.reading()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that commits at the end of the block, and rolls back if the block raises."""
        try:
            async with self._backend.writing() as connection:
                yield connection
        except FAILURES as error:
            self._note_failure(error)
            raise
        self._committed_at = asyncio.get_running_loop().time()

    def committed_within(self, seconds: float) -> bool:
        """Check whether a transaction of this process was committed within the last ``seconds``."""
        return asyncio.get_running_loop().time() - self._committed_at < seconds

    async def try_writing(self) -> None:
        """Write without a change, to check whether the record accepts writes again."""
        if self.trouble is WriteProblem.FULL and not await self._backend.has_room():
            return
        async with self.writing() as connection:
            # An update without a matching row writes no data, so the row must exist.
            await connection.execute(kind_of(connection).new_row(tables.leases).values(**_WRITE_TEST_LEASE))
            await connection.execute(_WRITE_TEST_UPDATE)
        self.trouble = None

    def _note_failure(self, problem: Exception) -> None:
        if not isinstance(problem, DBAPIError) or is_away(problem):
            self.trouble = (
                WriteProblem.FULL if isinstance(problem, DBAPIError) and is_full(problem) else WriteProblem.REFUSED
            )

    async def clean(self) -> str:
        """Overwrite deleted data on disk. Return why remains may be there; empty on success."""
        return await self._backend.clean()

    async def append(
        self,
        decision: Decision,
        metadata: Metadata,
        *,
        command: AppendCommand | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Appended:
        """Write a decision durably in one transaction.

        A repeated command returns its first answer and has no further effect. Raises ``Conflict`` if a stream or a
        guarded stream has moved, ``Stale`` if the checkpoint has, and ``Unacceptable`` if the decision exceeds a limit.
        Raises ``Refusal`` for a stream of another cell (``check_writer``). Exceptions of the database leave the outcome
        unknown: the same command may be sent again, and takes effect once.
        """
        for write in decision.writes:
            self.check_writer(write.stream)
        try:
            appended = await self._appender.append(check_decision(decision, command), metadata, command, checkpoint)
        except FAILURES as error:
            self._note_failure(error)
            raise
        self.trouble = None
        return appended

    def has_read_notified(self) -> bool:
        """Check whether ``recent`` has all events whose appends were notified, those of other processes included."""
        return self.news.of_others and self.news.latest <= self.recent.last_position

    def _clear_recent(self) -> None:
        """Clear the latest events: a failover may have replaced them."""
        self.recent.clear()

    def _note_written(self, position: int, group: Group | None) -> None:
        if group is not None and group.events:
            self.recent.add(group.events)
            if self._watcher is not None:
                self._watcher(group)
        self.news.tell(position)

    async def copy(
        self,
        batch: Batch,
        guards: Sequence[Guard] = (),
        also: copies.Also | None = None,
        *,
        known: Collection[str] = (),
    ) -> Copied:
        """Add the events of another record that are not in this one yet, as they are, in one transaction (``copies``).

        ``guards`` are streams that must not have moved. ``known`` are ids of commands that this record may have
        answered itself: its answers stay. Raises ``Conflict`` if a guarded stream has moved, or if earlier events of a
        stream are missing; ``Divergence`` if a stream has another event at a version; and ``InvalidCopy`` for an event
        that cannot be one of its stream. Exceptions of the database leave the outcome unknown: the same batch may be
        copied again.
        """
        copies.check_batch(batch)
        try:
            async with self._backend.appending() as tail:
                copied = await copies.copy(tail, batch, guards, also, known=known)
        except FAILURES as error:
            self._note_failure(error)
            raise
        self.trouble = None
        self.news.tell(copied.position)
        return copied

    def watch(self, committed: Callable[[Group], None] | None) -> None:
        """Call a function with the events of each append of this process after its commit; None calls no function.

        Copies, and events of other processes, are not reported. The function must not raise.
        """
        self._watcher = committed

    async def find_answer(self, command_id: str) -> Appended | None:
        """Return the result of a command that was executed; None for an unknown one."""
        for position, answer in await self._backend.fetch(_COMMAND, {"command_id": command_id}):
            return Appended(position, answer, repeated=True)
        return None

    async def read_stream(self, stream: str, after_version: int = 0) -> list[Recorded]:
        """Return the events of a stream after a version, in order."""
        return await self._read(_STREAM_EVENTS, {"stream": stream, "after_version": after_version})

    async def read_whole_stream(self, stream: str) -> list[Recorded]:
        """Return all events of a stream, in order, those that were read before from a cache.

        For streams that are read often and whole. Readers share the events, and must not change their messages.
        """
        return await self._whole_streams.read(stream)

    async def events(self, stream: str, after_version: int = 0) -> list[Message]:
        """Return the messages of a stream after a version, in order, without their metadata."""
        return await self._read_events(_EVENTS, {"stream": stream, "after_version": after_version})

    async def first_event(self, stream: str) -> Message | None:
        """Return the message of the first event of a stream; None if the stream does not exist."""
        return next(iter(await self.first_events(stream, 1)), None)

    async def first_events(self, stream: str, most: int) -> list[Message]:
        """Return the messages of the first ``most`` events of a stream, in order."""
        return await self._read_events(_FIRSTS, {"stream": stream, "most": most})

    async def _read_events(self, query: Select[Any], values: Mapping[str, object]) -> list[Message]:
        return [upcasters.message(*row) for row in await self._backend.fetch(query, values)]

    async def events_after(self, versions: Mapping[str, int]) -> list[tuple[str, Message]]:
        """Return the messages of several streams after their versions, in the order of positions, each with its stream.

        ``versions`` has at most ``MAX_STATEMENT_STREAMS`` entries.
        """
        named: dict[str, object] = {}
        for number, (stream, version) in enumerate(versions.items()):
            named[f"stream_{number}"], named[f"after_{number}"] = stream, version
        # Above FEW the size is rounded up, so that few statements are compiled; surplus parameters match no stream.
        size = len(versions) if len(versions) <= MAX_EXACT_STREAMS else 1 << (len(versions) - 1).bit_length()
        for number in range(len(versions), size):
            named[f"stream_{number}"], named[f"after_{number}"] = "", 0
        rows = await self._backend.fetch(_events_after(size), named)
        return [(stream, upcasters.message(kind, version, payload)) for stream, kind, version, payload in rows]

    async def events_of(self, streams: Collection[str]) -> dict[str, list[Message]]:
        """Return the messages of many streams, each in order; streams that do not exist are omitted."""
        found: dict[str, list[Message]] = {}
        asked = sorted(streams)
        async with self.engine.connect() as connection:
            for start in range(0, len(asked), MAX_STATEMENT_STREAMS):
                rows = await connection.execute(_ALL_EVENTS, {"streams": asked[start : start + MAX_STATEMENT_STREAMS]})
                for stream, type_name, version, payload in rows.all():
                    found.setdefault(stream, []).append(upcasters.message(type_name, version, payload))
        return found

    async def fingerprint(self, position: int) -> str:
        """Return the fingerprint (``Recorded``) of the event at a position; empty if the position is not used."""
        for (chain,) in await self._backend.fetch(_HASH, {"position": position}):
            return fingerprint_of(bytes(chain))
        return ""

    async def last_events(self, streams: Collection[str]) -> dict[str, Recorded]:
        """Return the last event of each of many streams; streams that do not exist are omitted."""
        asked = sorted(streams)
        found: list[Recorded] = []
        for start in range(0, len(asked), MAX_STATEMENT_STREAMS):
            found += await self._read(_LAST_EVENTS, {"streams": asked[start : start + MAX_STATEMENT_STREAMS]})
        return {event.stream: event for event in found}

    async def notes_of(self, stream: str) -> dict[int, str]:
        """Return the notes of the events of a stream by version; erased ones are omitted."""
        async with self.engine.connect() as connection:
            return await notes.of_stream(connection, stream)

    async def notes_at(self, positions: Collection[int]) -> dict[int, str]:
        """Return the notes of the events at some positions; erased ones are omitted."""
        found: dict[int, str] = {}
        asked = sorted(positions)
        async with self.engine.connect() as connection:
            for start in range(0, len(asked), MAX_STATEMENT_STREAMS):
                found |= await notes.at_positions(connection, asked[start : start + MAX_STATEMENT_STREAMS])
        return found

    async def read(
        self,
        after_position: int = 0,
        *,
        limit: int = 1_000,
        tournament: str | Collection[str] | None = None,
        types: Collection[str] | None = None,
        up_to: int | None = None,
    ) -> list[Recorded]:
        """Return events by position: after one, up to one (inclusive), of some tournaments, of some types."""
        query = select(tables.events).where(_events.position > after_position).order_by(_events.position).limit(limit)
        if isinstance(tournament, str):
            query = query.where(_events.tournament == tournament)
        elif tournament is not None:
            query = query.where(_events.tournament.in_(sorted(tournament)))
        if types is not None:
            query = query.where(_events.type.in_(sorted(types)))
        if up_to is not None:
            query = query.where(_events.position <= up_to)
        return await self._read(query)

    async def _read_after(self, after_position: int, *, limit: int) -> list[Recorded]:
        between = {"after_position": after_position, "last_position": after_position + limit}  # positions have no gap
        rows = await self._backend.fetch(_EVENTS_BETWEEN, between)
        events = [to_recorded(row) for row in rows]
        if len(events) < limit:
            self._backend.follow(after_position, events)
        return events

    async def follow(
        self,
        after_position: int = 0,
        *,
        tournament: str | None = None,
        types: Collection[str] | None = None,
        poll: float = FOLLOW_POLL_SECONDS,
    ) -> AsyncIterator[Recorded]:
        """Yield the events after a position, of a tournament and of some types, then each new event.

        Each event comes exactly once and in order. A notification of an append shortens the wait; without one, the
        record is polled every ``poll`` seconds. Raises the exceptions of the database: the caller can resume after the
        last event.
        """
        position = after_position
        while True:
            here = await self.last_position()
            while position < here:
                events = await self.read(
                    position, limit=FOLLOW_BATCH_EVENTS, tournament=tournament, types=types, up_to=here
                )
                for event in events:
                    yield event
                position = events[-1].position if len(events) == FOLLOW_BATCH_EVENTS else here
            await self.news.wait(poll, position)

    async def _read(self, query: Any, values: Mapping[str, object] | None = None) -> list[Recorded]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(query, values)
            return [to_recorded(row) for row in rows.all()]

    async def last_position(self) -> int:
        """Return the position of the last event; 0 for an empty record."""
        ((position,),) = await self._backend.fetch(positions.COUNTER_POSITION, {})
        return int(position)

    async def checkpoint(self, consumer: str) -> int:
        """Return the checkpoint of a consumer; 0 if it has none."""
        for (position,) in await self._backend.fetch(positions.CHECKPOINT, {"consumer": consumer}):
            return int(position)
        return 0

    async def lease(self, name: str, holder: str, seconds: float, longest: float = 0) -> bool:
        """Acquire or renew a lease, which one holder has at a time. Return False while it has another holder.

        It expires by the clock of ``Backend.time``. ``longest`` is the longest duration in seconds for which any holder
        takes this lease; 0 if all take it for the same time. A lease that expires later than that from now was taken
        before the clock was set back. It counts as free: otherwise it would block until the clock had caught up.
        """
        async with self.writing() as connection:
            return await take_lease(connection, name, holder, self.time(connection), seconds, max(seconds, longest))

    async def holder(self, name: str, longest: float) -> str:
        """Return the holder of a lease that is taken for at most ``longest`` seconds; empty if it is free."""
        return (await self.holders([name], longest)).get(name, "")

    async def holders(self, names: Collection[str], longest: float) -> Mapping[str, str]:
        """Return the holders of these leases, without free ones. ``longest`` is as for ``holder``."""
        async with self.engine.connect() as connection:
            here = tables.leases.c
            wanted = select(here.name, here.holder).where(
                here.name.in_(bindparam("names", expanding=True)), is_held(self.time(connection), longest)
            )
            rows = await connection.execute(wanted, {"names": sorted(names)})
            return {row.name: row.holder for row in rows}

    def time(self, connection: AsyncConnection) -> ColumnElement[int]:
        """Return the SQL expression for the time that leases use, in microseconds since 1970."""
        return kind_of(connection).time(self._now)

    async def release(self, name: str, holder: str) -> None:
        """Release a lease, so that the next holder need not wait for its expiry."""
        table = tables.leases
        async with self.writing() as connection:
            await connection.execute(
                update(table).where(and_(table.c.name == name, table.c.holder == holder)).values(until=0)
            )
