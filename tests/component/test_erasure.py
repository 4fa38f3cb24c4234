"""Erasure: the name is removed from tables, files, pages and exports, and every hash and seal is valid."""

from __future__ import annotations

import asyncio
import gzip
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from tests.component.contents import PEOPLE, fill, play, register, rows
from tests.component.processes import faristol
from tests.support.chains import KEY
from tests.support.stage import open_stage
from tests.support.synthetic import COUNTRIES, NAMES, Championship

from faristol.event_store import Decision, Metadata, Record, RecordError, Write
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import restore
from faristol.event_store.backends import postgres, tables
from faristol.event_store.backends.databases import parse
from faristol.event_store.integrity import keys
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.integrity.verification import verify
from faristol.kernel.details import Person
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data import erasure
from faristol.personal_data.erasure import erase, find
from faristol.personal_data.people import names, store_player

NAME, CLUB, COUNTRY = PEOPLE["anna"]
PUBLIC = keys.by_id([KEY.public_key()])
SAMPLES = "SELECT histogram_bounds::text FROM pg_stats WHERE tablename = 'people' AND attname = 'name'"


async def test_a_name_is_gone_and_every_hash_and_seal_is_right(record: Record) -> None:
    last = await fill(record)
    await seal(record, KEY)
    before = await rows(record, "events", "commands", "seals")
    salts = {row[0]: row[-1] for row in (await rows(record, "people"))["people"]}
    done = await erase(record, "anna")
    assert (done.before, done.remains) == (None, "")
    assert await names(record, ["anna", "biel"]) == {"biel": Person("biel", *PEOPLE["biel"])}
    after = await rows(record, "events", "commands", "seals")
    (told,) = after["events"][last:]
    assert (told[4], told[8]) == ("faristol.people.v1.PersonErased", "{}")
    assert after | {"events": after["events"][:last]} == before
    assert [row[-1] for row in (await rows(record, "people"))["people"]] == [salts["biel"]]
    verdict = await verify(record, keys=PUBLIC)
    assert (verdict.wrong, verdict.sealed) == ("", last)


async def test_nothing_but_the_table_of_people_ever_held_the_name(record: Record) -> None:
    await fill(record)
    async with record.reading() as connection:
        for name in await tables_of(connection):
            found = str((await connection.execute(text(f'SELECT * FROM "{name}"'))).all())
            assert (NAME in found) == (CLUB in found) == (name == "people"), name
    await erase(record, "anna")
    async with record.reading() as connection:
        for name in await tables_of(connection):
            assert "Puigdom" not in str((await connection.execute(text(f'SELECT * FROM "{name}"'))).all())


async def tables_of(connection: AsyncConnection) -> list[str]:
    known = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if connection.dialect.name == "sqlite"
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    return list((await connection.execute(text(known))).scalars())


async def test_the_files_of_the_database_hold_no_remains(record: Record) -> None:
    await fill(record, rounds=20)
    async with record.writing() as connection:
        if connection.dialect.name == "sqlite":  # some builds of it overwrite automatically
            await connection.execute(text("PRAGMA secure_delete = OFF"))
        for number in range(200):
            await store_player(connection, f"p{number}", f"Somebody {number}", "")
        await store_player(connection, "anna", NAME[::-1], CLUB)  # a corrected name leaves traces too
    async with record.writing() as connection:
        await store_player(connection, "anna", NAME, CLUB, COUNTRY)
    if record.engine.dialect.name == "postgresql":
        async with record.writing() as connection:
            await connection.execute(text("ANALYZE people"))
            assert not (await connection.execute(text(SAMPLES))).all()
            await connection.execute(text(postgres.NO_SAMPLES.replace(" 0", " 100")))
            await connection.execute(text("ANALYZE people"))
            assert (await connection.execute(text(SAMPLES))).all()
    assert NAME.encode() in b"".join(await files(record))
    assert (await erase(record, "anna")).remains == ""
    for content in await files(record):
        assert NAME.encode() not in content
        assert NAME[::-1].encode() not in content
    assert b"Somebody 7" in b"".join(await files(record))


async def test_samples_of_names_that_somebody_asked_for_go_with_a_name(new_database: str) -> None:
    """PostgreSQL retains the samples that it took before sampling was disabled."""
    record = await Record.open(new_database)
    async with record.writing() as connection:
        for number in range(200):  # the planner samples bounds of the found names
            await store_player(connection, f"p{number}", f"Maria Puig {number:03}", "Club")
    engine = create_async_engine(parse(new_database), isolation_level="AUTOCOMMIT")

    async def read_samples() -> str:
        async with engine.connect() as connection:
            query = "SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE tablename = 'people'"
            return str((await connection.execute(text(query))).all())

    async with engine.connect() as connection:
        await connection.execute(text("ANALYZE people"))
        assert "Maria Puig 199" not in await read_samples()
        await connection.execute(text(postgres.NO_SAMPLES.replace(" 0", " 100")))
        await connection.execute(text("ANALYZE people"))
        await connection.execute(text(postgres.NO_SAMPLES))
    assert "Maria Puig 199" in await read_samples()
    assert (await erase(record, "p199")).remains == ""
    assert "Maria Puig" not in await read_samples()
    assert not any(b"Maria Puig 199" in content for content in await files(record))
    assert any(b"Maria Puig 198" in content for content in await files(record))
    await record.close()
    await engine.dispose()


