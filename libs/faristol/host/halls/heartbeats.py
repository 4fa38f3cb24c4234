"""The last heartbeat of each hall cell: a lease that expires when the hall is behind.

It is no event: a hall sends one every few seconds. The clock of the database tells how long ago it was, for all
processes of the cell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, literal, select

from faristol.event_store import Record
from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.event import moment
from faristol.pb.hall.v1 import hall_pb2 as pb

HALL_TIMEOUT_SECONDS = 30
"""Seconds after its last heartbeat from which a hall is behind."""

REFUSAL_SHOWN_SECONDS = 180
"""Seconds for which the refusal of a batch is shown: a hall sends it again every minute."""

_leases = tables.leases.c
_LAST = select(_leases.name, _leases.holder, _leases.until).where(_leases.name.in_(bindparam("names", expanding=True)))


@dataclass(frozen=True, slots=True)
class LastHeartbeat:
    """The last heartbeat of a hall."""

    at: datetime
    unsent: int
    """Number of events of the hall that had not been sent."""
    is_behind: bool
    """Whether it is older than ``HALL_TIMEOUT_SECONDS``."""


async def note_heartbeat(record: Record, tournament_id: str, hall: str, unsent: int) -> None:
    """Store the heartbeat of a hall."""
    await _write(record, _name(tournament_id, hall), str(unsent), HALL_TIMEOUT_SECONDS)


async def last_heartbeats(record: Record, tournament_id: str, halls: Collection[str]) -> Mapping[str, LastHeartbeat]:
    """Return the last heartbeats of halls, without those that have sent none."""
    names = {_name(tournament_id, hall): hall for hall in halls}
    rows, now = await _read(record, names)
    timeout = timedelta(seconds=HALL_TIMEOUT_SECONDS)
    return {
        names[row.name]: LastHeartbeat(moment(row.until) - timeout, int(row.holder), row.until <= now) for row in rows
    }


async def note_refusal(record: Record, tournament_id: str, hall: str, refusal: pb.PushRefusal.ValueType) -> None:
    """Store why a batch of a hall was refused."""
    await _write(record, _name(tournament_id, hall, "refusal"), str(refusal), REFUSAL_SHOWN_SECONDS)


async def last_refusals(
    record: Record, tournament_id: str, halls: Collection[str]
) -> Mapping[str, pb.PushRefusal.ValueType]:
    """Return why batches of halls were refused in the last minutes."""
    names = {_name(tournament_id, hall, "refusal"): hall for hall in halls}
    rows, now = await _read(record, names)
    return {names[row.name]: pb.PushRefusal.ValueType(int(row.holder)) for row in rows if row.until > now}


async def _write(record: Record, name: str, value: str, seconds: int) -> None:
    """Store a value that expires after some seconds."""
    async with record.writing() as connection:
        until = cast(record.time(connection), BigInteger) + literal(seconds * 1_000_000)
        row = {"name": name, "holder": value, "until": until}
        await connection.execute(kind_of(connection).upsert(tables.leases, ["holder", "until"]).values(**row))


async def _read(record: Record, names: Collection[str]) -> tuple[Sequence[Any], int]:
    """Return the stored values under some names, those that have expired included, and the time of the database."""
    async with record.engine.connect() as connection:
        now = int((await connection.execute(select(record.time(connection)))).scalar_one())
        return (await connection.execute(_LAST, {"names": sorted(names)})).all(), now


def _name(tournament_id: str, hall: str, kind: str = "hall") -> str:
    """Return the name of the lease, which has at most 64 characters."""
    return f"{kind}.{hashlib.sha256(f'{tournament_id}/{hall}'.encode()).hexdigest()[:48]}"
