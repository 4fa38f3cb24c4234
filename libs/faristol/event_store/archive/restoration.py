"""The restore of an archive into an empty record, and its verification from only the file and a public key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Table, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import stored
from faristol.event_store.archive import archive
from faristol.event_store.archive.archive import ArchiveError, ArchiveLine
from faristol.event_store.archive.export import ExportCounts
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import FIRST_DETAILS, Bindings, Names, StoredName
from faristol.event_store.beside_events.notes import WITH_WORDS, Note
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import moment
from faristol.event_store.integrity.checker import Checker, format_unanswered
from faristol.event_store.integrity.keys import Keys
from faristol.event_store.integrity.seals import Seal
from faristol.event_store.integrity.verification import Progress, Verdict, ignore_progress
from faristol.event_store.record import Record
from faristol.event_store.stored import Stored
from faristol.event_store.transparency.log_checker import LogChecker
from faristol.event_store.transparency.signed_note import LogCheckpoint
from faristol.kernel.details import DETAILS, Value

RECORD_KINDS = frozenset(("event", "gap", "seal", "command", "log-gap", "checkpoint"))
"""Kinds of lines that are before those of people."""
PEOPLE_KINDS = frozenset(("person", "note", "erased", "end"))
"""Kinds of lines that begin when the answer of the last command was read."""


@dataclass(frozen=True, slots=True)
class ArchivedRow:
    """The table row of a line of an archive."""

    table: Table
    values: dict[str, Any]


class Archive:
    """An archive, checked while it is read. ``position`` and ``tournament`` are those of its first line."""

    def __init__(self, path: Path, keys: Keys | None = None, kept: Iterable[Seal] = ()) -> None:
        self._lines = archive.read(path)
        first = next(self._lines)
        if first.kind != "archive":
            raise first.error("this is not an archive of a record")
        if (version := first.number_of("version")) not in archive.READABLE:
            raise first.error(f"this is an archive of version {version}; expected {archive.ARCHIVE_VERSION} or less")
        self.tournament = first.text("tournament")
        self.position = first.number_of("position")
        self.checker = Checker(keys, kept=kept, part=self.tournament)
        self.log = LogChecker(keys)
        self.bindings = Bindings(part=bool(self.tournament))
        self.names = Names()
        """Result of the check of names, after the last line."""
        self.counts = ExportCounts()
        self._with_people = first.flag("people")
        self._people: dict[str, tuple[StoredName, int]] = {}
        self._erased: set[str] = set()
        self._may_be_noted: set[int] = set()
        """Positions of the events that can have a note and have none so far."""
        self._due = ""
        """Id of the command of the last event, until its answer is read."""
        self._answered: set[int] = set()
        """Hashes of the ids of the commands whose answers were read."""

    def rows(self, progress: Progress = ignore_progress) -> Iterator[ArchivedRow]:
        """Yield each row after it is checked. Raises ``ArchiveError``."""
        for line in self._lines:
            try:
                yield from self._row(line)
            except CorruptData as wrong:
                raise line.error(str(wrong)) from wrong
            if line.number % stored.STORED_BATCH_EVENTS == 0:
                progress(self.checker.position, max(self.position, 1))

    def _row(self, line: ArchiveLine) -> Iterator[ArchivedRow]:
        counts = self.counts
        self._check_order(line)
        match line.kind:
            case "event":
                yield self._event(line)
            case "gap":
                self.checker.gap(**line.members())
            case "seal":
                seal = Seal(**(row := line.members()))
                self.checker.seal(seal, line.numbers("tournaments") if self.tournament else None)
                counts.seals += 1
                yield ArchivedRow(tables.seals, row)
            case "log-gap":
                self.log.gap(**line.members())
            case "checkpoint":
                row = line.members()
                self.log.checkpoint(LogCheckpoint(row["origin"], row["size"], row["root"]), row["note"])
                counts.checkpoints += 1
                yield ArchivedRow(tables.log_checkpoints, row)
            case "command":
                yield self._command(line)
            case "person":
                counts.people += 1
                yield self._person(line)
            case "note":
                yield self._note(line)
                counts.notes += 1
            case "erased":
                counts.erased += 1
                row = line.members()
                self._once(line, row["player_id"])
                self._erased.add(row["player_id"])
                yield ArchivedRow(tables.erased, row)
            case "end":
                self._end(line)
            case other:
                raise line.error(f"there is no kind {other!r}")

    def _check_order(self, line: ArchiveLine) -> None:
        """Raise the error of a line of the record behind the people, or of people before an answer that is due."""
        counts = self.counts
        if line.kind in RECORD_KINDS and (counts.people or counts.notes or counts.erased):
            raise line.error(f"a line of kind {line.kind} is after the people")
        if line.kind in PEOPLE_KINDS:
            self._nothing_due(line)

    def _event(self, line: ArchiveLine) -> ArchivedRow:
        event = Stored(**(row := line.members()))
        if event.command_id != self._due:
            self._nothing_due(line)
        self.checker.event(event)
        self.bindings.event(event)
        self.log.event(event)
        if event.type in WITH_WORDS:
            self._may_be_noted.add(event.position)
        self._due = "" if self.tournament else event.command_id
        self.counts.events += 1
        return ArchivedRow(tables.events, row)

    def _nothing_due(self, line: ArchiveLine) -> None:
        # A command that two cells executed has its first answer only (``copies``).
        if self._due and hash(self._due) not in self._answered:
            raise line.error(f"position {self.checker.position}: {format_unanswered(self._due)}")

    def _command(self, line: ArchiveLine) -> ArchivedRow:
        row = ArchivedRow(tables.commands, line.members())
        if (position := row.values["position"]) != self.checker.position:
            raise line.error(f"a command of position {position} stands behind position {self.checker.position}")
        self.counts.commands += 1
        self._answered.add(hash(row.values["command_id"]))
        if row.values["command_id"] == self._due:
            self._due = ""
        return row

    def _note(self, line: ArchiveLine) -> ArchivedRow:
        row = line.members()
        if (position := row["position"]) not in self._may_be_noted:
            raise line.error(f"a note of position {position}: there is no event with a note, or it was read already")
        self._may_be_noted.remove(position)
        return ArchivedRow(tables.notes, {**row, "player_ids": Note(row["text"], row["player_ids"]).written_ids})

    def _person(self, line: ArchiveLine) -> ArchivedRow:
        row = line.members()
        values = {name: row[name] for name in FIRST_DETAILS} | row["details"]
        _check_details(line, values)
        self._once(line, row["player_id"])
        kept = StoredName(row["player_id"], {name: value for name, value in values.items() if value}, row["salt"])
        self._people[kept.player_id] = kept, row["bound"]
        return ArchivedRow(tables.people, kept.to_row())

    def _once(self, line: ArchiveLine, player_id: str) -> None:
        if player_id in self._people or player_id in self._erased:
            raise line.error(f"player {player_id} is here for the second time")

    def _check_names(self, line: ArchiveLine) -> None:
        """Compare the names with their bindings. In a part, an event outside it may bind a name."""
        for player_id, (_, bound) in self._people.items():
            if self.tournament and bound > self.bindings.position(player_id):
                self.bindings.elsewhere(player_id)
            elif bound != (here := self.bindings.position(player_id)):
                raise line.error(f"{player_id} is said to be bound at position {bound}, and is at {here}")
        people = [kept for kept, _ in self._people.values()]
        self.names = self.bindings.compare(people, self._erased, without=not self._with_people)

    def _end(self, line: ArchiveLine) -> None:
        if self.checker.position > self.position or (self.checker.position < self.position and not self.tournament):
            raise line.error(f"the events end at position {self.checker.position}; line 1 says {self.position}")
        for name, found in asdict(self.counts).items():
            stated = line.position_of(name) if name == "checkpoints" else line.number_of(name)
            if stated != found:
                raise line.error(f"there are {found} {name}; this line says {stated}")
        self.checker.end()
        self._check_names(line)


def heading(path: Path) -> tuple[datetime, bool]:
    """Read when an archive was made, and whether it has names. Raises ``ArchiveError`` for another file."""
    first = next(archive.read(path))
    if first.kind != "archive":
        raise first.error("this is not an archive of a record")
    try:
        made_at = moment(first.number_of("exported_at"))
    except OverflowError as error:
        raise first.error("its exported_at is not a time") from error
    return made_at, first.flag("people")


def verify(
    path: Path, progress: Progress = ignore_progress, *, keys: Keys | None = None, kept: Iterable[Seal] = ()
) -> Verdict:
    """Check every line, hash and seal of an archive. It needs only the file, and ``keys`` for signatures."""
    checker = Checker()
    try:
        opened = Archive(path, keys, kept)
        checker = opened.checker
        for _ in opened.rows(progress):
            pass
    except ArchiveError as wrong:
        return Verdict.of(checker, wrong=str(wrong))
    found = Verdict.of(checker, names=opened.names, log=opened.log)
    # An omitted end leaves no trace in a part: the position of the record and the seals show its extent.
    return replace(found, position=opened.position) if opened.tournament else found


def check_whole(path: Path, progress: Progress = ignore_progress, *, keys: Keys | None = None) -> None:
    """Check an archive before its restore. Raises ``ArchiveError`` as ``restore`` would."""
    opened = _whole(path, keys)
    for _ in opened.rows(progress):
        pass


def _whole(path: Path, keys: Keys | None) -> Archive:
    opened = Archive(path, keys)
    if opened.tournament:
        raise ArchiveError(
            f"{path} is the archive of one tournament, {opened.tournament}: only that of a whole record can be restored"
        )
    return opened


async def restore(
    record: Record, path: Path, progress: Progress = ignore_progress, *, keys: Keys | None = None
) -> ExportCounts:
    """Restore a whole archive into an empty record, with its positions, hashes, times and answers, in one transaction.

    Raises ``ArchiveError`` if the record is not empty, if the archive is of one tournament, or at the first wrong line.
    """
    opened = _whole(path, keys)
    try:
        async with record.writing() as connection:
            await _empty(connection)
            waiting: list[ArchivedRow] = []
            for row in opened.rows(progress):
                if waiting and (waiting[0].table is not row.table or len(waiting) == stored.STORED_BATCH_EVENTS):
                    await _insert(connection, waiting)
                    waiting = []
                waiting.append(row)
            await _insert(connection, waiting)
            await connection.execute(update(tables.counter).values(position=opened.position))
    except SQLAlchemyError as error:
        raise ArchiveError(f"{path} cannot be restored: {getattr(error, 'orig', error)}") from error
    progress(opened.position, max(opened.position, 1))
    return opened.counts


_RESTORED = (
    tables.events,
    tables.commands,
    tables.people,
    tables.notes,
    tables.erased,
    tables.seals,
    tables.log_checkpoints,
)
"""The tables that an archive restores."""


async def _empty(connection: AsyncConnection) -> None:
    """Lock the record against appends. Raises ``ArchiveError`` if it is not empty."""
    table = tables.counter
    held = update(table).values(position=table.c.position).returning(table.c.position)
    used = int((await connection.execute(held)).scalar_one()) > 0
    for other in _RESTORED:
        used = used or bool((await connection.execute(select(func.count()).select_from(other))).scalar_one())
    if used:
        raise ArchiveError("the record is not empty: an archive can be restored only into a new record")


async def _insert(connection: AsyncConnection, rows: list[ArchivedRow]) -> None:
    if rows:
        await connection.execute(insert(rows[0].table), [row.values for row in rows])


def _check_details(line: ArchiveLine, values: Mapping[str, Value]) -> None:
    """Raise ``ArchiveError`` for personal details that a registration refuses: valid checksums may be forged."""
    if not any(values.values()):  # removed, see ``people.clear``
        return
    for name, value in values.items():
        if name not in DETAILS:
            raise line.error(f"there is no personal detail {name!r:.40}: a newer version wrote this archive")
        if not DETAILS[name].is_stored_form(value):
            raise line.error(f"its {name} is {value!r:.40}; expected it in the form in which a registration stores it")
