"""Group commit: a queue of the requests of this process, which are written together, on one of two paths.

Problem. Events have one order of positions without gaps, so every append moves the same counter row. A transaction ends
when its data is on disk. With one transaction for each append, all others would wait for the disk in turn.

Idea. While a transaction is written, ``Appender`` collects the next requests, and writes up to ``MAX_GROUP_REQUESTS``
in the next one. This is the group commit of databases (DeWitt and others, 1984). Throughput grows with the load.

The fast path relies on the cached end of the record. If the counter is at the cached position, and the event there has
the cached hash, then no other process has appended since, and every cached version and hash is valid. The backend
locks, checks and moves the counter together with the rows. So no lock is held while this process computes. Events that
this process reads for its consumers and decisions move the cached end to theirs, so it is used beside other processes.

The locked path holds the lock of the counter row for the whole transaction. It is used if other processes have appended
since the last read, and if a request must be refused. It is also used if a request writes additional rows or has a
note.

Invariants:

- Positions have no gap, and no reader sees an event before one with a smaller position.
- A refused request changes neither the group nor the outcome of another request.
- After an error of the database the cache is empty, since the transaction may have been committed.
- A hash covers the random id of its event. So an event that a failover has lost is not taken for another at its
  position.

Cost. The fast path is one statement on PostgreSQL, and one transaction in a thread on SQLite. An attempt that fails
costs that statement. The locked path reads the events since the cached end, at most ``MAX_MISSED_EVENTS``, unknown
heads, answers and checkpoints, then writes each table by a statement. The cache has the heads of
``STREAM_HEAD_CACHE_SIZE`` streams, also of those that ``copies`` writes: an append after a copy is on the fast path.

Rejected alternatives (docs/decisions/0009-group-commit.md):

- A sequence of the database. Its numbers become visible out of order. A detector of gaps delays every consumer, and its
  timeout will be wrong at some time.
- The counter row without groups, and ``LOCK TABLE``. They were the slowest alternatives that were measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime

from sqlalchemy import Executable, bindparam, insert, literal_column, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.assertions import Sometimes
from faristol.event_store.append.decision import AppendCommand, Appended, Checkpoint, Conflict, Decision, Stale
from faristol.event_store.append.group import Group, Head, Outcome, Request, Written
from faristol.event_store.append.tail import STREAM_HEADS, Tail, read_rows
from faristol.event_store.backends import tables
from faristol.event_store.backends.backend import Backend
from faristol.event_store.event import Metadata, Recorded, microseconds

MAX_GROUP_REQUESTS = 512
"""Requests in one transaction."""

STREAM_HEAD_CACHE_SIZE = 16_384
"""Number of streams whose heads a process caches."""

MAX_MISSED_EVENTS = 500
"""Events of other processes that the locked path reads to keep the cache; beyond it, the cache is emptied."""

_commands, _checkpoints, _counter = tables.commands, tables.checkpoints, tables.counter
_events = tables.events.c
# Built once: building a statement costs as much as running it.
# A literal: SQLAlchemy omits the table's name in RETURNING on SQLite, and then the subquery compares its own column.
_LAST_HASH = select(_events.hash).where(_events.position == literal_column("counter.position")).scalar_subquery()
COUNTER = (
    update(_counter)
    .where(_counter.c.id == 1)
    .values(position=_counter.c.position)
    .returning(_counter.c.position, _LAST_HASH)
)
"""Locks the counter and returns the position and the hash of the last event."""
_MISSED = (
    select(_events.position, _events.stream, _events.version, _events.hash)
    .where(_events.position >= bindparam("known"))
    .order_by(_events.position)
)
_HASH = select(_events.hash).where(_events.position == bindparam("at"))
_ANSWERS = select(_commands).where(_commands.c.command_id.in_(bindparam("command_ids", expanding=True)))
_PROGRESS = (
    select(_checkpoints)
    .where(_checkpoints.c.consumer.in_(bindparam("consumers", expanding=True)))
    .order_by(_checkpoints.c.consumer)  # a fixed order prevents deadlocks
    .with_for_update()
)
_MOVE = update(_checkpoints).where(_checkpoints.c.consumer == bindparam("moved")).values(position=bindparam("after"))


SHARED_TRANSACTION = Sometimes("several appends share a transaction")
APPENDED_UNDER_LOCK = Sometimes(
    "a group of appends is written under the lock of the counter, after a look at the record"
)


class Appender:
    """The queue in front of a backend. A refusal affects only its own request.

    ``written`` is called after each transaction, with the position of its last event and its group; 0 and None after
    one that failed.
    """

    def __init__(
        self, backend: Backend, now: Callable[[], datetime], written: Callable[[int, Group | None], None]
    ) -> None:
        self._backend = backend
        self._now = now
        self._written = written
        self._waiting: list[Request] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, decision: Decision, metadata: Metadata, command: AppendCommand | None, checkpoint: Checkpoint | None
    ) -> Appended:
        """Append as ``Record.append`` does; return when it is written, or raise if it is refused."""
        request = Request(decision, metadata, command, checkpoint)
        self._waiting.append(request)
        if self._writer is None or self._writer.done():  # cancelled before it began
            self._writer = asyncio.create_task(self._write_what_waits(), name="appender")
        return await request.done

    async def close(self) -> None:
        """Wait until all queued requests are written."""
        while self._writer is not None and not self._writer.done():
            await asyncio.wait([self._writer])

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                # Drop requests whose callers have left: they were promised no result. While a database hangs, callers
                # leave and retry, and abandoned requests would delay those that still wait.
                waiting = [request for request in self._waiting if not request.done.done()]
                group, self._waiting = waiting[:MAX_GROUP_REQUESTS], waiting[MAX_GROUP_REQUESTS:]
                if group:
                    await self._write(group)
        finally:
            self._writer = None

    async def _write(self, requests: Sequence[Request]) -> None:
        try:
            outcomes, group = await self._backend.append(requests, self._now)
        except Exception as error:  # noqa: BLE001 # every waiting caller must get a result
            outcomes, group = [error] * len(requests), None
        position = max((outcome.position for outcome in outcomes if isinstance(outcome, Appended)), default=0)
        self._written(position, group)
        for request, outcome in zip(requests, outcomes, strict=True):
            if request.done.done():
                continue  # the caller has left; its request was written all the same
            if isinstance(outcome, Appended):
                request.done.set_result(outcome)
            else:
                request.done.set_exception(outcome)


class GroupCommit:
    """Appends for a backend.

    ``fast`` writes a whole group durably, or not at all: it returns False if a precondition is not met, and raises
    ``OperationalError`` if the database fails. ``lock`` locks the counter and returns the columns of ``COUNTER``.
    ``notify`` notifies other processes of a ``position``.
    """

    def __init__(
        self,
        writing: Callable[[], AbstractAsyncContextManager[AsyncConnection]],
        fast: Callable[[Group], Awaitable[bool]],
        *,
        lock: Executable = COUNTER,
        notify: Executable | None = None,
    ) -> None:
        self._writing = writing
        self._fast = fast
        self._lock = lock
        self._notify = notify
        self._known = _RecordEnd()

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written:
        """Write the requests in one transaction, as ``Backend.append`` describes."""
        SHARED_TRANSACTION.note(len(requests) > 1)
        try:
            if written := await self._append_fast(requests, now):
                return written
            APPENDED_UNDER_LOCK.note()
            return await self._append_locked(requests, now)
        except Exception:
            self._known.forget()
            raise

    async def _append_fast(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written | None:
        """Return the result; None if no row was written."""
        group = self._known.group(requests, microseconds(now()))
        if group is None:
            return None
        outcomes = [_decide_request(group, request) for request in requests]
        if any(
            isinstance(outcome, Stale) or (request.command and isinstance(outcome, Exception))
            for request, outcome in zip(requests, outcomes, strict=True)
        ):
            # A refused command may have been executed before, and then its own effect is the reason of the refusal. The
            # position of a checkpoint came from a request, perhaps from the one to refuse.
            return None
        if not await self._fast(group):
            self._known.is_current = False
            return None
        self._known.learn(group.begin, group.position, group.hash, group.heads)
        return Written(outcomes, group)

    def follow(self, after: int, events: Sequence[Recorded]) -> None:
        """Move the cached end of the record to events that were read without a gap after a position."""
        self._known.follow(after, events)

    @asynccontextmanager
    async def appending(self) -> AsyncIterator[Tail]:
        """Open a transaction at the end of the record, as ``Backend.appending`` describes."""
        async with self._writing() as connection:
            position, chain, *_ = (await connection.execute(self._lock)).one()
            if position and chain is None:  # PostgreSQL waited for the lock: the subquery saw earlier events
                chain = (await connection.execute(_HASH, {"at": position})).scalar_one_or_none()
            tail = Tail(connection, int(position), bytes(chain or b""), self._notify)
            await self._catch_up(tail)
            yield tail
        self._known.learn(tail.begin, tail.position, tail.hash, tail.heads)

    async def _catch_up(self, tail: Tail) -> None:
        """Move the cached end to the locked one, by the events of other processes in between."""
        known = self._known
        after, chain = known.position, known.hash
        if after is not None and 0 < tail.begin - after <= MAX_MISSED_EVENTS:
            rows = (await tail.connection.execute(_MISSED, {"known": after})).all()
            missed = rows[1:] if after else rows
            if not after or (rows and bytes(rows[0].hash) == chain):
                heads = {row.stream: (row.version, bytes(row.hash)) for row in missed}
                known.learn(after, tail.begin, tail.begin_hash, heads)
            known.is_current = False
        if (known.position, known.hash) != (tail.begin, tail.begin_hash):
            known.forget()

    async def _append_locked(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written:
        async with self.appending() as tail:
            group = await self._group(tail, requests, now)
            outcomes = [await _take_with_rows(tail.connection, group, request) for request in requests]
            await _finish(tail, group)
        self._known.learn(group.begin, group.position, group.hash, group.heads)
        return Written(outcomes, group)

    async def _group(self, tail: Tail, requests: Sequence[Request], now: Callable[[], datetime]) -> Group:
        connection = tail.connection
        streams = {stream for request in requests for stream, _ in request.expected}
        command_ids = [request.command.command_id for request in requests if request.command]
        consumers = [request.checkpoint.consumer for request in requests if request.checkpoint]
        heads: dict[str, Head] = {stream: self._known.heads[stream] for stream in streams & self._known.heads.keys()}
        for row in await read_rows(connection, STREAM_HEADS, "streams", sorted(streams - heads.keys())):
            heads[row.stream] = (int(row.version), bytes(row.hash))
        answers = await read_rows(connection, _ANSWERS, "command_ids", command_ids)
        progress = await read_rows(connection, _PROGRESS, "consumers", consumers)
        return Group(
            begin=tail.begin,
            begin_hash=tail.begin_hash,
            heads=heads,
            answers={row.command_id: Appended(row.position, bytes(row.answer), repeated=True) for row in answers},
            progress={row.consumer: int(row.position) for row in progress},
            recorded_at=microseconds(now()),
        )


async def _finish(tail: Tail, group: Group) -> None:
    connection = tail.connection
    await tail.write(group.events)
    if group.notes:
        rows = [{"position": at, "text": note.text, "player_ids": note.written_ids} for at, note in group.notes.items()]
        await connection.execute(insert(tables.notes), rows)
    if group.commands:
        rows = [{"command_id": key, "answer": answer, "position": at} for key, (answer, at) in group.commands.items()]
        await connection.execute(insert(_commands), rows)
    if group.moves:
        rows = [{"moved": name, "after": after} for name, (_, after) in group.moves.items()]
        await connection.execute(_MOVE, rows)


class _RecordEnd:
    """The cached end of the record. It is valid while the counter stands at ``position``."""

    def __init__(self) -> None:
        self.position: int | None = None
        """None if the end of the record is unknown."""
        self.hash = b""
        """Hash of the event at the position; empty at position 0."""
        self.heads: dict[str, Head] = {}
        """Heads of some streams at the position."""
        self.is_current = True
        """Whether the counter, when last read, stood where this process knew it."""

    def learn(self, begin: int, position: int, chain: bytes, heads: Mapping[str, Head]) -> None:
        """Cache a later end of the record and the heads that have changed since ``begin``.

        No effect if a later one is cached. If the cached one is before ``begin``, the other heads may have changed.
        """
        if self.position is not None and position < self.position:
            return
        if self.position is None or self.position < begin:
            self.heads.clear()
        self.position, self.hash = position, chain
        for stream, head in heads.items():
            self.heads.pop(stream, None)  # move it to the end: the least recently used is evicted first
            self.heads[stream] = head
        while len(self.heads) > STREAM_HEAD_CACHE_SIZE:
            del self.heads[next(iter(self.heads))]

    def group(self, requests: Sequence[Request], recorded_at: int) -> Group | None:
        """Return a group that relies only on the cache; None if a request needs more.

        A stream expected to be new, a command expected to be unknown, and a checkpoint expected at its consumer's
        position are assumed to be so: if not, the database refuses the rows.
        """
        if self.position is None or not self.is_current:
            return None
        group = Group(self.position, self.hash, {}, {}, {}, recorded_at)
        for request in requests:
            if request.decision.also or request.noted:
                return None
            for stream, version in request.expected:
                if head := self.heads.get(stream):
                    group.heads[stream] = head
                elif version or stream not in request.streams:
                    return None
            if checkpoint := request.checkpoint:
                group.progress.setdefault(checkpoint.consumer, checkpoint.before)
        return group

    def follow(self, after: int, events: Sequence[Recorded]) -> None:
        """Move to events that were read after a position; ignore those up to the cached one."""
        if self.position is None or after > self.position:
            if not events:
                return
            self.forget()
            new_events = events
        else:
            new_events = events[self.position - after :]
        if new_events:
            heads = {event.stream: (event.version, event.hash) for event in new_events}
            last = new_events[-1]
            self.learn(new_events[0].position - 1, last.position, last.hash, heads)
        self.is_current = True

    def forget(self) -> None:
        """Invalidate the cache: other processes may have written."""
        self.position, self.hash = None, b""
        self.heads.clear()


def _decide_request(group: Group, request: Request) -> Outcome:
    """Return the answer to one request, or its refusal, which does not affect the others."""
    if request.command and (answered := group.answers.get(request.command.command_id)):
        return answered
    try:
        group.check(request)
        return group.add(request)
    except Exception as refused:  # noqa: BLE001 # the exception is returned to its caller
        return refused


async def _take_with_rows(connection: AsyncConnection, group: Group, request: Request) -> Outcome:
    """Do the same as ``_decide_request`` for a request that may write further rows in the transaction."""
    if not request.decision.also or (request.command and request.command.command_id in group.answers):
        return _decide_request(group, request)
    try:
        group.check(request)
    except (Conflict, Stale) as refused:
        return refused
    savepoint = await connection.begin_nested()
    try:
        if names := await request.decision.also(connection):
            request.bind(names)
        outcome = group.add(request)
    except Exception as refused:  # the exception is returned to its caller
        # A full disk or a lost connection aborts the whole transaction. Then the savepoint is gone, and no request of
        # the group may be reported as written.
        if connection.invalidated:
            raise OperationalError("append", None, refused) from refused
        await savepoint.rollback()
        return refused
    await savepoint.commit()
    return outcome
