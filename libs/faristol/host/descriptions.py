"""Whom to ask about tournaments, and their arbiters: names that stand beside the events, so that they can be erased."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import bindparam, exists, select

from faristol.kernel import facts
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.record.record import Record
from faristol.record.tables import events, notes

_CONTACT = next(iter(facts.types_of([pairing.ContactSet])))
_ARBITERS = next(iter(facts.types_of([pairing.ArbitersNamed])))
_BETWEEN = ";"


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a tournament beside its events; empty where it was not said, and where it was erased."""

    contact: str = ""
    arbiters: tuple[str, ...] = ()
    """The chief arbiter first."""


NONE = Description()

_later = events.alias()
_WORDS = (
    select(events.c.tournament, events.c.type, notes.c.text)
    .join(notes, notes.c.position == events.c.position)
    .where(
        events.c.type.in_((_CONTACT, _ARBITERS)),
        events.c.stream.in_(bindparam("streams", expanding=True)),
        # Words that were taken back have an event without a note after them.
        ~exists().where(
            _later.c.stream == events.c.stream,
            _later.c.type == events.c.type,
            _later.c.version > events.c.version,
        ),
    )
)


async def of(record: Record, tournament_ids: Collection[str]) -> Mapping[str, Description]:
    """What is said of tournaments beside their events, by tournament; those of which nothing is are left out."""
    if not tournament_ids:
        return {}
    streams = [f"tournament-{tournament_id}" for tournament_id in tournament_ids]
    async with record.reading() as connection:
        rows = (await connection.execute(_WORDS, {"streams": streams})).all()
    found: dict[str, Description] = {}
    for row in rows:
        before = found.get(row.tournament, NONE)
        if row.type == _CONTACT:
            found[row.tournament] = replace(before, contact=row.text)
        else:
            names = tuple(name.strip() for name in row.text.split(_BETWEEN) if name.strip())
            found[row.tournament] = replace(before, arbiters=names)
    return found
