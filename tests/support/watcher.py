"""A viewer of a stream over a socket, who reconnects when it breaks off."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Watcher:
    """Watches ``path`` of a gateway on a port of this machine, from ``position`` on."""

    port: int
    path: str
    position: int = 0
    given: str | None = None
    """The first id to send; only the position if it is None."""
    version: str = "1.1"
    ids: list[str] = field(default_factory=list)
    """Those of the news that came, as they were written."""
    told: list[int] = field(default_factory=list)
    """Positions of the news that came."""
    data: list[dict[str, Any]] = field(default_factory=list)
    """The received data."""
    heartbeats: int = 0
    connections: int = 0
    head: bytes = b""
    """Status and headers of the last answer."""
    _rest: bytes = b""

    async def watch(self) -> None:
        """Watch until cancelled."""
        while True:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self.connect()
            await asyncio.sleep(0.05)

    async def connect(self) -> None:
        """Watch until the stream ends."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.connections += 1
        try:
            given = str(self.position) if self.given is None else self.given
            asked = f"GET {self.path} HTTP/{self.version}\r\nhost: localhost\r\nlast-event-id: {given}\r\n\r\n"
            writer.write(asked.encode())
            self.head = await reader.readuntil(b"\r\n\r\n")
            self._rest = b""
            if b"transfer-encoding: chunked" in self.head.lower():
                while size := int(await reader.readline(), 16):
                    self.take(await reader.readexactly(size))
                    await reader.readexactly(2)
            else:
                while data := await reader.read(65_536):
                    self.take(data)
        finally:
            writer.close()

    def take(self, data: bytes) -> None:
        """Process a part of the stream."""
        *frames, self._rest = (self._rest + data).split(b"\n\n")
        for frame in frames:
            fields = dict(line.split(": ", 1) for line in frame.decode().splitlines())
            self.heartbeats += "" in fields
            self.position = int(fields.get("id", str(self.position)).rpartition("-")[2])
            if "data" in fields:
                self.ids.append(fields["id"])
                self.given = None if self.given is None else fields["id"]
                self.told.append(self.position)
                self.data.append(json.loads(fields["data"]))
