"""Copied events in the contract, and the signature of a hall over a batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.copies import Also, Batch
from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.beside_events import notes
from faristol.event_store.beside_events.bindings import FIRST_DETAILS, StoredName, bound_in, to_stored_name
from faristol.event_store.beside_events.notes import Note
from faristol.event_store.event import Metadata
from faristol.event_store.stored import Stored
from faristol.kernel.details import DETAILS
from faristol.kernel.event_types import types_of
from faristol.kernel.likeness import like, read_shared_fields
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.people.v1.events_pb2 import PersonErased
from faristol.personal_data.people import all_erased, find_all, forget

SIGNED_HEADING = b"faristol hall batch 1\n"
"""Bytes before the batch that a hall signs."""

ERASED_TYPES = types_of([PersonErased])

SENT_DETAILS = frozenset(name for name, detail in DETAILS.items() if not detail.options.restricted)
"""Personal details that a hall gets."""

MAX_BATCH_BYTES = 512 * 1024
"""Bytes of a batch that the championship accepts: kept aside, it is one event."""

MAX_STATEMENT_VALUES = 400
"""Ids in one statement."""

_PEOPLE = select(tables.people).where(tables.people.c.player_id.in_(bindparam("ids", expanding=True)))


def to_batch(events: Iterable[pb.HallEvent], answers: Iterable[pb.HallAnswer]) -> Batch:
    """Return the batch of events and answers of a message."""
    found: list[Stored] = []
    texts: dict[str, Note] = {}
    for event in events:
        found.append(Stored(position=0, tournament=event.tournament_id, **read_shared_fields(event, Stored)))
        if event.note:
            texts[event.event_id] = Note(event.note, tuple(event.note_player_ids))
    return Batch(found, texts, {answer.command_id: answer.answer for answer in answers})


def part_of(batch: Batch, events: Sequence[Stored]) -> Batch:
    """Return some events of a batch with what is beside them."""
    commands, ids = {event.command_id for event in events}, {event.event_id for event in events}
    return Batch(
        events,
        {event_id: note for event_id, note in batch.notes.items() if event_id in ids},
        {command: answer for command, answer in batch.answers.items() if command in commands},
    )


def divide(batch: Batch, most_bytes: int) -> Iterator[Batch]:
    """Yield the parts of a batch, each with about this number of bytes as a message at most.

    The events of a command are in one part, which may be larger for that reason.
    """
    part: list[Stored] = []
    size = 0
    for command_id, group in groupby(batch.events, lambda event: event.command_id or event.event_id):
        of_command = list(group)
        content = pb.HallBatch(events=[to_event(event, batch.notes.get(event.event_id)) for event in of_command])
        if command_id in batch.answers:
            content.answers.add(command_id=command_id, answer=batch.answers[command_id])
        if part and size + content.ByteSize() > most_bytes:
            yield part_of(batch, part)
            part, size = [], 0
        part += of_command
        size += content.ByteSize()
    if part:
        yield part_of(batch, part)


def to_events(batch: Batch) -> list[pb.HallEvent]:
    """Return the events of a batch with their notes as messages."""
    return [to_event(event, batch.notes.get(event.event_id)) for event in batch.events]


def to_event(event: Stored, note: Note | None = None) -> pb.HallEvent:
    """Return an event with its note as a message."""
    return like(
        pb.HallEvent,
        event,
        tournament_id=event.tournament,
        note=note.text if note else "",
        note_player_ids=note.player_ids if note else (),
    )


def to_answers(batch: Batch) -> list[pb.HallAnswer]:
    """Return the answers of a batch as messages."""
    return [pb.HallAnswer(command_id=command_id, answer=answer) for command_id, answer in batch.answers.items()]


def add_checksum(response: pb.FollowChampionshipResponse) -> pb.FollowChampionshipResponse:
    """Return a response with its checksum."""
    response.checksum = _checksum(response)
    return response


def check_response(response: pb.FollowChampionshipResponse) -> None:
    """Check that a response was not changed on the way or in a file. Raises ``ValueError``.

    Only those of an earlier version may lack a checksum.
    """
    has_checksum = bool(response.checksum) or response.HasField("after_position")
    if has_checksum and response.checksum != _checksum(response):
        raise ValueError("the events of the championship were changed on the way: the checksum differs")


def _checksum(response: pb.FollowChampionshipResponse) -> bytes:
    """Return SHA-256 of a response without its checksum, 32 bytes."""
    content = pb.FollowChampionshipResponse()
    content.CopyFrom(response)
    content.ClearField("checksum")
    return hashlib.sha256(content.SerializeToString(deterministic=True)).digest()


async def load_people(connection: AsyncConnection, events: Iterable[Stored]) -> list[pb.HallPerson]:
    """Return the persons whose names these events bind, with their present details; erased ones are omitted.

    Restricted details, such as an e-mail address, are left out: no commitment covers them, and a laptop can be stolen.
    """
    ids = sorted({player_id for event in events for player_id in bound_in(Metadata.from_json(event.metadata))})
    found: list[pb.HallPerson] = []
    for start in range(0, len(ids), MAX_STATEMENT_VALUES):
        rows = await connection.execute(_PEOPLE, {"ids": ids[start : start + MAX_STATEMENT_VALUES]})
        for stored in map(to_stored_name, rows.all()):
            sent = {name: value for name, value in stored.values.items() if name in SENT_DETAILS}
            details = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
            found.append(pb.HallPerson(player_id=stored.player_id, details=details, salt=stored.salt or b""))
    return found


def people_writer(people: Sequence[pb.HallPerson]) -> Also:
    """Return the function that stores persons beside copied events, in place of their previous details.

    It does not store an erased person again, and erases a person after ``PersonErased``. Raises ``ValueError`` for
    malformed details.
    """
    persons = [_to_stored(person) for person in people]

    async def write(connection: AsyncConnection, events: Sequence[Stored]) -> None:
        gone = await all_erased(connection, [person.player_id for person in persons])
        rows = [person.to_row() for person in persons if person.player_id not in gone]
        if rows:
            await connection.execute(kind_of(connection).upsert(tables.people, rows[0].keys() - {"player_id"}), rows)
        for event in events:
            if event.type in ERASED_TYPES:
                await _erase(connection, event)

    return write


async def _erase(connection: AsyncConnection, event: Stored) -> None:
    """Delete the details of a person and the notes that concern them, as the championship did."""
    erased = PersonErased.FromString(event.payload)
    kept = await find_all(connection, [erased.person_id])
    await notes.forget(connection, erased.person_id, kept[erased.person_id].name if kept else "")
    await forget(connection, erased.person_id, event.recorded_at)


def _to_stored(person: pb.HallPerson) -> StoredName:
    values = json.loads(person.details)
    if not isinstance(values, dict) or not all(type(values.get(name, "")) is str for name in FIRST_DETAILS):
        raise ValueError(f"the details of {person.player_id[:64]!r} are malformed")
    return StoredName(person.player_id, values, person.salt or None)


def sign(key: Ed25519PrivateKey, batch: bytes) -> bytes:
    """Return the signature of a hall over the bytes of a batch, 64 bytes."""
    return key.sign(SIGNED_HEADING + batch)


def is_signed(key: bytes, batch: bytes, signature: bytes) -> bool:
    """Check the signature of the hall with this public key, 32 bytes, over the bytes of a batch."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, SIGNED_HEADING + batch)
    except (InvalidSignature, ValueError):
        return False
    return True
