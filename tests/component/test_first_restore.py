"""The restore of a backup at a first start: a failure and a record in use leave the record as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import httpx
import pytest
from tests.support.access_cell import Cell, build_credential

from faristol.access_control.roles import Role
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.archive.export import export
from faristol.host import Settings
from faristol.host.first_restore import FirstRestore
from faristol.kernel.errors import Invalid
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

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
    stop = asyncio.Event()
    restore = FirstRestore(settings, stop)
    restore.attach(record)
    backup = await restore.receive(read(archive))
    await restore.begin(backup.backup_id, "", no_person_erased=True)
    assert stop.is_set()
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
        running(settings, first_restore=FirstRestore(settings, asyncio.Event())) as process,
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
