"""The appender: what waits to be appended is written in one transaction, and each request has its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, select, tuple_, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables
from faristol.record.decision import Appended, Checkpoint, Command, Conflict, Decision, Stale
from faristol.record.direct import Direct
from faristol.record.event import Metadata, microseconds
from faristol.record.group import EVENT_COLUMNS, Group, Head, Known, Request
from faristol.record.news import CHANNEL

LARGEST_GROUP = 128
"""Requests in one transaction."""

HELD_IDLE = 15.0
"""Seconds that a process which does nothing may hold the counter; PostgreSQL ends its transaction then."""

_events, _commands, _checkpoints, _counter = (
    tables.events.c,
    tables.commands,
    tables.checkpoints,
    tables.counter,
)
_LOCK = update(_counter).where(_counter.c.id == 1).values(position=_counter.c.position).returning(_counter.c.position)
_LOCK_FOR_A_WHILE = _LOCK.returning(
    func.set_config("idle_in_transaction_session_timeout", f"{HELD_IDLE * 1_000:.0f}", True)
)
_ADVANCE = update(_counter).where(_counter.c.id == 1).values(position=bindparam("last"))
_HEADS = select(_events.stream, _events.version, _events.hash).where(
    tuple_(_events.stream, _events.version).in_(
        select(_events.stream, func.max(_events.version))
        .where(_events.stream.in_(bindparam("streams", expanding=True)))
        .group_by(_events.stream)
    )
)
_ANSWERS = select(_commands).where(_commands.c.command_id.in_(bindparam("command_ids", expanding=True)))
_PROGRESS = (
    select(_checkpoints)
    .where(_checkpoints.c.consumer.in_(bindparam("consumers", expanding=True)))
    .order_by(_checkpoints.c.consumer)  # so that two who lock several do not wait for each other
    .with_for_update()
)
_MOVE = update(_checkpoints).where(_checkpoints.c.consumer == bindparam("moved")).values(position=bindparam("after"))
_TELL = select(func.pg_notify(CHANNEL, bindparam("last")))
# Built once: building a statement costs as much as running it.

Outcome = Appended | Exception


class Appender:
    """Writes the requests of this process, as many at a time as are waiting.

    A request that rests on a version, a checkpoint or a row that is not so fails alone. A group is written the
    direct way where nobody else appends, and else the careful way: the counter row is held from the beginning of
    the transaction to its end. Either way events become visible in the order of their positions.
    """

    def __init__(
        self,
        writing: Callable[[], AbstractAsyncContextManager[AsyncConnection]],
        direct: Direct,
        turn: AbstractAsyncContextManager[Any],
        now: Callable[[], datetime],
        written: Callable[[int], None],
    ) -> None:
        self._writing = writing
        self._direct = direct
        self._turn = turn
        self._now = now
        self._written = written
        self._known = Known()
        self._alone = True
        """Whether the counter stood, the last time it was looked at, where this process had left it."""
        self._waiting: list[Request] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, decision: Decision, metadata: Metadata, command: Command | None, checkpoint: Checkpoint | None
    ) -> Appended:
        """Wait until this is written, or refused. See ``Record.append``."""
        request = Request(decision, metadata, command, checkpoint)
        self._waiting.append(request)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_what_waits(), name="appender")
        return await request.done

    async def close(self) -> None:
        """Wait until everything that was asked for is written."""
        while self._writer is not None:
            await asyncio.wait([self._writer])
        await self._direct.close()

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                # Whoever left before his turn was told nothing. While a database hangs, callers leave and come again,
                # and what they left behind would be written before anybody who still waits.
                waiting = [request for request in self._waiting if not request.done.done()]
                group, self._waiting = waiting[:LARGEST_GROUP], waiting[LARGEST_GROUP:]
                if group:
                    await self._write(group)
        finally:
            self._writer = None

    async def _write(self, requests: Sequence[Request]) -> None:
        try:
            outcomes = await self._directly(requests) or await self._carefully(requests)
        except Exception as problem:  # noqa: BLE001 # whatever it is, nobody may wait for ever
            self._known.forget()
            outcomes = [problem] * len(requests)
        for request, outcome in zip(requests, outcomes, strict=True):
            if request.done.done():
                continue  # the caller went away, which does not take back what was asked
            if isinstance(outcome, Appended):
                request.done.set_result(outcome)
            else:
                request.done.set_exception(outcome)
        if self._known.position is not None:
            self._written(self._known.position)

    async def _directly(self, requests: Sequence[Request]) -> Sequence[Outcome] | None:
        """The outcomes when the direct way led to the end; None when nothing was written."""
        group = self._known.group(requests, microseconds(self._now())) if self._alone else None
        if group is None:
            return None
        outcomes = [_take(group, request) for request in requests]
        if any(
            request.command and isinstance(outcome, Exception)
            for request, outcome in zip(requests, outcomes, strict=True)
        ):
            return None  # it may have been carried out before: then what speaks against it is its own effect
        if any(isinstance(outcome, Stale) for outcome in outcomes):
            return None  # the word that was taken for where the checkpoint is may be that of one who was refused
        async with self._turn:
            if not await self._direct.write(group):
                return None
        self._known.learn(group)
        return outcomes

    async def _carefully(self, requests: Sequence[Request]) -> Sequence[Outcome]:
        async with self._writing() as connection:
            group = await self._begin(connection, requests)
            outcomes = [await _take_with_rows(connection, group, request) for request in requests]
            await _finish(connection, group)
        self._known.learn(group)
        return outcomes

    async def _begin(self, connection: AsyncConnection, requests: Sequence[Request]) -> Group:
        lock = _LOCK_FOR_A_WHILE if connection.dialect.name == "postgresql" else _LOCK
        position = int((await connection.execute(lock)).scalars().one())
        self._alone = self._known.position in (None, position)
        if self._known.position != position:
            self._known.forget()
        streams = {stream for request in requests for stream, _ in request.expected}
        command_ids = [request.command.command_id for request in requests if request.command]
        consumers = [request.checkpoint.consumer for request in requests if request.checkpoint]
        heads: dict[str, Head] = {stream: self._known.heads[stream] for stream in streams & self._known.heads.keys()}
        for row in await _rows(connection, _HEADS, "streams", sorted(streams - heads.keys())):
            heads[row.stream] = (int(row.version), bytes(row.hash))
        answers = await _rows(connection, _ANSWERS, "command_ids", command_ids)
        progress = await _rows(connection, _PROGRESS, "consumers", consumers)
        return Group(
            begin=position,
            heads=heads,
            answers={row.command_id: Appended(row.position, bytes(row.answer), repeated=True) for row in answers},
            progress={row.consumer: int(row.position) for row in progress},
            recorded_at=microseconds(self._now()),
        )


async def _rows(connection: AsyncConnection, query: Any, name: str, values: Sequence[str]) -> Sequence[Any]:
    return (await connection.execute(query, {name: values})).all() if values else ()


def _take(group: Group, request: Request) -> Outcome:
    """The answer to one request, or why it is refused; the others are not touched by it."""
    if request.command and (answered := group.answers.get(request.command.command_id)):
        return answered
    try:
        group.check(request)
        return group.add(request)
    except Exception as refused:  # noqa: BLE001 # whatever it is, it is the caller's, who gets it
        return refused


async def _take_with_rows(connection: AsyncConnection, group: Group, request: Request) -> Outcome:
    """``_take``, for a request that may want rows written in the same transaction."""
    if not request.decision.also or (request.command and request.command.command_id in group.answers):
        return _take(group, request)
    try:
        group.check(request)
    except (Conflict, Stale) as refused:
        return refused
    savepoint = await connection.begin_nested()
    try:
        await request.decision.also(connection)
        outcome = group.add(request)
    except Exception as refused:  # whatever it is, it is the caller's, who gets it
        # A full disk takes the whole transaction with it, and a lost connection does. Then there is no savepoint to go
        # back to, and nobody in the group may be told that anything was written.
        if connection.invalidated:
            raise OperationalError("append", None, refused) from refused
        await savepoint.rollback()
        return refused
    await savepoint.commit()
    return outcome


async def _finish(connection: AsyncConnection, group: Group) -> None:
    if group.events:
        await connection.execute(
            insert(tables.events), [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in group.events]
        )
        await connection.execute(_ADVANCE, {"last": group.position})
        if connection.dialect.name == "postgresql":
            await connection.execute(_TELL, {"last": str(group.position)})
    if group.notes:
        beside = [{"position": at, "text": one.text, "player_ids": one.written_ids} for at, one in group.notes.items()]
        await connection.execute(insert(tables.notes), beside)
    if group.commands:
        rows = [{"command_id": key, "answer": said, "position": at} for key, (said, at) in group.commands.items()]
        await connection.execute(insert(_commands), rows)
    if group.moves:
        await connection.execute(_MOVE, [{"moved": name, "after": after} for name, (_, after) in group.moves.items()])


async def move_checkpoint(connection: AsyncConnection, checkpoint: Checkpoint) -> None:
    """Move a consumer's checkpoint by compare-and-set. Raises ``Stale`` when it is not where it was thought to be."""
    moved = await connection.execute(
        update(_checkpoints)
        .where(and_(_checkpoints.c.consumer == checkpoint.consumer, _checkpoints.c.position == checkpoint.before))
        .values(position=checkpoint.after)
    )
    if moved.rowcount != 1:
        raise Stale(checkpoint)
