"""The events of a record that another record copies, read by position with all that is beside them (``copies``)."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import stored
from faristol.event_store.append.copies import Batch
from faristol.event_store.append.tail import read_rows
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.notes import WITH_WORDS, Note
from faristol.event_store.record import Record
from faristol.event_store.stored import STORED_BATCH_EVENTS, Stored

T = TypeVar("T")

MAX_EXTRACT_BYTES = 1_000_000
"""Default of the payload bytes after which an extract ends, with the command that exceeds them."""

LATEST_CACHE_EVENTS = 2_000
"""Events that ``LatestExtracts`` caches."""

MAX_STATEMENT_VALUES = 400
"""Ids or positions in one statement."""

_notes, _commands = tables.notes.c, tables.commands.c
_NOTES = select(_notes.position, _notes.text, _notes.player_ids).where(
    _notes.position.in_(bindparam("positions", expanding=True))
)
_COMMAND_ANSWERS = select(_commands.command_id, _commands.answer).where(
    _commands.command_id.in_(bindparam("commands", expanding=True))
)


@dataclass(frozen=True, slots=True)
class Extract:
    """Events of a record, in its order, and the position up to which it was read."""

    batch: Batch
    position: int
    """Position after which the next extract begins: also that of events that are not wanted."""


async def extract(
    record: Record,
    after: int,
    is_wanted: Callable[[Stored], bool],
    *,
    tournament: str | None = None,
    up_to: int | None = None,
    most_bytes: int = MAX_EXTRACT_BYTES,
) -> Extract:
    """Return the next wanted events after a position, with their notes and the answers to their commands.

    The events of one command are in one extract. Without ``up_to``, it reads to the end of the record. An extract
    without events and with a position below the end is followed by others.
    """
    async with record.reading() as connection:
        end = (await stored.end(connection))[0] if up_to is None else up_to
        wanted, position = _select(*await _read(connection, after, end, tournament), is_wanted, most_bytes)
        return Extract(await _with_rows_beside(connection, wanted), position)


class LatestExtracts:
    """Extracts at the end of the record for many callers: each new event is read from the database once for all."""

    def __init__(self, record: Record) -> None:
        self.end = 0
        """Position up to which the record was read, by any caller."""
        self._record = record
        self._events: list[Stored] = []
        """The events up to ``end``, without a gap."""
        self._read_at = -math.inf
        """Time of the last read that reached the end of the record, by the loop's clock."""
        self._turn = asyncio.Lock()

    async def extract(self, after: int, is_wanted: Callable[[Stored], bool], *, max_age: float = 0.0) -> Extract:
        """Return the next wanted events after a position, as ``extract`` does, up to ``end`` at most.

        Events of which no notification came may be missing if they are younger than ``max_age`` seconds. A position
        above ``end`` is not one of this record.
        """
        async with self._turn:
            now = asyncio.get_running_loop().time()
            if self._record.news.latest > self.end or now - self._read_at >= max_age:
                await self._read_on(now)
            end, events = self.end, self._events
        if after < end - len(events):
            return await extract(self._record, after, is_wanted, up_to=end)
        found = events[after - end :] if after < end else []
        wanted, position = _select(found, max(after, end), is_wanted, MAX_EXTRACT_BYTES)
        if not wanted:
            return Extract(Batch(wanted), position)
        async with self._record.reading() as connection:
            return Extract(await _with_rows_beside(connection, wanted), position)

    async def _read_on(self, now: float) -> None:
        async with self._record.reading() as connection:
            end = (await stored.end(connection))[0]
            if self._read_at == -math.inf:
                self.end = max(self.end, end - LATEST_CACHE_EVENTS)
            while self.end < end:
                found, self.end = await _read(connection, self.end, end, None)
                self._events = [*self._events, *found][-LATEST_CACHE_EVENTS:]
        self._read_at = now


def _select(
    found: Sequence[Stored], end: int, is_wanted: Callable[[Stored], bool], most_bytes: int
) -> tuple[list[Stored], int]:
    """Return the wanted ones of some events up to a position, and the position up to which they were looked at."""
    wanted: list[Stored] = []
    size = 0
    for number, event in enumerate(found):
        if size > most_bytes and _begins_command(found, number):
            return wanted, found[number - 1].position
        if is_wanted(event):
            wanted.append(event)
            size += len(event.payload)
    return wanted, end


async def _read(
    connection: AsyncConnection, after: int, end: int, tournament: str | None
) -> tuple[Sequence[Stored], int]:
    """Return the next events without a part of a command, and the position up to which they were read."""
    found: list[Stored] = []
    while True:
        some = await stored.read(connection, found[-1].position if found else after, end, tournament=tournament)
        found += some
        if len(some) < STORED_BATCH_EVENTS:
            return found, max(after, end)
        last = len(found) - 1
        while last > 0 and not _begins_command(found, last):
            last -= 1
        if last > 0:  # the last command may have further events
            return found[:last], found[last - 1].position


def _begins_command(events: Sequence[Stored], number: int) -> bool:
    """Check whether an event does not belong to the command of the previous one."""
    command = events[number].command_id
    return not command or command != events[number - 1].command_id


async def _with_rows_beside(connection: AsyncConnection, events: Sequence[Stored]) -> Batch:
    ids = {event.position: event.event_id for event in events if event.type in WITH_WORDS}
    notes: dict[str, Note] = {}
    for some in _slices(sorted(ids)):
        for row in (await connection.execute(_NOTES, {"positions": some})).all():
            notes[ids[row.position]] = Note(row.text, tuple(json.loads(row.player_ids)))
    answers: dict[str, bytes] = {}
    for commands in _slices(sorted({event.command_id for event in events} - {""})):
        for row in await read_rows(connection, _COMMAND_ANSWERS, "commands", commands):
            answers[row.command_id] = bytes(row.answer)
    return Batch(events, notes, answers)


def _slices(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + MAX_STATEMENT_VALUES] for start in range(0, len(values), MAX_STATEMENT_VALUES))
