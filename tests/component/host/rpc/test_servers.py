"""No call ends a gRPC server, whatever bytes it consists of."""

from __future__ import annotations

import gzip
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from tests.support.http2 import call_frames, send_call

from faristol.host.rpc.servers import UNDECODABLE, create_server

CHECK = b"/grpc.health.v1.Health/Check"
Headers = Sequence[tuple[bytes, bytes]]


@pytest.fixture
async def port() -> AsyncIterator[int]:
    server = create_server()
    checks: Any = health.aio.HealthServicer()  # type: ignore[attr-defined] # missing in grpc-stubs
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    found = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield found
    await server.stop(None)


async def serves(port: int) -> bool:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize("path", [b"/\xff\xfe/\x80", b"/faristol.game.v1.GameService/\xc3", b"/a/b", b"*", b""])
async def test_a_method_that_no_text_names_is_unknown_and_ends_nothing(port: int, path: bytes) -> None:
    for _ in range(3):
        answer = await send_call(port, call_frames(path))
        assert not path or b"Method not found!" in answer
    assert await serves(port)


@pytest.mark.parametrize(
    "headers",
    [
        [(b"authorization", b"Bearer \xff\xfe")],
        [(b"accept-language", b"\xff"), (b"user-agent", b"\xff")],
        [(b"x-\xff", b"a")],
        [(b"x-a", b"a\0\r\nb")],
        [(b"a-bin", b"!")],
        [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")],
        [(b"x-%d" % number, b"v" * 20) for number in range(3_000)],
        [(b"x-a", b"v" * 1_000_000)],
        [(b"grpc-timeout", b"0n")],
        [(b"grpc-timeout", b"\xff")],
        [(b"grpc-encoding", b"\xff")],
    ],
)
async def test_no_metadata_ends_a_server_or_fills_its_log(
    port: int, headers: Headers, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(5):
            await send_call(port, call_frames(CHECK, headers))
        assert await serves(port)
    assert not [record for record in caplog.records if record.exc_info]
    assert {record.getMessage().partition(":")[0] for record in caplog.records} <= {UNDECODABLE}
    assert len(caplog.records) <= 2


async def test_a_message_that_is_large_when_uncompressed_is_refused(port: int) -> None:
    bomb = gzip.compress(bytes(60_000_000), 9)
    for _ in range(3):
        answer = await send_call(port, call_frames(CHECK, [(b"grpc-encoding", b"gzip")], bomb, is_compressed=True))
        assert b"larger than max" in answer
    assert await serves(port)
