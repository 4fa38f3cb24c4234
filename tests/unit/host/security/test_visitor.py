"""The gateway states the origin of a visitor, and an untrusted caller cannot state its own."""

from __future__ import annotations

from typing import Any

import pytest

from faristol.host.security.visitor import Visitor, to_metadata, visitor_of

SAID = to_metadata("2001:db8::7", "Firefox\n\u2028")


class Call:
    """A call as gRPC passes it to a method."""

    def __init__(self, peer: str, metadata: Any = SAID, *names: bytes) -> None:
        self._peer, self._metadata = peer, metadata
        self._shown = {"x509_subject_alternative_name": list(names)} if names else {}

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> Any:
        return self._metadata

    def auth_context(self) -> Any:
        return self._shown


@pytest.mark.parametrize(
    ("call", "address"),
    [
        (Call("ipv4:127.0.0.1:5000"), "2001:db8::/64"),
        (Call("ipv6:%5B::1%5D:5000"), "2001:db8::/64"),
        (Call("unix:/run/faristol"), "2001:db8::/64"),
        (Call("ipv4:10.42.0.7:5000"), "2001:db8::/64"),
        (Call("ipv4:10.42.0.7:5000", SAID, b"gateway", b"localhost"), "2001:db8::/64"),
        (Call("ipv4:10.42.0.7:5000", SAID, b"desk"), "10.42.0.7"),
        (Call("ipv4:93.184.216.34:5000"), "93.184.216.34"),
        (Call("ipv6:%5B::ffff:93.184.216.34%5D:5000"), "93.184.216.34"),
        (Call("ipv6:%5B2a00:1450:1::9%5D:5000"), "2a00:1450:1::/64"),
        (Call("ipv4:93.184.216.34:5000", ()), "93.184.216.34"),
    ],
)
def test_a_call_comes_from_where_one_says_it_who_may(call: Call, address: str) -> None:
    assert visitor_of(call).address == address


def test_what_a_program_calls_itself_is_short_and_printable() -> None:
    assert visitor_of(Call("ipv4:127.0.0.1:5000")) == Visitor("2001:db8::/64", "Firefox??")
    long = (("user-agent", "x" * 10_000),)
    assert len(visitor_of(Call("ipv4:127.0.0.1:5000", long)).agent) == 200
