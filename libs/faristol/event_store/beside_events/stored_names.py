"""Personal details as the database and archives store them, and the commitment to them.

The first details have columns of their own. All later ones are one JSON object by name, so a new detail needs no
migration. A value whose name this version does not know is stored unchanged for the version that knows it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, NamedTuple

from sqlalchemy import Column

from faristol.event_store.backends.tables import people
from faristol.event_store.errors import CorruptData
from faristol.kernel.details import DETAILS, Person, Value

FIRST_DETAILS = ("name", "club", "country")
"""The details with a column. The first commitments are over them, in this order: never changed."""

PERSON_COLUMNS: Sequence[Column[Any]] = [people.c[name] for name in ("player_id", *FIRST_DETAILS, "details")]
"""The columns that ``to_person`` reads."""

_LENGTH = Struct(">Q").pack


class StoredName(NamedTuple):
    """A person as stored beside the events."""

    player_id: str
    values: Mapping[str, Value]
    """Known values by the names of the details."""
    salt: bytes | None
    """None if no event has ever bound the name."""

    @property
    def person(self) -> Person:
        """The person with the details that this version knows."""
        known: Any = {name: self.values[name] for name in DETAILS if name in self.values}
        return Person(self.player_id, **known)

    @property
    def others(self) -> dict[str, Value]:
        """The values of the details without a column, sorted by name."""
        return {name: self.values[name] for name in sorted(self.values) if name not in FIRST_DETAILS}

    @property
    def commitment(self) -> str:
        """The commitment to the bound details, 64 hexadecimal digits; empty without a salt.

        A person with only the first details has a commitment of version 1, as every one had before there were others.
        """
        if self.salt is None:
            return ""
        others = {name: value for name, value in self.others.items() if _is_bound(name)}
        framed = [b"faristol name 2\n" if others else b"faristol name 1\n"]
        texts = [self.player_id, *(str(self.values.get(name, "")) for name in FIRST_DETAILS)]
        texts += [text for name, value in others.items() for text in (name, str(value))]
        for part in (self.salt, *(text.encode() for text in texts)):
            framed += [_LENGTH(len(part)), part]
        return hashlib.sha256(b"".join(framed)).hexdigest()

    def to_row(self) -> dict[str, Any]:
        """Return the columns of the person."""
        first = {name: self.values.get(name, "") for name in FIRST_DETAILS}
        others = json.dumps(self.others, ensure_ascii=False, separators=(",", ":")) if self.others else None
        return {"player_id": self.player_id, **first, "salt": self.salt, "details": others}


def _is_bound(name: str) -> bool:
    return name not in DETAILS or DETAILS[name].options.bound


def to_stored_name(row: Any) -> StoredName:
    """Return the person in a row. Raises ``CorruptData`` if it has malformed details."""
    return StoredName(row.player_id, _read_values(row), None if row.salt is None else bytes(row.salt))


def to_person(row: Any) -> Person:
    """Return the person in a row with ``PERSON_COLUMNS``. Raises ``CorruptData`` if it has malformed details."""
    return StoredName(row.player_id, _read_values(row), None).person


def _read_values(row: Any) -> dict[str, Value]:
    values = {name: getattr(row, name) for name in FIRST_DETAILS}
    if row.details is not None:
        values |= parse_others(row.player_id, row.details)
    return {name: value for name, value in values.items() if value}


def parse_others(player_id: str, text: str) -> dict[str, Value]:
    """Return the details of a JSON object. Raises ``CorruptData``."""
    try:
        found = json.loads(text)
        if not isinstance(found, dict) or not all(_is_value(name, value) for name, value in found.items()):
            raise ValueError(text)
    except (ValueError, TypeError, RecursionError):
        raise CorruptData(f"the table of people has malformed details of {player_id}") from None
    return found


def _is_value(name: str, value: object) -> bool:
    if name in DETAILS:
        return name not in FIRST_DETAILS and type(value) is (int if DETAILS[name].is_number else str)
    return type(value) in (int, str)
