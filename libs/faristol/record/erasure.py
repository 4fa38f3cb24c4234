"""Erasing a person: out of the tables, and out of the files under them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.kernel.facts import OF_THE_CELL
from faristol.kernel.mentions import players_of
from faristol.pb.access.v1.events_pb2 import CredentialGranted as Granted
from faristol.pb.people.v1 import events_pb2 as events
from faristol.record import notes
from faristol.record.decision import Conflict, Decision, Write
from faristol.record.errors import RecordError
from faristol.record.event import Metadata, microseconds, utc_now
from faristol.record.people import ENTRIES, Person, forget, is_official, names, officials, when_erased
from faristol.record.record import Record

STREAM = "people-cell"
"""What is said of people, none of it with a name."""

_CREDENTIALS = "access-cell"
"""The stream of the credentials that were given."""


@dataclass(frozen=True, slots=True)
class Erased:
    """A person who is forgotten."""

    before: datetime | None
    """When it was done, if it had been done before."""
    notes: int
    """How many notes were erased."""
    remains: str
    """Why remains may still lie in the files of the database; empty when they were cleaned."""
    others: tuple[str, ...] = ()
    """Ids of other officials of this name, who stay: each is another person, until somebody says otherwise."""


async def find(record: Record, player_id: str) -> Person | None:
    """The person to be erased; None for one who has been erased already.

    Raises ``RecordError`` for an id that nobody here has, as a misspelt one would be erased in vain. A player whose
    name is not known, because the record was restored without names, is found with empty ones.
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
                return Person(player_id, "", "")
        after = events[-1].position
    raise RecordError(f"nobody in this record is player {player_id!r}: nothing was erased")


async def erase(record: Record, player_id: str) -> Erased:
    """Forget a person's name, club and country, and the notes that concern them or name them in full, for ever.

    Events hold an id alone, and commitments that say nothing without the salt beside the name, so every hash and seal
    stays right. An event says that the person was erased, and ``people.remember`` refuses the id from then on.
    Afterwards the database is made to overwrite the space where the name lay. Backups and archives made before still
    hold it, and so does the write-ahead log of a server until that is used up. Erasing again erases what was noted
    since. An official who acted by a name alone is forgotten under every id that the name got so; who was given a
    credential is told apart by their id. Raises ``RecordError`` for an id that nobody has.
    """
    person = await find(record, player_id)
    while True:
        try:
            before, noted, others = await _erased(record, player_id, person.name if person else "", utc_now())
        except Conflict:
            continue  # somebody was erased meanwhile
        return Erased(before, noted, await record.clean(), others)


async def _erased(
    record: Record, player_id: str, name: str, at: datetime
) -> tuple[datetime | None, int, tuple[str, ...]]:
    """When it had been done before, how many notes are erased, other officials of the name. Raises ``Conflict``."""
    version = len(await record.facts(STREAM))
    async with record.reading() as connection:
        before = await when_erased(connection, player_id)
        same = await officials(connection, name) if name and is_official(player_id) else []
    given = {fact.credential.subject_id for fact in await record.facts(_CREDENTIALS) if isinstance(fact, Granted)}
    together = set(same) - given if same and player_id not in given else set()
    gone = sorted({player_id, *together}) if before is None else []
    noted = 0

    async def forget_all(connection: AsyncConnection) -> None:
        # Appends hold the counter to their end: none that is under way can put the name back afterwards.
        nonlocal noted
        for person_id in gone:
            await forget(connection, person_id, microseconds(at))
        noted = await notes.forget(connection, player_id, name)

    stamp = Timestamp()
    stamp.FromDatetime(at)
    facts = [events.PersonErased(person_id=person_id, occurred_at=stamp) for person_id in gone]
    await record.append(Decision([Write(STREAM, version, facts, OF_THE_CELL)], also=forget_all), Metadata())
    return before, noted, tuple(sorted({*same} - {*gone}))


async def erase_note(record: Record, stream: str, version: int) -> str:
    """Forget what stands beside one event, for ever. Gives why remains may lie in the files; empty when none do.

    Raises ``RecordError`` when nothing stands there.
    """
    async with record.writing() as connection:
        if not await notes.forget_beside(connection, stream, version):
            raise RecordError(f"no note stands beside version {version} of {stream!r}: nothing was erased")
    return await record.clean()
