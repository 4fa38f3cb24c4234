"""A program that webhooks call: it stores messages, and answers as a test requests."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

TAKEN = "204 No Content"
"""An answer."""


@dataclass(frozen=True)
class Request:
    """A message that came."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float
    """The arrival time, by a monotonic clock."""

    @property
    def news(self) -> Any:
        return json.loads(self.body)

    @property
    def position(self) -> int:
        return int(self.news["position"])

    def is_signed_with(self, secret: str) -> bool:
        """Verify the signature as a receiver does, with only the standard library."""
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        return expected in self.headers["webhook-signature"].split(" ")


@dataclass
class Receiver:
    """Stores messages; ``answer`` is the answer to each message, such as ``503 Busy``, perhaps with headers."""

    answer: Callable[[Request], str] = lambda _: TAKEN
    pause: float = 0.0
    """Seconds until an answer."""
    port: int = 0
    got: list[Request] = field(default_factory=list)
    answered: list[tuple[int, str]] = field(default_factory=list)
    """The position of each message, and its answer."""
    connections: int = 0
    at_once: int = 0
    most: int = 0
    """Messages that it had at the same time, at most."""

    @property
    def taken(self) -> list[int]:
        """The positions of the accepted messages."""
        return [position for position, answer in self.answered if answer.startswith("2")]

    async def wait_for(self, count: int, seconds: float = 20) -> list[int]:
        """Return the positions of the accepted messages, once there is this number."""
        await until(lambda: len(self.taken) >= count, seconds)
        return self.taken

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection."""
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = head.decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
        request = Request(first.split(" ")[1], headers, body, time.monotonic())
        self.got.append(request)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(self.pause)
        self.at_once -= 1
        answer = self.answer(request)
        self.answered.append((request.position, answer))
        writer.write(f"HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n".encode())
        await writer.drain()


async def until(there: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until a condition is true."""
    give_up = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < give_up, "it has not come about"
        await asyncio.sleep(0.01)


@asynccontextmanager
async def receiving(receiver: Receiver, context: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Yield a receiver that listens on 127.0.0.1, by TLS with a ``context``."""
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", receiver.port, ssl=context)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