async def files(record: Record) -> list[bytes]:
    """Return the data on disk: for PostgreSQL the files of the database, and the planner's statistics of the rows."""
    if record.engine.dialect.name == "sqlite":
        path = Path(str(record.engine.url.database))
        return [file.read_bytes() for file in path.parent.glob(path.name + "*")]
    async with record.writing() as connection:
        folder = (await connection.execute(text("SHOW data_directory"))).scalar_one()
        own = "SELECT oid FROM pg_database WHERE datname = current_database()"
        number = (await connection.execute(text(own))).scalar_one()
        seen = str((await connection.execute(text(SAMPLES))).all())
    async with record.engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(text("CHECKPOINT"))
    found = [file.read_bytes() for file in (Path(folder) / "base" / str(number)).iterdir() if file.is_file()]
    return [*found, seen.encode()]


async def test_an_erased_id_is_never_named_again_silently(record: Record) -> None:
    await fill(record)
    await erase(record, "anna")
    with pytest.raises(Refusal, match=r"anna was erased on request") as told:
        await register(record, "festa", "anna")
    assert told.value.reason == "PERSON_ERASED"
    assert await names(record, ["anna"]) == {}
    assert await record.read_stream("tournament-festa") == []
    await play(record, "game-cup-r0", "cup")  # her games continue under her id


async def test_erasing_again_says_when_it_was_done(record: Record) -> None:
    await fill(record)
    await erase(record, "anna")
    assert await find(record, "anna") is None
    again = await erase(record, "anna")
    assert again.before is not None
    assert again.remains == ""


async def test_an_id_that_nobody_has_is_told(record: Record) -> None:
    await fill(record)
    with pytest.raises(RecordError, match=r"this record has no player 'ana'"):
        await erase(record, "ana")
    assert await rows(record, "erased") == {"erased": []}


async def test_a_player_whose_name_is_not_here_can_be_erased(record: Record, tmp_path: Path) -> None:
    await fill(record)
    late = Write("tournament-late", 0, [pairing.LateEntryAdmitted(player_id="late", round=2)], "late")
    await record.append(Decision([late], also=lambda known: store_player(known, "late", "Lena Tard", "")), Metadata())
    assert (await export(record, tmp_path / "late", tournament="late", with_people=True)).people == 1
    await export(record, tmp_path / "a")
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    await restore(other, tmp_path / "a")
    assert await find(other, "anna") == Person("anna", "", "")
    assert await find(other, "late") == Person("late", "", "")
    assert (await erase(other, "anna")).before is None
    await other.close()


async def test_exports_from_then_on_hold_the_id_and_no_name_and_restores_keep_it_erased(
    record: Record, tmp_path: Path
) -> None:
    await fill(record)
    await erase(record, "anna")
    await export(record, tmp_path / "a", with_people=True)
    content = gzip.decompress((tmp_path / "a").read_bytes()).decode()
    assert "Puigdom" not in content
    assert PEOPLE["biel"][0] in content
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    await restore(other, tmp_path / "a")
    with pytest.raises(Refusal, match=r"erased on request"):
        await register(other, "cup", "anna")
    await other.close()


@pytest.mark.parametrize("named_before", [True, False])
async def test_a_registration_that_is_under_way_does_not_bring_the_name_back(
    record: Record, named_before: bool
) -> None:
    await fill(record)
    if not named_before:  # as in a record that was restored without names
        async with record.writing() as connection:
            await connection.execute(tables.people.delete())
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(connection: AsyncConnection) -> None:
        await store_player(connection, "anna", NAME, CLUB)
        begun.set()
        await go_on.wait()

    event = game.Passed(turn=1, player_id="anna")
    decision = Decision([Write("game-cup-slow", 0, [event], "cup")], also=slowly)
    registering = asyncio.create_task(record.append(decision, Metadata()))
    await begun.wait()
    erasing = asyncio.create_task(erase(record, "anna"))
    await asyncio.sleep(0.3)
    go_on.set()
    await asyncio.gather(registering, erasing)
    assert await names(record, ["anna"]) == {}


