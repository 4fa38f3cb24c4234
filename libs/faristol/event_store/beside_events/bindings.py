"""Commitments that bind names to events: a change of a name in the database is detected, and a name can be erased.

Names and other personal details are stored beside the events and outside their hashes. An event that registers a name
has a commitment to the details in its metadata: SHA-256 over them and a salt of 32 random bytes, which is stored beside
them. Without the salt a commitment does not reveal the name, so erasing both erases the name. A changed name gets a new
salt, and its event also has the commitment to the previous name. So a swapped name cannot be legitimised by a further
change.

The first details have columns of their own. All later ones are one JSON object by name, so a new detail needs no
migration. A value whose name this version does not know is stored unchanged for the version that knows it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, NamedTuple

from sqlalchemy import Column, bindparam, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.tables import people
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import Metadata
from faristol.event_store.stored import Stored
from faristol.event_store.upcasters import UnreadableEvent, upcasters
from faristol.kernel import event_types
from faristol.kernel.details import DETAILS, Person, Value
from faristol.pb.event.v1 import event_pb2 as event
from faristol.pb.people.v1 import events_pb2 as events

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


ENTRIES = event_types.types_of(event_types.types_that_change(event.CHANGE_ENTRIES))
"""Types of events that register a player: each has a ``player_id``."""

NAME_SALT_BYTES = 32
"""Bytes."""

_ERASED = next(iter(event_types.types_of([events.PersonErased])))
_HAS_NAMES = '"names":"'
_WRITTEN = re.compile(r"([a-z0-9-]{1,64}):([0-9a-f]{64})(?::([0-9a-f]{64}))?")

_of = tables.people.c
_PEOPLE = select(*PERSON_COLUMNS, _of.salt).order_by(_of.player_id)
_NAME_TEXTS = select(
    *(func.coalesce(column, "").label(column.name) if column.nullable else column for column in PERSON_COLUMNS)
).order_by(_of.player_id)
_BINDING = (
    select(tables.events.c.position, tables.events.c.metadata)
    .where(tables.events.c.metadata.contains(_HAS_NAMES), tables.events.c.position <= bindparam("up_to"))
    .order_by(tables.events.c.position)
)
_NAMED_SINCE = (
    select(*(getattr(tables.events.c, name) for name in ("type", "schema_version", "payload", "metadata")))
    .where(tables.events.c.position > bindparam("after"), tables.events.c.position <= bindparam("up_to"))
    .where(tables.events.c.metadata.contains(_HAS_NAMES) | (tables.events.c.type == _ERASED))
)


def new_salt() -> bytes:
    """Return a random salt for a commitment."""
    return os.urandom(NAME_SALT_BYTES)


def build_binding(kept: StoredName, before: StoredName | None = None) -> str:
    """Return the binding of a name for the metadata of an event, replacing ``before``; empty without a salt.

    Raises ``ValueError`` for an invalid id of a person.
    """
    binding = ":".join(filter(None, (kept.player_id, kept.commitment, before.commitment if before else "")))
    if kept.salt is not None and not _WRITTEN.fullmatch(binding):
        raise ValueError(f"{kept.player_id[:80]!r} is not a person id: expected 1 to 64 of a-z, 0-9 and -")
    return binding if kept.salt is not None else ""


@dataclass(frozen=True, slots=True)
class Names:
    """The result of a check of names without errors."""

    bound: int = 0
    """Number of names bound by the checked events."""
    unbound: int = 0
    """Number of names that no event has ever bound: an older version stored them."""
    elsewhere: int = 0
    """Number of names bound by events that were not checked."""
    missing: int = 0
    """Number of bound names that are missing, if the record may lack names."""


class Bindings:
    """Reads the bindings of names from events in order, and stores the newest of each. Raises ``CorruptData``.

    ``begun``: the events up to some position are skipped. ``part``: only the events of one tournament are passed.
    ``left_out``: the restore of the record may have omitted names.
    """

    def __init__(self, *, begun: bool = False, part: bool = False, left_out: bool = False) -> None:
        self._partial = begun or part
        self._part = part
        self._left_out = left_out
        self._bound: dict[str, tuple[int, str]] = {}
        """Position and commitment by player id."""
        self._erased: dict[str, int] = {}
        """Position of the erasure by player id."""

    def event(self, event: Stored) -> None:
        """Process the next event."""
        if _HAS_NAMES in event.metadata:
            for player_id, commitment, before in _read(event):
                self._bind(event.position, player_id, commitment, before)
        elif event.type == _ERASED:
            try:
                message: Any = upcasters.message(event.type, event.schema_version, event.payload)
            except UnreadableEvent as error:
                raise CorruptData(f"{event}: {error}") from error
            self._erased[message.person_id] = event.position

    def _bind(self, position: int, player_id: str, commitment: str, before: str) -> None:
        if player_id in self._erased:
            raise CorruptData(
                f"position {position}: {player_id} is named, and was erased at position {self._erased[player_id]}"
            )
        known = self._bound.get(player_id)
        again = self._left_out and not before  # registered again, so without the previous commitment
        if known and not self._part and not again and (before or commitment) != known[1]:
            raise CorruptData(
                f"position {position}: the name of {player_id} had been changed before it was bound here; it is not "
                f"the one that was bound at position {known[0]}"
            )
        self._bound[player_id] = position, commitment

    def position(self, player_id: str) -> int:
        """Return the position of the event that binds a name now; 0 if no event does."""
        return self._bound.get(player_id, (0, ""))[0]

    def elsewhere(self, player_id: str) -> None:
        """Discard the binding of a name, because an event outside this part binds it."""
        self._bound.pop(player_id, None)

    def compare(self, people: Iterable[StoredName], erased: Collection[str], *, without: bool = False) -> Names:
        """Compare the stored names and the noted erasures with the bindings.

        ``without``: the record has no names and needs none. Raises ``CorruptData``.
        """
        counts = {"bound": 0, "unbound": 0, "elsewhere": 0, "missing": 0}
        there = set[str]()
        for kept in people:
            there.add(kept.player_id)
            counts[self._compare_kept(kept)] += 1
        for player_id, (position, _) in sorted(self._bound.items(), key=lambda bound: bound[1]):
            if player_id in there or player_id in self._erased or without:
                continue
            if self._part and player_id in erased:
                continue
            if not self._left_out:
                raise CorruptData(
                    f"the name of {player_id}, bound at position {position}: it is missing, and no event says that it "
                    "was erased (a record that was restored without people is checked with --without-names)"
                )
            counts["missing"] += 1
        for player_id, position in self._erased.items():
            if player_id not in erased:
                raise CorruptData(
                    f"{player_id}, erased at position {position}: the record no longer knows, and could name them again"
                )
        return Names(**counts)

    def _compare_kept(self, kept: StoredName) -> str:
        if kept.player_id in self._erased:
            position = self._erased[kept.player_id]
            raise CorruptData(f"{kept.player_id}, erased at position {position}: the record still has a name")
        bound = self._bound.get(kept.player_id)
        if bound is None:
            return "elsewhere" if self._partial and kept.salt is not None else "unbound"
        if kept.commitment != bound[1]:
            raise CorruptData(
                f"the personal details of {kept.player_id}, bound at position {bound[0]}: "
                "they differ from what was bound, and no event changed them"
            )
        return "bound"


def _read(event: Stored) -> Iterator[tuple[str, str, str]]:
    try:
        names = Metadata.from_json(event.metadata).names
        for each in names.split(" ") if names else ():
            found = _WRITTEN.fullmatch(each)
            if found is None:
                raise ValueError(each)
            yield found[1], found[2], found[3] or ""
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise CorruptData(f"{event}: its names cannot be read") from None


def bound_in(metadata: Metadata) -> set[str]:
    """Return the ids of the persons whose names the metadata of an event binds."""
    return {each.partition(":")[0] for each in metadata.names.split()}


async def positions(connection: AsyncConnection, up_to: int) -> dict[str, int]:
    """Return the position of the event that binds each name, from all events up to a position."""
    found: dict[str, int] = {}
    for position, metadata in await connection.execute(_BINDING, {"up_to": up_to}):
        found |= dict.fromkeys(bound_in(Metadata.from_json(metadata)), position)
    return found


async def list_named_since(connection: AsyncConnection, after: int, up_to: int) -> set[str]:
    """Return the ids of the persons whose details the events after a position, up to another one, bind or erase.

    The details of all other persons are the same at both positions.
    """
    found: set[str] = set()
    for type_, version, payload, metadata in await connection.execute(_NAMED_SINCE, {"after": after, "up_to": up_to}):
        found |= bound_in(Metadata.from_json(metadata))
        if type_ == _ERASED:
            message: Any = upcasters.message(type_, version, payload)
            found.add(message.person_id)
    return found


async def list_stored_names(connection: AsyncConnection) -> list[StoredName]:
    """Return every name in the database. Raises ``CorruptData`` for a malformed row."""
    failure: Exception | None = None
    try:
        rows = (await connection.execute(_PEOPLE)).all()
        if all(_is_name(row) for row in rows):
            return [to_stored_name(row) for row in rows]
    except (DBAPIError, TypeError, ValueError) as error:  # for example a text that is not UTF-8
        failure = error
    misfit = await kind_of(connection).misfit(connection, _NAME_TEXTS, {}, [str] * len(PERSON_COLUMNS))
    if misfit is None and failure is not None:
        raise failure
    raise CorruptData(f"the table of people has {misfit.found if misfit else 'an invalid salt'}")


def _is_name(row: Any) -> bool:
    columns = zip(PERSON_COLUMNS, row, strict=False)
    texts = all(isinstance(value, str) or (value is None and column.nullable) for column, value in columns)
    return texts and (row.salt is None or isinstance(row.salt, bytes | memoryview))


async def erased_ids(connection: AsyncConnection) -> set[str]:
    """Return the ids of the persons noted as erased."""
    return set((await connection.execute(select(tables.erased.c.player_id))).scalars())
