"""A server on every address is reached by IPv4 and, if the machine has it, by IPv6."""

from __future__ import annotations

import socket

import pytest

from faristol.gateway.http.server import listen
from faristol.host.listening import to_bind_address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "[::]"])
def test_every_address_is_that_of_ipv4_and_of_ipv6(host: str) -> None:
    with listen(host, 0) as listening:
        port = listening.getsockname()[1]
        for address in ("127.0.0.1", *(["::1"] if to_bind_address(host) == "::" else [])):
            with socket.create_connection((address, port), timeout=5):
                pass


def test_one_address_is_that_one_alone() -> None:
    assert [to_bind_address(host) for host in ("127.0.0.1", "[::1]", "localhost")] == ["127.0.0.1", "::1", "localhost"]


def test_a_machine_without_ipv6_listens_by_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> socket.socket:
        raise OSError

    monkeypatch.setattr(socket, "socket", missing)
    assert to_bind_address("::") == "0.0.0.0"
