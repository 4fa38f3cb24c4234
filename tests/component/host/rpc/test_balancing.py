"""Calls are balanced over the replicas of a name, and none fails when a replica starts, ends or ages."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.processes import free_port

from faristol.host import Settings
from faristol.host.rpc import channels
from faristol.host.rpc.channels import open_channel
from faristol.host.security import authority
from faristol.host.security.tls import Tls
from faristol.host.startup import listen, options

METHOD = "/faristol.test.v1.TestService/Say"
CALLER_COUNT = 8


class Names(asyncio.DatagramProtocol):
    """A DNS server with one name, which resolves to ``hosts``."""

    def __init__(self) -> None:
        self.hosts: Sequence[str] = ()
        self._transport: asyncio.DatagramTransport

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        end = data.index(b"\0", 12) + 5
        kind = struct.unpack("!H", data[end - 4 : end - 2])[0]
        hosts = self.hosts if kind == 1 else ()  # addresses of IPv4; it has no others
        answers = [b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(host) for host in hosts]
        head = data[:2] + struct.pack("!HHHHH", 0x8180, 1, len(answers), 0, 0)
        self._transport.sendto(head + data[12:end] + b"".join(answers), addr)


@asynccontextmanager
async def names() -> AsyncIterator[tuple[Names, int]]:
    """Yield a DNS server, and the port that it listens on."""
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(Names, local_addr=("127.0.0.1", 0))
    try:
        yield server, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


async def replica(host: str, port: int, settings: Settings, tls: Tls | None = None) -> tuple[grpc.aio.Server, int]:
    """Return a server whose answer identifies it, as a process starts it."""

    async def say(_: bytes, __: object) -> bytes:
        return host.encode()

    server = grpc.aio.server(options=options(settings))
    service, _, method = METHOD[1:].partition("/")
    handlers = {method: grpc.unary_unary_rpc_method_handler(say)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = listen(server, f"{host}:{port}", "--grpc", tls)
    await server.start()
    return server, port


def open_by(monkeypatch: pytest.MonkeyPatch, changed: Mapping[str, int]) -> None:
    """Have channels opened with some of their options changed."""
    some_changed = tuple((key, changed.get(key, value)) for key, value in channels.CHANNEL_OPTIONS)
    monkeypatch.setattr(channels, "CHANNEL_OPTIONS", some_changed)


@pytest.fixture(params=["plain", "tls"])
def tls(request: pytest.FixtureRequest, tmp_path: Path) -> Tls | None:
    """Return certificates of a process, half of the time."""
    if request.param == "plain":
        return None
    authority.prepare(tmp_path, ["game.test"])
    certificate, key, ca = (tmp_path / name for name in ("server.crt", "server.key", "ca.crt"))
    return Tls.of(Settings(tls_certificate=certificate, tls_key=key, tls_ca=ca))


async def test_calls_are_shared_out_and_none_fails_while_replicas_come_go_and_age(
    monkeypatch: pytest.MonkeyPatch, tls: Tls | None
) -> None:
    open_by(monkeypatch, {"grpc.dns_min_time_between_resolutions_ms": 100})
    settings = Settings(grpc_connection_seconds=0.5)
    hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    async with names() as (dns, dns_port):
        first, port = await replica(hosts[0], 0, settings, tls)
        second, _ = await replica(hosts[1], port, settings, tls)
        dns.hosts = hosts[:2]
        channel: Any = open_channel(f"dns://127.0.0.1:{dns_port}/game.test:{port}", (), tls)
        say = channel.unary_unary(METHOD)
        answered: Counter[str] = Counter()
        ended = False

        async def call() -> None:
            while not ended:
                answered[(await say(b"", timeout=10)).decode()] += 1

        async def even(wanted: Sequence[str]) -> None:
            """Wait until calls go to these replicas, and to none of them more than twice as many as to another."""

            def is_shared(found: Counter[str]) -> bool:
                return set(found) == set(wanted) and max(found.values()) <= 2 * min(found.values())

            await until(is_shared)

        async def until(holds: Callable[[Counter[str]], bool]) -> None:
            async with asyncio.timeout(60):
                while True:
                    before = answered.copy()
                    await asyncio.sleep(0.3)
                    if holds(answered - before):
                        return

        async with asyncio.TaskGroup() as callers:
            for _ in range(CALLER_COUNT):
                callers.create_task(call())
            try:
                await even(hosts[:2])
                third, _ = await replica(hosts[2], port, settings, tls)
                dns.hosts = hosts
                await even(hosts)  # although every existing connection works
                dns.hosts = hosts[1:]
                await first.stop(5)
                await even(hosts[1:])
            finally:
                ended = True
        await channel.close()
        for server in (second, third):
            await server.stop(None)


async def test_a_call_goes_to_another_replica_where_one_was_killed() -> None:
    settings = Settings()
    first, port = await replica("127.0.0.1", 0, settings)
    second, other = await replica("127.0.0.1", 0, settings)
    channel: Any = open_channel(f"ipv4:127.0.0.1:{port},127.0.0.1:{other}")
    say = channel.unary_unary(METHOD)
    for _ in range(4):
        await say(b"", timeout=10)
    await first.stop(None)
    for _ in range(20):
        await say(b"", timeout=10)
    await channel.close()
    await second.stop(None)


async def test_a_channel_does_not_wait_for_what_an_earlier_one_was_refused_at_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_by(monkeypatch, {"grpc.initial_reconnect_backoff_ms": 30_000, "grpc.max_reconnect_backoff_ms": 30_000})
    port = free_port()
    earlier: Any = open_channel(f"127.0.0.1:{port}")
    with pytest.raises(grpc.aio.AioRpcError, match="UNAVAILABLE"):
        await earlier.unary_unary(METHOD)(b"", timeout=10)
    server, _ = await replica("127.0.0.1", port, Settings())
    channel: Any = open_channel(f"127.0.0.1:{port}")
    assert await channel.unary_unary(METHOD)(b"", timeout=10) == b"127.0.0.1"
    for each in (earlier, channel):
        await each.close()
    await server.stop(None)
