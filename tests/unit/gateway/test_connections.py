"""Many clients are behind a proxy: the limit of an address is not for it."""

from __future__ import annotations

import pytest

from faristol.gateway.connections import Connections
from faristol.host import Settings, StartError


@pytest.mark.parametrize(
    ("proxies", "address", "is_limited"),
    [
        ("", "10.0.0.7", True),
        ("10.0.0.7", "10.0.0.7", False),
        ("10.0.0.8, 10.0.0.7", "10.0.0.7", False),
        ("10.0.0.0/8", "10.0.0.7", False),
        ("10.0.0.0/8", "192.0.2.7", True),
        ("10.0.0.0/8", "::1", True),
        ("fd00::/8", "fd00::7", False),
        ("*", "192.0.2.7", False),
        ("10.0.0.0/8", "", True),
    ],
)
def test_a_proxy_has_as_many_connections_as_there_are(proxies: str, address: str, *, is_limited: bool) -> None:
    connections = Connections.of(Settings(http_connections_per_address=1, http_proxies=proxies))
    assert connections.enter(address)
    assert connections.enter(address) is not is_limited


def test_a_network_that_is_none_stops_the_start() -> None:
    with pytest.raises(StartError, match="names a network that is none"):
        Connections.of(Settings(http_proxies="10.0.0/8"))
