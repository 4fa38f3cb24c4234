"""A hall sends each of its events, also many, and to a championship that is slow or that does not answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from faristol.client.credentials import TOKEN
from faristol.event_store import AppendCommand, Decision, Metadata, Record, Write
from faristol.event_store.event import utc_now
from faristol.event_store.tasks import cancel_tasks
from faristol.hall import line, sender
from faristol.hall.joining import Cell
from faristol.hall.sender import SENT, Sender
from faristol.host import Settings
from faristol.host.halls import identity, wire
from faristol.host.halls.kept import kept_stream
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.hall.v1.hall_pb2_grpc import HallSyncServiceServicer, add_HallSyncServiceServicer_to_server

EVENTS_COUNT = 60
CAPACITY_BYTES = 20_000
"""Bytes of a batch that the championship of these tests takes in time."""


class Slow(HallSyncServiceServicer):
    """A championship that takes small batches only, unless it does not answer at all."""

    capacity_bytes = CAPACITY_BYTES

    def __init__(self) -> None:
        self.versions: list[int] = []
        """Versions of the events that it has taken."""
        self.tried_bytes: list[int] = []
        """Sizes of the batches, also of those that it has not taken."""
        self.called = asyncio.Event()
        self.answers = asyncio.Event()

    async def PushEvents(self, request: pb.PushEventsRequest, context: Any) -> pb.PushEventsResponse:  # noqa: N802
        self.tried_bytes.append(len(request.batch))
        self.called.set()
        await self.answers.wait()
        if len(request.batch) > self.capacity_bytes:
            await asyncio.sleep(60)
        self.versions += [event.version for event in pb.HallBatch.FromString(request.batch).events]
        return pb.PushEventsResponse()


@pytest.fixture
async def championship(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Slow, str]]:
    monkeypatch.setenv(TOKEN, "token")
    monkeypatch.setattr(line, "FIRST_RETRY_SECONDS", 0.001)
    server, slow = grpc.aio.server(), Slow()  # type: ignore[abstract] # a hall sends to one method
    add_HallSyncServiceServicer_to_server(slow, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield slow, address
    await server.stop(None)


@pytest.fixture
async def cell(tmp_path: Path, championship: tuple[Slow, str]) -> AsyncIterator[Cell]:
    settings = Settings.model_validate({"data": tmp_path, "hall": "Sala Gran", "hall_of": championship[1]})
    settings.hall_folder().mkdir(parents=True)
    identity.store_joined(settings.hall_folder(), identity.Joined(championship[1], "cup", "Sala Gran", ""))
    cell = Cell(settings, utc_now)
    yield cell
    await cell.line.close()


@pytest.fixture
async def record(tmp_path: Path, cell: Cell) -> AsyncIterator[Record]:
    """Yield the record of a hall that keeps commands of 1,000 bytes each."""
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    for version in range(EVENTS_COUNT):
        command_id = str(uuid.uuid4())
        kept = events.HallCommandKept(command_id=command_id, hall="Sala Gran", request=bytes(1_000))
        written = Write(kept_stream("cup", cell.public_key), version, [kept], "cup")
        await record.append(
            Decision([written]), Metadata(), command=AppendCommand(command_id, lambda position: b"done")
        )
    yield record
    await record.close()


async def until_sent(record: Record, count: int = EVENTS_COUNT) -> None:
    async with asyncio.timeout(20):
        while await record.checkpoint(SENT) < count:  # noqa: ASYNC110 # the database has no event
            await asyncio.sleep(0.01)


async def test_a_batch_that_is_not_taken_in_time_is_divided(
    championship: tuple[Slow, str], cell: Cell, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "PUSH_TIMEOUT_SECONDS", 0.3)
    slow, _ = championship
    slow.answers.set()
    sending = asyncio.create_task(Sender(record, cell).run())
    await until_sent(record)
    assert slow.versions == list(range(1, EVENTS_COUNT + 1))
    assert max(slow.tried_bytes) > CAPACITY_BYTES
    await cancel_tasks([sending])


async def test_a_batch_goes_on_if_a_busy_championship_answers_no_other_call(
    championship: tuple[Slow, str], cell: Cell, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Slow, "capacity_bytes", wire.MAX_BATCH_BYTES)
    slow, _ = championship
    sending = asyncio.create_task(Sender(record, cell).run())
    await asyncio.wait_for(slow.called.wait(), 5)
    cell.line.lose()
    await asyncio.sleep(0.2)
    slow.answers.set()
    await until_sent(record)
    assert len(slow.tried_bytes) == 1
    assert slow.versions == list(range(1, EVENTS_COUNT + 1))
    await cancel_tasks([sending])


async def test_many_small_events_are_sent_in_batches_that_the_championship_accepts(
    championship: tuple[Slow, str], cell: Cell, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, _ = championship
    slow.answers.set()
    monkeypatch.setattr(Slow, "capacity_bytes", wire.MAX_BATCH_BYTES)
    many = [events.HallCommandKept(command_id=str(uuid.uuid4()), hall="Sala Gran") for _ in range(1_500)]
    written = Write(kept_stream("cup", cell.public_key), EVENTS_COUNT, many, "cup")
    long = Metadata(actor="o" * 64, role="scorer", traceparent="t" * 400)
    await record.append(Decision([written]), long)
    sending = asyncio.create_task(Sender(record, cell).run())
    await until_sent(record, EVENTS_COUNT + len(many))
    assert slow.versions == list(range(1, EVENTS_COUNT + len(many) + 1))
    assert sum(slow.tried_bytes) > 2 * wire.MAX_BATCH_BYTES
    assert max(slow.tried_bytes) <= wire.MAX_BATCH_BYTES
    await cancel_tasks([sending])
