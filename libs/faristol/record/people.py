"""Personal data, which stands outside the events so that it can be erased while every hash stays valid."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record.tables import people

if TYPE_CHECKING:
    from faristol.record.record import Record


@dataclass(frozen=True, slots=True)
class Person:
    """A player as the public knows them."""

    player_id: str
    name: str
    club: str


async def remember(connection: AsyncConnection, player_id: str, name: str, club: str) -> None:
    """Keep a player's name and club, in place of what was known."""
    await connection.execute(delete(people).where(people.c.player_id == player_id))
    await connection.execute(insert(people).values(player_id=player_id, name=name, club=club))


async def names(record: Record, player_ids: Collection[str]) -> dict[str, Person]:
    """What is known of these players; who was erased is not in it."""
    async with record.reading() as connection:
        rows = await connection.execute(select(people).where(people.c.player_id.in_(sorted(player_ids))))
        return {row.player_id: Person(row.player_id, row.name, row.club) for row in rows}
