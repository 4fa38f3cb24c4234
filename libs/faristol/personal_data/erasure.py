"""Erasure of a person from the tables and from the database files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.decision import Conflict, Decision, Write
from faristol.event_store.beside_events import notes
from faristol.event_store.beside_events.bindings import ENTRIES
from faristol.event_store.errors import RecordError
from faristol.event_store.event import Metadata, microseconds, utc_now
from faristol.event_store.record import Record
from faristol.kernel.details import Person
from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.mentions import players_of
from faristol.pb.access.v1.events_pb2 import CredentialGranted as Granted
from faristol.pb.people.v1 import events_pb2 as events
from faristol.personal_data.people import forget, is_official, names, officials, when_erased

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

    stamp = Timestamp()
    stamp.FromDatetime(at)
    new_events = [events.PersonErased(person_id=person_id, occurred_at=stamp) for person_id in gone]
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
