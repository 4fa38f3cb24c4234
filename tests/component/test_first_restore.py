"""The restore of a backup at a first start: a failure and a record in use leave the record as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import grpc
import httpx
import pytest
from tests.component.processes import Child, free_port, wait_until_serving
from tests.support.access_cell import Cell, build_credential

from faristol.access_control import keyring
from faristol.access_control.roles import DIRECTOR, Role
from faristol.access_control.tokens import issue
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.archive.export import export
from faristol.event_store.event import utc_now
from faristol.host import Settings, first_restore
from faristol.host.first_restore import FirstRestore
from faristol.kernel.errors import Invalid
from faristol.launcher.processes import Running, running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

PAGE = "/start/restore"
SENT = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/octet-stream"}

pytestmark = pytest.mark.asyncio


async def add_tournament(record: Record, tournament: str) -> None:
    created = pairing_events.TournamentCreated(tournament_id=tournament, name=tournament, rounds=5)
    await record.append(Decision([Write(f"tournament-{tournament}", 0, [created], tournament)]), Metadata())


async def read(archive: bytes) -> AsyncIterator[bytes]:
    yield archive


@pytest.fixture
async def archive(tmp_path: Path) -> bytes:
    """Return the archive of a record with one tournament."""
    record = await Record.open(f"sqlite:///{tmp_path / 'earlier.db'}")
    await add_tournament(record, "earlier")
    await export(record, tmp_path / "record.archive")
    await record.close()
    return await asyncio.to_thread((tmp_path / "record.archive").read_bytes)


async def prepare(tmp_path: Path, archive: bytes) -> tuple[Settings, FirstRestore, str]:
    """Ask for the restore into a new record; return its id too."""
    settings = Settings(data=tmp_path / "data")
    settings.data.mkdir()
    record = await Record.open(settings.record_url())
    restore = FirstRestore(settings)
    restore.attach(record)
    backup = await restore.receive(read(archive))
    await restore.begin(backup.backup_id, "", no_person_erased=True)
    assert restore.asked.is_set()
    record_id = record.record_id
    await record.close()
    return settings, restore, record_id


async def list_streams(settings: Settings) -> tuple[str, set[str]]:
    """Return the id of the record and its streams."""
    record = await Record.open(settings.record_url())
    try:
        return record.record_id, {event.stream for event in await record.read()}
    finally:
        await record.close()


async def test_a_backup_becomes_the_record_of_a_first_start(tmp_path: Path, archive: bytes) -> None:
    settings, restore, _ = await prepare(tmp_path, archive)
    await restore.carry_out()
    assert restore.problem == ""
    assert restore.awaits_link
    assert (await list_streams(settings))[1] == {"tournament-earlier"}


async def test_a_restore_that_fails_leaves_the_record_as_it_was(tmp_path: Path, archive: bytes) -> None:
    settings, restore, record_id = await prepare(tmp_path, archive)
    (stored,) = (settings.data / "restore").glob("*.archive")
    await asyncio.to_thread(stored.write_bytes, archive[:-100])
    await restore.carry_out()
    assert restore.problem
    assert not restore.awaits_link
    assert await list_streams(settings) == (record_id, set())


async def test_a_restore_that_is_interrupted_leaves_the_record_as_it_was(tmp_path: Path, archive: bytes) -> None:
    settings, restore, record_id = await prepare(tmp_path, archive)
    carrying_out = asyncio.create_task(restore.carry_out())
    while not (settings.data / "restore" / "staging" / "record.db").exists():
        assert not carrying_out.done()
        await asyncio.sleep(0)
    carrying_out.cancel()
    await asyncio.gather(carrying_out, return_exceptions=True)
    assert await list_streams(settings) == (record_id, set())


async def test_a_record_that_cannot_be_put_in_place_leaves_the_earlier_one(
    tmp_path: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, restore, record_id = await prepare(tmp_path, archive)
    (settings.data / "nats").mkdir()
    rename = Path.rename

    def refuse_staged(path: Path, target: Path) -> Path:
        if path.parent.name == "staging":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse_staged)
    await restore.carry_out()
    assert "No space left on device" in restore.problem
    assert (settings.data / "nats").is_dir()
    assert await list_streams(settings) == (record_id, set())


async def test_an_archive_that_was_sent_and_not_restored_is_removed(tmp_path: Path, archive: bytes) -> None:
    settings, _, _ = await prepare(tmp_path, archive)
    assert list((settings.data / "restore").glob("*.archive"))
    record = await Record.open(settings.record_url())
    FirstRestore(settings).attach(record)
    await record.close()
    assert not list((settings.data / "restore").glob("*"))


async def test_a_record_that_came_into_use_meanwhile_is_not_replaced(tmp_path: Path, archive: bytes) -> None:
    settings, restore, record_id = await prepare(tmp_path, archive)
    record = await Record.open(settings.record_url())
    await add_tournament(record, "mine")
    restore.attach(record)
    with pytest.raises(Invalid, match="only at the first start"):
        await restore.receive(read(archive))
    await record.close()
    await restore.carry_out()
    assert "in use" in restore.problem
    assert await list_streams(settings) == (record_id, {"tournament-mine"})


@pytest.mark.parametrize(
    ("role", "tournament", "status"),
    [
        (needs.ROLE_DIRECTOR, "", 200),
        (needs.ROLE_DIRECTOR, "cup", 404),
        (needs.ROLE_FEDERATION, "", 404),
        (needs.ROLE_SCORER, "cup", 404),
        (None, "", 303),
    ],
)
async def test_only_a_director_of_every_tournament_restores_a_backup(
    tmp_path: Path, lexicons: Path, no_open: None, role: Role | None, tournament: str, status: int
) -> None:
    settings = Settings(data=tmp_path, lexicons=lexicons, open=False, http_port=0, grpc_port=0)
    async with (
        running(settings, first_restore=FirstRestore(settings)) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
    ):
        cell = Cell(process, channel, tmp_path, {})
        cookies = {"faristol": cell.token(build_credential(role, tournament))} if role else {}
        async with httpx.AsyncClient(base_url=process.http_address, cookies=cookies, timeout=20) as web:
            assert (await web.get("/start/restore")).status_code == status
            assert (await web.get("/start/restored", params={"key": "guessed"})).status_code == 404
            foreign = await web.post("/start/restore/file", content=b"", headers={"Origin": "https://evil.example"})
            assert foreign.status_code == (403 if role else 303)
            own = {"Origin": process.http_address.rstrip("/"), "Content-Type": "application/octet-stream"}
            sent = await web.post("/start/restore/file", content=b"no archive", headers=own)
            assert sent.status_code == (400 if status == 200 else status)
            if status == 200:
                handed_on = replace(build_credential(DIRECTOR, ""), auth_time=utc_now() - timedelta(days=1))
                web.cookies.set("faristol", cell.token(handed_on))
                refused = await web.post(
                    "/start/restore?lang=en", data={"backup": ""}, headers={"Origin": own["Origin"]}
                )
                assert "sign in again" in refused.text, "a credential that was handed on today is no new sign-in"


@pytest.fixture
async def first_start(tmp_path: Path, no_open: None) -> AsyncIterator[tuple[Running, FirstRestore]]:
    """Yield the services of a first start, and their restore."""
    settings = Settings.model_validate({"data": tmp_path / "data", "open": False, "http_port": 0, "grpc_port": 0})
    restore = FirstRestore(settings)
    async with running(settings, first_restore=restore) as process:
        yield process, restore


def sign_in(folder: Path) -> dict[str, str]:
    """Return the cookies of a director's browser at the services of a data folder."""
    ring, record = keyring.Keyring(folder / "access"), (folder / "access" / "record").read_text().strip()
    return {"faristol": issue(build_credential(DIRECTOR, ""), ring.signer(), record)}


