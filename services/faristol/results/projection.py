"""The projection: events in, rows out, by ``model.change`` alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Projection
from faristol.record import Recorded
from faristol.results import store
from faristol.results.model import TYPES
from faristol.results.store import Sheaf

NAME = "results"

KEPT = 256
"""Rows that a rebuild has in memory. Rows of the games that are played at the same time are used again and again."""


@cache
def projection(generation: int = 1) -> Projection:
    """The read models as a projection on the tables of a generation."""
    rows = store.table(store.VERSION, generation)

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events in order. Raises ``CannotTake``, naming the event that cannot be applied."""
        sheaf = Sheaf(rows)
        await sheaf.take(connection, events)
        await sheaf.write(connection)

    return Projection(
        name=NAME,
        version=store.VERSION,
        types=TYPES,
        tables=rows.metadata,
        apply=apply,
        generation=generation,
        again=projection,
        fold=lambda: Sheaf(rows, KEPT),
    )
