from __future__ import annotations

import pytest
from sqlalchemy import select
from tests.unit.results.league import League
from tests.unit.results.synthetic import Championship, Step, append, keep_names

from faristol.bus import CannotTake
from faristol.pb.game.v1 import events_pb2 as game
from faristol.record import Record, Recorded
from faristol.results.model import TYPES
from faristol.results.projection import projection
from faristol.results.store import Sheaf

Rows = list[tuple[str, str, str, int, bytes]]
TABLE = projection().tables.tables["results_v8"]


async def written(record: Record) -> Rows:
    async with record.reading() as connection:
        found = await connection.execute(select(TABLE).order_by(TABLE.c.kind, TABLE.c.id))
        return [(row.kind, row.id, row.tournament_id, row.position, bytes(row.body)) for row in found]


async def project(record: Record, events: list[Recorded], size: int) -> None:
    for start in range(0, len(events), size):
        async with record.writing() as connection:
            await projection().apply(connection, events[start : start + size])


async def make_tables(record: Record) -> None:
    async with record.writing() as connection:
        await connection.run_sync(projection().tables.drop_all)
        await connection.run_sync(projection().tables.create_all)


async def test_rebuilt_and_live_are_equal_byte_for_byte(record: Record) -> None:
    await keep_names(record)
    await make_tables(record)
    at = 0
    for step in Championship().steps():
        await append(record, step)
        news = await record.read(at, types=TYPES)
        await project(record, news, size=1)
        at = news[-1].position
    live = await written(record)
    assert len(live) == 1 + 1 + 2 + 4  # the tournament, its players, two rounds, four games
    everything = await record.read(types=TYPES)
    for size in (len(everything), 7, 2):
        await make_tables(record)
        await project(record, everything, size)
        assert await written(record) == live, f"rebuilt in batches of {size}"


async def test_a_tournament_of_teams_rebuilt_in_one_batch_is_that_which_was_kept_live(record: Record) -> None:
    await make_tables(record)
    at = 0
    for step in League().steps():
        await append(record, step)
        news = await record.read(at, types=TYPES)
        await project(record, news, size=1)
        at = news[-1].position
    live = await written(record)
    everything = await record.read(types=TYPES)
    await make_tables(record)
    await project(record, everything, len(everything))
    assert await written(record) == live


@pytest.mark.parametrize("keep", [0, 3, 1_000])
async def test_rows_folded_in_memory_and_written_late_are_those_of_the_live_ones(record: Record, keep: int) -> None:
    await make_tables(record)
    for step in Championship().steps():
        await append(record, step)
    everything = await record.read(types=TYPES)
    await project(record, everything, size=1)
    live = await written(record)
    await make_tables(record)
    sheaf = Sheaf(TABLE, keep)
    for start in range(0, len(everything), 11):
        async with record.reading() as connection:
            await sheaf.take(connection, everything[start : start + 11])
        if start % 33 == 0:
            async with record.writing() as connection:
                await sheaf.write(connection)
    async with record.writing() as connection:
        await sheaf.write(connection)
    assert sheaf.held == 0
    assert await written(record) == live


async def test_no_name_is_in_a_row(record: Record) -> None:
    await keep_names(record)
    await make_tables(record)
    for step in Championship().steps():
        await append(record, step)
    await project(record, await record.read(types=TYPES), size=50)
    assert not [row for row in await written(record) if "Puigdomènech".encode() in row[4] or b"Tarragona" in row[4]]


async def test_a_broken_event_is_named_by_its_position_and_stream(record: Record) -> None:
    await make_tables(record)
    step: Step = {"game-nowhere": [game.PlayCompleted(turn=1, player_id="anna")]}
    await append(record, step, tournament="nowhere")
    told = r"event 1 \(PlayCompleted on game-nowhere\): Broken: PlayCompleted is of a game that was not opened"
    with pytest.raises(CannotTake, match=told):
        await project(record, await record.read(), size=1)