@asynccontextmanager
async def open_site(address: str, cookies: dict[str, str]) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, cookies=cookies, timeout=30) as web:
        yield web


async def test_a_file_that_is_no_backup_is_refused_and_not_kept(
    first_start: tuple[Running, FirstRestore], archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, restore = first_start
    folder = process.runtime.settings.data
    text = {**SENT, "Content-Type": "text/plain"}
    async with open_site(process.http_address, sign_in(folder)) as web:
        for content, headers, status, problem in (
            (archive, text, 415, "415"),
            (b"", SENT, 400, "not a backup"),
            (archive[:-100], SENT, 400, "not a backup"),
            (archive + archive, SENT, 400, "not a backup"),
        ):
            answer = await web.post(f"{PAGE}/file", content=content, headers=headers)
            assert (answer.status_code, problem in answer.text) == (status, True), answer.text
        monkeypatch.setattr(first_restore, "MAX_BACKUP_BYTES", len(archive) - 1)
        answer = await web.post(f"{PAGE}/file", content=archive, headers=SENT)
        assert (answer.status_code, "too large" in answer.text) == (400, True)
        assert not list((folder / "restore").glob("*.archive"))
        asked = await web.post(PAGE, data={"backup": "0" * 32}, headers={"Sec-Fetch-Site": "same-origin"})
        assert (asked.status_code, "Choose the file of the backup again." in asked.text) == (400, True)
        for key in ("", "0" * 32):
            assert (await web.get("/start/restored", params={"key": key})).status_code == 404
    assert not restore.asked.is_set()


async def test_sigterm_ends_a_process_that_is_asked_for_a_restore(tmp_path: Path, archive: bytes) -> None:
    data, port, http = tmp_path / "data", free_port(), free_port()
    settings = {"data": data, "open": "false", "grpc_port": port, "http_port": http}
    child = Child(["up", "--no-browser"], settings, tmp_path / "up.log")
    try:
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child, "gateway")
        async with open_site(f"http://127.0.0.1:{http}", sign_in(data)) as web:
            sent = await web.post(f"{PAGE}/file", content=archive, headers=SENT)
            backup = sent.json()["address"].partition("backup=")[2]
            asked = await web.post(PAGE, data={"backup": backup}, headers={"Sec-Fetch-Site": "same-origin"})
            assert "data-wait-for" in asked.text
        assert await asyncio.to_thread(child.terminate) == 0
    finally:
        child.kill()
    assert not list((data / "restore").glob("*.archive"))
