"""Erasure of a person from the tables and from the database files.

The list of erased persons is a file without names, applied after the restore of an older backup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.decision import Conflict, Decision, Write
from faristol.event_store.backends.tables import erased, people
from faristol.event_store.beside_events import notes
from faristol.event_store.beside_events.bindings import ENTRIES
from faristol.event_store.errors import RecordError
from faristol.event_store.event import Metadata, microseconds, moment, utc_now
from faristol.event_store.record import Record
from faristol.kernel.details import Person
from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.mentions import players_of
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1.events_pb2 import CredentialGranted as Granted
from faristol.pb.people.v1 import events_pb2 as events
from faristol.personal_data.people import all_erased, forget, is_official, names, officials, when_erased

PEOPLE_STREAM = "people-cell"
"""The stream of events on persons, which have no names."""

_CREDENTIALS = "access-cell"
"""The stream of granted credentials."""


@dataclass(frozen=True, slots=True)
class Erased:
    """The result of an erasure."""

    before: datetime | None
    """Time of an earlier erasure, or None."""
    notes: int
    """Number of notes erased."""
    remains: str
    """Why remains may be in the database files; empty if they were cleaned."""
    others: tuple[str, ...] = ()
    """Ids of other officials of the same name, which are not erased: each counts as another person."""


async def find(record: Record, player_id: str) -> Person | None:
    """Find the person to erase; return None if they are erased already.

    A player whose name is unknown, as after a restore without names, is returned with empty texts. Raises
    ``RecordError`` for an unknown id, since the erasure of a misspelt one would have no effect.
    """
    known = (await names(record, [player_id])).get(player_id)
    if known:
        return known
    async with record.reading() as connection:
        if await when_erased(connection, player_id):
            return None
    after = 0
    while events := await record.read(after, types=ENTRIES):
        for event in events:
            if player_id in players_of(event.message):
                return Person(player_id)
        after = events[-1].position
    raise RecordError(f"this record has no player {player_id!r}: no data was erased")


async def erase(record: Record, player_id: str) -> Erased:
    """Erase all personal details of a person, and the notes that concern them or have their full name, permanently.

    Events have only an id, and commitments that do not reveal the name without its salt, so every hash and seal remains
    valid. An event states the erasure, and ``people.remember`` refuses the id from then on. Afterwards the database
    overwrites the space of the name. Earlier backups and archives still have it, and so has the write-ahead log of a
    server until it is reused. A repeated erasure erases later notes. An official without a credential is erased under
    every id that their name got; one with a credential is identified by their id. Raises ``RecordError`` for an unknown
    id.
    """
    person = await find(record, player_id)
    while True:
        try:
            before, noted, others = await _erase_or_refuse(record, player_id, person.name if person else "", utc_now())
        except Conflict:
            continue  # another erasure was appended first
        return Erased(before, noted, await record.clean(), others)


async def _erase_or_refuse(
    record: Record, player_id: str, name: str, at: datetime
) -> tuple[datetime | None, int, tuple[str, ...]]:
    """Erase, or raise ``Conflict``; return the time of an earlier erasure, the notes erased, and namesakes."""
    version = len(await record.events(PEOPLE_STREAM))
    async with record.reading() as connection:
        before = await when_erased(connection, player_id)
        same = await officials(connection, name) if name and is_official(player_id) else []
    given = {event.credential.subject_id for event in await record.events(_CREDENTIALS) if isinstance(event, Granted)}
    together = set(same) - given if same and player_id not in given else set()
    gone = sorted({player_id, *together}) if before is None else []
    noted = 0

    async def forget_all(connection: AsyncConnection) -> None:
        # The lock of the counter is held to the end of the transaction: no append can store the name afterwards.
        nonlocal noted
        for person_id in gone:
            await forget(connection, person_id, microseconds(at))
        noted = await notes.forget(connection, player_id, name)

    new_events = [events.PersonErased(person_id=person_id, occurred_at=to_timestamp(at)) for person_id in gone]
    await record.append(Decision([Write(PEOPLE_STREAM, version, new_events, OF_THE_CELL)], also=forget_all), Metadata())
    return before, noted, tuple(sorted({*same} - {*gone}))


async def erase_note(record: Record, stream: str, version: int) -> str:
    """Erase the note beside one event permanently. Return why remains may be in the files; empty if none are.

    Raises ``RecordError`` if there is no note.
    """
    async with record.writing() as connection:
        if not await notes.forget_beside(connection, stream, version):
            raise RecordError(f"version {version} of {stream!r} has no note: no data was erased")
    return await record.clean()


@dataclass(frozen=True, slots=True)
class Erasures:
    """All erasures of a record up to a moment."""

    as_of: datetime
    at: Mapping[str, datetime]
    """Time of each erasure by player id."""


async def list_erasures(record: Record) -> Erasures:
    """Read the erasures of a record."""
    as_of = utc_now()
    async with record.reading() as connection:
        rows = (await connection.execute(select(erased).order_by(erased.c.erased_at, erased.c.player_id))).all()
    return Erasures(as_of, {str(row.player_id): moment(row.erased_at) for row in rows})


def write_erasures(path: Path, erasures: Erasures) -> Erasures:
    """Write erasures to a file, merged with a list that is there: a restored record may lack some of them.

    Return the merged list. Raises ``RecordError`` if the file is not such a list or cannot be written.
    """
    if path.exists():
        erasures = Erasures(erasures.as_of, {**read_erasures_file(path).at, **erasures.at})
    listed = [{"player_id": person, "erased_at": at.isoformat()} for person, at in erasures.at.items()]
    content = json.dumps({"as_of": erasures.as_of.isoformat(), "erased": listed}, indent=1)
    try:
        path.write_text(f"{content}\n", encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror}") from error
    return erasures


def read_erasures_file(path: Path) -> Erasures:
    """Read a file of ``write``. Raises ``RecordError`` for any other file."""
    try:
        return parse_erasures(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _not_a_list(str(path)) from error


def parse_erasures(text: str, name: str) -> Erasures:
    """Read the content of a file of ``write``. Raises ``RecordError`` with ``name`` for any other text."""
    try:
        found = json.loads(text)
        at = {str(each["player_id"]): datetime.fromisoformat(each["erased_at"]) for each in found["erased"]}
        as_of = datetime.fromisoformat(found["as_of"])
        microseconds(as_of)  # raises for a time without a zone
    except (ValueError, TypeError, LookupError) as error:
        raise _not_a_list(name) from error
    return Erasures(as_of, at)


def _not_a_list(name: str) -> RecordError:
    return RecordError(f"{name} is not a list of erasures: expected what `faristol record erasures` writes")


async def apply_erasures(record: Record, erasures: Erasures) -> list[str]:
    """Erase every person in the list whose name the record still has. Return their ids.

    A person who is not in this record was registered after it, so there is no name to erase.
    """
    async with record.reading() as connection:
        gone = await all_erased(connection, erasures.at)
        named = select(people.c.player_id).where(people.c.player_id.in_(sorted(set(erasures.at) - gone)))
        again = sorted(str(each) for each in (await connection.execute(named)).scalars())
    for player_id in again:
        await erase(record, player_id)
    return again
