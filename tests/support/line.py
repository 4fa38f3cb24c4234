"""A line between two programs on this machine, which a test cuts, delays and bends."""

from __future__ import annotations

import asyncio
import contextlib
import random

from tests.component.processes import free_port

PIECE_BYTES = 1_400
"""Bytes that are passed on at a time, as in a packet."""


class FaultyLine:
    """Passes the bytes of each connection on to a server, with the faults that are set."""

    def __init__(self, target_port: int) -> None:
        self.port = free_port()
        self.is_cut = False
        """Whether connections are refused."""
        self.is_silent = False
        """Whether bytes are lost while connections stay open, as behind a pulled cable."""
        self.is_deaf = False
        """Whether what the server says is lost, and the connection ends then: the near end repeats its calls."""
        self.delay_seconds = 0.0
        self.bent_share = 0.0
        """Share of the pieces in which one bit is flipped."""
        self.passed_bytes = 0
        self._target_port = target_port
        self._chance = random.Random(35)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """HOST:PORT of the near end."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Close the line for good."""
        if self._server:
            self._server.close()
        await self._drop()

    async def cut(self) -> None:
        """End all connections, and refuse new ones."""
        self.is_cut = True
        await self._drop()

    def mend(self) -> None:
        """Accept connections again, without faults."""
        self.is_cut = self.is_silent = self.is_deaf = False
        self.delay_seconds = self.bent_share = 0.0

    async def _drop(self) -> None:
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        if self.is_cut:
            writer.transport.abort()
            return
        self._open.add(task)
        try:
            with contextlib.suppress(asyncio.CancelledError):  # or asyncio logs the end of the connection as an error
                await self._pass_on(reader, writer)
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            return
        ways = [
            asyncio.create_task(self._pump(reader, inner[1])),
            asyncio.create_task(self._pump(inner[0], writer, is_back=True)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            inner[1].transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_back: bool = False) -> None:
        """Pass bytes on in one direction, ``is_back`` from the server."""
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                if self.is_silent:
                    continue
                if self.is_deaf and is_back:
                    return
                if self.delay_seconds:
                    await asyncio.sleep(self.delay_seconds * self._chance.random())
                if self._chance.random() < self.bent_share:
                    bent = bytearray(piece)
                    bent[self._chance.randrange(len(bent))] ^= 1 << self._chance.randrange(8)
                    piece = bytes(bent)
                writer.write(piece)
                self.passed_bytes += len(piece)
                await writer.drain()
