"""A hall copies the events of the championship only if they follow on those that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from faristol.client.credentials import TOKEN
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.event_store.stored import Stored
from faristol.event_store.tasks import cancel_tasks
from faristol.hall.follower import Follower, check_order
from faristol.hall.joining import Cell
from faristol.host import Settings
from faristol.host.halls import identity, wire
from faristol.pb.hall.v1 import hall_pb2 as pb


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


async def test_a_hall_without_a_line_does_not_call_until_the_championship_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "token")
    settings = Settings.model_validate({"data": tmp_path, "hall": "Sala Gran", "hall_of": "127.0.0.1:1"})
    settings.hall_folder().mkdir(parents=True)
    identity.store_joined(settings.hall_folder(), identity.Joined("127.0.0.1:1", "cup", "Sala Gran", ""))
    cell = Cell(settings, utc_now)
    calls: list[pb.FollowChampionshipRequest] = []
    follow = cell.line.sync.FollowChampionship

    def count(request: pb.FollowChampionshipRequest) -> Any:
        calls.append(request)
        return follow(request)

    async def want(events: Sequence[Stored]) -> None:
        raise AssertionError("no events come")

    monkeypatch.setattr(cell.line.sync, "FollowChampionship", count)
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    cell.line.lose()
    following = asyncio.create_task(Follower(record, cell, want).run())
    await asyncio.sleep(0.2)
    assert not calls
    cell.line.hear()
    await asyncio.sleep(0.2)
    assert len(calls) == 1
    await cancel_tasks([following])
    await cell.line.close()
    await record.close()
