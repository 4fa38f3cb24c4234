"""Many subscribers to the stream of a tournament, who reconnect when it breaks off: their frames, in order."""

from __future__ import annotations

import asyncio
import random
import re
from array import array
from typing import Any

NEWS = re.compile(rb"^id: [0-9a-f]{16}-(\d+)\nevent: ", re.MULTILINE)
IDS = re.compile(rb"^id: ([0-9a-f]{16}-(\d+))$", re.MULTILINE)

MAX_RECONNECT_SECONDS = 1.0
"""Limit of seconds until a viewer reconnects; browsers wait two."""


class Viewer(asyncio.Protocol):
    """A viewer, over all their connections."""

    def __init__(self, crowd: Crowd, after: int) -> None:
        self.told = array("q")
        """Positions of the news that came."""
        self.last = after
        """The position that came last, with news or without."""
        self._last_id = str(after)
        self.connections = 0
        self._crowd = crowd
        self._rest = b""
        self._is_answer = False
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        """See ``asyncio.Protocol``, as with the other methods."""
        self.connections += 1
        self._transport, self._rest, self._is_answer = transport, b"", False
        lines = f"GET {self._crowd.path} HTTP/1.0\r\nhost: localhost\r\nlast-event-id: {self._last_id}\r\n\r\n"
        transport.write(lines.encode())

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        if not self._is_answer:
            head, found, body = data.partition(b"\r\n\r\n")
            if not found:
                self._rest = data
                return
            if b" 200 " not in head.split(b"\r\n", 1)[0]:
                self._transport.abort()
                return
            self._is_answer, data = True, body
        whole, found, self._rest = data.rpartition(b"\n\n")
        if found:
            self.told.extend(map(int, NEWS.findall(whole)))
            if ids := IDS.findall(whole):
                last_id, position = ids[-1]
                self._last_id, self.last = last_id.decode(), int(position)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._crowd.come_again(self)

    def leave(self) -> None:
        """End the connection."""
        if self._transport:
            self._transport.abort()


class Crowd:
    """Viewers of a path of a gateway on a port of this machine."""

    def __init__(self, port: int, path: str, count: int, after: int, seed: int) -> None:
        self.path = path
        self.viewers = [Viewer(self, after) for _ in range(count)]
        self._port = port
        self._chance = random.Random(f"crowd/{seed}")
        self._coming: set[asyncio.Task[None]] = set()
        self._is_over = False

    def come(self) -> None:
        """Let all come."""
        for viewer in self.viewers:
            self.come_again(viewer)

    def come_again(self, viewer: Viewer) -> None:
        """Connect a viewer a moment later, with retries."""
        if not self._is_over:
            task = asyncio.ensure_future(self._connect(viewer))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    async def _connect(self, viewer: Viewer) -> None:
        while True:
            await asyncio.sleep(self._chance.random() * MAX_RECONNECT_SECONDS)
            try:
                await asyncio.get_running_loop().create_connection(lambda: viewer, "127.0.0.1", self._port)
            except OSError:
                continue
            return

    async def all_told(self, position: int, seconds: float) -> bool:
        """Wait until all have received everything up to a position; return False after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                while any(viewer.last < position for viewer in self.viewers):  # noqa: ASYNC110 # sockets are waited for
                    await asyncio.sleep(0.05)
        except TimeoutError:
            return False
        return True

    def end(self) -> None:
        """Let all go."""
        self._is_over = True
        for task in self._coming:
            task.cancel()
        for viewer in self.viewers:
            viewer.leave()
