"""The contents of a record in use: several tournaments, answers, people."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle, islice
from typing import Any, TypeVar

from sqlalchemy import insert, select, update
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Live, Projection, read
from faristol.event_store import AppendCommand, Decision, Metadata, Record, Write
from faristol.event_store.backends import tables
from faristol.event_store.event import GENESIS
from faristol.event_store.stored import Stored
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.people import store_player

T = TypeVar("T")

PEOPLE = {"anna": ("Anna Puigdomènech i Casadevall", "Club Tarragona", "AND"), "biel": ("Biel Soler", "", "")}
"""Name, club and country."""
KEPT = ("events", "commands", "seals", "people", "notes", "erased")
"""The tables that an archive brings back."""


async def register(record: Record, tournament: str, player: str) -> int:
    """Return a player whose name is stored beside the events."""

    async def name(connection: AsyncConnection) -> str:
        return await store_player(connection, player, *PEOPLE[player])

    stream = f"tournament-{tournament}"
    version = len(await record.read_stream(stream))
    event = pairing.PlayerRegistered(player_id=player, rating=1500)
    command = AppendCommand(str(uuid.uuid4()), lambda position: b"registered at %d \0\xff" % position)
    done = await record.append(
        Decision([Write(stream, version, [event], tournament)], also=name),
        Metadata(actor=player, command_id=command.command_id),
        command=command,
    )
    return done.position


async def warn(record: Record, tournament: str, player: str, note: str, *, concerned: Sequence[str] = ()) -> int:
    """Append a warning with a note that is stored beside the event; return its position."""
    stream = f"tournament-{tournament}"
    version = len(await record.read_stream(stream))
    event = pairing.PlayerWarned(player_id=player, round=1, note=note)
    command = AppendCommand(str(uuid.uuid4()), lambda position: b"warned at %d" % position)
    done = await record.append(
        Decision([Write(stream, version, [event], tournament, concerned)]),
        Metadata(actor="arbiter", command_id=command.command_id),
        command=command,
    )
    return done.position


async def play(record: Record, stream: str, tournament: str, events: int = 1) -> int:
    """Append turns of a game; return the position of the last one."""
    version = len(await record.read_stream(stream))
    turns = [game.Passed(turn=version + number + 1, player_id="anna") for number in range(events)]
    command = AppendCommand(str(uuid.uuid4()), lambda position: b"%d" % position)
    metadata = Metadata(actor="Òscar", role="player", command_id=command.command_id)
    done = await record.append(Decision([Write(stream, version, turns, tournament)]), metadata, command=command)
    return done.position


async def fill(record: Record, *, rounds: int = 6, tournaments: Sequence[str] = ("cup", "league", "festa")) -> int:
    """Append some events of every kind; return the last position, which is ``rounds`` times 8 plus 3."""
    await register(record, tournaments[0], "anna")
    await register(record, tournaments[1 % len(tournaments)], "biel")
    sizes = cycle((1, 3, 4))
    for number, tournament in enumerate(islice(cycle(tournaments), rounds * 3)):
        await play(record, f"game-{tournament}-r{number % 2}", tournament, next(sizes))
    return await register(record, tournaments[1 % len(tournaments)], "anna")


async def rows(record: Record, *names: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows in these tables, or in all tables that an archive restores."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    async with record.reading() as connection:
        for name in names or KEPT:
            table = tables.metadata.tables[name]
            read = await connection.execute(select(table).order_by(*table.primary_key))
            found[name] = [
                tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in read
            ]
    return found


async def read_model(record: Record, work: Projection) -> tuple[list[tuple[Any, ...]], Live]:
    """Return every row of the one table of a projection that is read, and which table that is."""
    found, live = await read_models(record, work)
    return [row[1:] for row in found], live


async def read_models(record: Record, work: Projection) -> tuple[list[tuple[Any, ...]], Live]:
    """Return every row of all tables of a projection that are read, behind the last part of the table's name."""

    async def look(connection: AsyncConnection, live: Live) -> list[tuple[Any, ...]]:
        return [
            (table.name.rpartition("_")[2], *row)
            for table in work.at(live.generation).tables.sorted_tables
            for row in await connection.execute(select(table).order_by(*table.primary_key))
        ]

    return await read(record, work, look)


async def read_stored(record: Record) -> list[Stored]:
    """Return every event as it is stored in the table."""
    async with record.reading() as connection:
        table = tables.events
        return [Stored(*row) for row in await connection.execute(select(table).order_by(table.c.position))]


async def tournament_at(record: Record, position: int) -> str:
    """Return the tournament of an event."""
    async with record.reading() as connection:
        query = select(tables.events.c.tournament).where(tables.events.c.position == position)
        return str((await connection.execute(query)).scalar_one())


async def change(record: Record, at: int, **values: Any) -> None:
    """Change the database as a user with write access."""
    async with record.writing() as connection:
        table = tables.events
        await connection.execute(update(table).where(table.c.position == at).values(**values))


async def rewrite(record: Record, at: int, **values: Any) -> None:
    """Change an event and recompute all hashes, so that the chain is valid again."""
    await change(record, at, **values)
    heads: dict[str, bytes] = {}
    for event in await read_stored(record):
        heads[event.stream] = event.hash_after(heads.get(event.stream, GENESIS))
        await change(record, event.position, hash=heads[event.stream])


async def cut(record: Record, position: int, *, with_seals: bool = True) -> None:
    """Remove all events after a position, without a trace."""
    async with record.writing() as connection:
        for table in (tables.events, tables.commands):
            await connection.execute(table.delete().where(table.c.position > position))
        if with_seals:
            await connection.execute(tables.seals.delete().where(tables.seals.c.to_position > position))
        await connection.execute(update(tables.counter).values(position=position))


async def put_seal(record: Record, **values: Any) -> None:
    """Insert a row into the table of seals without checks."""
    async with record.writing() as connection:
        await connection.execute(insert(tables.seals).values(**values))


@asynccontextmanager
async def no_connection_left(record: Record) -> AsyncIterator[None]:
    """Occupy every connection with callers whom the database does not answer; waits for one are short."""
    pool: Any = record.engine.pool
    pool._timeout = 0.2
    async with AsyncExitStack() as held:
        while True:
            try:
                await held.enter_async_context(record.engine.connect())
            except PoolTimeout:
                break
        yield
    pool._timeout = 30.0


async def until(condition: Callable[[], Awaitable[T]], seconds: float = 10) -> T:
    """Wait until an asynchronous condition returns a value."""
    async with asyncio.timeout(seconds):
        while True:
            if found := await condition():
                return found
            await asyncio.sleep(0.05)
