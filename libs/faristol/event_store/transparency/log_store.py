"""The log in the database: its tiles and its checkpoints, and the hashes and proofs that are computed from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, func, insert, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import rows, stored
from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.integrity import merkle
from faristol.event_store.transparency.entry import entry_of
from faristol.event_store.transparency.merkle_proofs import (
    Range,
    list_consistency_ranges,
    list_inclusion_ranges,
    prove,
)
from faristol.event_store.transparency.signed_note import MAX_LOG_SIZE, InvalidNote, LogCheckpoint, SignedNote
from faristol.event_store.transparency.tiles import (
    TILE_SIZE,
    CorruptTile,
    GrowingTiles,
    TileName,
    TileSource,
    list_needed_tiles,
)
from faristol.kernel.bounded import split_batches

MAX_STATEMENT_TILES = 16
"""Tiles that are read by one statement."""

_LOG_LOCK_ID = 0x746C6F67  # arbitrary, but the same for every process of a cell

_tiles = tables.log_tiles.c
_checkpoints = tables.log_checkpoints.c
_LAST_TILES = select(tables.log_tiles).where(
    tuple_(_tiles.level, _tiles.number).in_(select(_tiles.level, func.max(_tiles.number)).group_by(_tiles.level))
)
_TILE = select(_tiles.hashes).where(_tiles.level == bindparam("level"), _tiles.number == bindparam("number"))
_NEWEST = select(tables.log_checkpoints).order_by(_checkpoints.size.desc()).limit(1)
_PUBLISHED = select(tables.log_checkpoints).where(_checkpoints.published_at.is_not(None))
_NEWEST_PUBLISHED = _PUBLISHED.order_by(_checkpoints.size.desc()).limit(1)
_FIRST_WITH = _PUBLISHED.where(_checkpoints.size >= bindparam("least")).order_by(_checkpoints.size).limit(1)
_CHECKPOINTS_AFTER = (
    select(
        _checkpoints.size,
        _checkpoints.origin,
        _checkpoints.root,
        _checkpoints.note,
        _checkpoints.made_at,
        func.coalesce(_checkpoints.published_at, 0).label("published_at"),
    )
    .where(_checkpoints.size > bindparam("after"), _checkpoints.size <= bindparam("up_to"))
    .order_by(_checkpoints.size)
    .limit(bindparam("most"))
)
_CHECKPOINT_COLUMN_TYPES = (int, str, bytes, str, int, int)


@cache
def _tiles_by_name(count: int) -> Select[Any]:
    """Build the statement that reads this number of tiles. SQLite scans all tiles for a list of pairs."""
    names = [
        and_(_tiles.level == bindparam(f"level_{at}"), _tiles.number == bindparam(f"number_{at}"))
        for at in range(count)
    ]
    return select(tables.log_tiles).where(or_(*names))


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint that the log signed."""

    checkpoint: LogCheckpoint
    note: SignedNote
    """The checkpoint with the signature of the log, and the cosignatures of witnesses so far."""
    made_at: int
    """Microseconds since 1970, UTC."""
    published_at: int | None
    """Time at which enough witnesses had cosigned it; None until then."""


async def read_size(connection: AsyncConnection) -> int:
    """Return the number of events in the tree."""
    return (await read_last_tiles(connection)).size


async def read_last_tiles(connection: AsyncConnection) -> GrowingTiles:
    """Return the last tile of each level."""
    return GrowingTiles(_by_name((await connection.execute(_LAST_TILES)).all()))


def _by_name(found: Sequence[Row[Any]]) -> dict[TileName, bytes]:
    return {TileName(row.level, row.number): bytes(row.hashes) for row in found}


async def read_tile(connection: AsyncConnection, tile: TileName) -> bytes:
    """Return the hashes of a tile; empty if it does not exist."""
    found = (await connection.execute(_TILE, {"level": tile.level, "number": tile.number})).scalar_one_or_none()
    return bytes(found) if found is not None else b""


async def read_entries(connection: AsyncConnection, number: int, width: int) -> list[bytes]:
    """Return the entries under the first hashes of a tile of level 0, computed from the record."""
    first = number * TILE_SIZE
    events = await stored.read(connection, first, first + width)
    return [entry_of(event) for event in events]


async def write_tiles(connection: AsyncConnection, size: int, tiles: GrowingTiles) -> bool:
    """Store the changed tiles of a tree that had some size before. Return False if another process has extended it."""
    await kind_of(connection).alone(connection, _LOG_LOCK_ID)
    if await read_size(connection) != size:
        return False
    changed = [
        {"level": tile.level, "number": tile.number, "hashes": bytes(content)}
        for tile, content in tiles.changed.items()
    ]
    if changed:
        await connection.execute(kind_of(connection).upsert(tables.log_tiles, ["hashes"]), changed)
    return True


