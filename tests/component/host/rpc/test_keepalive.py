"""Pings of HTTP/2: frequent ones of clients are accepted, and a machine that does not answer ours is disconnected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from faristol.host import Settings
from faristol.host.rpc.channels import CHANNEL_OPTIONS
from faristol.host.startup import listen, options

PING_SECONDS = 0.1
"""Seconds between two pings of a client, which stand for the ten of a usual one."""

OF_CLIENT = (
    ("grpc.keepalive_time_ms", round(PING_SECONDS * 1_000)),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


class Checks(health.aio.HealthServicer):  # type: ignore[misc, name-defined] # missing in grpc-stubs
    """A health service that counts its watchers."""

    watching = 0

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802 # named by gRPC
        self.watching += 1
        try:
            yield health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)
            await asyncio.Event().wait()
        finally:
            self.watching -= 1


@asynccontextmanager
async def serving(settings: Settings, checks: Checks) -> AsyncIterator[int]:
    server = grpc.aio.server(options=options(settings))
    port = listen(server, "127.0.0.1:0", "--grpc")
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


class Cable:
    """Carries connections to a port until it is cut: then both ends get no data, as of a machine without power."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._whole = asyncio.Event()
        self._whole.set()
        self._tasks: list[asyncio.Task[None]] = []
        self.port = 0

    async def __aenter__(self) -> Cable:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()

    def cut(self) -> None:
        """Stop carrying data in both directions."""
        self._whole.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server = await asyncio.open_connection("127.0.0.1", self._port)
        pairs: Sequence[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            (reader, to_server[1]),
            (to_server[0], writer),
        )
        self._tasks += [asyncio.create_task(self._carry(*pair)) for pair in pairs]

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                await self._whole.wait()
                writer.write(data)


@asynccontextmanager
async def watch(port: int, options: Sequence[tuple[str, Any]]) -> AsyncIterator[Any]:
    """Watch a service that sends no further message."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        call = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        await call.read()
        yield call


@pytest.mark.parametrize(("least_seconds", "is_borne"), [(PING_SECONDS / 2, True), (5.0, False)])
async def test_a_client_may_send_pings_no_more_often_than_the_settings_say(
    least_seconds: float,
    is_borne: bool,
) -> None:
    settings = Settings(grpc_least_ping_seconds=least_seconds)
    async with serving(settings, Checks()) as port, watch(port, OF_CLIENT) as call:
        ended = asyncio.ensure_future(call.read())
        await asyncio.wait([ended], timeout=10 * PING_SECONDS if is_borne else 10.0)
        assert ended.done() is not is_borne
        if is_borne:
            call.cancel()
            return
        with pytest.raises(grpc.aio.AioRpcError, match="Too many pings") as failed:
            await ended
        assert failed.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED}


def test_a_client_that_sends_a_ping_every_ten_seconds_is_borne_by_default() -> None:
    found = dict(options(Settings()))
    assert found["grpc.http2.min_ping_interval_without_data_ms"] <= 5_000
    assert found["grpc.keepalive_permit_without_calls"] == 1


async def test_a_server_ends_the_calls_of_a_machine_that_is_gone() -> None:
    checks = Checks()
    settings = Settings(grpc_keepalive_seconds=0.2)
    async with serving(settings, checks) as port, Cable(port) as cable, watch(cable.port, ()):
        assert checks.watching == 1
        cable.cut()
        async with asyncio.timeout(60):
            while checks.watching:  # noqa: ASYNC110 # a socket, and no task of this loop, is waited for
                await asyncio.sleep(0.02)


async def test_a_caller_is_told_that_the_machine_of_the_server_is_gone() -> None:
    scaled = {name: 200 if value == 20_000 else value for name, value in CHANNEL_OPTIONS}
    async with (
        serving(Settings(), Checks()) as port,
        Cable(port) as cable,
        watch(cable.port, [*scaled.items()]) as call,
    ):
        cable.cut()
        async with asyncio.timeout(60):
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await call.read()
        assert failed.value.code() is grpc.StatusCode.UNAVAILABLE


def test_a_machine_that_is_gone_is_noticed_within_a_minute_by_default() -> None:
    of_channels = {name: value for name, value in CHANNEL_OPTIONS if isinstance(value, int)}
    for found in (dict(options(Settings())), of_channels):
        for timeout in ("grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms"):
            assert found["grpc.keepalive_time_ms"] + found[timeout] < 60_000
