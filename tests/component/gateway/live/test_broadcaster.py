"""Many viewers: each gets all frames of their topic once, and none waits for another."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from tests.component.backups import bring_back, save
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship, Step, append, full_game, short_game
from tests.support.watcher import Watcher

from faristol.bus import NatsServer
from faristol.event_store import Record
from faristol.event_store.tasks import cancel_tasks
from faristol.fanout import MAX_POSITIONS_AHEAD, Fanout, Viewer, fanout, replays
from faristol.gateway.http.limits import Connections, HandedOverConnection
from faristol.gateway.live import record_batches
from faristol.gateway.live.feed import Feed, NewsSubscription
from faristol.gateway.live.notifications import Notification
from faristol.gateway.live.subscriptions import check_after
from faristol.host import Settings
from faristol.kernel.topics import Topic
from faristol.launcher.processes import running
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import event_tail as tails
from faristol.read_models.api.public_events import PUBLIC, to_notification

pytestmark = pytest.mark.asyncio(loop_scope="module")

STREAM = "/api/v1/tournaments/lliga/stream"
GAME = "/api/v1/games/lliga-r1-t1"
LLIGA = {"lliga": ""}


@asynccontextmanager
async def watching(*watchers: Watcher) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(watcher.watch()) for watcher in watchers]
    try:
        yield
    finally:
        await cancel_tasks(tasks)


async def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 # sockets, not this loop's tasks, are waited for
            await asyncio.sleep(0.01)


async def public(record: Record, topic: Topic, after: int = 0) -> list[int]:
    events = await record.read(after, types=PUBLIC)
    return [news.position for news in map(to_notification, events) if topic.has(news)]


def port_of(stage: Stage) -> int:
    return stage.running.runtime.settings.http_port


FILTERED: Sequence[tuple[str, Topic]] = (
    (STREAM, Topic.of(LLIGA)),
    (f"{STREAM}?rounds=2", Topic.of(LLIGA, rounds=[2])),
    (f"{STREAM}?games=lliga-r1-t1,lliga-r2-t2", Topic.of(LLIGA, ["lliga-r1-t1", "lliga-r2-t2"])),
    (
        f"{STREAM}?tables=2&types=PlayPlaced,ResultRecorded",
        Topic.of(LLIGA, (), (), [2], ["PlayPlaced", "ResultRecorded"]),
    ),
    ("/api/v1/stream", Topic()),
    ("/api/v1/stream?tournaments=lliga&types=RoundClosed", Topic.of(LLIGA, types=["RoundClosed"])),
)


async def test_each_gets_their_topic_once_live_or_out_of_the_record_whatever_the_ring_has_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "MIN_RING_CAPACITY", 10)
    monkeypatch.setattr(fanout, "STREAM_HEARTBEAT_SECONDS", 0.3)
    hall = Championship()
    async with open_stage(tmp_path, http_write_seconds=60) as stage:
        await stage.add(*hall.create())
        port = port_of(stage)
        early = [Watcher(port, path) for path, _ in FILTERED] + [Watcher(port, STREAM, version="1.0")]
        slow = socket.create_connection(("127.0.0.1", port))
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.sendall(f"GET {STREAM} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        async with watching(*early):
            for steps in (hall.first_round(), hall.second_round(), hall.finish()):
                await stage.add(*steps)
            topics = [topic for _, topic in FILTERED]
            expected = [await public(stage.record, topic) for topic in topics]
            await until(lambda: [each.told for each in early] == [*expected, expected[0]])
            assert all(len(each) > 1 for each in expected)
            late = [Watcher(port, path, after) for path, _ in FILTERED for after in (0, 40)]
            async with watching(*late):
                wanted = [await public(stage.record, topic, after) for topic in topics for after in (0, 40)]
                await until(lambda: [each.told for each in late] == wanted)
                # hidden events advance the position too, so that no viewer resumes at an old position
                last = await stage.record.last_position()
                await until(lambda: {each.position for each in late} == {last})
            assert {each.connections for each in (*early, *late)} == {1}
            heard = await asyncio.to_thread(_read_all, slow, str(expected[0][-1]))
            told = [
                int(line.rpartition("-")[2]) for line, next_line in pairwise(heard) if next_line.startswith("event: ")
            ]
            assert told[: len(expected[0])] == expected[0]
        play = next(each for each in early[0].data if each["type"] == "PlayPlaced")
        assert (play["tournament_id"], play["game_id"], play["round"], play["table"]) == ("lliga", "lliga-r1-t1", 1, 1)


async def test_whose_news_is_far_behind_in_the_record_comes_to_it_however_long_that_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "MIN_RING_CAPACITY", 10)
    monkeypatch.setattr(record_batches, "BATCH_TIMEOUT_SECONDS", 0.4)
    monkeypatch.setattr(replays, "BATCH_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(tails, "TAIL_BATCH_EVENTS", 7)
    read = tails.EventTail._after
    asked: list[int] = []

    async def slowly(tail: tails.EventTail, topic: Topic, after: int, may_know: Any) -> Any:
        if topic.games:
            asked.append(after)
            await asyncio.sleep(0.05)
        return await read(tail, topic, after, may_know)

    monkeypatch.setattr(tails.EventTail, "_after", slowly)
    hall = Championship()
    async with open_stage(tmp_path) as stage:
        for steps in (hall.create(), hall.first_round(), hall.second_round(), hall.finish()):
            await stage.add(*steps)
        last = await stage.record.last_position()
        late = Watcher(port_of(stage), f"{STREAM}?games=lliga-r2-t2")
        async with watching(late):
            expected = await public(stage.record, Topic.of(LLIGA, ["lliga-r2-t2"]))
            await until(lambda: late.told == expected)
    assert last > 20 * 7
    assert 10 < len(asked) < 60  # it does not begin again and again


async def test_a_reader_who_is_ahead_of_the_record_for_long_is_told_so_and_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "STREAM_HEARTBEAT_SECONDS", 0.6)
    hall = Championship()
    async with open_stage(tmp_path) as stage:
        last = await stage.add(*hall.create())
        ahead = [Watcher(port_of(stage), path, 9_000) for path in (STREAM, f"{STREAM}?include=content")]
        async with watching(*ahead):
            expected = await public(stage.record, Topic.of(LLIGA))
            await until(lambda: [each.told for each in ahead] == [[0, *expected]] * 2)
            assert last < 9_000 < last + MAX_POSITIONS_AHEAD
            await stage.add(*hall.first_round())
            expected = await public(stage.record, Topic.of(LLIGA))
            await until(lambda: [each.told for each in ahead] == [[0, *expected]] * 2)
            assert [each.data[0]["type"] for each in ahead] == ["Reset"] * 2
            games = [change for news in ahead[1].data for change in news["content"] if change["kind"] == "game"]
            assert games


async def test_the_id_of_another_record_or_of_none_brings_a_reset_and_everything_and_a_position_alone_resumes(
    stage: Stage,
) -> None:
    await stage.add(*Championship().create())
    expected = await public(stage.record, Topic.of(LLIGA))
    fingerprint = await stage.record.fingerprint(expected[1])
    far = await stage.record.last_position() + MAX_POSITIONS_AHEAD + 1
    cases = {
        f"{'0' * 16}-{expected[1]}": [0, *expected],
        f"{fingerprint}-{far}": [0, *expected],
        str(far): [0, *expected],
        "yesterday": [0, *expected],
        "-1": [0, *expected],
        "9" * 40: [0, *expected],
        f"{fingerprint}-": [0, *expected],
        f"{fingerprint}-{expected[1]}-{expected[1]}": [0, *expected],
        "\u0663": [0, *expected],
        f"{fingerprint}-{expected[1]}": expected[2:],
        str(expected[1]): expected[2:],
        "": expected,  # as behind a proxy that removes the header
    }
    for path in (STREAM, f"{STREAM}?include=content", f"{STREAM}?named=false", "/api/v1/stream"):
        for given, told in cases.items():
            reader = Watcher(port_of(stage), path, given=given)
            async with watching(reader):
                await until(lambda: len(reader.told) >= len(told))  # noqa: B023 # it is over before the next one
            assert reader.told == told, (path, given)
            assert reader.ids[-1] == f"{await stage.record.fingerprint(told[-1])}-{told[-1]}"
            types = [each["type"] for each in reader.data]
            assert (types[0] == "Reset") == (told[0] == 0)
            assert "Reset" not in types[1:]


def first_round(seats: tuple[str, str]) -> Iterator[Step]:
    """Yield the first round of the championship, with these two players at the first table."""
    hall = Championship()
    first, second = hall.table(1, 1, *seats), hall.table(1, 2, "biel", "dolors")
    yield from hall.pair(1, [first.players, second.players], "eloi")
    yield from hall.begin(1)
    for table in (first, second):
        yield from table.open(hall.ruleset, hall.lexicon)
    yield from full_game(first)
    yield from short_game(second, 40, 30)


async def came_back(stage: Stage, path: str, given: str, count: int) -> list[int]:
    """Return the first positions that a reader with an id receives."""
    reader = Watcher(port_of(stage), path, given=given)
    async with watching(reader):
        await until(lambda: len(reader.told) >= count)
    return reader.told


async def test_who_comes_back_to_a_restored_backup_is_told_so_unless_it_has_what_they_were_told(
    database_url: str, tmp_path: Path
) -> None:
    more, backup = {"database_url": database_url}, tmp_path / "backup"
    async with open_stage(tmp_path, **more) as stage:
        await stage.add(*Championship().create())
        kept = (await public(stage.record, Topic.of(LLIGA)))[-1]
        shared = f"{await stage.record.fingerprint(kept)}-{kept}"
    await asyncio.to_thread(save, database_url, backup)
    ids, tag = list[str](), ""
    for seats in (("anna", "carme"), ("carme", "anna")):
        async with open_stage(tmp_path, **more) as stage:
            last = await stage.add(*first_round(seats))
            expected = await public(stage.record, Topic.of(LLIGA))
            later = [position for position in expected if position > kept]
            for path in (STREAM, f"{STREAM}?include=content"):
                assert await came_back(stage, path, shared, len(later)) == later
                for given in ids:
                    assert await came_back(stage, path, given, len(expected) + 1) == [0, *expected], given
            for given in ids:
                path = f"{STREAM}?last_event_id={given}"
                assert await came_back(stage, path, "", len(expected) + 1) == [0, *expected]
            # The end of the record, and two positions, of which one is a notification of the topic.
            hidden = max(set(range(kept, last)) - set(expected))
            ids = [f"{await stage.record.fingerprint(at)}-{at}" for at in (last, later[1], hidden)]
            answer = await stage.http.get(GAME, headers={"If-None-Match": tag})
            assert answer.status_code == 200
            tag = answer.headers["etag"]
            assert (await stage.http.get(GAME, headers={"If-None-Match": tag})).status_code == 304
        await asyncio.to_thread(bring_back, database_url, backup)


ATTACH_FILTER_NUMBER = 26
"""The option of Linux by which a socket takes no packet that a program of BPF does not let through."""


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the kernel gives no connection up before its time")
async def test_a_reader_whose_machine_is_gone_is_given_up_by_the_heartbeats_that_are_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "STREAM_HEARTBEAT_SECONDS", 0.6)
    left: list[Viewer] = []
    lose = Viewer.connection_lost

    def note(self: Viewer, exc: Exception | None) -> None:
        left.append(self)
        lose(self, exc)

    monkeypatch.setattr(Viewer, "connection_lost", note)
    async with open_stage(tmp_path, http_write_seconds=0.5) as stage:
        await stage.add(*Championship().create())
        with socket.create_connection(("127.0.0.1", port_of(stage))) as sock:
            sock.sendall(f"GET {STREAM} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
            await asyncio.to_thread(sock.recv, 65_536)
            drop_all = ctypes.create_string_buffer(
                struct.pack("HBBI", 0x06, 0, 0, 0)
            )  # return 0: no byte is let through
            program = struct.pack("HL", 1, ctypes.addressof(drop_all))
            sock.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER_NUMBER, program)
            await until(lambda: len(left) == 1)


def _read_all(sock: socket.socket, last: str) -> list[str]:
    """Return the data of a socket until a position comes."""
    sock.settimeout(15)
    said = b""
    while f"-{last}\n".encode() not in said:
        said += sock.recv(1_000)
    sock.close()
    return said.decode().splitlines()


async def test_nothing_is_missed_and_nothing_comes_twice_over_ends_of_results_and_gateway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "MIN_RING_CAPACITY", 10)
    with socket.socket() as one, socket.socket() as other:
        for sock in (one, other):
            sock.bind(("127.0.0.1", 0))
        grpc, http = one.getsockname()[1], other.getsockname()[1]
    nats = await NatsServer.start(tmp_path / "nats")
    kinds: dict[str, dict[str, Any]] = {
        "results": {"data": tmp_path / "results", "grpc_port": grpc, "nats_url": nats.url},
        "gateway": {"data": tmp_path / "gateway", "http_port": http, "peer_results": f"127.0.0.1:{grpc}"},
    }
    peers = {f"peer_{name}": f"127.0.0.1:{grpc}" for name in ("lexicon", "rating", "access", "results")}
    kinds["gateway"] |= peers

    async with AsyncExitStack() as stack:
        stack.push_async_callback(nats.stop)
        places = {name: await stack.enter_async_context(AsyncExitStack()) for name in kinds}

        async def start(name: str) -> None:
            await places[name].aclose()
            settings = Settings.model_validate({"grace_seconds": 0.05, **kinds[name]})
            await places[name].enter_async_context(running(settings, [name]))

        await start("results")
        await start("gateway")
        record = await Record.open(Settings(data=tmp_path / "results").record_url())
        hall = Championship()
        steps = [*hall.steps()]
        await append(record, steps.pop(0))
        watchers = [Watcher(http, path) for path, _ in FILTERED] + [Watcher(http, STREAM) for _ in range(20)]
        async with watching(*watchers):
            await until(lambda: watchers[0].told != [])
            writing = asyncio.create_task(_write(record, steps))
            for name in ("results", "gateway", "results"):
                await asyncio.sleep(0.3)
                await start(name)
            await writing
            expected = [await public(record, topic) for _, topic in FILTERED]
            await until(lambda: [each.told for each in watchers] == [*expected, *[expected[0]] * 20])
        assert min(each.connections for each in watchers) > 1
        await record.close()


async def _write(record: Record, steps: Sequence[Any]) -> None:
    for step in steps:
        await append(record, step)
        await asyncio.sleep(0.02)


async def test_filters_that_mean_nothing_are_refused_with_what_was_meant(stage: Stage) -> None:
    await stage.add(*Championship().create())
    for _ in range(2):  # by the route, and once the tournament is known
        for query, field, said in (
            ("types=PlayPlace", "types", "unknown type PlayPlace; did you mean PlayPlaced?"),
            ("rounds=1,x", "rounds", "expected whole numbers separated by commas, such as 1,2, got '1,x'"),
            ("tables=-1", "tables", "expected whole numbers separated by commas"),
            ("games=a,,b", "games", "expected names separated by commas"),
            ("game=a", "game", "games"),
        ):
            answer = await stage.http.get(f"{STREAM}?{query}", headers={"accept-language": "en"})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
            assert said in answer.json()["errors"][0]["problem"]
        head = await stage.http.head(STREAM)
        assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert (await stage.http.get("/api/v1/stream?tournaments=lliga,no")).status_code == 404


async def test_streams_of_an_address_count_until_they_end(tmp_path: Path) -> None:
    async with open_stage(tmp_path, http_streams_per_address=3) as stage:
        await stage.add(*Championship().create())
        three = [Watcher(port_of(stage), STREAM) for _ in range(3)]
        async with watching(*three):
            await until(lambda: all(each.told for each in three))
            assert (await stage.http.get(STREAM)).status_code == 429
            assert (await stage.http.get("/api/v1/tournaments")).status_code == 200
        again = Watcher(port_of(stage), STREAM)
        async with watching(again):
            await until(lambda: again.told == three[0].told)
        headers = again.head.lower()
        for name in (b"content-security-policy", b"ratelimit-policy", b"x-accel-buffering", b"cache-control"):
            assert name in headers


async def test_while_a_process_starts_no_position_is_taken_for_one_beyond_the_record() -> None:
    stub: Any = None
    tail = NewsSubscription(stub)
    check_after(5_000_000, tail.last_position)
    tail.position = 12
    tail.begun.set()
    with pytest.raises(RequestValidationError):
        check_after(5_000_000, tail.last_position)


@dataclass
class Pair:
    """A viewer, and the other end of its connection."""

    fanout: Fanout
    connections: Connections
    viewer: Viewer
    theirs: socket.socket
    gone: asyncio.Event

    def add(self, first: int, last: int) -> None:
        """Deliver notifications up to a position, all at once."""
        news = [results.FollowResponse(position=at, type="PlayPlaced") for at in range(first, last)]
        self.fanout.publish([*map(Notification, news)], last - 1, "")
        self.viewer.go_on()


async def connect_pair() -> Pair:
    stub: Any = None
    tail = NewsSubscription(stub)
    viewers = Feed(tail, stub).fanout
    viewers.restart(0, "")
    connections = Connections(most=10, most_of_address=0, header_seconds=1, write_seconds=0.3)
    ours, theirs = socket.socketpair()
    for sock in (ours, theirs):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        sock.setblocking(False)
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
    connections.enter("")
    gone = asyncio.Event()
    viewer = viewers.join(Topic(), 0, HandedOverConnection(transport, connections, "", set()), gone.set, chunked=False)
    transport.set_protocol(viewer)
    return Pair(viewers, connections, viewer, theirs, gone)


async def test_a_reader_who_has_left_is_not_written_to_again_and_again(caplog: pytest.LogCaptureFixture) -> None:
    pair = await connect_pair()
    pair.theirs.close()
    pair.add(1, 2_000)  # ten writes, before the loop could report the closed connection
    async with asyncio.timeout(60):
        await pair.gone.wait()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_who_reads_slowly_is_sent_everything_and_who_does_not_read_is_given_up() -> None:
    pair = await connect_pair()
    loop, viewer, theirs, add = asyncio.get_running_loop(), pair.viewer, pair.theirs, pair.add
    add(1, 2_000)
    assert viewer.paused
    assert viewer.position < 1_999  # it was not all put into the connection's buffer
    said = b""
    async with asyncio.timeout(60):
        while b"id: 1999\n" not in said:
            said += await loop.sock_recv(theirs, 4_096)
    assert [int(line[4:]) for line in said.decode().splitlines() if line.startswith("id: ")] == list(range(1, 2_000))
    assert not viewer.paused
    add(2_000, 4_000)
    async with asyncio.timeout(60):
        await pair.gone.wait()
    assert (pair.connections.open, pair.fanout.watching) == (0, 0)
    theirs.close()
