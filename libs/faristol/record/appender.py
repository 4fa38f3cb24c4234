"""The appender: what waits to be appended is written in one transaction, and each request has its own answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, select, tuple_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from faristol.record import tables
from faristol.record.decision import Appended, Checkpoint, Command, Conflict, Decision, Stale, Write
from faristol.record.event import GENESIS, Metadata, chained, microseconds

SCHEMA_VERSION = 1
"""Of every event type so far."""

LARGEST_GROUP = 128
"""Requests in one transaction."""

_events, _commands, _checkpoints, _counter = (
    tables.events.c,
    tables.commands,
    tables.checkpoints,
    tables.counter,
)
_LOCK = update(_counter).where(_counter.c.id == 1).values(position=_counter.c.position).returning(_counter.c.position)
_ADVANCE = update(_counter).where(_counter.c.id == 1).values(position=bindparam("last"))
_HEADS = select(_events.stream, _events.version, _events.hash).where(
    tuple_(_events.stream, _events.version).in_(
        select(_events.stream, func.max(_events.version))
        .where(_events.stream.in_(bindparam("streams", expanding=True)))
        .group_by(_events.stream)
    )
)
_ANSWERS = select(_commands).where(_commands.c.command_id.in_(bindparam("command_ids", expanding=True)))
_PROGRESS = select(_checkpoints).where(_checkpoints.c.consumer.in_(bindparam("consumers", expanding=True)))
_MOVE = update(_checkpoints).where(_checkpoints.c.consumer == bindparam("moved")).values(position=bindparam("after"))
# Built once: building a statement costs as much as running it.


@dataclass(slots=True)
class Request:
    """An append that waits for its turn."""

    decision: Decision
    metadata: Metadata
    command: Command | None
    checkpoint: Checkpoint | None
    done: asyncio.Future[Appended]

    @property
    def expected(self) -> list[tuple[str, int]]:
        """Each stream that the decision rests on, with the version that it has to be at."""
        writes = [(write.stream, write.expected_version) for write in self.decision.writes]
        return writes + [(guard.stream, guard.version) for guard in self.decision.guards]


@dataclass(slots=True)
class _Group:
    """What the database says at the start of a transaction, and what the requests in it add to that."""

    position: int
    heads: dict[str, tuple[int, bytes]]
    answers: dict[str, Appended]
    progress: dict[str, int]
    recorded_at: int
    events: list[dict[str, Any]] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)
    moves: dict[str, int] = field(default_factory=dict)

    def check(self, request: Request) -> None:
        """Raise ``Conflict`` or ``Stale`` when the request rests on something that is not so."""
        for stream, version in request.expected:
            found = self.heads.get(stream, (0, GENESIS))[0]
            if found != version:
                raise Conflict(stream, version, found)
        checkpoint = request.checkpoint
        if checkpoint and self.progress.get(checkpoint.consumer) != checkpoint.before:
            raise Stale(checkpoint)

    def add(self, request: Request) -> Appended:
        """Take the request in, which has been checked."""
        metadata = request.metadata.to_json()
        for write in request.decision.writes:
            self._write(write, metadata)
        if checkpoint := request.checkpoint:
            self.moves[checkpoint.consumer] = self.progress[checkpoint.consumer] = checkpoint.after
        if not (command := request.command):
            return Appended(self.position, b"", repeated=False)
        answer = command.answer(self.position)
        self.commands.append({"command_id": command.command_id, "answer": answer, "position": self.position})
        self.answers[command.command_id] = Appended(self.position, answer, repeated=True)
        return Appended(self.position, answer, repeated=False)

    def _write(self, write: Write, metadata: str) -> None:
        version, previous = self.heads.get(write.stream, (0, GENESIS))
        for message in write.events:
            version += 1
            self.position += 1
            event_id, type_name = str(uuid.uuid4()), message.DESCRIPTOR.full_name
            payload = message.SerializeToString(deterministic=True)
            previous = chained(
                previous,
                stream=write.stream,
                version=version,
                event_id=event_id,
                type_name=type_name,
                schema_version=SCHEMA_VERSION,
                tournament=write.tournament,
                payload=payload,
                metadata=metadata,
                recorded_at=self.recorded_at,
            )
            self.events.append(
                {
                    "position": self.position,
                    "stream": write.stream,
                    "version": version,
                    "event_id": event_id,
                    "type": type_name,
                    "schema_version": SCHEMA_VERSION,
                    "tournament": write.tournament,
                    "payload": payload,
                    "metadata": metadata,
                    "recorded_at": self.recorded_at,
                    "hash": previous,
                }
            )
        self.heads[write.stream] = (version, previous)


class Appender:
    """Writes the requests of this process, as many at a time as are waiting.

    A request that rests on a version, a checkpoint or a row that is not so fails alone. The counter row is
    held from the beginning of a transaction to its end, so that others, in other processes, wait, and events
    become visible in the order of their positions.
    """

    def __init__(self, engine: AsyncEngine, now: Callable[[], datetime], written: Callable[[], None]) -> None:
        self._engine = engine
        self._now = now
        self._written = written
        self._waiting: list[Request] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, decision: Decision, metadata: Metadata, command: Command | None, checkpoint: Checkpoint | None
    ) -> Appended:
        """Wait until this is written, or refused. See ``Record.append``."""
        request = Request(decision, metadata, command, checkpoint, asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_what_waits(), name="appender")
        # A caller that goes away does not take back what it asked for: the group may be half written.
        return await asyncio.shield(request.done)

    async def close(self) -> None:
        """Wait until everything that was asked for is written."""
        while self._writer is not None:
            await asyncio.wait([self._writer])

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:LARGEST_GROUP], self._waiting[LARGEST_GROUP:]
                await self._write(group)
        finally:
            self._writer = None

    async def _write(self, requests: Sequence[Request]) -> None:
        outcomes: list[Appended | Exception] = []
        try:
            async with self._engine.connect() as connection:
                group = await self._begin(connection, requests)
                outcomes = [await _take(connection, group, request) for request in requests]
                await _finish(connection, group)
        except (SQLAlchemyError, OSError) as problem:
            outcomes = [problem] * len(requests)
        for request, outcome in zip(requests, outcomes, strict=True):
            if isinstance(outcome, Appended):
                request.done.set_result(outcome)
            else:
                request.done.set_exception(outcome)
                request.done.exception()  # the caller may be gone; then nobody else will look
        self._written()

    async def _begin(self, connection: AsyncConnection, requests: Sequence[Request]) -> _Group:
        position = int((await connection.execute(_LOCK)).scalar_one())
        streams = sorted({stream for request in requests for stream, _ in request.expected})
        command_ids = [request.command.command_id for request in requests if request.command]
        consumers = [request.checkpoint.consumer for request in requests if request.checkpoint]
        heads = await _rows(connection, _HEADS, "streams", streams)
        answers = await _rows(connection, _ANSWERS, "command_ids", command_ids)
        progress = await _rows(connection, _PROGRESS, "consumers", consumers)
        return _Group(
            position=position,
            heads={row.stream: (int(row.version), bytes(row.hash)) for row in heads},
            answers={row.command_id: Appended(row.position, bytes(row.answer), repeated=True) for row in answers},
            progress={row.consumer: int(row.position) for row in progress},
            recorded_at=microseconds(self._now()),
        )


async def _rows(connection: AsyncConnection, query: Any, name: str, values: Sequence[str]) -> Sequence[Any]:
    return (await connection.execute(query, {name: values})).all() if values else ()


async def _take(connection: AsyncConnection, group: _Group, request: Request) -> Appended | Exception:
    """The answer to one request, or why it is refused; the others are not touched by it."""
    if request.command and (answered := group.answers.get(request.command.command_id)):
        return answered
    try:
        group.check(request)
        if request.decision.also:
            async with connection.begin_nested():
                await request.decision.also(connection)
    except Exception as refused:  # noqa: BLE001 # whatever it is, it is the caller's, who gets it
        return refused
    return group.add(request)


async def _finish(connection: AsyncConnection, group: _Group) -> None:
    if group.events:
        await connection.execute(insert(tables.events), group.events)
        await connection.execute(_ADVANCE, {"last": group.position})
    if group.commands:
        await connection.execute(insert(_commands), group.commands)
    if group.moves:
        moves = [{"moved": consumer, "after": after} for consumer, after in group.moves.items()]
        await connection.execute(_MOVE, moves)
    await connection.commit()


async def move_checkpoint(connection: AsyncConnection, checkpoint: Checkpoint) -> None:
    """Move a consumer's checkpoint by compare-and-set. Raises ``Stale`` when it is not where it was thought to be."""
    moved = await connection.execute(
        update(_checkpoints)
        .where(and_(_checkpoints.c.consumer == checkpoint.consumer, _checkpoints.c.position == checkpoint.before))
        .values(position=checkpoint.after)
    )
    if moved.rowcount != 1:
        raise Stale(checkpoint)
