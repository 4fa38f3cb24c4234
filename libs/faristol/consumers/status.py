"""The status of the relay, of consumers, of the sealer, of the log and of witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus.relay import RELAY_NAME as RELAY
from faristol.consumers import tables
from faristol.consumers.handlers import CHECKPOINT_INTERVAL_EVENTS
from faristol.consumers.leases import holders_of_work
from faristol.consumers.parked import Parked, all_parked
from faristol.consumers.progress import ProgressWatch
from faristol.consumers.rebuild import REBUILD_LEASE_SECONDS
from faristol.consumers.stopped import Stopped, all_stopped
from faristol.event_store import Record
from faristol.event_store.backends.tables import checkpoints, events, leases, log_checkpoints, seals
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.leases import is_held
from faristol.event_store.positions import last_position
from faristol.event_store.transparency.log_writer import LOG_LEASE, WITNESS_CHECKPOINT_PREFIX
from faristol.event_store.witness.delivery import PREFIX

MAX_UNSEALED_SECONDS = 600.0
"""Seconds for which an event may be unsealed before that counts as a problem."""
MAX_UNDELIVERED_SECONDS = 60.0
"""Seconds for which a seal may be undelivered before that counts as a problem."""
MAX_UNLOGGED_SECONDS = 300.0
"""Seconds for which an event may have no checkpoint of the log before that counts as a problem."""
MAX_UNCOSIGNED_SECONDS = 120.0
"""Seconds for which a witness may lack a checkpoint of the log before that counts as a problem."""

_IS_WITNESS = checkpoints.c.consumer.startswith(PREFIX, autoescape=True)
_IS_LOG_WITNESS = checkpoints.c.consumer.startswith(WITNESS_CHECKPOINT_PREFIX, autoescape=True)


class StatusKind(StrEnum):
    """Kind of a line of the status."""

    RELAY = "relay"
    REACTION = "reaction"
    PROJECTION = "projection"
    SEALER = "sealer"
    WITNESS = "witness"
    LOG = "log"
    LOG_WITNESS = "log-witness"


class State(StrEnum):
    """State of a line of the status."""

    LIVE = "live"
    """It works; a projection is also in use."""
    WAITING = "waiting"
    """It does not progress, with events pending: a dependency is unavailable, or the disk is full.

    For the sealer and witnesses: something is pending for longer than it should be.
    """
    STOPPED = "stopped"
    """It has stopped before an event that fails, with the limit of parked keys reached."""
    OLDER = "older"
    """A projection that a newer version has replaced; processes of its version still read it."""
    BUILDING = "building"
    """Tables of a running rebuild."""
    LEFT_OVER = "left over"
    """Tables of an interrupted rebuild; the next rebuild drops them."""


@dataclass(frozen=True, slots=True)
class Status:
    """A line of the status."""

    name: str
    kind: StatusKind
    state: State
    position: int
    lag: int
    """Number of pending events of the record; for a witness, of sealed ones."""
    generation: int = 0
    """Generation of a projection's tables."""
    stopped: Stopped | None = None
    parked: Sequence[Parked] = ()
    """Parked keys, the oldest first; all other keys proceed."""
    holder: str = ""
    """The process that works for it, as HOST/ADDRESS; empty if no process does or needs to."""


async def status(record: Record, pace: ProgressWatch | None = None) -> tuple[list[Status], int]:
    """Return all lines, in the order of kinds and names, and the record's last position.

    Without ``pace``, a lack of progress of the relay and of consumers is not detected.
    """
    async with record.reading() as connection:
        last = await last_position(connection)
        stopped = {line.consumer: line for line in await all_stopped(connection)}
        parked = await all_parked(connection)
        holders = await holders_of_work(connection, record.time(connection))
        found = [
            *await _projections(record, connection, last, stopped),
            *await _others(connection, last, stopped),
            *await list_sealing(connection, last),
            *await _logging(connection, last),
        ]
    read = (State.LIVE, State.STOPPED, State.OLDER)
    found = [replace(line, parked=parked.get(line.name, ())) if line.state in read else line for line in found]
    found = [replace(line, holder=holders.get(line.name, "")) if line.state in read else line for line in found]
    if pace:
        found = [replace(line, state=State.WAITING) if _is_still(line, pace) else line for line in found]
    return sorted(found, key=lambda line: (line.kind, line.name, line.generation)), last


