"""Where everything stands that follows the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import tables
from faristol.bus.generations import microseconds
from faristol.bus.parked import Parked, all_parked
from faristol.bus.relay import NAME as RELAY
from faristol.bus.stopped import Stopped, all_stopped
from faristol.record import Record
from faristol.record.tables import checkpoints, counter, leases


class Kind(StrEnum):
    """What follows the record."""

    RELAY = "relay"
    REACTION = "reaction"
    PROJECTION = "projection"


class State(StrEnum):
    """How it is."""

    LIVE = "live"
    """It works; a projection: it is read."""
    STOPPED = "stopped"
    """It has stopped before an event that it cannot take, as it has parked all that it may."""
    OLDER = "older"
    """A projection that a newer version has replaced; processes of its own version still read it."""
    BUILDING = "building"
    """Tables that are being built beside those that are read."""
    LEFT_OVER = "left over"
    """Tables of a rebuild that was interrupted; the next rebuild drops them."""


@dataclass(frozen=True, slots=True)
class Status:
    """One line: something that follows the record."""

    name: str
    kind: Kind
    state: State
    position: int
    lag: int
    """Events of the record that are still to come."""
    generation: int = 0
    """Of a projection's tables."""
    stopped: Stopped | None = None
    parked: Sequence[Parked] = ()
    """Keys that wait, the oldest first, while it goes on with everything else."""


async def status(record: Record) -> tuple[list[Status], int]:
    """Everything that follows the record, in the order of names, and the record's last position."""
    async with record.reading() as connection:
        last = int((await connection.execute(select(counter.c.position))).scalar_one())
        stopped = {line.consumer: line for line in await all_stopped(connection)}
        parked = await all_parked(connection)
        found = [
            *await _projections(connection, last, stopped),
            *await _others(connection, last, stopped),
        ]
    read = (State.LIVE, State.STOPPED, State.OLDER)
    found = [replace(line, parked=parked.get(line.name, ())) if line.state in read else line for line in found]
    return sorted(found, key=lambda line: (line.kind, line.name, line.generation)), last


async def _others(connection: AsyncConnection, last: int, stopped: dict[str, Stopped]) -> list[Status]:
    rows = await connection.execute(select(checkpoints).where(checkpoints.c.consumer.not_like("%@%")))
    return [
        Status(
            name=row.consumer,
            kind=Kind.RELAY if row.consumer == RELAY else Kind.REACTION,
            state=State.STOPPED if row.consumer in stopped else State.LIVE,
            position=row.position,
            lag=max(0, last - row.position),
            stopped=stopped.get(row.consumer),
        )
        for row in rows
    ]


async def _projections(connection: AsyncConnection, last: int, stopped: dict[str, Stopped]) -> list[Status]:
    positions = {row.consumer: row.position for row in await connection.execute(select(checkpoints))}
    read = {(row.name, row.version): row.generation for row in await connection.execute(select(tables.projections))}
    held = set((await connection.execute(select(leases.c.name).where(leases.c.until > microseconds()))).scalars().all())
    found: list[Status] = []
    for row in await connection.execute(select(tables.generations)):
        name = f"{row.name}@{row.version}"
        is_read = read.get((row.name, row.version)) == row.generation
        halted = stopped.get(name) if is_read or (row.name, row.version) not in read else None
        newest = max((version for other, version in read if other == row.name), default=row.version)
        if halted:
            state = State.STOPPED
        elif is_read:
            state = State.LIVE if row.version == newest else State.OLDER
        else:
            state = State.BUILDING if f"rebuild:{name}" in held else State.LEFT_OVER
        position = positions.get(name, 0) if is_read else row.position
        found.append(Status(name, Kind.PROJECTION, state, position, max(0, last - position), row.generation, halted))
    return found
