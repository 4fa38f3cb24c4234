"""Formats: a command migrates a record of an older version to the present one, and no service uses it before that."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from tests.component.contents import play, rows
from tests.support.chains import KEY

from faristol.cli.main import main
from faristol.event_store import Record, RecordError
from faristol.event_store.backends import migrations, tables
from faristol.event_store.backends.databases import parse
from faristol.event_store.beside_events.bindings import Names
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.integrity.verification import verify
from faristol.personal_data.erasure import erase
from faristol.personal_data.people import names

GOLDEN = Path(__file__).parent / "golden"
FORMATS = [int(path.stem.removeprefix("format-")) for path in sorted(GOLDEN.glob("format-*.sql"))]


_NO_SAMPLES = (
    "ALTER TABLE people ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN club SET STATISTICS 0,"
    " ALTER COLUMN country SET STATISTICS 0; ALTER TABLE notes ALTER COLUMN text SET STATISTICS 0"
)
ON_POSTGRESQL = {
    1: _NO_SAMPLES,
    2: _NO_SAMPLES,
    3: _NO_SAMPLES + "; ALTER TABLE people ALTER COLUMN details SET STATISTICS 0",
    4: _NO_SAMPLES + "; ALTER TABLE people ALTER COLUMN details SET STATISTICS 0",
}
"""The changes of the version with a format on PostgreSQL that SQLite cannot express."""


async def write_golden(url: str, number: int) -> None:
    """Make the record that the version with this format wrote."""
    script = (GOLDEN / f"format-{number}.sql").read_text()
    if not url.startswith("sqlite"):
        script = script.replace("BLOB", "BYTEA").replace("position INTEGER", "position BIGINT")
        script = script.replace("size INTEGER NOT NULL", "size BIGINT NOT NULL")
        script = script.replace("id INTEGER NOT NULL", "id SERIAL NOT NULL")
        script = re.sub(r"X'([0-9A-F]*)'", r"'\\x\1'", script)
    engine = create_async_engine(parse(url))
    async with engine.begin() as connection:
        for statement in re.split(r";\n", script.partition("\n")[2]):
            if statement.strip():
                await connection.exec_driver_sql(statement)
        if number in ON_POSTGRESQL and not url.startswith("sqlite"):
            for statement in ON_POSTGRESQL[number].split("; "):
                await connection.exec_driver_sql(statement)
    await engine.dispose()


async def schema(url: str) -> dict[str, Any]:
    """Return the whole schema of a record's tables, except the names of constraints."""

    def look(connection: Any) -> dict[str, Any]:
        inspector = inspect(connection)
        return {
            name: {
                "columns": [
                    (column["name"], str(column["type"]), column["nullable"], column["default"])
                    for column in inspector.get_columns(name)
                ],
                "key": inspector.get_pk_constraint(name)["constrained_columns"],
                "unique": sorted(
                    tuple(constraint["column_names"]) for constraint in inspector.get_unique_constraints(name)
                ),
                "indexes": sorted(
                    (tuple(index["column_names"]), bool(index["unique"])) for index in inspector.get_indexes(name)
                ),
            }
            for name in inspector.get_table_names()
        }

    engine = create_async_engine(parse(url))
    async with engine.connect() as connection:
        found = await connection.run_sync(look)
        if connection.dialect.name == "postgresql":
            found["samples"] = await samples(connection)
    await engine.dispose()
    return found


async def samples(connection: AsyncConnection) -> list[tuple[str, str, int | None]]:
    query = """SELECT relname, attname, attstattarget FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
               WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 ORDER BY 1, 2"""
    return [(row[0], row[1], row[2]) for row in await connection.execute(text(query))]


