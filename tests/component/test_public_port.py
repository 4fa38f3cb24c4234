"""The limits of strangers at the public port, without effects on others: real sockets, a real process."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import resource
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx
import pytest
import pytest_asyncio
from tests.support.plain_http import PLAIN
from tests.support.synthetic import append

from faristol.gateway.http.limits import LimitedProtocol
from faristol.host import Settings
from faristol.launcher.processes import Running, running
from faristol.pb.game.v1.events_pb2 import PlayPlaced

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEADER_SECONDS, WRITE_SECONDS = 1.0, 1.0
MAX_CONNECTIONS = 40
CLOSE = b"connection: upgrade, close\r\n\r\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def process(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    settings = Settings(
        data=tmp_path_factory.mktemp("port"),
        http_port=0,
        http_connections=200,
        http_connections_per_address=MAX_CONNECTIONS,
        http_header_seconds=HEADER_SECONDS,
        http_write_seconds=WRITE_SECONDS,
        http_requests_per_second=0,
    )
    async with running(settings) as process:
        yield process


def connect(process: Running) -> socket.socket:
    port = process.runtime.settings.http_port
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    sock.settimeout(10)
    return sock


@contextmanager
def many(process: Running, count: int) -> Iterator[list[socket.socket]]:
    sockets = [connect(process) for _ in range(count)]
    try:
        yield sockets
    finally:
        for sock in sockets:
            sock.close()


def read_to_end(sock: socket.socket) -> bytes:
    """Return the data of a connection until its end."""
    said = b""
    while True:
        try:
            more = sock.recv(65_536)
        except ConnectionResetError:
            return said
        if not more:
            return said
        said += more


def flood(sock: socket.socket) -> int:
    """Send requests repeatedly without reading; return the number of the final error, 0 after the time limit."""
    sock.settimeout(2)
    try:
        for _ in range(5_000):
            sock.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n")
    except OSError as problem:
        return problem.errno or 0
    return 0


async def is_served(process: Running) -> bool:
    async with httpx.AsyncClient(verify=PLAIN, base_url=process.http_address) as web:
        return (await web.get("/healthz")).status_code == 200


async def test_who_says_nothing_or_says_it_slowly_is_not_waited_for(process: Running) -> None:
    with many(process, 3) as (silent, slow, half):
        began = time.monotonic()

        def drip() -> None:
            half.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            while not half.recv(65_536).endswith(b"}"):
                pass
            half.sendall(b"GET /healthz HT")
            try:
                for byte in b"GET /healthz HTTP/1.1\r\nx-slow: " + b"a" * 100:
                    slow.sendall(bytes([byte]))
                    time.sleep(0.1)
            except OSError:
                pass

        await asyncio.to_thread(drip)
        assert await asyncio.to_thread(read_to_end, silent) == b""
        assert await asyncio.to_thread(read_to_end, slow) == b""
        assert await asyncio.to_thread(read_to_end, half) == b""
        assert time.monotonic() - began < 8 * HEADER_SECONDS


async def test_one_connection_too_many_is_told_so_and_the_others_go_on(process: Running) -> None:
    with many(process, MAX_CONNECTIONS) as held:
        for sock in held[:5]:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        for sock in held[:5]:
            assert (await asyncio.to_thread(sock.recv, 65_536)).startswith(b"HTTP/1.1 200")
        with connect(process) as other:
            assert (await asyncio.to_thread(read_to_end, other)).startswith(b"HTTP/1.1 503")
    await asyncio.sleep(0.2)
    assert await is_served(process)


async def test_a_stream_goes_on_longer_than_headers_may_take(process: Running) -> None:
    with connect(process) as sock:
        sock.sendall(b"GET /api/v1/tournaments/none/stream HTTP/1.1\r\nhost: localhost\r\n\r\n")
        first = await asyncio.to_thread(sock.recv, 65_536)
        assert first.startswith((b"HTTP/1.1 200", b"HTTP/1.1 404"))
    async with httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=10) as web:
        for _ in range(3):
            assert (await web.get("/healthz")).status_code == 200
            await asyncio.sleep(HEADER_SECONDS * 0.6)


@pytest.mark.parametrize(
    ("version", "header"),
    [("1.0", "x-proxy: as nginx asks"), ("1.1", "connection: close"), ("1.1", "connection: upgrade\r\nupgrade: h2c")],
)
async def test_who_asks_for_one_answer_alone_is_given_it_though_it_takes_longer_than_headers_may(
    process: Running, version: str, header: str
) -> None:
    record = process.runtime.record
    wanted = await record.last_position() + 1
    with connect(process) as sock:
        asked = f"GET /api/v1/tournaments?min_position={wanted} HTTP/{version}\r\nhost: localhost\r\n{header}\r\n\r\n"
        sock.sendall(asked.encode())
        await asyncio.sleep(HEADER_SECONDS * 1.5)
        await append(record, {f"game-{wanted}": [PlayPlaced()]})
        assert (await asyncio.to_thread(sock.recv, 65_536)).startswith(b"HTTP/1.1 200")


async def test_strangers_cannot_fill_the_log(process: Running, caplog: pytest.LogCaptureFixture) -> None:
    for said in (
        b"\x16\x03\x01 this is TLS\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nupgrade: x\r\n" + CLOSE,
    ):
        with connect(process) as sock:
            sock.sendall(said)
            assert await asyncio.to_thread(read_to_end, sock)
    assert [each.getMessage() for each in caplog.records if each.name.startswith("uvicorn")] == []


async def test_an_answer_that_nobody_reads_is_given_up(process: Running) -> None:
    with connect(process) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        give_up = time.monotonic() + 30
        while (ended := await asyncio.to_thread(flood, sock)) not in (errno.ECONNRESET, errno.EPIPE):
            assert time.monotonic() < give_up, ended
    assert await is_served(process)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the kernel gives nobody up before its time")
async def test_the_kernel_gives_up_who_has_vanished_when_they_should_have_read(
    process: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    made = LimitedProtocol.connection_made

    def connection_made(self: LimitedProtocol, transport: asyncio.Transport) -> None:
        sock = transport.get_extra_info("socket")
        limits.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT))
        made(self, transport)

    monkeypatch.setattr(LimitedProtocol, "connection_made", connection_made)
    assert await is_served(process)
    assert limits == [WRITE_SECONDS * 1_000]


async def test_the_process_may_open_more_files_than_a_shell_gives_it(process: Running) -> None:
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft == most or soft >= 65_536


HEAD = b"POST /api/v1/pairing/ListActs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


@pytest.mark.parametrize(
    "said",
    [
        b"GET /healthz HTTP/1.1\nhost: localhost\n\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n",
        HEAD + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_what_is_malformed_is_told_so_and_the_connection_ends_without_a_traceback(
    process: Running, caplog: pytest.LogCaptureFixture, said: bytes
) -> None:
    with contextlib.closing(connect(process)) as sock:
        sock.sendall(said)
        assert (await asyncio.to_thread(read_to_end, sock)).startswith(b"HTTP/1.1 400")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info] == []


async def test_a_request_that_is_broken_off_is_no_error_of_the_gateway(
    process: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(connect(process)) as sock:
        sock.sendall(HEAD + b"content-length: 500\r\n\r\n{")
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.3)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info] == []


async def test_a_platform_that_asks_for_no_credentials_is_of_this_machine_alone(process: Running) -> None:
    port = process.runtime.settings.http_port
    async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{port}") as web:
        for host, status in (
            (f"localhost:{port}", 200),
            ("[::1]", 200),
            ("rebound.example", 421),
            ("", 421),
            ("[", 421),
        ):
            answer = await web.get("/api/v1/tournaments", headers={"Host": host})
            assert answer.status_code == status, host
        path, body = "/api/v1/pairing/ListActs", {"tournament_id": "none"}
        assert (await web.post(path, json=body)).status_code == 404
        fake = await web.post(path, json=body, headers={"Authorization": "Bearer x"})
        assert (fake.status_code, fake.json()["reason"]) == (401, "NOT_ASKED")
        elsewhere = await web.post(path, json=body, headers={"Origin": "https://elsewhere.example"})
        assert elsewhere.status_code == 403
