"""Where the read models lie: one table of rows, each a protobuf message in its deterministic form.

The version of the read models is in the table's name, so a rebuild under another version can run beside this
one. Rows hold the position of the event that last changed them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf.message import Message
from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, String, Table, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.pb.results.v1 import results_pb2 as results

VERSION = 1
"""Of what the rows hold. Another number is another table, filled from the first event on."""

metadata = MetaData()

rows = Table(
    f"results_v{VERSION}",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("id", String(96), primary_key=True),
    Column("tournament_id", String(64), nullable=False, index=True),
    Column("position", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

M = TypeVar("M", bound=Message)


class Kind(StrEnum):
    """What a row is of."""

    TOURNAMENT = "tournament"
    PLAYERS = "players"
    ROUND = "round"
    GAME = "game"


_CLASSES: dict[Kind, type[Message]] = {
    Kind.TOURNAMENT: results.Tournament,
    Kind.PLAYERS: results.ListPlayersResponse,
    Kind.ROUND: results.GetPairingsResponse,
    Kind.GAME: results.GetGameResponse,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a message and where it belongs."""

    kind: Kind
    id: str
    tournament_id: str
    position: int
    body: Message


def round_id(tournament_id: str, round_: int) -> str:
    """The id of a round's row."""
    return f"{tournament_id}/{round_}"


async def fetch(
    connection: AsyncConnection,
    kinds: Iterable[Kind],
    *,
    tournament_id: str | None = None,
    row_id: str | None = None,
) -> Iterator[Row]:
    """The rows of some kinds, in the order of their ids, read in one statement and so of one moment."""
    query = select(rows).where(rows.c.kind.in_([kind.value for kind in kinds])).order_by(rows.c.kind, rows.c.id)
    if tournament_id is not None:
        query = query.where(rows.c.tournament_id == tournament_id)
    if row_id is not None:
        query = query.where(rows.c.id == row_id)
    found = await connection.execute(query)
    return (
        Row(Kind(row.kind), row.id, row.tournament_id, row.position, _CLASSES[Kind(row.kind)].FromString(row.body))
        for row in found
    )


@dataclass
class Sheaf:
    """Rows while a batch of events is applied: each is read once and written once, however many events touch it."""

    connection: AsyncConnection
    _read: dict[tuple[Kind, str], Message | None] = field(default_factory=dict)
    _changed: dict[tuple[Kind, str], tuple[str, int, Message]] = field(default_factory=dict)
    _stored: set[tuple[Kind, str]] = field(default_factory=set)

    async def get(self, kind: Kind, row_id: str, message: type[M]) -> M | None:
        """The message of a row as the batch has left it, None when there is no such row."""
        key = (kind, row_id)
        if key not in self._read:
            query = select(rows.c.body).where(rows.c.kind == kind.value, rows.c.id == row_id)
            body = (await self.connection.execute(query)).scalar_one_or_none()
            if body is not None:
                self._stored.add(key)
            self._read[key] = None if body is None else message.FromString(body)
        found = self._read[key]
        assert found is None or isinstance(found, message)
        return found

    def put(self, kind: Kind, row_id: str, tournament_id: str, position: int, body: Message) -> None:
        """Replace the message of a row that ``get`` was asked for."""
        key = (kind, row_id)
        self._read[key] = body
        self._changed[key] = (tournament_id, position, body)

    async def write(self) -> None:
        """Write what changed."""
        new: list[dict[str, Any]] = []
        old: list[dict[str, Any]] = []
        for (kind, row_id), (tournament_id, position, body) in sorted(self._changed.items(), key=lambda item: item[0]):
            values = {
                "of_kind": kind.value,
                "of_id": row_id,
                "tournament_id": tournament_id,
                "position": position,
                "body": body.SerializeToString(deterministic=True),
            }
            (old if (kind, row_id) in self._stored else new).append(values)
        if new:
            await self.connection.execute(insert(rows).values(kind=bindparam("of_kind"), id=bindparam("of_id")), new)
        if old:
            await self.connection.execute(
                update(rows).where(rows.c.kind == bindparam("of_kind"), rows.c.id == bindparam("of_id")), old
            )
        self._stored |= self._changed.keys()
        self._changed.clear()
