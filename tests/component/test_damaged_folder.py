"""A data folder without its record is not treated as a new one, and a record on a read-only medium is read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.synthetic import append

from faristol.access_control import keyring
from faristol.consumers import tables
from faristol.consumers.status import status
from faristol.event_store import Record, RecordError
from faristol.event_store.archive.export import export
from faristol.event_store.integrity.verification import verify
from faristol.host import Settings, StartError
from faristol.launcher.processes import running
from faristol.pb.game.v1.events_pb2 import PlayPlaced

NOBODY_USER_ID = 65_534


async def create_record(folder: Path) -> str:
    """Create a record in a folder, and return its id."""
    record = await Record.open(f"sqlite:///{folder / 'record.db'}")
    await record.close()
    return record.record_id


async def serve_folder(folder: Path) -> None:
    """Serve a folder for a moment."""
    async with running(Settings(data=folder, http_port=0, grpc_port=0)):
        pass


async def test_an_emptied_a_missing_and_a_foreign_record_are_refused_with_what_to_do(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    known, foreign = await create_record(own), await create_record(other)
    file, note = own / "record.db", own / "access" / "record"
    keyring.prepare(note.parent)
    keyring.name_record(note, known)
    for damage, told in (
        (lambda: file.write_bytes(b""), "is empty"),
        (file.unlink, "is missing"),
        (lambda: shutil.copy(other / "record.db", file), f"is the record {foreign}"),
    ):
        damage()
        before = file.read_bytes() if file.exists() else None
        with pytest.raises(StartError, match=f"{told}.*{known}.*--data"):
            await serve_folder(own)
        assert (file.read_bytes() if file.exists() else None) == before, "nothing is made in its place"
        assert note.read_text() == known


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only for this process, as on a medium that is mounted so."""
    files = [folder, *folder.rglob("*")]
    for file in files:
        file.chmod(0o555 if file.is_dir() else 0o444)
    user = os.geteuid()
    if not user:
        os.seteuid(NOBODY_USER_ID)  # root can write all files
    try:
        yield
    finally:
        os.seteuid(user)
        for file in files:
            file.chmod(0o755 if file.is_dir() else 0o644)


@pytest.fixture
def place() -> Iterator[Path]:
    """Yield a folder that users other than its owner can access."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o755)
        (folder / "out").mkdir()
        (folder / "out").chmod(0o777)
        yield folder


def as_while_it_was_written(folder: Path, copy: Path) -> None:
    """Copy a record that is open, with the log beside it, like a snapshot of a disk."""
    shutil.copytree(folder, copy)
    assert (copy / "record.db-wal").stat().st_size


@pytest.mark.parametrize("is_snapshot", [False, True])
async def test_a_record_that_may_be_read_alone_is_verified_exported_and_never_written(
    place: Path, *, is_snapshot: bool
) -> None:
    folder = place / "closed"
    record = await Record.open(f"sqlite:///{folder / 'record.db'}")
    await append(record, {"game-a": [PlayPlaced()]})
    async with record.writing() as connection:
        await tables.make(connection)
    if is_snapshot:
        as_while_it_was_written(folder, folder := place / "snapshot")
    await record.close()
    with read_only(folder):
        seen = await Record.open(f"sqlite:///{folder / 'record.db'}", create=False)
        try:
            assert (seen.record_id, await seen.last_position()) == (record.record_id, 1)
            assert (await verify(seen)).events == 1
            assert (await status(seen))[1] == 1
            await export(seen, place / "out" / "archive")
        finally:
            await seen.close()
        with pytest.raises(RecordError, match="is read-only"):
            await Record.open(f"sqlite:///{folder / 'record.db'}")


async def test_a_folder_that_a_restore_makes_is_for_its_owner_alone(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / 'new' / 'record.db'}")
    await record.close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
