"""Personal data, stored outside the events so that it can be erased while every hash stays valid."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.tables import counter, erased, people
from faristol.event_store.beside_events.bindings import (
    PERSON_COLUMNS,
    StoredName,
    build_binding,
    new_salt,
    to_person,
    to_stored_name,
)
from faristol.event_store.event import moment
from faristol.kernel.bounded import split_batches
from faristol.kernel.details import DETAILS, Person, Value
from faristol.kernel.names import OFFICIAL, is_named_person
from faristol.kernel.names import list_distinct_names as names_told_apart
from faristol.kernel.refusal import N_, Refusal

if TYPE_CHECKING:
    from faristol.event_store.record import Record


FORMAT_WITH_DETAILS_NUMBER = 3
"""Format of the record from which on every version knows the details without a column."""

PEOPLE_BATCH_SIZE = 1_000
"""Ids in one statement."""

_OFFICIAL = re.compile(rf"{OFFICIAL}[0-9a-f]{{12}}")


_OF_ALL = select(*PERSON_COLUMNS, people.c.salt)
_ROW = _OF_ALL.where(people.c.player_id == bindparam("wanted"))
_ROWS = _OF_ALL.where(people.c.player_id.in_(bindparam("wanted", expanding=True)))
_NAMESAKES = _OF_ALL.where(people.c.name.in_(bindparam("wanted", expanding=True)))


async def store_player(connection: AsyncConnection, player_id: str, *details: str, **others: Any) -> str:
    """Store the details of one person, given as those of a ``Person``, like ``store_players``."""
    (binding,) = await store_players(connection, [Person(player_id, *details, **others)])
    return binding


async def amend(connection: AsyncConnection, player_id: str, amended: Mapping[str, Value]) -> str:
    """Change details of a player, by name; an empty value removes a detail, and those that are not given remain.

    Returns the binding for the events of this transaction, see ``Decision.also``; empty if no value is given. Raises
    ``Refusal`` for an erased player in any case.
    """
    if await when_erased(connection, player_id):
        raise not_amended_as_erased(player_id)
    if not amended:
        return ""
    before = await _load_kept(connection, player_id)
    values = {**(before.values if before else {}), **amended}
    kept = StoredName(player_id, {name: value for name, value in values.items() if value}, new_salt())
    await _check_format(connection, [kept])
    return await _keep(connection, kept, before)


async def clear(connection: AsyncConnection, player_id: str) -> str:
    """Remove all details of a person who never became a player, and return the binding for the events.

    The row stays without a detail: only the owner of the tables may delete it, see ``erasure``. No effect for an
    erased or unknown person.
    """
    before = await _load_kept(connection, player_id)
    return await _keep(connection, StoredName(player_id, {}, new_salt()), before) if before else ""


def not_amended_as_erased(player_id: str) -> Refusal:
    """Return the refusal to change the data of an erased player."""
    return Refusal(
        "PERSON_ERASED",
        N_("The name of player {player} was erased on request: the data of this player can no longer be corrected."),
        {"player": player_id},
    )


def refused_as_erased(player_id: str) -> Refusal:
    """Return the refusal to register an erased player again."""
    return Refusal(
        "PERSON_ERASED",
        N_("The name of player {player} was erased on request; register the person under another player id."),
        {"player": player_id},
    )


async def store_players(connection: AsyncConnection, persons: Sequence[Person]) -> list[str]:
    """Store the details of persons in place of the previous ones, in few statements.

    Returns the bindings for the events of this transaction in the same order, see ``Decision.also``. Raises ``Refusal``
    for an erased player, so that an old list cannot restore the name.
    """
    ids = [person.player_id for person in persons]
    for player_id in await all_erased(connection, ids):
        raise refused_as_erased(player_id)
    before: dict[str, StoredName] = {}
    for some in split_batches(sorted(ids), PEOPLE_BATCH_SIZE):
        for row in await connection.execute(_ROWS, {"wanted": some}):
            before[row.player_id] = to_stored_name(row)
    bindings, changed = [], []
    for person in persons:
        known = before.get(person.player_id)
        unread = {name: value for name, value in known.values.items() if name not in DETAILS} if known else {}
        values = {**unread, **person.known}
        if known and known.salt is not None and known.values == values:
            bindings.append(build_binding(known))
            continue
        kept = StoredName(person.player_id, values, new_salt())
        bindings.append(build_binding(kept, known))
        changed.append(kept)
    await _check_format(connection, changed)
    if changed:
        rows = [kept.to_row() for kept in changed]
        await connection.execute(kind_of(connection).upsert(people, rows[0].keys() - {"player_id"}), rows)
    return bindings


async def _check_format(connection: AsyncConnection, persons: Sequence[StoredName]) -> None:
    """Raise ``Refusal`` for further details while a version that does not know them may run beside this one.

    That version would bind a person without them.
    """
    if not any(person.others for person in persons):
        return
    if (await connection.execute(select(counter.c.format))).scalar_one() < FORMAT_WITH_DETAILS_NUMBER:
        raise Refusal(
            "RECORD_NOT_MIGRATED",
            N_("Not all personal details can be stored yet: the operator must first run `faristol record migrate`."),
        )


async def remember_persons(connection: AsyncConnection, persons: Sequence[Person]) -> list[str]:
    """Store the details of persons in an appeal, and return their bindings (``Decision.also``).

    A person of one tournament (``is_named_person``) takes the new values. Another known person keeps the name, and gets
    the details that are unknown. Without a name only a known person gets them. Raises ``Refusal`` for an erased person
    with a name.
    """
    bindings: list[str] = []
    for person in persons:
        known = await _load_kept(connection, person.player_id)
        if not person.name and (known is None or await when_erased(connection, person.player_id)):
            continue
        before = known.person if known else Person(person.player_id)
        if known is None or (person.name and is_named_person(person.player_id)):
            bindings += await store_players(connection, [before.replace(**person.known)])
            continue
        added = {name: value for name, value in person.known.items() if name not in before.known}
        bindings.append(await amend(connection, person.player_id, added))
    return [each for each in bindings if each]


async def all_erased(connection: AsyncConnection, player_ids: Collection[str]) -> set[str]:
    """Return the erased ones of these players."""
    found: set[str] = set()
    for some in split_batches(sorted(player_ids), PEOPLE_BATCH_SIZE):
        found.update(
            (await connection.execute(select(erased.c.player_id).where(erased.c.player_id.in_(some)))).scalars()
        )
    return found


async def bind(connection: AsyncConnection, player_id: str) -> str:
    """Return the binding of the stored name for the events of this transaction; empty if there is no name."""
    kept = await _load_kept(connection, player_id)
    if kept is None or kept.salt is not None:
        return build_binding(kept) if kept else ""
    return await _keep(connection, kept._replace(salt=new_salt()), None)


async def _load_kept(connection: AsyncConnection, player_id: str) -> StoredName | None:
    row = (await connection.execute(_ROW, {"wanted": player_id})).first()
    return to_stored_name(row) if row else None


async def _keep(connection: AsyncConnection, kept: StoredName, before: StoredName | None) -> str:
    binding = build_binding(kept, before)
    row = kept.to_row()
    changed = row.keys() - {"player_id"}
    await connection.execute(kind_of(connection).upsert(people, changed).values(**row))
    return binding


async def forget(connection: AsyncConnection, player_id: str, at: int) -> None:
    """Delete all personal details of a player, and note the time ``at`` (microseconds since 1970)."""
    await connection.execute(delete(people).where(people.c.player_id == player_id))
    await connection.execute(erased.insert().values(player_id=player_id, erased_at=at))


async def when_erased(connection: AsyncConnection, player_id: str) -> datetime | None:
    """Return the time of a player's erasure; None for other players."""
    query = select(erased.c.erased_at).where(erased.c.player_id == player_id)
    at = (await connection.execute(query)).scalar_one_or_none()
    return None if at is None else moment(at)


