"""One address for several servers, as a Service of Kubernetes or a proxy is one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from itertools import count

from tests.component.processes import free_port

UNAVAILABLE_RESPONSE = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Entrance:
    """Passes each connection to one of the available servers, in rotation.

    A server that refuses the connection is passed over. Existing connections continue. Without any server, it answers
    503: a connection closed without an answer is then one that a server closed.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self.behind: Sequence[int] = ()
        """Ports of the servers that are there, on 127.0.0.1."""
        self._turn = count()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Close all connections."""
        if self._server:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            await self._pass_on(reader, writer)
        finally:
            self._open.discard(task)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        targets = list(self.behind)
        first = next(self._turn)
        for number in range(len(targets)):
            try:
                inner = await asyncio.open_connection("127.0.0.1", targets[(first + number) % len(targets)])
            except OSError:
                continue
            break
        else:
            writer.write(UNAVAILABLE_RESPONSE)
            await writer.drain()
            return
        ways = [asyncio.create_task(_pump(reader, inner[1])), asyncio.create_task(_pump(inner[0], writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            inner[1].close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
