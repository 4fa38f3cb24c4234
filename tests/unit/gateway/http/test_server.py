"""A gateway that stops answers the requests that have reached it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest
from fastapi import FastAPI

from faristol.gateway.http.limits import FIRST_REQUEST_SECONDS
from faristol.gateway.http.server import listen, serve
from faristol.host import Settings

REQUEST = b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n"
TIMEOUT_SECONDS = 20.0


@dataclass
class Gateway:
    """A server whose response waits until ``may_answer``."""

    port: int
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection that the server has accepted."""
        connection = await asyncio.open_connection("127.0.0.1", self.port)
        other = await asyncio.open_connection("127.0.0.1", self.port)  # accepted after the first one
        other[1].write(b"GET /quick HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert b" 200 " in await other[0].read()
        other[1].close()
        return connection

    async def stop(self) -> None:
        """Stop as at SIGTERM, and return once the server accepts no connection."""
        assert self.task
        self.task.cancel()
        with suppress(ConnectionError):
            while True:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                await asyncio.sleep(0.01)


@asynccontextmanager
async def start_gateway() -> AsyncIterator[Gateway]:
    """Serve until the end of the block."""
    sock = listen("127.0.0.1", 0)
    gateway = Gateway(sock.getsockname()[1])
    web = FastAPI()

    @web.get("/slow")
    async def answer_slowly() -> str:
        gateway.is_asked.set()
        await gateway.may_answer.wait()
        return "the whole answer"

    @web.get("/quick")
    async def answer_quickly() -> str:
        return "at once"

    gateway.task = asyncio.create_task(serve(web, sock, Settings(grace_seconds=TIMEOUT_SECONDS)))
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            yield gateway
    finally:
        gateway.may_answer.set()
        gateway.task.cancel()
        await asyncio.gather(gateway.task, return_exceptions=True)


async def test_a_response_under_way_is_sent_whole_after_the_stop() -> None:
    async with start_gateway() as gateway:
        reader, writer = await gateway.connect()
        writer.write(REQUEST)
        await gateway.is_asked.wait()
        await gateway.stop()
        gateway.may_answer.set()
        response = await reader.read()
    assert b" 200 " in response
    assert b"the whole answer" in response
    assert b"connection: close" in response


@pytest.mark.parametrize("sent_bytes", [0, 10, len(REQUEST) - 1])
async def test_a_request_that_a_stop_finds_incomplete_is_answered(sent_bytes: int) -> None:
    async with start_gateway() as gateway:
        gateway.may_answer.set()
        reader, writer = await gateway.connect()
        writer.write(REQUEST[:sent_bytes])
        await gateway.stop()
        writer.write(REQUEST[sent_bytes:])
        response = await reader.read()
    assert b"the whole answer" in response
    assert b"connection: close" in response


async def test_an_idle_connection_delays_a_stop_by_no_more_than_the_wait_for_its_request() -> None:
    async with start_gateway() as gateway:
        reader, _ = await gateway.connect()
        assert gateway.task
        await gateway.stop()
        began = asyncio.get_running_loop().time()
        assert await reader.read() == b""
        await asyncio.gather(gateway.task, return_exceptions=True)
        seconds = asyncio.get_running_loop().time() - began
    assert seconds < FIRST_REQUEST_SECONDS + TIMEOUT_SECONDS / 2
