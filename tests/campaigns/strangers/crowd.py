"""A crowd of connections to one port, in a separate process.

python -m tests.campaigns.strangers.crowd KIND PORT COUNT SECONDS

Each connection comes from one of many loopback addresses. Prints as JSON how many connections were made, refused or
closed by the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

ADDRESS_COUNT = 40
"""Loopback addresses from which the connections come."""
MAX_CONNECTS_AT_ONCE = 200
"""Connections that are being made at a time."""
CONNECT_SECONDS = 10.0
"""Seconds after which a connection that is not made is given up."""
NICENESS_NUMBER = 19
"""The niceness of the process. Attackers use their own machines: the crowd must not take the platform's cores."""
CLIENT_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes(3) + b"\x04\x00" + bytes(4)
HEADERS_BEGUN = b"\x00\x00\x10\x01\x00\x00\x00\x00\x01" + bytes(4)
"""A frame of headers that says 16 bytes and brings 4."""


async def idle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send no data."""
    await _read_to_end(reader)


async def slow_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a byte of a header each second."""
    writer.write(b"GET /api/v1/tournaments HTTP/1.1\r\nhost: localhost\r\nx-slow: ")
    while not reader.at_eof():
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(1)
        if reader.at_eof() or await _has_ended(reader):
            return


async def slow_readers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request much data repeatedly, and read a kilobyte each second."""
    while not reader.at_eof():
        writer.write(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 5)
        await reader.read(1_024)
        await asyncio.sleep(1)


async def half_http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begin to speak HTTP/2 and stop in the middle of the headers."""
    writer.write(CLIENT_PREFACE + SETTINGS + HEADERS_BEGUN)
    await writer.drain()
    await _read_to_end(reader)


STREAM = b"GET /api/v1/stream?after=0 HTTP/1.1\r\nhost: localhost\r\n\r\n"


async def unread_streams(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request all notifications, and read none."""
    writer.transport.pause_reading()  # type: ignore[attr-defined] # it is a transport that also reads
    writer.write(STREAM)
    await asyncio.Event().wait()


async def slow_streams(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request all notifications, and read 64 bytes each second."""
    writer.write(STREAM)
    while await _read_little(reader):
        pass


async def _read_little(reader: asyncio.StreamReader) -> bool:
    found = await reader.read(64)
    await asyncio.sleep(1)
    return bool(found)


async def brief_streams(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request all notifications, and leave at the first ones: ``crowd`` connects again at once."""
    writer.write(STREAM)
    await reader.read(200)


KINDS: Mapping[str, Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]] = {
    "idle": idle,
    "slow-headers": slow_headers,
    "slow-readers": slow_readers,
    "half-http2": half_http2,
    "unread-streams": unread_streams,
    "slow-streams": slow_streams,
    "brief-streams": brief_streams,
}
RETURNS = frozenset({"brief-streams"})
"""Kinds whose connections are replaced at once by others, as long as the crowd stays."""


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


async def _has_ended(reader: asyncio.StreamReader) -> bool:
    try:
        async with asyncio.timeout(0.01):
            return not await reader.read(65_536)
    except TimeoutError:
        return False


async def crowd(kind: str, port: int, count: int, seconds: float) -> dict[str, int]:
    """Make the connections, let them run for this number of seconds, and report their outcome."""
    said: Counter[str] = Counter()
    gate = asyncio.Semaphore(MAX_CONNECTS_AT_ONCE)
    has_ended = asyncio.Event()

    async def connection(number: int) -> None:
        source = (f"127.0.{1 + number % ADDRESS_COUNT}.1", 0)
        try:
            async with gate:
                async with asyncio.timeout(CONNECT_SECONDS):
                    opened = asyncio.open_connection("127.0.0.1", port, local_addr=source, limit=65_536)
                    reader, writer = await opened
                sock: socket.socket = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        except (OSError, TimeoutError):
            said["not connected"] += 1
            return
        said["connected"] += 1
        try:
            await KINDS[kind](reader, writer)
        except OSError:
            pass
        finally:
            writer.close()
        said["closed by the server"] += 1

    async def connections(number: int) -> None:
        await connection(number)
        while kind in RETURNS and not has_ended.is_set():
            await connection(number)

    tasks = [asyncio.create_task(connections(number)) for number in range(count)]
    _, still = await asyncio.wait(tasks, timeout=seconds)
    said["there to the end"] = len(still)
    has_ended.set()
    for task in still:
        task.cancel()
    await asyncio.gather(*still, return_exceptions=True)
    return dict(said)


def main() -> None:
    """Be the crowd."""
    os.nice(NICENESS_NUMBER)
    kind, port, count, seconds = sys.argv[1:]
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(json.dumps(asyncio.run(crowd(kind, int(port), int(count), float(seconds)))))  # noqa: T201


if __name__ == "__main__":
    main()
