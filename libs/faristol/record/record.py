"""The record itself."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from faristol.record import database, tables
from faristol.record.decision import Appended, Checkpoint, Command, Conflict, Decision, Stale, Write, checked
from faristol.record.event import GENESIS, Metadata, Recorded, chained, microseconds
from faristol.record.folding import Folds

SCHEMA_VERSION = 1
"""Of every event type so far."""

_STREAM = (
    select(tables.events)
    .where(tables.events.c.stream == bindparam("stream"), tables.events.c.version > bindparam("after_version"))
    .order_by(tables.events.c.version)
)
_CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))
_COMMAND = select(tables.commands).where(tables.commands.c.command_id == bindparam("command_id"))
# Statements of the hot paths are built once: building one costs as much as running it.

_SETUP_LOCK = 0x6661726973746F6C  # any number will do that every process of a cell agrees on


class RecordError(Exception):
    """The record cannot be opened; the message says why and what to do."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Record:
    """An append-only store of events on SQLite or PostgreSQL.

    Positions are global and gapless: they are taken from one counter row inside the transaction that writes
    the events, so an event is never visible before one with a smaller position.
    """

    def __init__(self, reading: AsyncEngine, writing: AsyncEngine, now: Callable[[], datetime] = _utc_now) -> None:
        self.engine = reading
        """For read models: tables beside the events are read through this."""
        self.folds = Folds()
        """What ``load`` came to last."""
        self._writing = writing
        self._now = now
        self._news = asyncio.Event()

    @classmethod
    async def open(cls, url: str, now: Callable[[], datetime] = _utc_now) -> Record:
        """Open the record at ``url`` (``sqlite:///PATH`` or ``postgresql://…``), making its tables if there are none.

        Raises ``RecordError`` when the database cannot be reached or holds a record of another format.
        """
        try:
            parsed = database.parse(url)
            record = cls(*database.engines(parsed), now)
        except (database.UnknownDatabase, OSError) as problem:
            raise RecordError(str(problem)) from problem
        shown = parsed.set(drivername=parsed.get_backend_name()).render_as_string(hide_password=True)
        try:
            async with record._writing.begin() as connection:
                if connection.dialect.name == "postgresql":
                    await connection.execute(select(func.pg_advisory_xact_lock(_SETUP_LOCK)))
                await connection.run_sync(tables.metadata.create_all)
                await connection.execute(
                    _insert_new(connection, tables.counter).values(id=1, position=0, format=tables.FORMAT)
                )
                found = (await connection.execute(select(tables.counter.c.format))).scalar_one()
        except (SQLAlchemyError, OSError) as problem:
            await record.close()
            reason = problem.orig if isinstance(problem, DBAPIError) else problem
            raise RecordError(f"the database {shown} cannot be used: {reason}") from problem
        if found != tables.FORMAT:
            await record.close()
            raise RecordError(
                f"the record at {shown} has format {found}, this version of Faristol reads format {tables.FORMAT}"
            )
        return record

    async def close(self) -> None:
        """Give back every connection."""
        await self.engine.dispose()
        if self._writing is not self.engine:
            await self._writing.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection whose reads are of one moment."""
        async with self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                await connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end, and rolled back when the block raises."""
        async with self._writing.begin() as connection:
            yield connection

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
        ``Conflict`` when a stream or a guarded stream has moved, ``Stale`` when the checkpoint has, and
        ``ValueError`` for a decision that no record takes.
        """
        checked(decision)
        async with self._writing.connect() as connection:
            count = sum(len(write.events) for write in decision.writes)
            last = await _take_positions(connection, count)
            if command and (answered := await self._answered(connection, command.command_id)):
                return answered
            if checkpoint:
                await move_checkpoint(connection, checkpoint)
            heads = await _heads(connection, decision)
            rows = self._rows(decision.writes, heads, last - count, metadata)
            if rows:
                await connection.execute(insert(tables.events), rows)
            if decision.also:
                await decision.also(connection)
            answer = command.answer(last) if command else b""
            if command:
                await connection.execute(
                    insert(tables.commands).values(command_id=command.command_id, answer=answer, position=last)
                )
            await connection.commit()
        self._announce()
        return Appended(last, answer, repeated=False)

    def _rows(
        self, writes: Sequence[Write], heads: dict[str, tuple[int, bytes]], position: int, metadata: Metadata
    ) -> list[dict[str, Any]]:
        stored_metadata = metadata.to_json()
        recorded_at = microseconds(self._now())
        rows: list[dict[str, Any]] = []
        for write in writes:
            version, previous = heads.get(write.stream, (0, GENESIS))
            for message in write.events:
                version += 1
                position += 1
                facts = {
                    "stream": write.stream,
                    "version": version,
                    "event_id": str(uuid.uuid4()),
                    "schema_version": SCHEMA_VERSION,
                    "tournament": write.tournament,
                    "payload": message.SerializeToString(deterministic=True),
                    "metadata": stored_metadata,
                    "recorded_at": recorded_at,
                }
                type_name = message.DESCRIPTOR.full_name
                previous = chained(previous, type_name=type_name, **facts)  # type: ignore[arg-type] # one dict, many types
                rows.append({"position": position, "type": type_name, "hash": previous, **facts})
        return rows

    async def _answered(self, connection: AsyncConnection, command_id: str) -> Appended | None:
        row = (await connection.execute(_COMMAND, {"command_id": command_id})).one_or_none()
        return Appended(row.position, row.answer, repeated=True) if row else None

    async def answered(self, command_id: str) -> Appended | None:
        """What a command brought about when it was first sent; None when it never was."""
        async with self.reading() as connection:
            return await self._answered(connection, command_id)

    async def read_stream(self, stream: str, after_version: int = 0) -> list[Recorded]:
        """The events of one stream, in order, after a version."""
        return await self._read(_STREAM, {"stream": stream, "after_version": after_version})

    async def read(
        self,
        after_position: int = 0,
        *,
        limit: int = 1_000,
        tournament: str | None = None,
        types: Collection[str] | None = None,
        up_to: int | None = None,
    ) -> list[Recorded]:
        """Events in the order of their positions: after one, up to one (inclusive), of a tournament, of some types."""
        columns = tables.events.c
        query = select(tables.events).where(columns.position > after_position).order_by(columns.position).limit(limit)
        if tournament is not None:
            query = query.where(columns.tournament == tournament)
        if types is not None:
            query = query.where(columns.type.in_(sorted(types)))
        if up_to is not None:
            query = query.where(columns.position <= up_to)
        return await self._read(query)

    async def _read(self, query: Any, values: Mapping[str, object] | None = None) -> list[Recorded]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(query, values)
            return [_recorded(row) for row in rows]

    async def last_position(self) -> int:
        """Position of the last event, 0 when there is none."""
        async with self.engine.connect() as connection:
            return int((await connection.execute(select(tables.counter.c.position))).scalar_one())

    async def checkpoint(self, consumer: str) -> int:
        """The position up to which a consumer has done its work, 0 when it never did any."""
        async with self.engine.connect() as connection:
            return int((await connection.execute(_CHECKPOINT, {"consumer": consumer})).scalar_one_or_none() or 0)

    async def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Take or keep a lease, which one holder has at a time. False while another has it."""
        now = self._now()
        until = microseconds(now + timedelta(seconds=seconds))
        table = tables.leases
        async with self.writing() as connection:
            await connection.execute(_insert_new(connection, table).values(name=name, holder=holder, until=until))
            mine_or_free = (table.c.holder == holder) | (table.c.until < microseconds(now))
            renewed = await connection.execute(
                update(table).where(and_(table.c.name == name, mine_or_free)).values(holder=holder, until=until)
            )
            return renewed.rowcount == 1

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back, so that another need not wait until it runs out."""
        table = tables.leases
        async with self.writing() as connection:
            await connection.execute(
                update(table).where(and_(table.c.name == name, table.c.holder == holder)).values(until=0)
            )

    async def news(self, timeout: float) -> bool:
        """Wait until this process appends something, or ``timeout`` seconds. A hint: others append too."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return False
        return True

    def _announce(self) -> None:
        heard, self._news = self._news, asyncio.Event()
        heard.set()


