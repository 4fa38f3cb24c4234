"""The export of a record to an archive."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import stored
from faristol.event_store.archive import archive
from faristol.event_store.archive.archive import ArchiveError, Writer
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import (
    ENTRIES,
    StoredName,
    bound_in,
    erased_ids,
    list_stored_names,
    positions,
)
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import Metadata, microseconds, utc_now
from faristol.event_store.integrity import merkle, seals
from faristol.event_store.integrity.checker import Checker
from faristol.event_store.integrity.seals import Seal, Tally
from faristol.event_store.integrity.verification import Progress, following, ignore_progress
from faristol.event_store.record import Record
from faristol.event_store.stored import Stored
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.log_store import StoredCheckpoint
from faristol.event_store.upcasters import upcasters
from faristol.kernel.mentions import players_of

_Answer = tuple[str, bytes, int]
"""Id of a command, its answer, and the position of the record at that time."""


@dataclass
class ExportCounts:
    """Number of lines of an archive, by kind."""

    events: int = 0
    seals: int = 0
    checkpoints: int = 0
    commands: int = 0
    people: int = 0
    notes: int = 0
    erased: int = 0


async def export(
    record: Record,
    path: Path,
    *,
    tournament: str = "",
    with_people: bool = False,
    progress: Progress = ignore_progress,
) -> ExportCounts:
    """Write the record, or the events of one tournament, to a new file; names and notes only ``with_people``.

    The archive is of the moment of the call. All data is checked. Raises ``ArchiveError`` if the record is invalid, if
    the tournament does not exist, or if the file cannot be written.
    """
    with Writer(path) as writer:
        try:
            async with record.reading() as connection:
                end, last = await stored.end(connection)
                people = await _people(connection, end) if with_people else []
                if last > end:
                    raise CorruptData(
                        f"position {end + 1}: there is an event here, although the counter ends before it"
                    )
                writer.write(
                    "archive",
                    version=archive.ARCHIVE_VERSION,
                    tournament=tournament,
                    position=end,
                    exported_at=microseconds(utc_now()),
                    people=with_people,
                )
                published = await log_store.newest_checkpoint(connection, is_published=True)
                if published is not None and published.checkpoint.size > end:
                    raise CorruptData(f"position {end + 1}: missing, and a checkpoint of the log is over it")
                work = _Export(connection, writer, tournament, end, published, progress)
                await (work.part() if tournament else work.whole())
        except CorruptData as wrong:
            raise ArchiveError(f"the record is wrong at {wrong}: no event was exported") from wrong
        if tournament and not work.counts.events:
            raise ArchiveError(f"there is no tournament {tournament!r} in this record: no event was exported")
        # Read last and separately, so that names erased during the export are not in the archive.
        async with record.reading() as connection:
            await work.people(connection, people, with_people=with_people)
        writer.write("end", **vars(work.counts))
    return work.counts


async def _people(connection: AsyncConnection, end: int) -> list[tuple[StoredName, int]]:
    """Return every name, with the position of the event that binds it, 0 if none does. Raises ``CorruptData``."""
    bound = await positions(connection, end)
    return [(kept, bound.get(kept.player_id, 0)) for kept in await list_stored_names(connection)]


class _Export:
    def __init__(
        self,
        connection: AsyncConnection,
        writer: Writer,
        tournament: str,
        end: int,
        published: StoredCheckpoint | None,
        progress: Progress,
    ) -> None:
        self.counts = ExportCounts()
        self._connection = connection
        self._writer = writer
        self._tournament = tournament
        self._end = end
        self._progress = progress
        self._checker = Checker(part=tournament)
        self._published = published
        """Checkpoint of the log that is not written yet."""
        self._log_covered = 0
        """Position up to which the lines have all hashes of the log."""
        self._written = 0
        """Position of the last written event."""
        self._players: set[str] = set()

    async def whole(self) -> None:
        """Write every event, with seals and commands in their places."""
        waiting = await self._seals()
        async with aclosing(self._answers()) as answers:
            answer = await self._commands(answers, await anext(answers, None), 0)
            while batch := await following(self._connection, self._checker, self._end):
                for event in batch:
                    self._event(event)
                    await self._log(event.position)
                    while waiting and waiting[0].to_position <= event.position:
                        self._seal(waiting.pop(0))
                        waiting = waiting or await self._seals()
                    answer = await self._commands(answers, answer, event.position)
        if waiting or self._checker.position < self._end:
            raise CorruptData(f"position {self._checker.position + 1}: missing")

    async def part(self) -> None:
        """Write the events of one tournament, with all seals and the hashes that replace other events under them."""
        while waiting := await self._seals():
            for seal in waiting:
                if seal.to_position > self._end:
                    raise CorruptData(f"position {self._end + 1}: not there, and {seal} is over it")
                await self._part_under(seal)
        async for event in self._of_tournament(self._checker.position, self._end):
            await self._own_event(event)
        await self._log(self._end)

    async def _part_under(self, seal: Seal) -> None:
        known = await stored.hashes(self._connection, seal.from_position, seal.to_position)
        if len(known) <= seal.to_position - seal.from_position:
            raise CorruptData(f"positions {seal.from_position} to {seal.to_position}: some are missing")
        contents = [digest for digest, _ in known]
        own = self._of_tournament(seal.from_position - 1, seal.to_position)
        runs = groupby(range(len(known)), key=lambda place: known[place][1] == self._tournament)
        for is_own, places in runs:
            run = list(places)
            if is_own:
                for _ in run:
                    await self._own_event(await anext(own))
            else:
                first, last = seal.from_position + run[0], seal.from_position + run[-1]
                hashes = merkle.stand_in(contents, run[0], run[-1] + 1)
                self._checker.gap(first, last, hashes)
                self._writer.write(
                    "gap", from_position=first, to_position=last, hashes=[digest.hex() for digest in hashes]
                )
        self._seal(seal, Counter(tournament for _, tournament in known))

    async def _own_event(self, event: Stored) -> None:
        """Write an event of the tournament, after the hashes of the log for the others before it."""
        await self._log(event.position - 1)
        self._event(event)
        await self._log(event.position)

    async def _log(self, position: int) -> None:
        """Write the hashes of the log for events that are left out, up to a position, and its checkpoint there."""
        if self._published is None:
            return
        size = self._published.checkpoint.size
        if self._tournament:
            await self._log_gap(min(position, size))
        self._log_covered = max(self._log_covered, min(position, size))
        if position < size:
            return
        self._writer.write(
            "checkpoint",
            size=size,
            origin=self._published.checkpoint.origin,
            root=self._published.checkpoint.root,
            note=str(self._published.note),
            made_at=self._published.made_at,
            published_at=self._published.published_at or self._published.made_at,
        )
        self.counts.checkpoints += 1
        self._published = None

    async def _log_gap(self, up_to: int) -> None:
        """Write the hashes that replace the events up to a position, unless the last line is the event there."""
        start = max(self._log_covered, self._written)
        if start >= up_to:
            return
        ranges = [(first, first + (1 << level)) for first, level in merkle.cover(start, up_to)]
        hashes = await log_store.read_hashes(self._connection, ranges)
        lines = [digest.hex() for digest in hashes]
        self._writer.write("log-gap", from_position=start + 1, to_position=up_to, hashes=lines)

    async def _of_tournament(self, after: int, up_to: int) -> AsyncIterator[Stored]:
        while batch := await stored.read(self._connection, after, up_to, tournament=self._tournament):
            for event in batch:
                yield event
            after = batch[-1].position

    async def _seals(self) -> list[Seal]:
        return await seals.read(self._connection, self._checker.sealed, stored.STORED_BATCH_EVENTS)

    def _event(self, event: Stored) -> None:
        self._checker.event(event)
        self._writer.write_all("event", event)
        self._written = event.position
        if self._tournament and event.type in ENTRIES:
            message = upcasters.message(event.type, event.schema_version, event.payload)
            self._players.update(players_of(message))
        if self._tournament:
            metadata = Metadata.from_json(event.metadata)
            self._players |= {metadata.actor, *bound_in(metadata)}  # an official's name is stored like a player's
        self.counts.events += 1
        if self.counts.events % 500 == 0 or event.position == self._end:
            self._progress(event.position, self._end)

    def _seal(self, seal: Seal, tally: Tally | None = None) -> None:
        """Write a seal; in a part with its tally, which cannot be computed from the part."""
        self._checker.seal(seal, tally)
        tallied = {} if tally is None else {"tournaments": dict(sorted(tally.items()))}
        self._writer.write_all("seal", seal, **tallied)
        self.counts.seals += 1

    async def _answers(self) -> AsyncGenerator[_Answer, None]:
        """Yield the answers of commands by position, sorted by the query, since no index does it."""
        table = tables.commands
        query = select(table).where(table.c.position <= self._end).order_by(table.c.position, table.c.command_id)
        async with self._connection.stream(query) as rows:
            async for row in rows:
                yield row.command_id, bytes(row.answer), row.position

    async def _commands(
        self, answers: AsyncGenerator[_Answer, None], answer: _Answer | None, up_to: int
    ) -> _Answer | None:
        """Write the answers up to a position. Return the first answer after it."""
        while answer and answer[2] <= up_to:
            command_id, content, position = answer
            self._writer.write("command", command_id=command_id, answer=content, position=position)
            self.counts.commands += 1
            answer = await anext(answers, None)
        return answer

    async def people(
        self, connection: AsyncConnection, people: Iterable[tuple[StoredName, int]], *, with_people: bool
    ) -> None:
        """Write names, notes and erasures; for a tournament, only those of its players and events.

        Raises ``ArchiveError`` if a person was erased since the events were read: no exported event would state it.
        """
        erased = await erased_ids(connection)
        for kept, bound in people:
            if kept.player_id in erased:
                raise ArchiveError(
                    f"{kept.player_id} was erased during the export: no event was exported, export again"
                )
            if not self._tournament or kept.player_id in self._players:
                members = kept.to_row() | {"salt": kept.salt or b"", "details": kept.others}
                self._writer.write("person", **members, bound=bound)
                self.counts.people += 1
        if with_people:
            await self._notes(connection)
        for row in await connection.execute(select(tables.erased).order_by("player_id")):
            if not self._tournament or row.player_id in self._players:
                self._writer.write_all("erased", row)
                self.counts.erased += 1

    async def _notes(self, connection: AsyncConnection) -> None:
        noted, of = tables.notes.c, tables.events.c
        query = select(tables.notes).where(noted.position <= self._end).order_by(noted.position)
        if self._tournament:
            query = query.join(tables.events, of.position == noted.position).where(of.tournament == self._tournament)
        for row in await connection.execute(query):
            self._writer.write("note", position=row.position, text=row.text, player_ids=json.loads(row.player_ids))
            self.counts.notes += 1
