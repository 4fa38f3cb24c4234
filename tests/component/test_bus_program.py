"""A program outside the cell that follows a championship over NATS, as docs/apps.md describes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import nats
import pytest
from nats.errors import Error as NatsError
from tests.campaigns.viewers.programs import PAGE, extract_program
from tests.conftest import OPERATOR

from faristol.bus import Bus, NatsServer, Relay
from faristol.bus.permissions import NOTIFICATION_STREAM, inbox, program
from faristol.bus.server import CELL_USER
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing

APP = program("app", ["cup"])


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    started = await NatsServer.start(tmp_path / "nats", (CELL_USER, OPERATOR, APP))
    yield started
    await started.stop()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """Return the program of the page, as a file."""
    file = tmp_path / "program.py"
    file.write_text(extract_program(PAGE.read_text(encoding="utf-8")))
    return file


class Program:
    """The running program; ``lines`` are the output of all its runs."""

    def __init__(self, file: Path, server: NatsServer) -> None:
        self.lines: list[str] = []
        self._command = (sys.executable, str(file), server.url_of(APP.name), APP.name, "cup")
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(*self._command, stdout=asyncio.subprocess.PIPE)
        self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            self.lines.append(line.decode().strip())

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    async def kill(self) -> None:
        assert self._process is not None
        assert self._reading is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._reading

    async def until(self, position: int) -> None:
        async with asyncio.timeout(60):
            while not any(line.split()[1] == str(position) for line in self.lines):  # noqa: ASYNC110 # a pipe sets no event
                await asyncio.sleep(0.05)


@asynccontextmanager
async def relaying(record: Record, server: NatsServer) -> AsyncIterator[None]:
    bus = await Bus.connect(server.url)
    relay = asyncio.create_task(Relay(record, bus).run())
    try:
        yield
    finally:
        await cancel_tasks([relay])
        await bus.close()


async def append(record: Record, game_id: str, tournament: str, turns: Sequence[int]) -> None:
    """Append for each turn a public event, a private one, and a public one with a private value."""
    for turn in turns:
        said = [game.Passed(turn=turn), game.TilesDrawn(), game.Exchanged(turn=turn, faces=["A"])]
        await record.append(Decision([Write(f"game-{game_id}", 3 * turn, said, tournament)]), Metadata())


async def test_a_program_gets_every_public_event_of_its_tournament_once_over_kills(
    record: Record, server: NatsServer, app: Path, tmp_path: Path
) -> None:
    running = Program(app, server)
    turns = iter(range(1_000))
    async with relaying(record, server):
        await running.start()
        for _ in range(3):
            await append(record, "a", "cup", [next(turns) for _ in range(5)])
        await append(record, "b", "other", range(5))
    await append(record, "a", "cup", [next(turns) for _ in range(5)])  # while no relay runs
    async with relaying(record, server):
        await append(record, "a", "cup", [next(turns)])
        await running.until((await record.read(types=["faristol.game.v1.Passed"], tournament="cup"))[-1].position)
        await running.kill()
        await append(record, "a", "cup", [next(turns) for _ in range(5)])
        await running.start()
        os.kill(int((tmp_path / "nats" / "nats.pid").read_text()), signal.SIGKILL)
        await append(record, "a", "cup", [next(turns) for _ in range(5)])
        await running.until((await record.read(types=["faristol.game.v1.Passed"], tournament="cup"))[-1].position)
        await running.kill()
    wanted = await record.read(types=["faristol.game.v1.Passed"], tournament="cup")
    assert len(wanted) == 31
    found = dict(line.split(maxsplit=1) for line in running.lines)
    assert [found.get(event.event_id) for event in wanted] == [
        f"{event.position} {event.type} {len(event.payload)}" for event in wanted
    ]
    assert len(found) == len(wanted), "no event of another tournament, and no private one"


async def test_a_program_that_is_killed_with_messages_gets_them_again_before_later_ones(
    record: Record, server: NatsServer, app: Path
) -> None:
    running = Program(app, server)
    operator = await nats.connect(server.url_of("operator"))
    async with relaying(record, server):
        await running.start()
        await append(record, "a", "cup", [0])
        await running.until(1)
        running.freeze()
        await append(record, "a", "cup", range(1, 6))
        async with asyncio.timeout(60):
            while not (await operator.jetstream().consumer_info(NOTIFICATION_STREAM, APP.name)).num_ack_pending:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await running.kill()
        await running.start()
        await append(record, "a", "cup", range(6, 9))
        wanted = await record.read(types=["faristol.game.v1.Passed"], tournament="cup")
        await running.until(wanted[-1].position)
        await running.kill()
    await operator.close()
    found = dict.fromkeys(line.split()[0] for line in running.lines)
    assert list(found) == [event.event_id for event in wanted]


async def test_a_program_gets_no_event_that_a_delay_holds_back(
    record: Record, server: NatsServer, app: Path, tmp_path: Path
) -> None:
    running = Program(app, server)
    async with relaying(record, server):
        await running.start()
        await append(record, "a", "cup", [0])
        delayed = [pairing.BroadcastDelaySet(minutes=5)]
        await record.append(Decision([Write("tournament-cup", 0, delayed, "cup")]), Metadata())
        await append(record, "a", "cup", [1])
        last = [pairing.RoundsChanged(rounds=7)]
        await record.append(Decision([Write("tournament-cup", 1, last, "cup")]), Metadata())
        await running.until(await record.last_position())
        await running.kill()
    types = [line.split()[2].rpartition(".")[2] for line in running.lines]
    assert types == ["Passed", "BroadcastDelaySet", "RoundsChanged"]


async def test_the_user_of_a_program_reads_only_public_events_of_its_tournaments(
    record: Record, server: NatsServer
) -> None:
    async with relaying(record, server):
        await append(record, "a", "cup", [0])
        operator = await nats.connect(server.url_of("operator"))
        async with asyncio.timeout(60):
            while (await operator.jetstream().stream_info(NOTIFICATION_STREAM)).state.messages < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await operator.close()
    refused: list[str] = []

    async def hear(problem: Exception) -> None:
        refused.append(str(problem))

    client = await nats.connect(server.url_of(APP.name), error_cb=hear, inbox_prefix=inbox(APP.name).encode())
    jetstream = client.jetstream(timeout=0.5)
    for filtered in ("faristol-internal.>", ">", "faristol.>", "faristol.other.>", "faristol.*.>"):
        with pytest.raises((NatsError, TimeoutError)):
            await jetstream.pull_subscribe(filtered, durable=APP.name, stream=NOTIFICATION_STREAM)
    for subject in (
        "faristol.cup.game.Passed",
        f"$JS.API.CONSUMER.CREATE.{NOTIFICATION_STREAM}.another.faristol.cup.>",
        f"$JS.API.CONSUMER.DURABLE.CREATE.{NOTIFICATION_STREAM}.{APP.name}",
        f"$JS.API.STREAM.MSG.GET.{NOTIFICATION_STREAM}",
        f"$JS.API.STREAM.DELETE.{NOTIFICATION_STREAM}",
    ):
        refused.clear()
        await client.publish(subject, b"{}")
        await client.flush()
        await client.flush()
        assert any("permissions violation" in each.lower() for each in refused), subject
    events = await jetstream.pull_subscribe("faristol.cup.>", durable=APP.name, stream=NOTIFICATION_STREAM)
    assert [message.subject for message in await events.fetch(10, timeout=5)] == ["faristol.cup.game.Passed"]
    await client.close()