async def test_pages_and_answers_show_the_player_without_a_name(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        hall = Championship()
        await stage.add(*hall.steps())
        name, club = NAMES["anna"]
        urls = [
            "/api/v1/tournaments/lliga/players",
            "/api/v1/tournaments/lliga/standings",
            "/api/v1/tournaments/lliga/rounds/1/pairings",
            "/api/v1/games/lliga-r1-t1",
        ]
        before = {url: await stage.http.get(url) for url in urls}
        assert all(name in page.text for page in before.values())
        await erase(stage.record, "anna")
        for url, old in before.items():
            now = await stage.http.get(url, headers={"If-None-Match": old.headers["etag"]})
            assert now.status_code == 200
            assert name not in now.text
            assert club not in now.text
            assert '"player_id":"anna","name":""' in now.text
            assert f'"{COUNTRIES["anna"]}"' not in now.text
        assert f'"{COUNTRIES["anna"]}"' in before[urls[0]].text
        for page in await pages(stage.http):
            assert page.status_code == 200
            assert name not in page.text


async def pages(http: httpx.AsyncClient) -> list[httpx.Response]:
    paths = [
        "/",
        "/tournaments/lliga",
        "/tournaments/lliga/round/1",
        "/tournaments/lliga/players",
        "/games/lliga-r1-t1",
    ]
    return [await http.get(path) for path in paths]


def test_an_operator_is_asked_before_a_person_is_erased(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/record.db"

    async def prepare() -> None:
        record = await Record.open(url)
        await fill(record)
        await record.close()

    asyncio.run(prepare())
    data = ("--data", str(tmp_path))
    asked = faristol("record", "erase-person", "anna", *data)
    assert NAME in asked.stderr
    assert "permanently?" in asked.stderr
    assert "the question was not answered, so no data was erased: use --yes" in asked.stderr
    assert asked.returncode == 2

    async def is_known() -> bool:
        record = await Record.open(url)
        found = await names(record, ["anna"])
        await record.close()
        return bool(found)

    assert asyncio.run(is_known())
    assert faristol("record", "erase-person", "anna", *data, "--yes").stdout == "anna is erased\n"
    assert not asyncio.run(is_known())
    assert "player anna was erased on 20" in faristol("record", "erase-person", "anna", *data, "--yes").stdout
    wrong = faristol("record", "erase-person", "ana", *data)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert faristol("record", "verify", *data).returncode == 0


async def test_a_backup_of_before_an_erasure_is_restored_without_the_name(record: Record, tmp_path: Path) -> None:
    await fill(record)
    await export(record, tmp_path / "before", with_people=True)
    await erase(record, "anna")
    listed = await erasure.list_erasures(record)
    erasure.write_erasures(tmp_path / "erasures.json", listed)
    assert NAME not in (tmp_path / "erasures.json").read_text(encoding="utf-8")
    assert erasure.read_erasures_file(tmp_path / "erasures.json") == listed
    later = erasure.Erasures(listed.as_of + timedelta(hours=1), {})
    assert erasure.write_erasures(tmp_path / "erasures.json", later).at == listed.at, "no list forgets who was erased"
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    await restore(other, tmp_path / "before")
    assert await erasure.apply_erasures(other, listed) == ["anna"]
    assert await names(other, ["anna", "biel"]) == {"biel": Person("biel", *PEOPLE["biel"])}
    assert (await verify(other)).wrong == ""
    assert await erasure.apply_erasures(other, listed) == [], "again it changes nothing"
    await other.close()


def test_a_restore_of_names_asks_who_was_erased_since(tmp_path: Path) -> None:
    async def prepare() -> None:
        made = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        await fill(made)
        await made.close()

    (tmp_path / "data").mkdir()
    asyncio.run(prepare())
    data = ("--data", str(tmp_path / "data"))
    early, late, archive = (str(tmp_path / name) for name in ("early.json", "late.json", "all.archive"))

    def run_restore(code: int, *words: str) -> str:
        done = faristol("record", *words)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    run_restore(0, "erasures", early, *data)
    run_restore(0, "export", archive, "--with-people", *data)
    run_restore(0, "erase-person", "anna", "--yes", *data)
    assert "1 erased person written" in run_restore(0, "erasures", late, *data)

    assert "people who were erased since: give --erased FILE" in run_restore(
        2, "restore", archive, "--data", f"{tmp_path}/a"
    )
    assert "expected a newer list" in run_restore(2, "restore", archive, "--erased", early, "--data", f"{tmp_path}/a")
    assert "is not a list of erasures" in run_restore(
        2, "restore", archive, "--erased", archive, "--data", f"{tmp_path}/a"
    )
    assert not (tmp_path / "a").exists()
    assert "1 person erased again" in run_restore(0, "restore", archive, "--erased", late, "--data", f"{tmp_path}/a")
    run_restore(0, "restore", archive, "--erased", "none", "--data", f"{tmp_path}/b")
    assert "1 person erased again" in run_restore(0, "erase-again", late, "--data", f"{tmp_path}/b")
    assert "no person had to be erased again" in run_restore(0, "erase-again", late, "--data", f"{tmp_path}/b")
