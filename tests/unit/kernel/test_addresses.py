"""The addresses of this machine."""

from __future__ import annotations

import pytest

from faristol.kernel.addresses import endpoint, is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_nobody_else_reaches_a_loopback_address(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "0.0.0.0", "::", "[::]", "10.0.0.1", "[10.0.0.1", "localhost.example", "[localhost]"]
)
def test_others_may_reach_every_other_address(host: str) -> None:
    assert not is_loopback(host)


def test_an_address_of_ipv6_stands_in_brackets_before_a_port() -> None:
    asked = {"::": "[::]:80", "[::1]": "[::1]:80", "10.0.0.1": "10.0.0.1:80", "localhost": "localhost:80"}
    assert {host: endpoint(host, 80) for host in asked} == asked
