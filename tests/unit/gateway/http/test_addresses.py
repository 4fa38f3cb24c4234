"""The origin of a request: headers of a proxy are used, and those of a visitor are ignored."""

from __future__ import annotations

from typing import Any

import pytest

from faristol.gateway.http.addresses import Forwarded, Proxies, parse_address
from faristol.gateway.http.metrics import kind_of
from faristol.host import StartError

PROXY = "10.42.0.7"


async def came_from(peer: str, *forwarded: str, proto: str = "", proxies: str = "10.42.0.0/16") -> tuple[str, str]:
    """Return the address and the scheme of a request as the application sees them."""
    seen: dict[str, Any] = {}

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope)

    headers = [(b"x-forwarded-for", each.encode("latin-1")) for each in forwarded]
    headers += [(b"x-forwarded-proto", proto.encode())] if proto else []
    scope = {"type": "http", "client": (peer, 5), "scheme": "http", "headers": headers}
    await Forwarded(application, Proxies.of(proxies))(scope, None, None)  # type: ignore[arg-type] # neither is called
    return seen["client"][0], seen["scheme"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        (PROXY, ("192.0.2.9",), "192.0.2.9"),
        (PROXY, ("1.1.1.1, 192.0.2.9",), "192.0.2.9"),
        (PROXY, ("1.1.1.1", "192.0.2.9"), "192.0.2.9"),
        (PROXY, ("1.1.1.1, 192.0.2.9, 10.42.3.4",), "192.0.2.9"),
        (PROXY, ("junk, 192.0.2.9",), "192.0.2.9"),
        (PROXY, ("192.0.2.9:4711",), "192.0.2.9"),
        (PROXY, ("[2001:db8::9]:4711",), "2001:db8::9"),
        (PROXY, ("::ffff:192.0.2.9",), "192.0.2.9"),
        (f"::ffff:{PROXY}", ("192.0.2.9",), "192.0.2.9"),
        (PROXY, (), PROXY),
        (PROXY, ("",), PROXY),
        # Invalid addresses are attributed to the proxy, in any position of a visitor's header.
        (PROXY, ("junk7",), PROXY),
        (PROXY, ("junk7, 10.42.3.4",), PROXY),
        (PROXY, ("192.0.2.9, ",), PROXY),
        (PROXY, ("192.0.2.9:junk",), PROXY),
        (PROXY, ("[192.0.2.9",), PROXY),
        (PROXY, ("unknown",), PROXY),
        (PROXY, ("1.2.3.04",), PROXY),
        # No other service is queried.
        ("10.43.0.7", ("192.0.2.9",), "10.43.0.7"),
        ("192.0.2.9", ("1.1.1.1",), "192.0.2.9"),
    ],
)
async def test_the_last_address_that_is_no_proxy_is_where_a_request_comes_from(
    peer: str, forwarded: tuple[str, ...], client: str
) -> None:
    assert (await came_from(peer, *forwarded))[0] == client


@pytest.mark.parametrize(
    ("peer", "proto", "scheme"),
    [
        (PROXY, "https", "https"),
        (PROXY, "HTTPS", "https"),
        (PROXY, "http, https", "https"),
        (PROXY, "gopher", "http"),
        ("192.0.2.9", "https", "http"),
    ],
)
async def test_a_proxy_says_by_which_scheme_a_request_came(peer: str, proto: str, scheme: str) -> None:
    assert (await came_from(peer, proto=proto))[1] == scheme


@pytest.mark.parametrize(
    "setting",
    ["10.0.0.0/8", "0.0.0.0/0", "::/0", "192.168.0.0/16", "172.16.0.0/12", "100.64.0.0/10", "128.0.0.0/2", "fd00::/8"],
)
def test_a_network_with_more_than_proxies_stops_the_start(setting: str) -> None:
    with pytest.raises(StartError, match="which holds more than proxies"):
        Proxies.of(f"127.0.0.1,{setting}")


@pytest.mark.parametrize("setting", ["*", "localhost", "10.0.0/8", "10.42.0.7/16", "10.42.0.7:80", "unix:"])
def test_what_is_no_address_and_no_network_stops_the_start(setting: str) -> None:
    with pytest.raises(StartError, match=r"FARISTOL_HTTP_PROXIES (names|has an invalid network)"):
        Proxies.of(setting)


def test_networks_of_the_pods_of_a_cluster_are_taken() -> None:
    for setting in ("10.42.0.0/16", "10.0.0.0/14", "192.168.4.0/24", "127.0.0.1", "fd00:10:244::/56", ""):
        assert bool(Proxies.of(setting)) is bool(setting)


def test_names_are_no_addresses() -> None:
    for text in ("localhost", "1.2.3", "1.2.3.4.5", ":", "[]", "192.0.2.9:99999999"):
        assert parse_address(text) is None


def test_requests_are_measured_by_their_kind() -> None:
    paths = {
        "/healthz": "health",
        "/static/app.js": "static",
        "/api/v1/stream": "stream",
        "/api/v1/judges/queue": "stream",
        "/api/v1/tournaments": "json",
        "/tournaments/cup": "page",
    }
    assert {path: kind_of(path) for path in paths} == paths
