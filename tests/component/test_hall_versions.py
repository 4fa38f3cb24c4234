"""A hall and its championship with two successive versions of the program: each waits for what it cannot read.

The later version is this one with two events of a later definition: a pass, which a hall writes, and the settings of
the confirmation of results, which the championship writes.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.component.processes import wait_until_serving
from tests.component.test_hall_cell import TOURNAMENT, Scene, Site, carry, scene, until, words
from tests.component.test_hall_kept import read_stream

from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["words"]

PROTO = Path(__file__).parents[2] / "proto"
LATER_EVENTS = (("game", "Passed"), ("pairing", "ResultCheckSet"))
LATER_VERSION = 99


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the packages of the later version: the code that is generated from its contract."""
    folder = tmp_path_factory.mktemp("later")
    shutil.copytree(PROTO, folder / "proto")
    for context, event in LATER_EVENTS:
        file = folder / "proto" / "faristol" / context / "v1" / "events.proto"
        text = file.read_text(encoding="utf-8")
        before, message, after = text.partition(f"message {event} {{\n  option (faristol.event.v1.meaning) = {{")
        meaning, end, rest = after.partition("};")
        meaning = re.sub(r"version: \d+", "", meaning) + f"version: {LATER_VERSION}"
        file.write_text(f"{before}{message}{meaning}{end}{rest}", encoding="utf-8")
    (folder / "libs" / "faristol").mkdir(parents=True)
    subprocess.run([sys.executable, folder / "proto" / "generate.py"], check=True, cwd=folder, capture_output=True)
    return folder / "libs"


RECONNECT_SECONDS = 60.0
"""Time in which a channel connects to a cell that was started again, in seconds."""


async def restart(site: Site, packages: Path | None) -> None:
    """Start a cell again, with the version of these packages, None for this one."""
    site.child.terminate()
    site.child.packages = packages
    site.child.start()
    await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{site.grpc_port}", site.child, "gateway")
    async with asyncio.timeout(RECONNECT_SECONDS):
        await site.channel.channel_ready()  # a call before the next attempt of the channel would be refused


async def get_problem(at: Scene) -> str:
    cell = HallCellServiceStub(at.hall.channel)
    return str((await cell.GetHallCell(hall_pb2.GetHallCellRequest())).problem)


async def list_refusals(at: Scene) -> Sequence[int]:
    listed = await at.championship.sync.ListHalls(hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT))
    return [each.refusal for each in listed.halls]


async def pass_turn(at: Scene, game_id: str) -> None:
    """Let the player on turn pass in the hall."""
    desk = replace(at.desk, api=at.hall.api)
    game = await desk._until_turn(game_id)
    await desk._ask(game_pb2.PassRequest(game_id=game_id, player_id=game.turn_player_id))
    await desk._ask(clock_pb2.PressRequest(game_id=game_id, player_id=game.turn_player_id))


@pytest.mark.nightly
async def test_a_later_hall_plays_on_and_its_events_come_when_the_championship_is_updated(
    tmp_path: Path, words: Path, later: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await restart(at.hall, later)
        await pass_turn(at, first)

        async def is_refused() -> bool:
            return list(await list_refusals(at)) == [hall_pb2.PUSH_REFUSAL_UNKNOWN_EVENT]

        await until(is_refused, "the championship shows why it refuses the batch")
        assert "does not know" in await get_problem(at)
        assert "later version" in await asyncio.to_thread(carry, at.championship, "cells", TOURNAMENT)
        await replace(at.desk, api=at.hall.api)._game(first, [])
        await restart(at.championship, later)
        await restart(at.hall, later)
        await replace(at.desk, api=at.hall.api)._game(second, [])
        await until(at.are_final, "the results arrive")
        await at.check_equal()


@pytest.mark.nightly
async def test_an_earlier_hall_plays_on_without_the_events_that_it_does_not_know_until_it_is_updated(
    tmp_path: Path, words: Path, later: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await restart(at.championship, later)
        await at.desk.direct(at.championship.api.pairing.SetResultCheck, pb.SetResultCheckRequest(players=True))

        async def has_problem() -> bool:
            return "runs a later version" in await get_problem(at)

        await until(has_problem, "the hall says that it needs an update")
        assert "ResultCheckSet" in await asyncio.to_thread(carry, at.hall, "status")
        await replace(at.desk, api=at.hall.api)._game(first, [])
        at.games.remove(second)
        await until(at.are_final, "the result of the hall arrives")
        await restart(at.hall, later)

        async def is_copied() -> bool:
            return len(await read_stream(at.hall)) == len(await read_stream(at.championship))

        await until(is_copied, "the hall has the events of the championship")
        assert not await get_problem(at)
        at.games.append(second)
        await replace(at.desk, api=at.hall.api)._game(second, [])
        await until(at.are_final, "the hall plays on")
        await at.check_equal()
