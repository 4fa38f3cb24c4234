"""Many clients are behind a proxy: the limit of an address is not for it."""

from __future__ import annotations

import pytest

from faristol.gateway.http.limits import Connections
from faristol.host import Settings


@pytest.mark.parametrize(
    ("proxies", "address", "is_limited"),
    [
        ("", "10.0.0.7", True),
        ("10.0.0.7", "10.0.0.7", False),
        ("10.0.0.8, 10.0.0.7", "10.0.0.7", False),
        ("10.0.0.0/16", "10.0.0.7", False),
        ("10.0.0.0/16", "::ffff:10.0.0.7", False),
        ("10.0.0.0/16", "10.1.0.7", True),
        ("10.0.0.0/16", "::1", True),
        ("fd00:1::/64", "fd00:1::7", False),
        ("10.0.0.0/16", "", True),
    ],
)
def test_a_proxy_has_as_many_connections_as_there_are(proxies: str, address: str, *, is_limited: bool) -> None:
    connections = Connections.of(Settings(http_connections_per_address=1, http_proxies=proxies))
    assert connections.enter(address)
    assert connections.enter(address) is not is_limited
