"""A notebook has the guarantees of a record that decisions depend on."""

from __future__ import annotations

import pytest

from faristol.casebook.hosts.memory_record import Notebook
from faristol.event_store import AppendCommand, Conflict, Decision, Guard, Metadata, Write, load
from faristol.pb.game.v1 import events_pb2 as events

PASSED = events.Passed(turn=1, player_id="Anna")


def write_one_event(version: int) -> Write:
    return Write("game-case", version, [PASSED], "cases")


async def test_events_come_back_in_order_by_stream_and_by_position() -> None:
    notebook = Notebook()
    await notebook.append(Decision([write_one_event(0), Write("clock-case", 0, [PASSED, PASSED], "cases")]), Metadata())
    await notebook.append(Decision([write_one_event(1)]), Metadata())
    assert [event.version for event in await notebook.read_stream("game-case")] == [1, 2]
    assert [event.stream for event in await notebook.read(1)] == ["clock-case", "clock-case", "game-case"]
    assert await notebook.events("game-case", 1) == [PASSED]
    assert await notebook.last_position() == 4
    folded = await load(notebook, "game-case", 0, lambda count, _: count + 1)
    assert (folded.state, folded.version) == (2, 2)


async def test_a_stream_or_a_guard_that_moved_is_a_conflict_and_nothing_is_written() -> None:
    notebook = Notebook()
    await notebook.append(Decision([write_one_event(0)]), Metadata())
    with pytest.raises(Conflict):
        await notebook.append(Decision([Write("clock-case", 0, [PASSED], "cases"), write_one_event(0)]), Metadata())
    with pytest.raises(Conflict):
        await notebook.append(Decision([write_one_event(1)], [Guard("clock-case", 3)]), Metadata())
    assert await notebook.last_position() == 1


async def test_a_command_is_known_by_its_first_answer() -> None:
    notebook = Notebook()
    assert await notebook.find_answer("00000000-0000-0000-0000-000000000001") is None
    command = AppendCommand("00000000-0000-0000-0000-000000000001", lambda position: b"at %d" % position)
    appended = await notebook.append(Decision([write_one_event(0)]), Metadata(), command=command)
    assert (appended.answer, appended.repeated) == (b"at 1", False)
    again = await notebook.find_answer(command.command_id)
    assert again is not None
    assert (again.answer, again.position, again.repeated) == (b"at 1", 1, True)


async def test_a_lease_has_one_holder_until_it_is_released() -> None:
    notebook = Notebook()
    assert await notebook.lease("judge:ada", "first", 60)
    assert await notebook.lease("judge:ada", "first", 60)
    assert not await notebook.lease("judge:ada", "second", 60)
    await notebook.release("judge:ada", "second")
    assert await notebook.holder("judge:ada", 60) == "first"
    await notebook.release("judge:ada", "first")
    assert await notebook.lease("judge:ada", "second", 60)
