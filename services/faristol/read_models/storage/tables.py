"""The tables of the read models: one for each class of ``rows``, with a column for each of its fields.

The names of the tables contain version and generation, so that a rebuild can run beside the tables in use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from faristol.read_models.storage import rows
from faristol.read_models.storage.rows import (
    CLASSES,
    KEY,
    STORED_APART,
    StoredRow,
    decode_tuples,
    encode_tuples,
)

TABLES_VERSION = 15
"""Of the content of the rows. A new number means new tables, filled from the first event on."""

INDEXES: Mapping[type[StoredRow], Sequence[Sequence[str]]] = {
    rows.Tournament: [("ruleset_digest",)],
    rows.Player: [("player_id",)],
    rows.Game: [("tournament_id", "round")],
    rows.Seat: [("tournament_id", "round"), ("player_id",)],
    rows.Line: [("tournament_id",)],
}
"""Columns for lookups in addition to the keys; keys that begin with the tournament serve for its rows."""


class Packed(TypeDecorator[tuple[Any, ...]]):
    """A tuple of strings or of named tuples, as JSON."""

    impl = Text
    cache_ok = True

    def __init__(self, item: type[Any]) -> None:
        super().__init__()
        self.item = item

    def process_bind_param(self, value: tuple[Any, ...] | None, dialect: Dialect) -> str:
        """Encode a value for the database."""
        return encode_tuples(value) if value else ""

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[Any, ...]:
        """Decode a value from the database."""
        if not value:
            return ()
        return tuple(json.loads(value) if self.item is str else decode_tuples(self.item, value))


@dataclass(frozen=True, slots=True)
class Layout:
    """The mapping of the rows of a class to their table."""

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]
    """The values of all columns of a row."""
    key: Callable[[Any], tuple[Any, ...]]


def _layout(cls: Any) -> Layout:
    columns = tuple(field.name for field in fields(cls) if field.metadata != STORED_APART)
    keys = tuple(field.name for field in fields(cls) if field.metadata == KEY)
    read = attrgetter(*keys)
    return Layout(columns, keys, attrgetter(*columns), read if len(keys) > 1 else lambda row: (read(row),))


LAYOUTS: Mapping[type[StoredRow], Layout] = {cls: _layout(cls) for cls in CLASSES}


@cache
def schema(version: int, generation: int) -> Mapping[type[StoredRow], Table]:
    """Return the tables of a version and a generation; they share their metadata."""
    metadata = MetaData()
    return {cls: _table(cls, f"results_v{version}_{generation}_{cls.__name__.lower()}", metadata) for cls in CLASSES}


def metadata_of(version: int, generation: int) -> MetaData:
    """Return the metadata of these tables."""
    return schema(version, generation)[rows.Tournament].metadata


def _table(cls: type[StoredRow], name: str, metadata: MetaData) -> Table:
    known, kinds = LAYOUTS[cls], get_type_hints(cls)
    columns = [_column(column, kinds[column], key=column in known.keys) for column in known.columns]
    indexes = [Index("_".join((name, *by)), *by) for by in INDEXES.get(cls, ())]
    return Table(name, metadata, *columns, *indexes)


def _column(name: str, kind: Any, *, key: bool) -> Column[Any]:
    optional = NoneType in get_args(kind)
    if optional:
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is tuple:
        return Column(name, Packed(get_args(kind)[0]), nullable=False)
    return Column(name, _FIELD_COLUMN_TYPES[kind](), primary_key=key, autoincrement=False, nullable=optional)


_FIELD_COLUMN_TYPES: Mapping[type[Any], Callable[[], Any]] = {
    str: lambda: String(),
    int: BigInteger,
    bool: Boolean,
    bytes: LargeBinary,
}
