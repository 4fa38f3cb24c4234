"""Personal data, which stands outside the events so that it can be erased while every hash stays valid."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.record.tables import erased, people
from faristol.rules.refusal import N_, Refusal

if TYPE_CHECKING:
    from faristol.record.record import Record


COUNTRY = re.compile(r"[A-Z]{3}")
"""What the code of a country is made of.

There is no list of codes: those of FIDE and of the Olympic Committee (GRE, GER, ENG) are not those of ISO 3166 (GRC,
DEU, none), federations of this game have others of their own, and lists change. Whose code is missing could not enter.
"""


ENTRIES = frozenset(fact.DESCRIPTOR.full_name for fact in (pairing.PlayerRegistered, pairing.LateEntryAdmitted))
"""The types of events that make somebody a player: each has a ``player_id``."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player as the public knows them."""

    player_id: str
    name: str
    club: str
    country: str = ""
    """The code of the country that the player is of; empty when it is not known."""


async def remember(connection: AsyncConnection, player_id: str, name: str, club: str, country: str = "") -> None:
    """Keep a player's name, club and country, in place of what was known.

    Raises ``Refusal`` for a player who was erased: nobody brings a name back by entering an old list again.
    """
    if await when_erased(connection, player_id):
        raise Refusal(
            "PERSON_ERASED",
            "",
            N_("The name of player {player} was erased on request; register the person under another player id."),
            {"player": player_id},
        )
    dialect: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
    kept = {"name": name, "club": club, "country": country}
    new = dialect.insert(people).values(player_id=player_id, **kept)
    await connection.execute(new.on_conflict_do_update(index_elements=["player_id"], set_=kept))


async def forget(connection: AsyncConnection, player_id: str, at: int) -> None:
    """Remove a player's name, club and country, and note that it was done ``at`` (microseconds since 1970)."""
    await connection.execute(delete(people).where(people.c.player_id == player_id))
    await connection.execute(erased.insert().values(player_id=player_id, erased_at=at))


async def when_erased(connection: AsyncConnection, player_id: str) -> datetime | None:
    """When a player was erased; None for one who was not."""
    query = select(erased.c.erased_at).where(erased.c.player_id == player_id)
    at = (await connection.execute(query)).scalar_one_or_none()
    return None if at is None else datetime.fromtimestamp(0, UTC) + timedelta(microseconds=at)


async def names(record: Record, player_ids: Collection[str]) -> dict[str, Person]:
    """What is known of these players; who was erased is not in it."""
    async with record.reading() as connection:
        rows = await connection.execute(select(people).where(people.c.player_id.in_(sorted(player_ids))))
        return {row.player_id: Person(row.player_id, row.name, row.club, row.country) for row in rows}
