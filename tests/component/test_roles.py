"""The limits of database roles, on a real PostgreSQL: events are added, and never changed or removed."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import create_async_engine
from tests.component.processes import Cell, faristol, standings

from faristol.consumers import ProjectionError, generations
from faristol.consumers import tables as beside
from faristol.event_store import Decision, Metadata, Record, RecordError, Write
from faristol.event_store.backends.databases import parse
from faristol.event_store.integrity.verification import verify
from faristol.host import Settings, StartError
from faristol.launcher.processes import running
from faristol.pb.game.v1 import events_pb2
from faristol.personal_data.people import names, store_player
from faristol.read_models.storage import screen_reports
from faristol.web_push import tables as push
from faristol.webhooks import registry
from faristol.webhooks import tables as webhooks

ROLES = ("writer", "reader")


@dataclass(frozen=True)
class Database:
    """A database with an owner, who is not a superuser, and two roles that it may act for."""

    superuser: str
    owner: str
    urls: dict[str, str]
    names: dict[str, str]

    def grant(self, *roles: str) -> None:
        arguments = [f"--{role}={self.names[role]}" for role in roles or ROLES]
        done = faristol("record", "roles", *arguments, database_owner_url=self.owner, database_url=self.urls["writer"])
        assert done.returncode == 0, done.stderr


async def query(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Return the rows of the last statement."""
    engine = create_async_engine(parse(url), isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            for statement in statements:
                done = await connection.execute(text(statement))
            return [tuple(row) for row in done] if done.returns_rows else []
    finally:
        await engine.dispose()


def has_database_owner(url: str) -> bool:
    """Return whether the schema ``public`` is that of the owner of the database, as since PostgreSQL 15."""
    ((version,),) = asyncio.run(query(url, "SHOW server_version_num"))
    return int(str(version)) >= 150_000


@pytest.fixture
def database(new_database: str) -> Database:
    suffix = uuid.uuid4().hex[:8]
    owner, *others = (f"{name}_{suffix}" for name in ("owner", *ROLES))
    name = make_url(new_database).database
    asyncio.run(
        query(
            new_database,
            *(f"CREATE ROLE {role} LOGIN" for role in (owner, *others)),
            *(f"GRANT {role} TO {owner}" for role in others),
            f"ALTER DATABASE {name} OWNER TO {owner}",
            *(() if has_database_owner(new_database) else (f"ALTER SCHEMA public OWNER TO {owner}",)),
        )
    )

    def url(role: str) -> str:
        return make_url(new_database).set(username=role, password=None).render_as_string(hide_password=False)

    return Database(
        new_database, url(owner), dict(zip(ROLES, map(url, others), strict=True)), dict(zip(ROLES, others, strict=True))
    )


def build_passed(stream: str, version: int = 0) -> Decision:
    return Decision([Write(stream, version, [events_pb2.Passed(turn=1)], "cup")])


@contextlib.asynccontextmanager
async def open_record(url: str) -> AsyncIterator[Record]:
    record = await Record.open(url)
    yield record
    await record.close()


async def fill(url: str) -> None:
    """Fill a record with an event and a name."""
    async with open_record(url) as record:

        async def enter(connection: object) -> None:
            await store_player(connection, "anna", "Anna", "Club")  # type: ignore[arg-type]

        await record.append(Decision(build_passed("game-a").writes, also=enter), Metadata())


CHANGES = [
    "UPDATE events SET payload = ''",
    "DELETE FROM events",
    "TRUNCATE events",
    "UPDATE seals SET root = ''",
    "DELETE FROM seals",
    "TRUNCATE seals",
    "DELETE FROM people",
    "TRUNCATE people",
    "UPDATE people SET player_id = 'biel'",
    "DELETE FROM erased",
    "INSERT INTO erased VALUES ('anna', 1)",
    "UPDATE commands SET answer = ''",
    "DELETE FROM commands",
    "UPDATE notes SET text = ''",
    "DELETE FROM notes",
    "UPDATE counter SET format = 99",
    "UPDATE counter SET record_id = ''",
    "DELETE FROM counter",
    "ALTER TABLE events DROP COLUMN hash",
    "DROP TABLE events",
    "CREATE TABLE public.events_2 (n int)",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TRIGGER t BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE r AS ON INSERT TO events DO INSTEAD NOTHING",
    "ALTER TABLE events DISABLE TRIGGER ALL",
    "SET ROLE {owner}",
]
WHY = ("permission denied", "must be owner")


@pytest.mark.parametrize("role", ROLES)
async def test_with_the_credentials_of_a_service_no_event_is_changed_or_removed(database: Database, role: str) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    refused = []
    for statement in CHANGES:
        try:
            await query(database.urls[role], statement.format(owner=make_url(database.owner).username))
        except ProgrammingError as problem:
            refused.append((statement, str(problem.orig)))
    assert [statement for statement, _ in refused] == CHANGES
    assert [said for _, said in refused if not any(why in said for why in WHY)] == []
    async with open_record(database.owner) as record:
        assert (await verify(record)).wrong == ""
        assert (await names(record, ["anna"]))["anna"].name == "Anna"


async def test_roles_that_may_create_in_the_schema_of_the_record_are_refused(database: Database) -> None:
    await fill(database.owner)
    await query(
        database.superuser, "ALTER SCHEMA public OWNER TO CURRENT_USER", "GRANT CREATE ON SCHEMA public TO PUBLIC"
    )
    given = (f"--writer={database.names['writer']}", f"--reader={database.names['reader']}")
    refused = await asyncio.to_thread(faristol, "record", "roles", *given, database_owner_url=database.owner)
    assert refused.returncode != 0
    owner = make_url(database.owner).username
    assert f"run `ALTER SCHEMA public OWNER TO {owner}` as postgres" in " ".join(refused.stderr.split())
    await query(database.superuser, f"ALTER SCHEMA public OWNER TO {owner}")
    await asyncio.to_thread(database.grant)


async def test_who_only_reads_adds_nothing(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    async with open_record(database.urls["reader"]) as record:
        with pytest.raises(ProgrammingError, match="denied"):
            await record.append(build_passed("game-b"), Metadata())
    assert len(await query(database.urls["reader"], "SELECT stream FROM events")) == 1
    async with open_record(database.urls["writer"]) as record:
        assert (await record.append(build_passed("game-b"), Metadata())).position == 2


async def test_tables_that_one_role_makes_are_no_tables_of_the_record_for_another(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    await query(database.urls["reader"], "CREATE TABLE events (position bigint)", "CREATE TABLE seals (n int)")
    for url in (database.owner, database.urls["writer"]):
        assert await query(url, "SELECT count(*) FROM events") == [(1,)]


OWNERS = "SELECT schemaname::text, tablename::text, tableowner::text FROM pg_tables WHERE tablename = '{table}'"


async def claim(url: str, projection: str, table: str) -> None:
    """Register a table in the list of read models as one of a projection, as a service may."""
    row = f"('{projection}', 99, 1, '{table}', 0, 0)"
    await query(url, f"INSERT INTO public.projection_generations VALUES {row}")


@pytest.mark.parametrize(
    ("projection", "table"),
    [("results", "events"), ("results", "people"), ("projection", "projection_generations"), ("results", "docket_v1")],
)
async def test_no_role_becomes_owner_of_what_is_no_read_model_of_its_own(
    database: Database, projection: str, table: str
) -> None:
    await fill(database.owner)
    await query(database.owner, "CREATE TABLE docket_v1 (n int)")
    await asyncio.to_thread(database.grant)
    before = await query(database.superuser, OWNERS.format(table=table))
    await claim(database.urls["reader"], projection, table)
    granted = [f"--{role}={database.names[role]}" for role in ROLES]
    done = await asyncio.to_thread(faristol, "record", "roles", *granted, database_owner_url=database.owner)
    assert done.returncode == 2
    assert f"the projection '{projection}' names '{table}', which is not its own table" in done.stderr
    assert await query(database.superuser, OWNERS.format(table=table)) == before


async def test_tables_of_another_cell_and_of_who_may_do_less_stay_where_they_are(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    owner = make_url(database.owner).username
    await query(database.owner, "CREATE SCHEMA another", "CREATE TABLE another.results_v1 (n int)")
    await query(database.urls["reader"], "CREATE TABLE docket_v1 (n int)")
    await query(database.urls["writer"], "CREATE TABLE results_v2 (n int)")
    await claim(database.urls["reader"], "results", "results_v1 results_v2")
    await claim(database.urls["reader"], "docket", "docket_v1")
    await asyncio.to_thread(database.grant)
    reader = database.names["reader"]
    assert await query(database.superuser, OWNERS.format(table="results_v1")) == [("another", "results_v1", owner)]
    assert await query(database.superuser, OWNERS.format(table="docket_v1")) == [(reader, "docket_v1", reader)]
    assert await query(database.superuser, OWNERS.format(table="results_v2")) == [(reader, "results_v2", reader)]


async def test_a_version_that_names_tables_of_the_record_is_not_dropped(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    live = ", ".join(f"('results', {version}, 1, 'results@{version}', 0)" for version in (98, 99))
    await query(database.urls["reader"], f"INSERT INTO public.projections VALUES {live}")
    row = "('results', 98, 2, 'people', 0, 0)"
    await query(database.urls["reader"], f"INSERT INTO public.projection_generations VALUES {row}")
    async with open_record(database.owner) as record:
        with pytest.raises(ProjectionError, match="names people, which is not a read model"):
            await generations.drop(record, "results", 98)
        assert (await names(record, ["anna"]))["anna"].name == "Anna"


async def test_granting_again_changes_nothing_and_takes_away_what_was_too_much(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    asked = "SELECT relname, relacl::text FROM pg_class WHERE relacl IS NOT NULL ORDER BY 1"
    before = await query(database.superuser, asked)
    await asyncio.to_thread(database.grant)
    assert await query(database.superuser, asked) == before
    await query(database.owner, f"GRANT DELETE ON events TO {database.names['writer']}")
    assert await query(database.superuser, asked) != before
    await asyncio.to_thread(database.grant)
    assert await query(database.superuser, asked) == before


async def test_a_role_that_no_grant_holds_back_and_one_that_is_not_there_are_refused(database: Database) -> None:
    await fill(database.owner)

    def run_failing(role: str, url: str = "") -> str:
        done = faristol("record", "roles", "--writer", role, database_owner_url=url or database.owner)
        assert done.returncode == 2
        return done.stderr

    owner = str(make_url(database.owner).username)
    superuser = str(make_url(database.superuser).username)
    assert "no grant holds" in run_failing(owner)
    assert "no grant holds" in run_failing(superuser)
    assert "there is no role 'nobody'" in run_failing("nobody")
    await asyncio.to_thread(database.grant)
    assert f"only {owner}, the owner of the tables, can grant" in run_failing(
        database.names["reader"], database.urls["writer"]
    )


def test_a_file_has_no_roles(tmp_path: Path) -> None:
    asyncio.run(fill(f"sqlite:///{tmp_path}/record.db"))
    done = faristol("record", "roles", "--writer", "w", "--data", str(tmp_path))
    assert done.returncode == 2
    assert "SQLite has no roles" in done.stderr


async def test_a_service_that_may_not_do_what_it_must_says_what_is_missing(
    database: Database, shared_nats: str, tmp_path: Path
) -> None:
    await fill(database.owner)
    with pytest.raises(RecordError, match="permission denied for table counter; the owner of the tables may"):
        await Record.open(database.urls["writer"])
    await asyncio.to_thread(database.grant)
    settings = Settings(database_url=database.urls["reader"], nats_url=shared_nats, data=tmp_path, http_port=0)
    with pytest.raises(StartError, match=r"lacks rights for rating: INSERT on events; .*--writer NAME"):
        async with running(settings, ("rating",)):
            pass


async def test_results_do_not_start_by_another_role_than_that_which_keeps_their_read_models(
    database: Database, shared_nats: str, tmp_path: Path
) -> None:
    settings = Settings(database_url=database.owner, nats_url=shared_nats, data=tmp_path, http_port=0)
    async with running(settings, ("results",)):  # makes the read models as the owner
        pass
    await asyncio.to_thread(database.grant)
    settings.database_url = database.urls["writer"]
    with pytest.raises(StartError, match=f"{database.names['reader']} keeps the read models of results"):
        async with running(settings, ("results",)):
            pass
    settings.database_url = database.urls["reader"]
    async with running(settings, ("results",)):
        pass


async def test_secrets_of_webhooks_go_with_the_results_service_and_who_decides_reads_none(
    database: Database, shared_nats: str, tmp_path: Path
) -> None:
    kept = [webhooks.metadata, screen_reports.metadata, push.metadata]
    assert {name for each in kept for name in each.tables} == set(beside.SERVICE_TABLES["results"])
    settings = Settings(database_url=database.owner, nats_url=shared_nats, data=tmp_path, http_port=0)
    async with running(settings, ("results",)) as process:  # makes the tables as the owner
        await registry.prepare(process.runtime.record)
    await asyncio.to_thread(database.grant)
    reader = database.names["reader"]
    for table in (*webhooks.metadata.tables, *push.metadata.tables):
        assert await query(database.superuser, OWNERS.format(table=table)) == [(reader, table, reader)]
        with pytest.raises(ProgrammingError, match="denied"):
            await query(database.urls["writer"], f"SELECT * FROM {reader}.{table}")
    await claim(database.urls["reader"], "results", "webhooks")
    async with open_record(database.urls["reader"]) as record:
        await registry.prepare(record)
        async with record.writing() as connection:
            with pytest.raises(ProjectionError, match="names webhooks, which is not a read model"):
                await generations.drop_unread(connection, "results", 99)
            assert (await registry.numbers(connection)).all == 0


async def test_the_owner_erases_under_the_roles_and_services_do_not(database: Database) -> None:
    await fill(database.owner)
    await asyncio.to_thread(database.grant)
    command = ("record", "erase-person", "anna", "--yes")
    denied = faristol(*command, database_url=database.urls["writer"])
    assert denied.returncode == 2
    assert "permission denied" in denied.stderr
    assert "FARISTOL_DATABASE_OWNER_URL" in denied.stderr
    erased = faristol(*command, database_url=database.urls["writer"], database_owner_url=database.owner)
    assert erased.returncode == 0, erased.stderr
    migrated = faristol("record", "migrate", database_url=database.urls["writer"], database_owner_url=database.owner)
    assert migrated.returncode == 0, migrated.stderr
    async with open_record(database.owner) as record:
        assert await names(record, ["anna"]) == {}


@pytest.mark.nightly
@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
async def test_a_championship_is_played_under_the_roles_and_what_the_owner_built_goes_to_them(
    database: Database, shared_nats: str, tmp_path: Path
) -> None:
    settings = Settings(database_url=database.owner, nats_url=shared_nats, data=tmp_path, http_port=0)
    async with running(settings):  # makes the record and read models as the owner
        pass
    await asyncio.to_thread(database.grant)
    results = {"database_url": database.urls["reader"]}
    cell = Cell(tmp_path, database.urls["writer"], shared_nats, results=results)
    try:
        await asyncio.to_thread(cell.wait)
        plan = ("demo", "--connect", "--json", "--players", "6", "--rounds", "5", "--seed", "3")
        done = await asyncio.to_thread(
            lambda: faristol(*plan, timeout=240, http_port=cell.http_port, **cell.client_settings)
        )
        assert done.returncode == 0, done.stderr
        assert len(standings(done.stdout)) == 6
        rebuilt = await asyncio.to_thread(
            faristol, "projection", "rebuild", "results", database_url=database.urls["reader"]
        )
        assert rebuilt.returncode == 0, rebuilt.stderr
    finally:
        codes = await asyncio.to_thread(cell.stop)
    assert set(codes.values()) == {0}
    async with open_record(database.owner) as record:
        assert (await verify(record)).wrong == ""
    kept = "SELECT DISTINCT schemaname::text FROM pg_tables WHERE tablename LIKE 'results\\_%'"
    assert await query(database.superuser, kept) == [(database.names["reader"],)]


def test_an_empty_database_is_made_ready_for_services_with_roles_of_their_own(
    database: Database, tmp_path: Path
) -> None:
    """The steps of the manifests before a rollout: the owner creates the tables, and no service could."""
    owner, password = make_url(database.owner), tmp_path / "password"
    password.write_text("of the owner", encoding="utf-8")
    arguments = ("prepare", *(f"--{role}={database.names[role]}" for role in ROLES))
    for _ in range(2):
        done = faristol(
            "record",
            *arguments,
            database_url=database.urls["writer"],
            database_password_file=str(tmp_path / "none"),
            database_owner_url=owner.render_as_string(hide_password=False),
            database_owner_password_file=str(password),
        )
        assert done.returncode == 0, done.stderr
        assert "the record is ready for this version" in done.stdout

    async def work() -> None:
        await fill(database.urls["writer"])
        with pytest.raises(ProgrammingError, match="permission denied"):
            await query(database.urls["writer"], "DELETE FROM events")
        assert await query(database.urls["reader"], "SELECT count(*) FROM events") == [(1,)]

    asyncio.run(work())
