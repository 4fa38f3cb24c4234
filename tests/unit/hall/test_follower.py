"""A hall copies the events of the championship only if they follow on those that it has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from faristol.client.credentials import TOKEN
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.event_store.stored import Stored
from faristol.event_store.tasks import cancel_tasks
from faristol.hall import follower, line
from faristol.hall.follower import Follower, check_order
from faristol.hall.joining import Cell
from faristol.host import Settings
from faristol.host.halls import identity, wire
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.hall.v1.hall_pb2_grpc import HallSyncServiceServicer, add_HallSyncServiceServicer_to_server


def answer(after: int | None, position: int = 20) -> pb.FollowChampionshipResponse:
    return wire.add_checksum(
        pb.FollowChampionshipResponse(position=position, last_position=position, after_position=after)
    )


def test_events_after_a_later_position_than_the_requested_one_are_refused() -> None:
    check_order(answer(12), 12)
    for other in (0, 11, 12 + 4_096):
        with pytest.raises(ValueError, match="expected those after 12"):
            check_order(answer(other), 12)


def test_an_answer_of_an_earlier_version_states_no_position_before_it() -> None:
    check_order(answer(None), 12)
    check_order(pb.FollowChampionshipResponse(position=20), 12)


def test_an_answer_without_the_checksum_that_its_version_has_is_refused() -> None:
    changed = answer(12)
    changed.ClearField("checksum")
    with pytest.raises(ValueError, match="changed on the way"):
        check_order(changed, 12)


class Stuck(HallSyncServiceServicer):
    """A championship whose answers stop after the first one of each call."""

    def __init__(self) -> None:
        self.requests: list[pb.FollowChampionshipRequest] = []
        self.is_called_again = asyncio.Event()

    async def FollowChampionship(  # noqa: N802
        self, request: pb.FollowChampionshipRequest, context: Any
    ) -> AsyncIterator[pb.FollowChampionshipResponse]:
        self.requests.append(request)
        if len(self.requests) > 2:
            self.is_called_again.set()
        yield answer(request.after_position, position=request.after_position)
        await asyncio.sleep(60)


async def test_a_hall_follows_again_if_the_answers_of_a_call_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "token")
    monkeypatch.setattr(follower, "FOLLOW_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(line, "FIRST_RETRY_SECONDS", 0.01)
    server, stuck = grpc.aio.server(), Stuck()  # type: ignore[abstract] # a hall calls one method
    add_HallSyncServiceServicer_to_server(stuck, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    cell = join(tmp_path, address)
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    following = asyncio.create_task(Follower(record, cell, want_none).run())
    async with asyncio.timeout(10):
        await stuck.is_called_again.wait()
    assert cell.line.problem == ""
    await cancel_tasks([following])
    await cell.line.close()
    await server.stop(None)
    await record.close()


def join(folder: Path, address: str) -> Cell:
    """Return a cell that has joined the championship at an address."""
    settings = Settings.model_validate({"data": folder, "hall": "Sala Gran", "hall_of": address})
    settings.hall_folder().mkdir(parents=True)
    identity.store_joined(settings.hall_folder(), identity.Joined(address, "cup", "Sala Gran", ""))
    return Cell(settings, utc_now)


async def want_none(events: Sequence[Stored]) -> None:
    assert not events


async def test_a_hall_without_a_line_does_not_call_until_the_championship_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "token")
    cell = join(tmp_path, "127.0.0.1:1")
    calls: list[pb.FollowChampionshipRequest] = []
    follow = cell.line.sync.FollowChampionship

    def count(request: pb.FollowChampionshipRequest) -> Any:
        calls.append(request)
        return follow(request)

    monkeypatch.setattr(cell.line.sync, "FollowChampionship", count)
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    cell.line.lose()
    following = asyncio.create_task(Follower(record, cell, want_none).run())
    await asyncio.sleep(0.2)
    assert not calls
    cell.line.hear()
    await asyncio.sleep(0.2)
    assert len(calls) == 1
    await cancel_tasks([following])
    await cell.line.close()
    await record.close()