@pytest.fixture
def next_format(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return a version of Faristol that reads one format more, and the steps to it: one before its rollout and one
    after.
    """
    newest = tables.RECORD_FORMAT + 1

    async def before(connection: AsyncConnection) -> None:
        await connection.execute(text("ALTER TABLE events ADD COLUMN hall VARCHAR(64)"))

    async def after(connection: AsyncConnection) -> None:
        await connection.execute(text("CREATE TABLE halls (name VARCHAR(64) NOT NULL, PRIMARY KEY (name))"))

    steps = (
        migrations.Migration(f"pre-{newest:04}-hall", before),
        migrations.Migration(f"post-{newest:04}-halls", after),
    )
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, *steps))
    monkeypatch.setattr(tables, "RECORD_FORMAT", newest)
    return newest


def formats(taken: list[migrations.Migration]) -> list[int]:
    return [step.format for step in taken if not step.is_before]


def test_there_is_a_record_of_each_format_and_a_step_from_all_but_the_last() -> None:
    assert list(range(1, tables.RECORD_FORMAT + 1)) == FORMATS
    assert [step.format for step in migrations.MIGRATIONS if not step.is_before] == FORMATS[1:]
    names = [step.name for step in migrations.MIGRATIONS]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"(pre|post)-\d{4}-[a-z-]+", name)
    order = [(step.format, not step.is_before) for step in migrations.MIGRATIONS]
    assert order == sorted(order), "of each format those before, then the one after"


@pytest.mark.parametrize("number", FORMATS)
async def test_a_migrated_record_has_the_tables_of_a_new_one(database_url: str, number: int, tmp_path: Path) -> None:
    await write_golden(database_url, number)
    taken: list[migrations.Migration] = []
    assert await migrations.migrate(database_url, taken.append) == number
    assert formats(taken) == list(range(number + 1, tables.RECORD_FORMAT + 1))
    migrated = await schema(database_url)
    for statement in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
        if not database_url.startswith("sqlite"):
            engine = create_async_engine(parse(database_url))
            async with engine.begin() as connection:
                await connection.execute(text(statement))
            await engine.dispose()
    new = f"sqlite:///{tmp_path}/new.db" if database_url.startswith("sqlite") else database_url
    await (await Record.open(new)).close()
    assert migrated == await schema(new)


@pytest.mark.parametrize("number", FORMATS)
async def test_what_an_older_version_wrote_is_all_there_and_goes_on(database_url: str, number: int) -> None:
    await write_golden(database_url, number)
    await migrations.migrate(database_url)
    record = await Record.open(database_url)
    verdict = await verify(record)
    assert (verdict.wrong, verdict.events, verdict.streams) == ("", 5, 2)
    assert verdict.names == (Names(unbound=2) if number == 1 else Names(bound=2))
    assert record.record_id
    answered = await record.find_answer("00000000-0000-4000-8000-0000000000c2")
    assert answered is not None
    assert (answered.answer, answered.position) == (b"\x08\x02\0\xff", 2)
    assert (await names(record, ["anna"]))["anna"].name == "Anna Puigdomènech"
    assert await record.checkpoint("relay") == 5
    assert await play(record, "game-cup-r1-t1", "cup", 2) == 7
    await seal(record, KEY)
    await erase(record, "anna")
    verdict = await verify(record)
    assert (verdict.wrong, verdict.names.bound + verdict.names.unbound) == ("", 1)
    await record.close()


@pytest.mark.parametrize(
    "query", ["name IN ('Anna Puig', 'Biel Soler')", "name = 'Eva Soler' AND player_id LIKE 'o-%'"]
)
async def test_who_has_a_name_is_found_without_reading_everybody(tmp_path: Path, query: str) -> None:
    """Every page with names asks for namesakes, and every command of an official under a name for their id."""
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    async with record.reading() as connection:
        plan = await connection.execute(text(f"EXPLAIN QUERY PLAN SELECT * FROM people WHERE {query}"))
        assert [row.detail for row in plan] == ["SEARCH people USING INDEX ix_people_name (name=?)"]
    await record.close()


async def test_a_step_changes_the_tables_and_nothing_that_was_written(database_url: str, next_format: int) -> None:
    await write_golden(database_url, 1)
    before = await schema(database_url)
    taken: list[migrations.Migration] = []
    assert await migrations.migrate(database_url, taken.append) == 1
    assert formats(taken)[-1] == next_format
    assert await migrations.migrate(database_url) == next_format, "no step is taken twice"
    after = await schema(database_url)
    assert {name for name in after.keys() - before.keys() if name != "samples"} == {
        "halls",
        "log_checkpoints",
        "log_tiles",
    }
    record = await Record.open(database_url)
    assert (await verify(record)).events == 5
    await record.close()


async def test_an_older_record_is_not_served_and_not_touched(database_url: str, next_format: int) -> None:
    await write_golden(database_url, 1)
    before = await schema(database_url)
    said = f"has format 1, this version of Faristol reads format {next_format}: bring it there with"
    with pytest.raises(RecordError, match=f"{said} `faristol record migrate`") as told:
        await Record.open(database_url)
    assert "\n" not in str(told.value)
    assert await schema(database_url) == before


async def test_a_newer_record_is_not_served_not_migrated_and_not_touched(database_url: str) -> None:
    record = await Record.open(database_url)
    newer = tables.RECORD_FORMAT + 1
    async with record.writing() as connection:
        await connection.execute(update(tables.counter).values(format=newer))
    await record.close()
    before = await schema(database_url)
    for attempt in (Record.open, migrations.migrate):
        with pytest.raises(RecordError, match=f"has format {newer}, .*: a newer version has migrated it"):
            await attempt(database_url)
    assert await schema(database_url) == before


async def test_a_record_of_today_is_left_as_it_is(record: Record, database_url: str) -> None:
    await play(record, "game-cup-r1", "cup", 3)
    before = await rows(record, "events", "commands", "counter")
    taken: list[migrations.Migration] = []
    assert await migrations.migrate(database_url, taken.append) == tables.RECORD_FORMAT
    assert await migrations.migrate(database_url, taken.append, before=True) == tables.RECORD_FORMAT
    assert (taken, await rows(record, "events", "commands", "counter")) == ([], before)


async def test_where_there_is_no_record_nothing_is_made(database_url: str) -> None:
    with pytest.raises(RecordError, match=r"there is no record at"):
        await migrations.migrate(database_url)
    assert await migrations.migrate(database_url, before=True) is None, "whoever makes it makes it of today"
    assert {name for name in await schema(database_url) if name != "samples"} == set()


async def test_a_step_that_fails_leaves_the_record_as_it_was(
    database_url: str, next_format: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_golden(database_url, 1)
    before = await schema(database_url)
    first, *others = migrations.MIGRATIONS

    async def fails(connection: AsyncConnection) -> None:
        await first.take(connection)
        await connection.execute(text("SELECT * FROM nowhere"))

    with monkeypatch.context() as broken:
        broken.setattr(migrations, "MIGRATIONS", (migrations.Migration(first.name, fails), *others))
        with pytest.raises(RecordError, match=r"cannot be used: .*nowhere"):
            await migrations.migrate(database_url)
    assert await schema(database_url) == before
    assert await migrations.migrate(database_url) == 1


async def test_after_the_step_before_both_versions_serve_and_after_the_other_one_the_new_one_alone(
    database_url: str, next_format: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(tables, "RECORD_FORMAT", next_format - 1)
        record = await Record.open(database_url)
        await play(record, "game-cup-r1", "cup", 3)
    missing = rf"has format {next_format - 1}, .*record migrate` \(pre-\d+-hall not taken yet\)"
    with pytest.raises(RecordError, match=missing):
        await Record.open(database_url)

    assert await migrations.migrate(database_url, before=True) == next_format - 1
    newer = await Record.open(database_url)
    with monkeypatch.context() as older:
        older.setattr(tables, "RECORD_FORMAT", next_format - 1)
        again = await Record.open(database_url)
    for number, each in enumerate((record, newer, again)):
        await play(each, f"game-cup-r1-{number}", "cup", 2)
    assert (await verify(newer)).events == 9

    taken: list[migrations.Migration] = []
    assert await migrations.migrate(database_url, taken.append, before=True) == next_format - 1
    assert taken == [], "no step is taken twice"
    await again.close()
    await record.close()
    assert await migrations.migrate(database_url, taken.append) == next_format - 1
    assert [step.name for step in taken] == [f"post-{next_format:04}-halls"]
    await play(newer, "game-cup-r2", "cup", 1)
    await newer.close()
    with monkeypatch.context() as older:
        older.setattr(tables, "RECORD_FORMAT", next_format - 1)
        with pytest.raises(RecordError, match="a newer version has migrated it"):
            await Record.open(database_url)


async def test_a_step_waits_a_moment_for_a_lock_and_lets_the_others_pass(
    new_database: str, next_format: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "LOCK_SECONDS", 0.2)
    monkeypatch.setattr(migrations, "MIGRATION_RETRY_SECONDS", 0.3)
    with monkeypatch.context() as older:
        older.setattr(tables, "RECORD_FORMAT", next_format - 1)
        record = await Record.open(new_database)
    async with record.reading() as connection:
        await connection.execute(text("SELECT 1 FROM events"))  # a lock that delays a change of the table
        migrating = asyncio.create_task(migrations.migrate(new_database, before=True))
        for number in range(6):
            began = asyncio.get_running_loop().time()
            await play(record, f"game-cup-r{number}", "cup", 1)
            assert asyncio.get_running_loop().time() - began < 5
            await asyncio.sleep(0.15)
        assert not migrating.done()
    assert await migrating == next_format - 1
    await record.close()


async def test_many_who_start_and_migrate_at_once_make_one_record(database_url: str, next_format: int) -> None:
    await write_golden(database_url, 1)
    taken: list[migrations.Migration] = []

    async def start() -> str:
        try:
            record = await Record.open(database_url)
        except RecordError as problem:
            assert "bring it there" in str(problem)  # noqa: PT017 # whoever is too early is told so
            return ""
        await record.close()
        return record.record_id

    async def migrate() -> str:
        await migrations.migrate(database_url, taken.append)
        return await start()

    ids = await asyncio.gather(*(work() for work in (start, migrate) * 4))
    assert formats(taken) == list(range(2, next_format + 1))
    assert len(set(ids) - {""}) == 1


async def test_many_who_start_at_once_on_an_empty_database_make_one_record(database_url: str) -> None:
    records = await asyncio.gather(*(Record.open(database_url) for _ in range(6)))
    assert len({record.record_id for record in records}) == 1
    await asyncio.gather(*(play(record, f"game-cup-{number}", "cup") for number, record in enumerate(records)))
    assert (await verify(records[0])).events == 6
    for record in records:
        await record.close()


def test_an_operator_is_told_what_to_run(tmp_path: Path, next_format: int, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(write_golden(f"sqlite:///{tmp_path}/record.db", 1))

    def faristol(*words: str, data: Path = tmp_path) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["record", *words, "--data", str(data)])
        return ended.value.code, *capsys.readouterr()

    code, out, told = faristol("verify")
    assert (code, out, told.count("\n")) == (2, "", 1)
    assert "`faristol record migrate`" in told
    code, out, told = faristol("migrate", "--pre")
    assert (code, out) == (2, "")
    assert f"can be made ready for format 2 while others use it, not for format {next_format}" in told
    reached = [
        f"{step.name} taken\n" if step.is_before else f"{step.name} taken: format {step.format} reached\n"
        for step in migrations.MIGRATIONS
    ]
    assert faristol("migrate")[:2] == (0, "".join(reached))
    assert faristol("migrate")[:2] == (0, f"the record has format {next_format} already\n")
    assert faristol("verify")[0] == 0
    assert faristol("migrate", data=tmp_path / "none")[0] == 2