async def has_name(connection: AsyncConnection, player_id: str) -> bool:
    """Check whether the name of a person is stored, or was until its erasure."""
    kept = await connection.execute(select(people.c.player_id).where(people.c.player_id == player_id))
    return kept.first() is not None or await when_erased(connection, player_id) is not None


async def names(record: Record, player_ids: Collection[str]) -> dict[str, Person]:
    """Return these players by id; erased and unknown ones are omitted."""
    async with record.reading() as connection:
        return await find_all(connection, player_ids)


async def find_all(connection: AsyncConnection, player_ids: Collection[str]) -> dict[str, Person]:
    """Return these players by id within a transaction; erased and unknown ones are omitted."""
    found: dict[str, Person] = {}
    for some in split_batches(sorted(player_ids), PEOPLE_BATCH_SIZE):
        found |= {row.player_id: to_person(row) for row in await connection.execute(_ROWS, {"wanted": some})}
    return found


def load_distinct_names(persons: Iterable[Person]) -> dict[str, str]:
    """Return the display names by id, with club or id if names are equal, by ``names_told_apart``."""
    return names_told_apart((person.player_id, person.name, person.club) for person in persons)


async def find_namesakes(connection: AsyncConnection, persons: Collection[Person]) -> list[Person]:
    """Return the other persons of the record with the same name as one of these, within a transaction."""
    wanted, known = {person.name for person in persons if person.name}, {person.player_id for person in persons}
    if not wanted:
        return []
    found = [to_person(row) for row in await connection.execute(_NAMESAKES, {"wanted": sorted(wanted)})]
    return [person for person in found if person.player_id not in known]


def is_official(person_id: str) -> bool:
    """Check whether an id has the form of ids made for officials who act under a name."""
    return bool(_OFFICIAL.fullmatch(person_id))


async def official(record: Record, name: str) -> str:
    """Return the id of the official of this name; empty if the name is unknown or erased."""
    async with record.reading() as connection:
        return next(iter(await officials(connection, name)), "")


async def officials(connection: AsyncConnection, name: str) -> list[str]:
    """Return the ids of the official of this name, in order.

    There are several if the first commands under a name were simultaneous: each made an id before another was stored.
    """
    named = select(people.c.player_id).where(people.c.name == name, people.c.player_id.startswith(OFFICIAL))
    found = await connection.execute(named.order_by(people.c.player_id))
    return [person_id for person_id in found.scalars() if is_official(person_id)]


async def find(connection: AsyncConnection, player_id: str) -> Person | None:
    """Return a person within a transaction; None for an erased or unknown one."""
    kept = await _load_kept(connection, player_id)
    return kept.person if kept else None
