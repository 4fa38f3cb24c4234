"""The record itself."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import migrations, notes, positions, tables
from faristol.record.appender import Appender
from faristol.record.backend import Backend, shown
from faristol.record.databases import FAILURES, is_away, is_full, kind_of, parse, unusable
from faristol.record.decision import Appended, Checkpoint, Command, Decision, Stale, checked
from faristol.record.errors import RecordError, UnknownDatabase
from faristol.record.event import Metadata, Recorded, fingerprint_of, recorded, utc_now
from faristol.record.folds import Folds
from faristol.record.news import News
from faristol.record.recent import Recent
from faristol.record.upcasters import upcasters

# Statements of the hot paths are built once: building one costs as much as running it.
_events = tables.events.c
_OF_STREAM = (_events.stream == bindparam("stream"), _events.version > bindparam("after_version"))
_STREAM = select(tables.events).where(*_OF_STREAM).order_by(_events.version)
_FACT = (_events.type, _events.schema_version, _events.payload)
_FACTS = select(*_FACT).where(*_OF_STREAM).order_by(_events.version)
_FIRSTS = (
    select(*_FACT)
    .where(_events.stream == bindparam("stream"), _events.version <= bindparam("most"))
    .order_by(_events.version)
)
_COMMAND = select(tables.commands.c.position, tables.commands.c.answer).where(
    tables.commands.c.command_id == bindparam("command_id")
)
_HASH = select(_events.hash).where(_events.position == bindparam("position"))
_LAST = select(tables.events).where(tables.are_last()).order_by(_events.position)
_ALL_FACTS = (
    select(_events.stream, *_FACT)
    .where(_events.stream.in_(bindparam("streams", expanding=True)))
    .order_by(_events.stream, _events.version)
)


@cache
def _facts_after(streams: int) -> Any:
    """The statement that reads so many streams, each after its version."""
    wanted = (
        and_(_events.stream == bindparam(f"stream_{number}"), _events.version > bindparam(f"after_{number}"))
        for number in range(streams)
    )
    return select(_events.stream, *_FACT).where(or_(*wanted)).order_by(_events.position)


_TRIED = {"name": "written", "holder": "", "until": 0}
"""A lease that nobody takes: every role may write it."""
_SAME = update(tables.leases).where(tables.leases.c.name == _TRIED["name"]).values(until=0)
FEW = 8
"""Streams for which there is a statement of just their number."""
STREAMS = 400
"""Streams, or positions, that are asked for in one statement."""

FOLLOWED = 500
"""Events that a follower reads at a time."""

FOLLOW_POLL = 0.25
"""Seconds between two looks of a follower that hears no news."""


class Trouble(StrEnum):
    """Why a record takes nothing."""

    FULL = "the disk of the record is full"
    REFUSED = "the record cannot be written"


class Record:
    """An append-only store of events on one of the databases in ``databases``.

    Positions are global and gapless: they are taken from one counter row inside the transaction that writes
    the events, so an event is never visible before one with a smaller position.
    """

    def __init__(self, backend: Backend, now: Callable[[], datetime] = utc_now) -> None:
        self.engine = backend.engine
        """For read models: tables beside the events are read through this."""
        self.record_id = ""
        """A UUID that tells this record from every other, so that nobody takes another's news for its own."""
        self.folds = Folds()
        """What ``load`` came to last."""
        self.news = News(backend)
        """What this process hears of appends, and waits for."""
        self.recent = Recent(self.read, self.news.quiet_since)
        """The latest events, for all who follow the record in this process."""
        self._backend = backend
        self._now = now
        self.trouble: Trouble | None = None
        """Why nothing is taken: the last write failed by no fault of its own. None while things are taken."""
        self._committed_at = -math.inf
        """When a transaction of this process was committed last, by the clock of the loop."""
        self._appender = Appender(backend, now, self.news.tell)

    @classmethod
    async def open(cls, url: str, now: Callable[[], datetime] = utc_now, *, create: bool = True) -> Record:
        """Open the record at ``url`` (``sqlite:///PATH`` or ``postgresql://…``), making its tables if there are none.

        Raises ``RecordError`` when the database cannot be reached or holds a record of another format; when there is
        no record and none is to be made (``create``), too, and nothing is left behind. A file that may be read alone is
        opened so, where none is to be made.
        """
        try:
            parsed = parse(url)
            kind = kind_of(parsed)
            if not create and not kind.may_exist(parsed):
                raise migrations.none_at(parsed)
            record = cls(kind(parsed), now)
        except (UnknownDatabase, OSError) as problem:
            raise RecordError(str(problem)) from problem
        try:
            way = record.reading if record.is_read_only else record.writing
            async with way() as connection:
                record.record_id = await migrations.prepare(connection, create=create)
            if create and record.is_read_only:
                raise OSError("the file can be read alone, and services write: serve a copy of it")
        except migrations.NoRecord:
            await record.close()
            raise migrations.none_at(parsed) from None
        except migrations.OtherFormat as problem:
            await record.close()
            raise RecordError(f"the record at {shown(parsed)} {problem}") from problem
        except (SQLAlchemyError, OSError) as problem:
            await record.close()
            raise unusable(parsed, problem) from problem
        return record

    @property
    def is_read_only(self) -> bool:
        """Whether the record is a file that this process may read and not write."""
        return self._backend.is_read_only

    async def close(self) -> None:
        """Finish what is being written, and give back every connection."""
        await self._appender.close()
        await self.news.close()
        await self._backend.close()

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection whose reads are of one moment."""
        return self._backend.reading()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end, and rolled back when the block raises."""
        try:
            async with self._backend.writing() as connection:
                yield connection
        except FAILURES as problem:
            self._failed(problem)
            raise
        self._committed_at = asyncio.get_running_loop().time()

    def committed_within(self, seconds: float) -> bool:
        """Whether the database has committed a transaction of this process so lately: it answers."""
        return asyncio.get_running_loop().time() - self._committed_at < seconds

    async def try_writing(self) -> None:
        """Write something that changes nothing, to see whether the record takes anything again."""
        if self.trouble is Trouble.FULL and not await self._backend.has_room():
            return
        async with self.writing() as connection:
            # Where there is no row, a statement that changes rows writes nothing.
            await connection.execute(kind_of(connection).new_row(tables.leases).values(**_TRIED))
            await connection.execute(_SAME)
        self.trouble = None

    def _failed(self, problem: Exception) -> None:
        if not isinstance(problem, DBAPIError) or is_away(problem):
            self.trouble = Trouble.FULL if isinstance(problem, DBAPIError) and is_full(problem) else Trouble.REFUSED

    async def clean(self) -> str:
        """Overwrite on disk what was deleted. Gives why remains may lie there; empty when none do."""
        return await self._backend.clean()

    async def append(
        self,
        decision: Decision,
        metadata: Metadata,
        *,
        command: Command | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Appended:
        """Do all that the decision asks, durably, or nothing.

        A command that was carried out before is answered as it was then, and nothing is done. Raises
        ``Conflict`` when a stream or a guarded stream has moved, ``Stale`` when the checkpoint has,
        ``Unacceptable`` for a decision that no record takes, and what the database raises: then the same command
        may be sent again, and is carried out once.
        """
        try:
            appended = await self._appender.append(checked(decision, command), metadata, command, checkpoint)
        except FAILURES as problem:
            self._failed(problem)
            raise
        self.trouble = None
        return appended

    async def answered(self, command_id: str) -> Appended | None:
        """What a command brought about when it was first sent; None when it never was."""
        for position, answer in await self._backend.fetch(_COMMAND, {"command_id": command_id}):
            return Appended(position, answer, repeated=True)
        return None

    async def read_stream(self, stream: str, after_version: int = 0) -> list[Recorded]:
        """The events of one stream, in order, after a version."""
        return await self._read(_STREAM, {"stream": stream, "after_version": after_version})

    async def facts(self, stream: str, after_version: int = 0) -> list[Message]:
        """What the events of one stream say, in order, after a version, and nothing that is said about them."""
        return await self._facts(_FACTS, {"stream": stream, "after_version": after_version})

    async def first_fact(self, stream: str) -> Message | None:
        """What the first event of a stream says; None where there is no such stream."""
        return next(iter(await self.first_facts(stream, 1)), None)

    async def first_facts(self, stream: str, most: int) -> list[Message]:
        """What the first ``most`` events of a stream say, in order."""
        return await self._facts(_FIRSTS, {"stream": stream, "most": most})

    async def _facts(self, query: Select[Any], values: Mapping[str, object]) -> list[Message]:
        return [upcasters.message(*row) for row in await self._backend.fetch(query, values)]

    async def facts_after(self, versions: Mapping[str, int]) -> list[tuple[str, Message]]:
        """What the events of some streams say, each after its version: with the stream, in the order of positions.

        Streams are ``STREAMS`` at most.
        """
        named: dict[str, object] = {}
        for number, (stream, version) in enumerate(versions.items()):
            named[f"stream_{number}"], named[f"after_{number}"] = stream, version
        # For many, there are statements of a few sizes, so that each is compiled once: the rest asks for no stream.
        size = len(versions) if len(versions) <= FEW else 1 << (len(versions) - 1).bit_length()
        for number in range(len(versions), size):
            named[f"stream_{number}"], named[f"after_{number}"] = "", 0
        rows = await self._backend.fetch(_facts_after(size), named)
        return [(stream, upcasters.message(kind, version, payload)) for stream, kind, version, payload in rows]

    async def facts_of(self, streams: Collection[str]) -> dict[str, list[Message]]:
        """What the events of many streams say, each in order; streams that do not exist are left out."""
        found: dict[str, list[Message]] = {}
        asked = sorted(streams)
        async with self.engine.connect() as connection:
            for start in range(0, len(asked), STREAMS):
                rows = await connection.execute(_ALL_FACTS, {"streams": asked[start : start + STREAMS]})
                for stream, type_name, version, payload in rows.all():
                    found.setdefault(stream, []).append(upcasters.message(type_name, version, payload))
        return found

    async def fingerprint(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty where there is none. See ``Recorded``."""
        for (chain,) in await self._backend.fetch(_HASH, {"position": position}):
            return fingerprint_of(bytes(chain))
        return ""

    async def last_events(self, streams: Collection[str]) -> dict[str, Recorded]:
        """The last event of each of many streams; streams that do not exist are left out."""
        asked = sorted(streams)
        found: list[Recorded] = []
        for start in range(0, len(asked), STREAMS):
            found += await self._read(_LAST, {"streams": asked[start : start + STREAMS]})
        return {event.stream: event for event in found}

    async def notes_of(self, stream: str) -> dict[int, str]:
        """The words that stand beside the events of a stream, by version; what was erased is not in it."""
        async with self.engine.connect() as connection:
            return await notes.of_stream(connection, stream)

    async def notes_at(self, positions: Collection[int]) -> dict[int, str]:
        """The words that stand beside the events at some positions; what was erased is not in it."""
        found: dict[int, str] = {}
        asked = sorted(positions)
        async with self.engine.connect() as connection:
            for start in range(0, len(asked), STREAMS):
                found |= await notes.at_positions(connection, asked[start : start + STREAMS])
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
        """Events in the order of positions: after one, up to one (inclusive), of some tournaments, of some types."""
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

    async def follow(
        self,
        after_position: int = 0,
        *,
        tournament: str | None = None,
        types: Collection[str] | None = None,
        poll: float = FOLLOW_POLL,
    ) -> AsyncIterator[Recorded]:
        """Every event after a position, of a tournament and of some types, and then each new one as it comes.

        Nothing is left out, given twice or out of order. News of an append saves waiting; where none come, the
        record is looked into every ``poll`` seconds. Raises what the database raises: whoever follows goes on
        after the last event that came.
        """
        position = after_position
        while True:
            here = await self.last_position()
            while position < here:
                events = await self.read(position, limit=FOLLOWED, tournament=tournament, types=types, up_to=here)
                for event in events:
                    yield event
                position = events[-1].position if len(events) == FOLLOWED else here
            await self.news.wait(poll, position)

    async def _read(self, query: Any, values: Mapping[str, object] | None = None) -> list[Recorded]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(query, values)
            return [recorded(row) for row in rows.all()]

    async def last_position(self) -> int:
        """Position of the last event, 0 when there is none."""
        async with self.engine.connect() as connection:
            return await positions.last_position(connection)

    async def checkpoint(self, consumer: str) -> int:
        """The position up to which a consumer has done its work, 0 when it never did any."""
        async with self.engine.connect() as connection:
            return await positions.checkpoint(connection, consumer)

    async def lease(self, name: str, holder: str, seconds: float, longest: float = 0) -> bool:
        """Take or keep a lease, which one holder has at a time. False while another has it.

        It ends by the clock of ``Backend.time``, that of this process where everybody is on one machine. ``longest``
        is in seconds the longest for which anybody takes this lease; 0: all take it for as long. One that ends later
        than that from now was taken before the clock was set back. It is free: otherwise nobody could have it until
        the time had come so far again.
        """
        async with self.writing() as connection:
            return await take_lease(connection, name, holder, self.time(connection), seconds, max(seconds, longest))

    async def holder(self, name: str, longest: float) -> str:
        """Who has a lease now, which is taken for ``longest`` seconds at most; empty when nobody does."""
        return (await self.holders([name], longest)).get(name, "")

    async def holders(self, names: Collection[str], longest: float) -> Mapping[str, str]:
        """Who has which of these leases now; those that nobody has are not in it. See ``holder``."""
        async with self.engine.connect() as connection:
            here = tables.leases.c
            wanted = select(here.name, here.holder).where(
                here.name.in_(bindparam("names", expanding=True)), held(self.time(connection), longest)
            )
            rows = await connection.execute(wanted, {"names": sorted(names)})
            return {row.name: row.holder for row in rows}

    def time(self, connection: AsyncConnection) -> ColumnElement[int]:
        """What a statement takes for now, by the clock that leases go by: in microseconds since 1970."""
        return kind_of(connection).time(self._now)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back, so that another need not wait until it runs out."""
        table = tables.leases
        async with self.writing() as connection:
            await connection.execute(
                update(table).where(and_(table.c.name == name, table.c.holder == holder)).values(until=0)
            )


def held(now: ColumnElement[int], longest: float) -> ColumnElement[bool]:
    """Whether a lease that nobody takes for longer than so many seconds is somebody's ``now`` (``Record.time``).

    Where a statement has waited for another's it asks for the time again: a lease that was renewed meanwhile ends
    later than it could by the time before.
    """
    return tables.leases.c.until.between(now, now + _microseconds(longest))


async def take_lease(
    connection: AsyncConnection, name: str, holder: str, now: ColumnElement[int], seconds: float, longest: float
) -> bool:
    """Take or keep a lease in a transaction, see ``Record.lease``. False while another has it."""
    table, until = tables.leases, now + _microseconds(seconds)
    await connection.execute(kind_of(connection).new_row(table).values(name=name, holder=holder, until=until))
    mine_or_free = (table.c.holder == holder) | ~held(now, longest)
    taken = await connection.execute(
        update(table).where(table.c.name == name, mine_or_free).values(holder=holder, until=until)
    )
    return taken.rowcount == 1


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


async def start_checkpoint(connection: AsyncConnection, consumer: str) -> None:
    """Make sure that a consumer has a checkpoint; a new one is at the record's beginning."""
    await connection.execute(kind_of(connection).new_row(tables.checkpoints).values(consumer=consumer, position=0))


async def move_checkpoint(connection: AsyncConnection, checkpoint: Checkpoint) -> None:
    """Move a consumer's checkpoint by compare-and-set. Raises ``Stale`` when it is not where it was thought to be."""
    at = tables.checkpoints.c
    moved = await connection.execute(
        update(tables.checkpoints)
        .where(at.consumer == checkpoint.consumer, at.position == checkpoint.before)
        .values(position=checkpoint.after)
    )
    if moved.rowcount != 1:
        raise Stale(checkpoint)
