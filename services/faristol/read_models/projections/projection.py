"""The projection: ``model.fold`` applied to events and stored as rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Projection
from faristol.event_store import Recorded
from faristol.read_models.projections.model import PROJECTED_TYPES
from faristol.read_models.storage.tables import TABLES_VERSION, metadata_of, schema
from faristol.read_models.storage.unit_of_work import Rebuilding, Unit

PROJECTION_NAME = "results"

REBUILD_CACHE_SIZE = 256
"""Games and tournaments cached by a rebuild: games played at the same time are used repeatedly."""


@cache
def projection(generation: int = 1) -> Projection:
    """Return the projection of the read models on the tables of a generation."""
    tables = schema(TABLES_VERSION, generation)

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events in order. Raises ``CannotTake`` with the event that cannot be applied."""
        unit = Unit(tables)
        await unit.take(connection, events)
        await unit.write(connection)

    return Projection(
        name=PROJECTION_NAME,
        version=TABLES_VERSION,
        types=PROJECTED_TYPES,
        tables=metadata_of(TABLES_VERSION, generation),
        apply=apply,
        generation=generation,
        again=projection,
        fold=lambda: Rebuilding(tables, REBUILD_CACHE_SIZE),
    )
