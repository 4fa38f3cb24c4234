"""The list of erased persons: a file without names, applied after the restore of an older backup."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from faristol.event_store.backends.tables import erased, people
from faristol.event_store.errors import RecordError
from faristol.event_store.event import microseconds, moment, utc_now
from faristol.event_store.record import Record
from faristol.personal_data import erasure
from faristol.personal_data.people import all_erased


@dataclass(frozen=True, slots=True)
class Erasures:
    """All erasures of a record up to a moment."""

    as_of: datetime
    at: Mapping[str, datetime]
    """Time of each erasure by player id."""


async def read_record(record: Record) -> Erasures:
    """Read the erasures of a record."""
    as_of = utc_now()
    async with record.reading() as connection:
        rows = (await connection.execute(select(erased).order_by(erased.c.erased_at, erased.c.player_id))).all()
    return Erasures(as_of, {str(row.player_id): moment(row.erased_at) for row in rows})


def write(path: Path, erasures: Erasures) -> Erasures:
    """Write erasures to a file, merged with a list that is there: a restored record may lack some of them.

    Return the merged list. Raises ``RecordError`` if the file is not such a list or cannot be written.
    """
    if path.exists():
        erasures = Erasures(erasures.as_of, {**parse(path).at, **erasures.at})
    listed = [{"player_id": person, "erased_at": at.isoformat()} for person, at in erasures.at.items()]
    content = json.dumps({"as_of": erasures.as_of.isoformat(), "erased": listed}, indent=1)
    try:
        path.write_text(f"{content}\n", encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror}") from error
    return erasures


def parse(path: Path) -> Erasures:
    """Read a file of ``write``. Raises ``RecordError`` for any other file."""
    try:
        return parse_text(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _not_a_list(str(path)) from error


def parse_text(text: str, name: str) -> Erasures:
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


async def apply(record: Record, erasures: Erasures) -> list[str]:
    """Erase every person in the list whose name the record still has. Return their ids.

    A person who is not in this record was registered after it, so there is no name to erase.
    """
    async with record.reading() as connection:
        gone = await all_erased(connection, erasures.at)
        named = select(people.c.player_id).where(people.c.player_id.in_(sorted(set(erasures.at) - gone)))
        again = sorted(str(each) for each in (await connection.execute(named)).scalars())
    for player_id in again:
        await erasure.erase(record, player_id)
    return again
