"""The projection: events in, rows out, by ``model.fold`` alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Projection
from faristol.record import Recorded
from faristol.results.model import TYPES
from faristol.results.tables import VERSION, metadata_of, schema
from faristol.results.unit import Rebuilding, Unit

NAME = "results"

KEPT = 256
"""Games and tournaments that a rebuild has in memory: what is played at the same time is used again and again."""


@cache
def projection(generation: int = 1) -> Projection:
    """The read models as a projection on the tables of a generation."""
    tables = schema(VERSION, generation)

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events in order. Raises ``CannotTake``, naming the event that cannot be applied."""
        unit = Unit(tables)
        await unit.take(connection, events)
        await unit.write(connection)

    return Projection(
        name=NAME,
        version=VERSION,
        types=TYPES,
        tables=metadata_of(VERSION, generation),
        apply=apply,
        generation=generation,
        again=projection,
        fold=lambda: Rebuilding(tables, KEPT),
    )
