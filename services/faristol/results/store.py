"""Where the read models lie: one table of rows, each a protobuf message in its deterministic form.

Version and generation of the read models are in the table's name, so that a rebuild can run beside the one that
is read. Rows hold the position of the event that last changed them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, String, Table, bindparam, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Live
from faristol.record import Recorded
from faristol.record.backend import Backend
from faristol.record.databases import kind_of
from faristol.results.shelf import CLASSES, Key, Kind, Shelf, keys_beside, keys_of_rounds

VERSION = 8
"""Of what the rows hold. Another number is another table, filled from the first event on."""

LOOKED_UP = 400
"""Rows that are asked for in one statement."""


@cache
def table(version: int, generation: int) -> Table:
    """The rows of a version and a generation."""
    return Table(
        f"results_v{version}" + (f"_{generation}" if generation > 1 else ""),
        MetaData(),
        Column("kind", String(16), primary_key=True),
        Column("id", String(96), primary_key=True),
        Column("tournament_id", String(64), nullable=False, index=True),
        Column("position", BigInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a message and where it belongs."""

    kind: Kind
    id: str
    tournament_id: str
    position: int
    body: Message


async def fetch(
    connection: AsyncConnection,
    live: Live,
    kinds: Iterable[Kind],
    *,
    tournament_id: str | None = None,
    row_id: str | None = None,
    only: Collection[str] | None = None,
) -> Iterator[Row]:
    """The rows of some kinds, in the order of their ids, read in one statement and so of one moment.

    Of one tournament, of one id, or of no other ids than ``only``, where that is given.
    """
    rows = table(live.version, live.generation)
    query = select(rows).where(rows.c.kind.in_([kind.value for kind in kinds])).order_by(rows.c.kind, rows.c.id)
    if tournament_id is not None:
        query = query.where(rows.c.tournament_id == tournament_id)
    if row_id is not None:
        query = query.where(rows.c.id == row_id)
    if only is not None:
        query = query.where(rows.c.id.in_(sorted(only)))
    found = await connection.execute(query)
    return (
        Row(Kind(row.kind), row.id, row.tournament_id, row.position, CLASSES[Kind(row.kind)].FromString(row.body))
        for row in found
    )


async def positions(connection: AsyncConnection, live: Live, kind: Kind, tournament_id: str) -> dict[str, int]:
    """The ids of the rows of a kind, in their order, and the positions of the events that changed them last."""
    rows = table(live.version, live.generation)
    query = (
        select(rows.c.id, rows.c.position)
        .where(rows.c.kind == kind.value, rows.c.tournament_id == tournament_id)
        .order_by(rows.c.id)
    )
    return {row.id: row.position for row in await connection.execute(query)}


class Sheaf:
    """Rows while batches of events are applied: each is read once, however many events touch it, and written late.

    It must be the only one that writes to its table. ``keep`` is how many rows may stay in memory when they are
    written and the next batch is taken; when there are more, all of them go.
    """

    def __init__(self, rows: Table, keep: int = 0) -> None:
        self._rows = rows
        self._keep = keep
        self._shelf = Shelf()
        self._looked_up: set[Key] = set()
        """Rows that were asked for, whether there are any or not."""
        self._select = select(rows.c.kind, rows.c.id, rows.c.body).where(
            tuple_(rows.c.kind, rows.c.id).in_(bindparam("keys", expanding=True))
        )

    async def take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events, in the order of their positions. Raises ``CannotTake`` for one that cannot be applied."""
        await self._look_up(connection, keys_beside(events))
        await self._look_up(connection, keys_of_rounds(events, self._shelf))
        self._shelf.apply(events)

    @property
    def held(self) -> int:
        """Number of rows that are changed and not written."""
        return len(self._shelf.changed)

    async def write(self, connection: AsyncConnection) -> None:
        """Write what is held."""
        held = [
            {
                "kind": kind.value,
                "id": row_id,
                "tournament_id": tournament_id,
                "position": position,
                "body": self._shelf.rows[kind, row_id].SerializeToString(deterministic=True),
            }
            for (kind, row_id), (tournament_id, position) in sorted(self._shelf.changed.items())
        ]
        if held:
            await connection.execute(_upsert(kind_of(connection), self._rows), held)
        self._shelf.changed.clear()
        if len(self._looked_up) > self._keep:
            self._shelf.rows.clear()
            self._looked_up.clear()

    async def _look_up(self, connection: AsyncConnection, keys: Set[Key]) -> None:
        missing = sorted(keys - self._looked_up)
        for start in range(0, len(missing), LOOKED_UP):
            asked = [(kind.value, row_id) for kind, row_id in missing[start : start + LOOKED_UP]]
            for row in await connection.execute(self._select, {"keys": asked}):
                kind = Kind(row.kind)
                self._shelf.rows[kind, row.id] = CLASSES[kind].FromString(row.body)
        self._looked_up.update(missing)


@cache
def _upsert(kind: type[Backend], rows: Table) -> Any:
    return kind.upsert(rows, ("tournament_id", "position", "body"))