def _is_still(line: Status, pace: ProgressWatch) -> bool:
    """Check whether a line should have progressed; a reaction moves its checkpoint only from time to time."""
    longest = {StatusKind.RELAY: 0, StatusKind.PROJECTION: 0, StatusKind.REACTION: CHECKPOINT_INTERVAL_EVENTS}.get(
        line.kind, line.lag
    )
    return line.state is State.LIVE and line.lag > longest and pace.is_still(line.name, line.position)


async def list_sealing(connection: AsyncConnection, last: int) -> list[Status]:
    """Return the sealer, if there are seals or witnesses, and the witnesses; ``last`` is the end of the record."""
    sealed = int((await connection.execute(select(func.coalesce(func.max(seals.c.to_position), 0)))).scalar_one())
    rows = (await connection.execute(select(checkpoints).where(_IS_WITNESS))).all()
    if not sealed and not rows:
        return []
    first = select(events.c.recorded_at).where(events.c.position == sealed + 1)
    found = [
        _waiting(
            "sealer", StatusKind.SEALER, sealed, last, (await connection.execute(first)).scalar(), MAX_UNSEALED_SECONDS
        )
    ]
    for row in rows:
        made = select(func.min(seals.c.sealed_at)).where(seals.c.to_position > row.position)
        since = (await connection.execute(made)).scalar()
        found.append(_waiting(row.consumer, StatusKind.WITNESS, row.position, sealed, since, MAX_UNDELIVERED_SECONDS))
    return found


async def _logging(connection: AsyncConnection, last: int) -> list[Status]:
    """Return the log, if it has a checkpoint or witnesses, and its witnesses."""
    size = int((await connection.execute(select(func.coalesce(func.max(log_checkpoints.c.size), 0)))).scalar_one())
    rows = (await connection.execute(select(checkpoints).where(_IS_LOG_WITNESS))).all()
    if not size and not rows:
        return []
    first = select(events.c.recorded_at).where(events.c.position == size + 1)
    since = (await connection.execute(first)).scalar()
    found = [_waiting(LOG_LEASE, StatusKind.LOG, size, last, since, MAX_UNLOGGED_SECONDS)]
    for row in rows:
        made = select(func.min(log_checkpoints.c.made_at)).where(log_checkpoints.c.size > row.position)
        since = (await connection.execute(made)).scalar()
        found.append(_waiting(row.consumer, StatusKind.LOG_WITNESS, row.position, size, since, MAX_UNCOSIGNED_SECONDS))
    return found


def _waiting(name: str, kind: StatusKind, position: int, end: int, since: int | None, longest: float) -> Status:
    late = since is not None and microseconds(utc_now()) - since > longest * 1_000_000
    return Status(name, kind, State.WAITING if late else State.LIVE, position, max(0, end - position))


async def _others(connection: AsyncConnection, last: int, stopped: dict[str, Stopped]) -> list[Status]:
    of_consumers = checkpoints.c.consumer.not_like("%@%") & ~_IS_WITNESS & ~_IS_LOG_WITNESS
    rows = await connection.execute(select(checkpoints).where(of_consumers))
    return [
        Status(
            name=row.consumer,
            kind=StatusKind.RELAY if row.consumer == RELAY else StatusKind.REACTION,
            state=State.STOPPED if row.consumer in stopped else State.LIVE,
            position=row.position,
            lag=max(0, last - row.position),
            stopped=stopped.get(row.consumer),
        )
        for row in rows
    ]


async def _projections(
    record: Record, connection: AsyncConnection, last: int, stopped: dict[str, Stopped]
) -> list[Status]:
    positions = {row.consumer: row.position for row in await connection.execute(select(checkpoints))}
    read = {(row.name, row.version): row.generation for row in await connection.execute(select(tables.projections))}
    builds = select(leases.c.name).where(is_held(record.time(connection), REBUILD_LEASE_SECONDS))
    built = set((await connection.execute(builds)).scalars())
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
            state = State.BUILDING if f"rebuild:{name}" in built else State.LEFT_OVER
        position = positions.get(name, 0) if is_read else row.position
        found.append(
            Status(name, StatusKind.PROJECTION, state, position, max(0, last - position), row.generation, halted)
        )
    return found