async def start_checkpoint(connection: AsyncConnection, consumer: str) -> None:
    """Make sure that a consumer has a checkpoint; a new one is at the record's beginning."""
    await connection.execute(_insert_new(connection, tables.checkpoints).values(consumer=consumer, position=0))


async def move_checkpoint(connection: AsyncConnection, checkpoint: Checkpoint) -> None:
    """Move a consumer's checkpoint by compare-and-set. Raises ``Stale`` when it is not where it was thought to be."""
    table = tables.checkpoints
    moved = await connection.execute(
        update(table)
        .where(and_(table.c.consumer == checkpoint.consumer, table.c.position == checkpoint.before))
        .values(position=checkpoint.after)
    )
    if moved.rowcount != 1:
        raise Stale(checkpoint)


async def _take_positions(connection: AsyncConnection, count: int) -> int:
    """Position of the last of ``count`` new events. Others wait here until this transaction has ended."""
    table = tables.counter
    taken = await connection.execute(
        update(table).where(table.c.id == 1).values(position=table.c.position + count).returning(table.c.position)
    )
    return int(taken.scalar_one())


async def _heads(connection: AsyncConnection, decision: Decision) -> dict[str, tuple[int, bytes]]:
    """Version and hash at the end of each stream that the decision rests on, which is where it has to be."""
    expected = [(write.stream, write.expected_version) for write in decision.writes]
    expected += [(guard.stream, guard.version) for guard in decision.guards]
    columns = tables.events.c
    last = (
        select(columns.stream, func.max(columns.version))
        .where(columns.stream.in_(sorted({stream for stream, _ in expected})))
        .group_by(columns.stream)
    )
    rows = await connection.execute(
        select(columns.stream, columns.version, columns.hash).where(tuple_(columns.stream, columns.version).in_(last))
    )
    heads = {row.stream: (int(row.version), bytes(row.hash)) for row in rows}
    for stream, version in expected:
        found = heads.get(stream, (0, GENESIS))[0]
        if found != version:
            raise Conflict(stream, version, found)
    return heads


def _insert_new(connection: AsyncConnection, table: Any) -> Any:
    """An insert that does nothing when the key is taken."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def _recorded(row: Any) -> Recorded:
    return Recorded(
        position=row.position,
        stream=row.stream,
        version=row.version,
        event_id=row.event_id,
        type=row.type,
        schema_version=row.schema_version,
        tournament=row.tournament,
        payload=bytes(row.payload),
        metadata=Metadata.from_json(row.metadata),
        recorded_at=datetime.fromtimestamp(0, UTC) + timedelta(microseconds=row.recorded_at),
        hash=bytes(row.hash),
    )
