"""Measure only the fan-out: processor time of a frame for a viewer, and memory of a viewer.

    python -m tests.benchmarks.fanout [--viewers 1000] [--events 200]

Viewers are sockets in the same process, which a thread reads. Half of them watch a topic that has every second event.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import selectors
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.benchmarks.viewers import memory

from faristol.fanout import Batch, Fanout, batch

DATA = b'data: {"type":"PlayPlaced","tournament_id":"lliga","game_id":"lliga-r9-t9","round":9,"table":9}\n\n'
WRITE_TIMEOUT_SECONDS = 30.0

out = Console(highlight=False)


@dataclass(frozen=True)
class Parity:
    """Topic with every event, or with those of even positions."""

    only_even: bool

    def has(self, event: int, /) -> bool:
        return not self.only_even or event % 2 == 0


class Numbered:
    """Event that is only its position."""

    __slots__ = ("_frame", "event", "fingerprint", "position")

    def __init__(self, position: int) -> None:
        self.event = self.position = position
        self.fingerprint = "0123456789abcdef"
        self._frame = b"id: %d\nevent: PlayPlaced\n%b" % (position, DATA)

    def frame(self, topic: Parity, /) -> bytes:
        return self._frame


class Unread:
    """Record that is never read."""

    async def batch(self, topic: Any, after: int, /) -> Batch:
        raise AssertionError

    async def fingerprint_at(self, position: int, /) -> str:
        raise AssertionError

    def reset(self, topic: Any, /) -> Batch:
        return batch((), 0)


@dataclass(frozen=True)
class Line:
    """Connection without a limit."""

    transport: asyncio.Transport
    write_seconds: float = WRITE_TIMEOUT_SECONDS

    def release(self, protocol: asyncio.Protocol, /) -> None:
        """Do not count the connection."""


class Readers:
    """Other ends of the connections, read by a thread."""

    def __init__(self) -> None:
        self.received = 0
        self._selector = selectors.DefaultSelector()
        self._ended = False

    def add(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._selector.register(sock, selectors.EVENT_READ)

    @contextmanager
    def reading(self) -> Iterator[None]:
        thread = threading.Thread(target=self._read)
        thread.start()
        try:
            yield
        finally:
            self._ended = True
            thread.join()

    def _read(self) -> None:
        while not self._ended:
            for key, _ in self._selector.select(0.05):
                self.received += len(key.fileobj.recv(65_536))  # type: ignore[union-attr]


async def measure(viewer_count: int, event_count: int) -> None:
    """Measure and print."""
    loop, fanout, readers = asyncio.get_running_loop(), Fanout(Unread(), lambda: True), Readers()
    fanout.restart(0, "")
    running = asyncio.create_task(fanout.run())
    transports = []
    for _ in range(viewer_count):
        ours, theirs = socket.socketpair()
        readers.add(theirs)
        transports.append((await loop.create_connection(asyncio.Protocol, sock=ours))[0])
    gc.collect()
    before = memory()
    for number, transport in enumerate(transports):
        viewer = fanout.join(Parity(number % 2 == 1), 0, Line(transport), lambda: None, chunked=True)
        transport.set_protocol(viewer)
    each = (memory() - before) / viewer_count
    with readers.reading():
        await asyncio.sleep(0.1)
        begun, processor = time.perf_counter(), time.thread_time()
        for position in range(1, event_count + 1):
            fanout.publish([Numbered(position)], position, "0123456789abcdef")
            await asyncio.sleep(0.005)
        while any(audience.position < event_count for audience in _viewers(fanout)):  # noqa: ASYNC110 # sockets
            await asyncio.sleep(0.005)
        took, processor = time.perf_counter() - begun, time.thread_time() - processor
    running.cancel()
    frames = viewer_count * event_count * 3 / 4
    out.print(f"{viewer_count} viewers, {event_count} events, {frames:,.0f} frames in {took:.2f} s")
    out.print(f"{processor / frames * 1e6:.2f} µs of processor time a frame, {each:,.0f} bytes a viewer at its start")


def _viewers(fanout: Fanout) -> Any:
    return fanout._list_viewers()


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(measure(given.viewers, given.events))


if __name__ == "__main__":
    main()
