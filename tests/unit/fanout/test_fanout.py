"""The data that viewers receive on their sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from tests.unit.fanout.test_ring import Letter, Of

from faristol.event_store.tasks import cancel_tasks
from faristol.fanout import Batch, Fanout, Unavailable, Viewer, batch, fanout, replays

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Record:
    """A record of letters that is unavailable for some calls."""

    letters: list[Letter] = field(default_factory=list)
    failures: int = 0
    reads: int = 0
    seconds: float = 0

    async def batch(self, topic: Of, after: int, /) -> Batch:
        self.reads += 1
        await asyncio.sleep(self.seconds)
        if self.failures:
            self.failures -= 1
            raise Unavailable("away")
        found = [each for each in self.letters if each.position > after][:2]
        frames = [each.event.upper().encode() for each in found if topic.has(each.event)]
        return batch(frames, found[-1].position, found[-1].fingerprint) if found else batch((), after)

    async def fingerprint_at(self, position: int, /) -> str:
        return next((each.fingerprint for each in self.letters if each.position == position), "")

    def reset(self, topic: Of, /) -> Batch:
        return batch([b"!"], 0)


@dataclass(frozen=True)
class Line:
    transport: asyncio.Transport
    write_seconds: float = 5.0

    def release(self, protocol: asyncio.Protocol, /) -> None:
        """Do not count the connection."""


class Hall:
    """A record, its fan-out, and viewers."""

    def __init__(self) -> None:
        self.record = Record()
        self.fanout = Fanout(self.record, lambda: True)
        self._sockets: list[socket.socket] = []

    async def join(self, topic: Of, position: int, given: str = "") -> tuple[Viewer, socket.socket]:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        self._sockets.append(theirs)
        transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
        viewer = self.fanout.join(topic, position, Line(transport), lambda: None, chunked=False, given=given)
        transport.set_protocol(viewer)
        return viewer, theirs

    def add(self, *letters: Letter) -> None:
        self.record.letters += letters
        self.fanout.publish(letters, letters[-1].position, letters[-1].fingerprint)

    def close(self) -> None:
        for each in self._sockets:
            each.close()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store few events, and retry at once."""
    monkeypatch.setattr(fanout, "MIN_RING_CAPACITY", 2)
    monkeypatch.setattr(replays, "BATCH_RETRY_SECONDS", 0.001)


@asynccontextmanager
async def open_hall() -> AsyncIterator[Hall]:
    hall = Hall()
    hall.fanout.restart(0, "")
    task = asyncio.create_task(hall.fanout.run())
    try:
        yield hall
    finally:
        await cancel_tasks([task])
        hall.close()


async def read(sock: socket.socket, is_complete: Callable[[str], bool]) -> str:
    """Return the events that a viewer was sent, without the opening, until they are complete."""
    said = b""
    async with asyncio.timeout(5):
        while not is_complete(said.decode().partition("\n\n")[2]):
            said += await asyncio.get_running_loop().sock_recv(sock, 4_096)
    return said.decode().partition("\n\n")[2]


async def test_an_event_is_sent_when_it_is_ready_and_at_once_to_viewers_that_it_does_not_concern() -> None:
    async with open_hall() as hall:
        _, all_of_it = await hall.join(Of(), 0)
        _, only_b = await hall.join(Of("b"), 0)
        late = Letter(1, "a", "pending")
        hall.add(late, Letter(2, "b"))
        assert await read(only_b, lambda said: said == "b") == "b"
        late.state = "ready"
        hall.fanout.notify()
        assert await read(all_of_it, lambda said: said == "ab") == "ab"


async def test_what_the_ring_has_no_longer_comes_from_the_record_once_and_in_order() -> None:
    async with open_hall() as hall:
        hall.record.failures = 3
        hall.add(*(Letter(number, "abc"[number % 3]) for number in range(1, 12)))
        hall.add(Letter(12, "b", "gone"), Letter(13, "a"))
        for topic, expected in ((Of(), "bcabcabcabcba"), (Of("a"), "aaaa"), (Of("b"), "bbbbb")):
            _, sock = await hall.join(topic, 0)
            said = await read(sock, lambda said: len(said) == len(expected))  # noqa: B023 # it is over before the next one
            assert said.lower() == expected


async def test_viewers_that_come_together_share_what_is_read_for_them() -> None:
    async with open_hall() as hall:
        hall.add(*(Letter(number, "a") for number in range(1, 12)))
        hall.record.seconds = 0.05
        sockets = [(await hall.join(Of(), 0))[1] for _ in range(50)]
        for sock in sockets:
            said = await read(sock, lambda said: len(said) == 11)
            assert said.lower() == "a" * 11
        assert hall.record.reads <= 2 * 5


async def test_a_viewer_of_another_past_gets_a_reset_and_everything() -> None:
    async with open_hall() as hall:
        hall.add(Letter(1, "a", fingerprint="f1"), Letter(2, "b", fingerprint="f2"), Letter(3, "c", fingerprint="f3"))
        for given, position, expected in (("f2", 2, "c"), ("xx", 2, "!abc"), ("f1", 20_000, "!abc"), ("", 1, "bc")):
            _, sock = await hall.join(Of(), position, given)
            said = await read(sock, lambda said: len(said) == len(expected))  # noqa: B023 # it is over before the next one
            assert said.lower() == expected, (given, position)


async def test_a_viewer_whom_the_record_led_beyond_the_ring_gets_no_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "STREAM_HEARTBEAT_SECONDS", 0.03)
    async with open_hall() as hall:
        hall.add(*(Letter(number, "a") for number in range(1, 8)))
        hall.record.letters[1:] = [Letter(9, "b")]  # the ring does not have this one yet
        _, sock = await hall.join(Of(), 0)
        said = await read(sock, lambda said: said.count("heartbeat") > 2)
        assert "!" not in said
        assert said.startswith("AB")


async def test_a_restart_ends_streams_and_a_defect_only_those_that_it_concerns() -> None:
    async with open_hall() as hall:

        class Broken(Of):
            """Topic whose events cannot be written."""

            def has(self, event: str, /) -> bool:
                raise KeyError("a value of a newer service")

        hall.add(*(Letter(number, "a") for number in range(1, 9)))
        _, broken = await hall.join(Broken(), 0)
        _, whole = await hall.join(Of(), 8)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(5):
            while await loop.sock_recv(broken, 4_096):
                pass
        hall.add(Letter(9, "b"))
        assert await read(whole, lambda said: said == "b") == "b"
        assert hall.fanout.watching == 1
        hall.fanout.restart(0, "")
        async with asyncio.timeout(5):
            while await loop.sock_recv(whole, 4_096):
                pass
            while hall.fanout.watching:  # noqa: ASYNC110 # the transport reports the end of a connection
                await asyncio.sleep(0)
