"""Seals: their guarantees, undetected changes without them, and their creation."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text, update
from tests.component import contents
from tests.component.contents import fill, play
from tests.component.processes import faristol
from tests.support.chains import KEY, OTHER_KEY
from tests.support.plain_http import PLAIN
from tests.support.synthetic import Championship, append

from faristol.bus import NatsServer
from faristol.event_store import Record, stored
from faristol.event_store.archive.archive import ArchiveError
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import verify as verify_file
from faristol.event_store.backends import tables
from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity import keys, seals
from faristol.event_store.integrity.sealer import SEALER_LEASE, Sealer, seal
from faristol.event_store.integrity.seals import Seal, load_seals
from faristol.event_store.integrity.verification import Verdict, verify
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Settings
from faristol.launcher.processes import running

PUBLIC = keys.by_id([KEY.public_key()])


async def read(record: Record) -> list[Seal]:
    async with record.reading() as connection:
        return await seals.read(connection)


def as_shown(seal: Seal) -> dict[str, object]:
    """Return a seal as ``/api/v1/seals`` shows it."""
    sealed_at = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=seal.sealed_at)
    hexadecimal = {name: getattr(seal, name).hex() for name in ("root", "previous", "signature")}
    return asdict(seal) | hexadecimal | {"sealed_at": sealed_at.isoformat()}


async def check(record: Record, **options: object) -> Verdict:
    return await verify(record, keys=PUBLIC, **options)  # type: ignore[arg-type]


async def test_everything_is_sealed_in_ranges_that_follow_each_other(record: Record) -> None:
    last = await fill(record)
    made = await seal(record, KEY, events=7)
    assert made == await read(record)
    assert [seal.from_position for seal in made] == list(range(1, last + 1, 7))
    assert [seal.to_position for seal in made] == [*range(7, last, 7), last]
    assert await seal(record, KEY, events=7) == []
    verdict = await check(record)
    assert (verdict.wrong, verdict.seals, verdict.sealed, verdict.position) == ("", len(made), last, last)


async def test_what_comes_later_is_sealed_after_what_was(record: Record) -> None:
    last = await fill(record)
    (first,) = await seal(record, KEY)
    await play(record, "game-cup-r0", "cup", 5)
    assert (await check(record)).wrong == ""
    (second,) = await seal(record, KEY)
    assert (second.from_position, second.to_position, second.previous) == (last + 1, last + 5, first.digest)
    assert (await check(record)).sealed == last + 5


STRANGE = [
    ("events", "metadata=x'ff00'", "a value of type blob as its metadata"),
    ("events", "metadata=CAST(x'ff00' AS TEXT)", "bytes that are no UTF-8 as its metadata"),
    ("events", "stream=x'ff'", "a value of type blob as its stream"),
    ("events", "recorded_at='abc'", "a value of type text as its recorded_at"),
    ("events", "recorded_at=recorded_at+0.5", "a value of type real as its recorded_at"),
    ("events", "version=1.5", "a value of type real as its version"),
    ("events", "hash='abc'", "a value of type text as its hash"),
    ("events", "payload=5", "a value of type integer as its payload"),
    ("seals", "root='abc'", "the seal has a value of type text as its root"),
    ("seals", "to_position='abc'", "the seal has a value of type text as its to_position"),
    ("seals", "key_id=x'ff'", "the seal has a value of type blob as its key_id"),
]


@pytest.mark.parametrize(("table", "change", "said"), STRANGE)
async def test_a_value_of_another_type_is_named_with_its_position_and_not_stumbled_over(
    tmp_path: Path, table: str, change: str, said: str
) -> None:
    """Only on SQLite, where any column accepts any value."""
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    await fill(record)
    await seal(record, KEY, events=10)
    at = {"events": "position", "seals": "from_position"}[table]
    async with record.writing() as connection:
        await connection.execute(text(f"UPDATE {table} SET {change} WHERE {at} = 21"))
    before = await check(record, after=31)
    assert before.wrong == "" or table == "seals", "what lies before is taken as it is"
    verdict = await check(record)
    assert verdict.wrong.startswith("position 21"), verdict.wrong
    assert said in verdict.wrong
    assert (verdict.events, verdict.sealed) == (20 if table == "events" else verdict.events, 20)
    for tournament in ("", (await contents.tournament_at(record, 21))):
        with pytest.raises(ArchiveError, match=r"position 21|positions 21 to 30"):
            await export(record, tmp_path / "a", tournament=tournament)
    await contents.change(record, 5, payload=b"")
    assert (await check(record)).wrong.startswith("position 5 "), "the first that is wrong is named"
    async with record.writing() as connection:
        await connection.execute(tables.seals.delete())
    with pytest.raises(CorruptData, match=r"position 5 "):
        await seal(record, KEY)
    await record.close()


async def test_what_lies_before_the_first_position_is_named(record: Record) -> None:
    """A reader of a stream reads it, and a reader from position 0 on does not."""
    await fill(record)
    (made,) = await seal(record, KEY)
    await contents.put_seal(record, **asdict(replace(made, from_position=-9, to_position=-5)))
    assert (await check(record)).wrong.startswith("position -9: there is a row here in the table of seals")
    async with record.writing() as connection:
        await connection.execute(tables.seals.delete().where(tables.seals.c.from_position < 1))
    assert (await check(record)).wrong == ""
    await contents.change(record, 51, position=0)
    assert (await verify(record)).wrong.startswith("position 0: there is a row here in the table of events")


async def test_an_answer_that_is_missing_is_named(record: Record) -> None:
    await fill(record)
    twelve = (await contents.read_stored(record))[11]
    async with record.writing() as connection:
        this = tables.commands.c.command_id == twelve.command_id
        await connection.execute(tables.commands.delete().where(this))
    verdict = await verify(record)
    assert verdict.wrong.startswith(
        f"position 12 ({twelve.stream}, version {twelve.version}, Passed): the answer to the"
    )
    assert verdict.events == 11
    assert (await verify(record, after=20)).wrong == ""


async def test_a_counter_that_says_no_number_is_named(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    await fill(record)
    async with record.writing() as connection:
        await connection.execute(text("UPDATE counter SET position = 'abc'"))
    assert "the counter: it says 'abc'" in (await check(record)).wrong
    await record.close()


async def test_what_is_sealed_during_a_check_is_left_for_the_next_one(
    record: Record, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = await fill(record)
    await seal(record, KEY, events=10)
    monkeypatch.setattr(stored, "STORED_BATCH_EVENTS", 10)

    async def go_on() -> None:
        other = await Record.open(database_url)
        await play(other, "game-late", "cup", 10)
        await seal(other, KEY, events=10)
        await other.close()

    def meanwhile(done: int, _: int) -> None:
        if done == 10:
            thread = threading.Thread(target=lambda: asyncio.run(go_on()))
            thread.start()
            thread.join()

    verdict = await verify(record, meanwhile, keys=PUBLIC)
    assert (verdict.wrong, verdict.position, verdict.sealed) == ("", last, last)
    assert (await check(record)).sealed == last + 10


async def test_an_empty_record_has_nothing_to_seal(record: Record) -> None:
    assert await seal(record, KEY) == []
    assert (await check(record)).wrong == ""


async def test_seals_of_another_key_are_refused(record: Record) -> None:
    await fill(record)
    await seal(record, OTHER_KEY)
    assert "which was not given" in (await check(record)).wrong
    assert (await verify(record)).wrong == ""


async def test_a_change_that_makes_every_hash_anew_is_seen_by_the_seal_and_by_nothing_else(record: Record) -> None:
    await fill(record)
    await contents.rewrite(record, 12, recorded_at=5)
    assert (await verify(record)).wrong == ""
    await seal(record, KEY, events=10)
    assert (await check(record)).wrong == ""
    await contents.rewrite(record, 12, recorded_at=6)
    verdict = await check(record)
    assert verdict.wrong.startswith("positions 11 to 20: these are not the events that were sealed")
    assert (verdict.sealed, verdict.position, verdict.events) == (10, 10, 10)


async def test_events_that_changed_places_are_seen_by_the_seal(record: Record) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    first, two = (await contents.read_stored(record))[10:12]
    assert first.stream != two.stream
    await contents.change(record, first.position, position=10_000)
    await contents.change(record, two.position, position=first.position)
    await contents.change(record, 10_000, position=two.position)
    assert (await check(record)).wrong.startswith("positions 11 to 20")


async def test_the_first_wrong_event_is_named_even_under_a_seal(record: Record) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    await contents.change(record, 13, metadata="{}")
    await contents.change(record, 33, metadata="{}")
    verdict = await check(record)
    assert verdict.wrong.startswith("position 13 (game-")
    assert (verdict.events, verdict.sealed) == (12, 10)


@pytest.mark.parametrize("column", ["root", "previous", "signature", "key_id", "sealed_at", "to_position"])
async def test_a_seal_that_was_changed_is_named(record: Record, column: str) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    value = {"key_id": "0" * 16, "sealed_at": 5, "to_position": 19}.get(column, bytes(32))
    async with record.writing() as connection:
        await connection.execute(update(tables.seals).where(tables.seals.c.from_position == 11).values({column: value}))
    assert "11" in (wrong := (await check(record)).wrong), wrong


async def test_a_seal_that_was_taken_away_is_missed(record: Record) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    async with record.writing() as connection:
        await connection.execute(tables.seals.delete().where(tables.seals.c.from_position == 11))
    assert (await check(record)).wrong.startswith("position 11: the seal of positions 21 to 30 does not follow")


async def test_a_record_that_was_cut_off_is_missed_by_its_seals_and_by_seals_kept_outside(record: Record) -> None:
    await fill(record)
    outside = await seal(record, KEY, events=10)
    await contents.cut(record, 10, with_seals=False)
    assert "position 11: the seal of positions 11 to 20 is here, and the record ends" in (await check(record)).wrong
    assert "not there" in (await check(record, from_seal=True)).wrong
    await contents.cut(record, 10)
    assert (await check(record)).wrong == ""  # no process inside can detect it
    assert (await check(record, kept=outside)).wrong.startswith("position 11: the seal of positions 11 to 20, which")
    assert (await check(record, kept=outside[:1])).wrong == ""
    await contents.cut(record, 9)
    assert (await check(record)).wrong.startswith("position 7 "), "its command had brought about four"


async def test_events_behind_the_end_of_the_record_are_told(record: Record) -> None:
    last = await fill(record)
    async with record.writing() as connection:
        await connection.execute(update(tables.counter).values(position=last - 2))
    assert (await check(record)).wrong.startswith(f"position {last - 1}: there is an event here")
    assert (await verify(record)).wrong.startswith(f"position {last - 1}: there is an event here")
    with pytest.raises(CorruptData, match=f"position {last - 1}: "):
        await seal(record, KEY)


async def test_a_record_that_its_owner_wrote_anew_is_not_the_one_whose_last_seal_was_kept(record: Record) -> None:
    await fill(record)
    *_, last = await seal(record, KEY, events=10)
    await contents.rewrite(record, 3, recorded_at=5)
    async with record.writing() as connection:
        await connection.execute(tables.seals.delete())
    await seal(record, KEY, events=10, now=lambda: datetime.fromtimestamp(0, UTC) + timedelta(microseconds=1))
    assert (await check(record)).wrong == ""
    assert "differs from the seal that is stored outside" in (await check(record, kept=[last])).wrong


async def test_a_check_can_begin_anywhere(record: Record) -> None:
    last = await fill(record)
    await seal(record, KEY, events=10)
    await play(record, "game-cup-r0", "cup", 5)
    whole = await check(record)
    for after in range(last + 6):
        verdict = await check(record, after=after)
        assert (verdict.wrong, verdict.events) == ("", last + 5 - after)
        assert (verdict.sealed, verdict.position) == (whole.sealed, whole.position)
    newest = await check(record, from_seal=True)
    assert (newest.wrong, newest.after, newest.events) == ("", last, 5)
    assert "not there" in (await check(record, after=last + 6)).wrong


async def test_a_check_that_begins_later_sees_what_is_wrong_from_there_on(record: Record) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    await contents.change(record, 33, payload=b"")
    for after in range(33):
        assert (await check(record, after=after)).wrong.startswith("position 33 ")
    assert (await check(record, after=33)).wrong == ""  # earlier events are assumed to be valid
    await contents.rewrite(record, 33, payload=b"")
    assert (await check(record, after=32)).wrong.startswith("positions 31 to 40")
    assert (await check(record, after=40)).wrong.startswith("positions 41 to ")


async def test_more_seals_than_are_read_at_a_time_are_all_checked(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = await fill(record)
    made = await seal(record, KEY, events=2)
    monkeypatch.setattr(stored, "STORED_BATCH_EVENTS", 3)
    for after in (0, 20, 21):
        verdict = await check(record, after=after)
        assert (verdict.wrong, verdict.seals, verdict.sealed) == ("", len(made), last)
    for tournament in ("", "cup"):
        counts = await export(record, tmp_path / f"all{tournament}", tournament=tournament)
        assert counts.seals == len(made)
        assert verify_file(tmp_path / f"all{tournament}", keys=PUBLIC).wrong == ""


async def test_progress_ends_where_the_record_does(record: Record) -> None:
    last = await fill(record)
    told: list[tuple[int, int]] = []
    await verify(record, lambda done, total: told.append((done, total)))
    assert told[-1] == (last, last)


async def test_what_is_wrong_is_not_sealed(record: Record) -> None:
    await fill(record)
    await contents.change(record, 15, payload=b"")
    with pytest.raises(CorruptData, match=r"^position 15 "):
        await seal(record, KEY, events=10)
    assert [made.to_position for made in await read(record)] == [10]
    async with record.writing() as connection:
        await connection.execute(tables.events.delete().where(tables.events.c.position > 13))
    with pytest.raises(CorruptData, match=r"position 14: missing"):
        await seal(record, KEY, events=10)
    await contents.cut(record, 5, with_seals=False)
    with pytest.raises(CorruptData, match=r"position 6: "):
        await seal(record, KEY, events=10)


async def test_two_who_seal_at_once_make_one_row_of_seals(record: Record, database_url: str) -> None:
    last = await fill(record, rounds=12)
    other = await Record.open(database_url)
    made = await asyncio.gather(*(seal(stored, KEY, events=4) for stored in (record, other, record, other)))
    await other.close()
    assert sum(len(some) for some in made) == len(await read(record))
    verdict = await check(record)
    assert (verdict.wrong, verdict.sealed) == ("", last)


async def test_a_sealer_seals_when_enough_events_wait(record: Record) -> None:
    sealer = asyncio.create_task(Sealer(record, KEY, events=10, seconds=0.5).run())
    await fill(record)

    async def are_sealed() -> bool:
        return (await check(record)).sealed >= 50

    await contents.until(are_sealed)
    await cancel_tasks([sealer])
    assert await record.lease(SEALER_LEASE, "another", 1)  # given back


async def test_a_sealer_seals_an_event_that_has_waited_long_enough(record: Record) -> None:
    sealer = asyncio.create_task(Sealer(record, KEY, events=1_000, seconds=0.4).run())
    await play(record, "game-cup-r0", "cup")
    assert await read(record) == []

    async def read_seals() -> list[Seal]:
        return await read(record)

    (made,) = await contents.until(read_seals)
    assert made.to_position == 1
    assert made.sealed_at - (await contents.read_stored(record))[0].recorded_at >= 400_000
    await cancel_tasks([sealer])


async def test_what_a_clock_that_ran_ahead_wrote_does_not_wait_for_its_seal_until_then(database_url: str) -> None:
    record = await Record.open(database_url, lambda: datetime.now(UTC) + timedelta(days=1))
    await play(record, "game-cup-r0", "cup")
    sealer = asyncio.create_task(Sealer(record, KEY, events=1_000, seconds=0.4).run())

    async def read_seals() -> list[Seal]:
        return await read(record)

    await contents.until(read_seals)
    await cancel_tasks([sealer])
    await record.close()


async def test_a_sealer_waits_while_every_connection_is_taken(record: Record) -> None:
    await play(record, "game-cup-r0", "cup")
    async with contents.no_connection_left(record):
        sealer = asyncio.create_task(Sealer(record, KEY, events=1, seconds=0.4).run())
        await asyncio.sleep(1)
        assert not sealer.done()

    async def read_seals() -> list[Seal]:
        return await read(record)

    await contents.until(read_seals)
    await cancel_tasks([sealer])


async def test_one_of_several_sealers_seals_and_another_takes_over(record: Record) -> None:
    assert await record.lease(SEALER_LEASE, "a process that died", 0.6)
    sealer = asyncio.create_task(Sealer(record, KEY, events=1, seconds=0.4).run())
    await play(record, "game-cup-r0", "cup")
    await asyncio.sleep(0.3)
    assert await read(record) == []

    async def read_seals() -> list[Seal]:
        return await read(record)

    await contents.until(read_seals)
    await cancel_tasks([sealer])


async def test_a_sealer_says_that_the_record_is_wrong_once_and_goes_on_when_it_is_right(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(record)
    right = (await contents.read_stored(record))[4]
    await contents.change(record, 5, payload=b"")
    with caplog.at_level(logging.ERROR):
        sealer = asyncio.create_task(Sealer(record, KEY, events=10, seconds=0.4).run())
        await asyncio.sleep(0.6)
    assert [line.getMessage() for line in caplog.records if "position 5 " in line.getMessage()] == [
        line.getMessage() for line in caplog.records
    ]
    assert len(caplog.records) == 1
    await contents.change(record, 5, payload=right.payload)

    async def read_seals() -> list[Seal]:
        return await read(record)

    await contents.until(read_seals)
    await cancel_tasks([sealer])


async def test_a_process_with_a_key_seals_and_shows_the_seals(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    key = keys.make(tmp_path / "key")
    settings = Settings.model_validate(
        {
            "data": tmp_path / "data",
            "database_url": database_url,
            "nats_url": nats_server.url,
            "http_port": 0,
            "grace_seconds": 0.5,
            "seal_key": tmp_path / "key",
            "seal_events": 20,
            "seal_seconds": 0.4,
        }
    )
    async with (
        running(settings, ("results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20) as http,
    ):
        record = process.runtime.record
        for step in Championship().steps():
            last = await append(record, step)

        async def all_sealed() -> list[Seal]:
            found = await read(record)
            return found if found and found[-1].to_position == last else []

        made = await contents.until(all_sealed)
        answer = await http.get("/api/v1/seals")
        shown = answer.json()
        assert shown["position"] == last
        assert [seal["to_position"] for seal in shown["seals"]] == [seal.to_position for seal in made]
        assert [seal["statement"].encode() for seal in shown["seals"]] == [seal.statement for seal in made]
        assert (await http.get("/api/v1/seals", headers={"If-None-Match": answer.headers["etag"]})).status_code == 304

        page = (await http.get("/api/v1/seals", params={"limit": 1})).json()["seals"]
        assert page == shown["seals"][:1]
        after = {"after": page[0]["to_position"], "limit": 1000}
        assert (await http.get("/api/v1/seals", params=after)).json()["seals"] == shown["seals"][1:]
        newest = (await http.get("/api/v1/seals", params={"newest": True})).json()
        assert newest == {**shown, "seals": shown["seals"][-1:]}
        for wrong in ({"limit": 0}, {"limit": 1001}, {"after": -1}):
            assert (await http.get("/api/v1/seals", params=wrong)).status_code == 400

        (tmp_path / "seals.json").write_bytes(answer.content)
        outside = load_seals(tmp_path / "seals.json")
        assert list(outside) == made
        verdict = await verify(record, keys=keys.by_id([key.public_key()]), kept=outside)
        assert (verdict.wrong, verdict.sealed) == ("", last)


async def test_seals_go_in_and_come_out_of_the_table_as_they_are(record: Record) -> None:
    await fill(record)
    made = await seal(record, KEY, events=10)
    async with record.reading() as connection:
        assert await seals.read(connection, 10, 2) == made[1:3]
        assert await seals.read(connection, 15, 1) == made[1:2]
        assert await seals.last(connection) == made[-1]
    assert replace(made[0], signature=b"").sign_with(KEY) == made[0]
    await contents.put_seal(record, **asdict(replace(made[-1], from_position=500, to_position=600)))
    assert "does not follow" in (await check(record, after=made[-1].to_position)).wrong or (await check(record)).wrong


def test_an_operator_makes_a_key_seals_and_checks(tmp_path: Path) -> None:
    async def prepare() -> int:
        record = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        last = await fill(record)
        await record.close()
        return last

    last = asyncio.run(prepare())
    data = ("--data", str(tmp_path / "data"))
    key, public = str(tmp_path / "key"), ("--public-key", str(tmp_path / "key.pub"))

    made = faristol("record", "key", key)
    assert made.stdout == (tmp_path / "key.pub").read_text()
    assert "already" in faristol("record", "key", key).stderr
    assert "there is no key to seal with" in faristol("record", "seal", *data).stderr
    assert "no seals" in faristol("record", "verify", *data).stdout
    nothing = faristol("record", "verify", *data, *public)
    assert (nothing.returncode, "no event up to here is sealed" in nothing.stdout) == (1, True)

    assert (
        f"seals over positions 1 to {last}" in faristol("record", "seal", *data, "--events", "10", seal_key=key).stdout
    )
    assert "sealed already" in faristol("record", "seal", *data, "--key", key).stdout
    right = faristol("record", "verify", *data, *public)
    assert right.returncode == 0
    assert f"up to position {last} of {last}, signatures are right" in right.stdout
    _, second = right.stdout.splitlines()
    assert second.startswith("not checked: the answers to commands, except that each command has one; whether")
    assert "who made the seals" not in second
    told = json.loads(faristol("record", "verify", *data, *public, "--from-seal", "--json").stdout)
    assert (told["events"], told["after"], told["sealed"], told["wrong"]) == (0, last, last, "")

    async def keep() -> None:
        record = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        made = (await read(record))[:2]
        (tmp_path / "seals.json").write_text(json.dumps({"seals": [as_shown(seal) for seal in made]}))
        await record.close()

    asyncio.run(keep())
    outside = faristol("record", "verify", *data, *public, "--seals", str(tmp_path / "seals.json")).stdout
    assert "whether events after position 20, where the seals stored outside end, were cut off" in outside
    (tmp_path / "none.json").write_text('{"seals": []}')
    outside = faristol("record", "verify", *data, *public, "--seals", str(tmp_path / "none.json")).stdout
    assert "whether the newest events, with their seals, were cut off" in outside

    async def tamper() -> None:
        record = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        await contents.change(record, 17, payload=b"")
        await record.close()

    asyncio.run(tamper())
    wrong = faristol("record", "verify", *data)
    assert (wrong.returncode, wrong.stdout.startswith("WRONG at position 17 (")) == (1, True)
    assert faristol("record", "verify", *data, "--after", "30").returncode == 0
    alone = faristol("record", "verify", *data, "--after", "16").stdout
    assert alone.startswith("WRONG at position 17 ("), alone
    assert alone.endswith("; no event before it was checked\n"), alone
    alone = faristol("record", "verify", *data, "--after", "15").stdout
    assert alone.endswith("; the event before it, from position 16 on, is right\n"), alone
    for words, said in (
        (("verify", *data, "--from-seal"), "--from-seal needs --public-key"),
        (("verify", *data, "--public-key", key), "has no public Ed25519 key"),
        (("verify", *data, "--seals", key), "has no seals"),
        (("verify", "--file", key, *data), "--file is checked completely"),
        (("seal", *data, "--key", f"{key}.pub"), "has no private Ed25519 key"),
    ):
        done = faristol("record", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert said in done.stderr


def test_a_process_does_not_start_with_a_key_that_is_none(tmp_path: Path, shared_nats: str) -> None:
    done = faristol("serve", "results", data=tmp_path, nats_url=shared_nats, seal_key=tmp_path / "none")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the key" in done.stderr
    assert "cannot be read" in done.stderr
