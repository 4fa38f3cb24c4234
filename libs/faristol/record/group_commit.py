"""Group commit: what waits to be appended is written in one transaction, in one of two ways.

The fast path writes on the word of what this process knows of the record's end. Positions only grow, so where the
counter stands at the position that is known here, nobody else has appended since, and every version and hash that is
known here holds. A backend takes, checks and moves the counter together with the rows, and nobody waits while this
process thinks.

The locked path asks: it holds the counter row from the beginning of the transaction to its end. It is taken where
others append too, where a request wants rows of its own or has a note, and where somebody is to be refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from sqlalchemy import Executable, bindparam, insert, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables
from faristol.record.decision import Appended, Conflict, Stale
from faristol.record.event import microseconds
from faristol.record.group import EVENT_COLUMNS, Group, Head, Outcome, Request

REMEMBERED = 16_384
"""How many streams' heads a process remembers."""

_events, _commands, _checkpoints, _counter = (
    tables.events.c,
    tables.commands,
    tables.checkpoints,
    tables.counter,
)
# Built once: building a statement costs as much as running it.
COUNTER = update(_counter).where(_counter.c.id == 1).values(position=_counter.c.position).returning(_counter.c.position)
"""Locks the counter and gives the position of the last event."""
_ADVANCE = update(_counter).where(_counter.c.id == 1).values(position=bindparam("last"))
_HEADS = select(_events.stream, _events.version, _events.hash).where(tables.are_last())
_ANSWERS = select(_commands).where(_commands.c.command_id.in_(bindparam("command_ids", expanding=True)))
_PROGRESS = (
    select(_checkpoints)
    .where(_checkpoints.c.consumer.in_(bindparam("consumers", expanding=True)))
    .order_by(_checkpoints.c.consumer)  # so that two who lock several do not wait for each other
    .with_for_update()
)
_MOVE = update(_checkpoints).where(_checkpoints.c.consumer == bindparam("moved")).values(position=bindparam("after"))


class GroupCommit:
    """Appends for a backend.

    ``fast`` writes a whole group durably, or nothing: it gives False when the group rests on something that is not so,
    and raises ``OperationalError`` when the database fails. ``lock`` locks the counter and gives its position first.
    ``notify`` tells other processes of a ``position``.
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
        self._known = _Known()

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Sequence[Outcome]:
        """See ``Backend.append``."""
        try:
            return await self._append_fast(requests, now) or await self._append_locked(requests, now)
        except Exception:
            self._known.forget()
            raise

    async def _append_fast(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Sequence[Outcome] | None:
        """The outcomes; None when nothing was written."""
        group = self._known.group(requests, microseconds(now()))
        if group is None:
            return None
        outcomes = [_take(group, request) for request in requests]
        if any(
            isinstance(outcome, Stale) or (request.command and isinstance(outcome, Exception))
            for request, outcome in zip(requests, outcomes, strict=True)
        ):
            # A command that is refused may have been carried out before: then what speaks against it is its own
            # effect. Where a checkpoint is was taken from a request, which may be the one to be refused.
            return None
        if not await self._fast(group):
            return None
        self._known.learn(group)
        return outcomes

    async def _append_locked(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Sequence[Outcome]:
        async with self._writing() as connection:
            position = int((await connection.execute(self._lock)).scalars().one())
            self._known.found(position)
            group = await self._group(connection, position, requests, now)
            outcomes = [await _take_with_rows(connection, group, request) for request in requests]
            await self._finish(connection, group)
        self._known.learn(group)
        return outcomes

    async def _group(
        self, connection: AsyncConnection, position: int, requests: Sequence[Request], now: Callable[[], datetime]
    ) -> Group:
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
            recorded_at=microseconds(now()),
        )

    async def _finish(self, connection: AsyncConnection, group: Group) -> None:
        if group.events:
            rows = [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in group.events]
            await connection.execute(insert(tables.events), rows)
            await connection.execute(_ADVANCE, {"last": group.position})
            if self._notify is not None:
                await connection.execute(self._notify, {"position": str(group.position)})
        if group.notes:
            rows = [
                {"position": at, "text": note.text, "player_ids": note.written_ids} for at, note in group.notes.items()
            ]
            await connection.execute(insert(tables.notes), rows)
        if group.commands:
            rows = [{"command_id": key, "answer": said, "position": at} for key, (said, at) in group.commands.items()]
            await connection.execute(insert(_commands), rows)
        if group.moves:
            rows = [{"moved": name, "after": after} for name, (_, after) in group.moves.items()]
            await connection.execute(_MOVE, rows)


class _Known:
    """What this process knows of the record's end. It is so as long as the counter stands at ``position``."""

    def __init__(self) -> None:
        self.position: int | None = None
        """None when nothing is known."""
        self.heads: dict[str, Head] = {}
        self._alone = True
        """Whether the counter stood, the last time it was looked at, where this process had left it."""

    def found(self, position: int) -> None:
        """The counter stands there, and is locked."""
        self._alone = self.position in (None, position)
        if self.position != position:
            self.forget()

    def learn(self, group: Group) -> None:
        """The group was written; what it rested on and what it came to is what holds now."""
        self.position = group.position
        for stream, head in group.heads.items():
            self.heads.pop(stream, None)  # what was used last is forgotten last
            self.heads[stream] = head
        while len(self.heads) > REMEMBERED:
            del self.heads[next(iter(self.heads))]

    def group(self, requests: Sequence[Request], recorded_at: int) -> Group | None:
        """A group that rests on what is known alone; None when some request asks for more than that.

        A stream that is to be new, a command that is to be unknown, and a checkpoint that is to be where its
        consumer left it are taken at their word: where they are not so, the database refuses their rows.
        """
        if self.position is None or not self._alone:
            return None
        group = Group(self.position, {}, {}, {}, recorded_at)
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

    def forget(self) -> None:
        """Others may have written."""
        self.position = None
        self.heads.clear()


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
        if names := await request.decision.also(connection):
            request.bind(names)
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
