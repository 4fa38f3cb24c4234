"""A line between two programs on this machine, which a test cuts, delays, reorders and bends."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass

from tests.component.processes import free_port

PIECE_BYTES = 1_400
"""Bytes that are passed on at a time, as in a packet."""
HELD_PAUSE_SECONDS = 0.1
"""Pause of the near end after which a call that is held is complete."""
LATE_SECONDS = 2.0
"""Seconds for which a call is held, while the near end repeats it on another connection."""


@dataclass
class _Connection:
    """A connection of the near end."""

    near: asyncio.StreamWriter
    is_held: bool = False
    """Whether its last bytes are passed on later, although its near end is over."""


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
        self.doubled_share = 0.0
        """Share of the pieces that are passed on twice."""
        self.swapped_share = 0.0
        """Share of the pieces that the next one overtakes."""
        self.is_late = False
        """Whether the next call arrives after its repetition: its connection ends, and its bytes come later."""
        self.late_count = 0
        """Number of calls that have arrived so."""
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
        self.is_cut = self.is_silent = self.is_deaf = self.is_late = False
        self.delay_seconds = self.bent_share = self.doubled_share = self.swapped_share = 0.0

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
        connection = _Connection(writer)
        forth = asyncio.create_task(self._pump(reader, inner[1], connection))
        ways = [forth, asyncio.create_task(self._pump(inner[0], writer, connection, is_back=True))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if connection.is_held:
                await forth
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            inner[1].transport.abort()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: _Connection,
        *,
        is_back: bool = False,
    ) -> None:
        """Pass bytes on in one direction, ``is_back`` from the server."""
        overtaken = b""
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                if self.is_silent:
                    continue
                if self.is_deaf and is_back:
                    return
                if self.is_late and not is_back:
                    await self._pass_on_late(piece, reader, writer, connection)
                    return
                if self.delay_seconds:
                    await asyncio.sleep(self.delay_seconds * self._chance.random())
                if not overtaken and self._chance.random() < self.swapped_share:
                    overtaken = piece
                    continue
                piece, overtaken = self._change(piece) + overtaken, b""
                writer.write(piece)
                self.passed_bytes += len(piece)
                await writer.drain()

    def _change(self, piece: bytes) -> bytes:
        """Return a piece with the faults of its bytes."""
        if self._chance.random() < self.bent_share:
            bent = bytearray(piece)
            bent[self._chance.randrange(len(bent))] ^= 1 << self._chance.randrange(8)
            piece = bytes(bent)
        return piece * 2 if self._chance.random() < self.doubled_share else piece

    async def _pass_on_late(
        self,
        piece: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: _Connection,
    ) -> None:
        """End the near end of a connection after its call, and pass the call on when it has been repeated."""
        self.is_late, connection.is_held = False, True
        with contextlib.suppress(TimeoutError):
            while more := await asyncio.wait_for(reader.read(PIECE_BYTES), HELD_PAUSE_SECONDS):
                piece += more
        connection.near.transport.abort()
        await asyncio.sleep(LATE_SECONDS)
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(LATE_SECONDS)  # the server handles it
        self.late_count += 1