async def load_source(connection: AsyncConnection, ranges: Sequence[Range]) -> TileSource:
    """Return the hashes of these ranges of events. Raises ``CorruptData`` later if a tile lacks a hash."""
    needed = list_needed_tiles(ranges)
    found = await _read_tiles(connection, needed)

    def read(tile: TileName) -> bytes:
        return found.get(tile, b"")

    return TileSource(read)


async def _read_tiles(connection: AsyncConnection, needed: Collection[TileName]) -> Mapping[TileName, bytes]:
    found: dict[TileName, bytes] = {}
    for asked in split_batches(sorted(needed), MAX_STATEMENT_TILES):
        values = {f"level_{at}": tile.level for at, tile in enumerate(asked)}
        values |= {f"number_{at}": tile.number for at, tile in enumerate(asked)}
        found |= _by_name((await connection.execute(_tiles_by_name(len(asked)), values)).all())
    return found


async def compute_root(connection: AsyncConnection, size: int) -> bytes:
    """Return the root of the tree of the first events. Raises ``CorruptData`` if the tiles do not have it."""
    if not size:
        return merkle.EMPTY
    return (await read_hashes(connection, [(0, size)]))[0]


async def prove_inclusion(connection: AsyncConnection, index: int, size: int) -> list[bytes]:
    """Return the proof that an event, counted from 0, is in the tree of some size. Raises ``CorruptData``."""
    return await read_hashes(connection, list_inclusion_ranges(index, size))


async def prove_consistency(connection: AsyncConnection, old: int, new: int) -> list[bytes]:
    """Return the proof that the tree of one size is the beginning of that of another. Raises ``CorruptData``."""
    return await read_hashes(connection, list_consistency_ranges(old, new))


async def read_hashes(connection: AsyncConnection, ranges: Sequence[Range]) -> list[bytes]:
    """Return the hashes of ranges of events, which are nodes of the tree. Raises ``CorruptData``."""
    source = await load_source(connection, ranges)
    try:
        return prove(ranges, source)
    except CorruptTile as error:
        raise CorruptData(str(error)) from error


async def newest_checkpoint(connection: AsyncConnection, *, is_published: bool = False) -> StoredCheckpoint | None:
    """Return the largest checkpoint, or the largest one that is published; None without one."""
    return await _first(connection, _NEWEST_PUBLISHED if is_published else _NEWEST, {})


async def first_checkpoint_with(connection: AsyncConnection, size: int) -> StoredCheckpoint | None:
    """Return the smallest published checkpoint of this size or more; None without one."""
    return await _first(connection, _FIRST_WITH, {"least": size})


async def _first(
    connection: AsyncConnection, query: Select[Any], values: Mapping[str, object]
) -> StoredCheckpoint | None:
    row = (await connection.execute(query, values)).first()
    return _of_row(row) if row is not None else None


async def read_checkpoints(
    connection: AsyncConnection, after: int = 0, most: int = 1_000, *, up_to: int = MAX_LOG_SIZE
) -> list[StoredCheckpoint]:
    """Return the checkpoints larger than a size, the smallest first. Raises ``CorruptData`` for a malformed value."""
    values = {"after": after, "most": most, "up_to": up_to}
    found = await rows.read(
        connection, _CHECKPOINTS_AFTER, values, _CHECKPOINT_COLUMN_TYPES, "the checkpoint of the log"
    )
    return [_of_row(row) for row in found]


def _of_row(row: Row[Any]) -> StoredCheckpoint:
    checkpoint = LogCheckpoint(row.origin, row.size, bytes(row.root))
    try:
        note = SignedNote.parse(row.note.encode())
    except InvalidNote as error:
        raise CorruptData(f"position {row.size}: the checkpoint of the log is invalid: {error}") from None
    return StoredCheckpoint(checkpoint, note, row.made_at, row.published_at or None)


async def store_checkpoint(connection: AsyncConnection, made: StoredCheckpoint) -> None:
    """Store a checkpoint. Raises ``IntegrityError`` if there is one of this size."""
    await connection.execute(
        insert(tables.log_checkpoints).values(
            size=made.checkpoint.size,
            origin=made.checkpoint.origin,
            root=made.checkpoint.root,
            note=str(made.note),
            made_at=made.made_at,
            published_at=made.published_at,
        )
    )


async def store_cosignatures(connection: AsyncConnection, size: int, note: SignedNote, *, is_published: bool) -> None:
    """Store the note of a checkpoint with further signatures; with ``is_published`` also that it is published now."""
    changed: dict[str, object] = {"note": str(note)}
    if is_published:
        changed["published_at"] = func.coalesce(_checkpoints.published_at, microseconds(utc_now()))
    await connection.execute(update(tables.log_checkpoints).where(_checkpoints.size == size).values(changed))
