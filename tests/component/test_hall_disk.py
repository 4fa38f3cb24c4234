"""The disk of a hall or of its championship is full while events come in: no acknowledged command is lost."""

from __future__ import annotations

import asyncio
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from sqlalchemy import select
from tests.component.test_hall_cell import HALL, TOURNAMENT, Scene, Site, install_words, scene, until

from faristol.event_store import Record
from faristol.event_store.backends.tables import commands
from faristol.event_store.integrity.verification import verify
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import pairing_pb2

DISK_MB = 160
"""Size of the small file system: a cell takes about 60 MB of it."""
PIECE_BYTES = 256 * 1024


@contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[], Callable[[], None]]]:
    """Mount a small file system. Yield a function that fills it, and returns one that frees it again."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here: only root can")

    def fill() -> Callable[[], None]:
        ballast = folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            for size in (PIECE_BYTES, 4096, 1):
                while True:
                    try:
                        file.write(bytes(size))
                    except OSError:
                        break
        return ballast.unlink

    try:
        yield fill
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def try_command(at: Scene, game_id: str, acknowledged: set[str]) -> bool:
    """Call an arbiter to a table of the hall, or let the arbiter leave. Return whether the command was acknowledged."""
    api, command_id = at.hall.api, str(uuid.uuid4())
    try:
        game = await api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id), timeout=10)
        if game.arbiter_called_by:
            left = game_pb2.DismissArbiterRequest(command_id=command_id, game_id=game_id, arbiter_id="arbiter")
            await api.game.DismissArbiter(left, timeout=10)
        else:
            player_id = game.sides[0].player_id
            call = game_pb2.CallArbiterRequest(command_id=command_id, game_id=game_id, player_id=player_id)
            await api.game.CallArbiter(call, timeout=10)
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            raise
        return False
    acknowledged.add(command_id)
    return True


async def read_commands(site: Site) -> set[str]:
    """Return the ids of the commands that a record has answered."""
    record = await Record.open(f"sqlite:///{site.folder}/record.db", create=False)
    try:
        assert (await verify(record)).wrong == ""
        async with record.engine.connect() as connection:
            return set((await connection.execute(select(commands.c.command_id))).scalars())
    finally:
        await record.close()


async def finish(at: Scene, acknowledged: set[str]) -> None:
    """Play the tables of the hall to their end, and check that no acknowledged command was lost on the way."""
    for game_id in at.games:
        await until(lambda game_id=game_id: try_command(at, game_id, acknowledged), "the hall goes on")
        game = await at.hall.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
        if game.arbiter_called_by:
            await try_command(at, game_id, acknowledged)
        await replace(at.desk, api=at.hall.api)._game(game_id, [])
    await until(at.are_final, "the results arrive")
    await at.check_equal()
    for site in (at.hall, at.championship):
        assert acknowledged <= await read_commands(site)


@pytest.mark.nightly
async def test_a_hall_with_a_full_disk_refuses_commands_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    words = install_words(tmp_path / "lexicons")
    acknowledged: set[str] = set()
    with small_disk(tmp_path / "hall") as fill:
        async with scene(tmp_path, words) as at:
            first, _ = at.games
            await at.line.cut()
            assert await try_command(at, first, acknowledged)
            free = await asyncio.to_thread(fill)
            outcomes = [await try_command(at, first, acknowledged) for _ in range(6)]
            assert not all(outcomes)
            assert at.hall.child.process.poll() is None
            at.line.mend()  # what the championship sends cannot be stored either
            lunch = pairing_pb2.SendMessageRequest(text="Lunch at two")
            await at.desk.direct(at.desk.api.pairing.SendMessage, lunch)
            await asyncio.sleep(3)
            assert at.hall.child.process.poll() is None
            free()
            await finish(at, acknowledged)


@pytest.mark.nightly
async def test_a_championship_with_a_full_disk_takes_the_events_of_a_hall_when_there_is_room(tmp_path: Path) -> None:
    words = install_words(tmp_path / "lexicons")
    acknowledged: set[str] = set()
    with small_disk(tmp_path / "championship") as fill:
        async with scene(tmp_path, words) as at:
            await at.line.cut()
            for _ in range(20):
                assert await try_command(at, at.games[0], acknowledged)
            before = await at.championship.streams()
            free = await asyncio.to_thread(fill)
            at.line.mend()
            cell = HallCellServiceStub(at.hall.channel)
            await asyncio.sleep(3)
            assert (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).unsent > 0
            assert await at.championship.streams() == before
            assert at.championship.child.process.poll() is None
            free()
            await finish(at, acknowledged)

            async def has_all() -> bool:
                listed = await at.championship.sync.ListHalls(hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT))
                return [(line.hall, line.unsent, line.aside) for line in listed.halls] == [(HALL, 0, 0)]

            await until(has_all, "no event is missing")
