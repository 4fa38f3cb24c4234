"""Trusted proxies, whose headers give the client address and the scheme."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.host import StartError

WIDEST_BITS = {4: 14, 6: 48}
"""Shortest accepted prefix of a proxy network, by IP version: that of the pods of one cluster."""

PRIVATE_NETWORKS = tuple(
    ip_network(each) for each in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
"""Private ranges, which any hall or office may use: none of them contains only proxies."""

ADDRESS_CACHE_SIZE = 4_096

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@lru_cache(ADDRESS_CACHE_SIZE)
def parse_address(text: str) -> Address | None:
    """Parse ``192.0.2.7``, ``192.0.2.7:443``, ``2001:db8::7`` or ``[2001:db8::7]:443``; None for other text."""
    bare = text.strip()
    if bare.startswith("["):
        bare, bracket, port = bare[1:].partition("]")
        if not bracket or not (port == "" or _is_port(port.removeprefix(":"))):
            return None
    elif bare.count(":") == 1:
        bare, _, port = bare.partition(":")
        if not _is_port(port):
            return None
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len("65535")


@dataclass(frozen=True)
class Proxies:
    """Addresses and networks of proxies with trusted ``X-Forwarded-For`` and ``X-Forwarded-Proto``."""

    addresses: frozenset[Address] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, setting: str) -> Proxies:
        """Parse ``FARISTOL_HTTP_PROXIES``.

        Raises ``StartError`` for an invalid address or network, and for a network that is too wide: a visitor inside it
        could choose the address by which it is rate limited.
        """
        addresses, networks = set(), []
        for each in filter(None, map(str.strip, setting.split(","))):
            if "/" in each:
                networks.append(_network(each))
            else:
                addresses.add(_address(each))
        return cls(frozenset(addresses), tuple(networks))

    def __bool__(self) -> bool:
        return bool(self.addresses or self.networks)

    def __contains__(self, text: str) -> bool:
        address = parse_address(text)
        return address is not None and self.has(address)

    def has(self, address: Address) -> bool:
        """Check whether an address is that of a proxy."""
        return address in self.addresses or any(address in network for network in self.networks)

    def client_of(self, peer: str, forwarded: str) -> str:
        """Return the address of the client: the last one of ``X-Forwarded-For`` that is not a proxy.

        An invalid entry yields the address of the peer, since a client can write any text there.
        """
        client = peer
        for each in reversed(forwarded.split(",")):
            address = parse_address(each)
            if address is None:
                return peer
            client = str(address)
            if not self.has(address):
                break
        return client


def _address(text: str) -> Address:
    try:
        return ip_address(text)
    except ValueError as error:
        raise StartError(
            f"FARISTOL_HTTP_PROXIES names {text!r}: expected addresses and networks of proxies with commas between, as"
            " 192.0.2.7 or 10.42.0.0/16"
        ) from error


def _network(text: str) -> Network:
    try:
        network = ip_network(text)
    except ValueError as error:
        raise StartError(f"FARISTOL_HTTP_PROXIES has an invalid network: {error}") from error
    least = WIDEST_BITS[network.version]
    whole = any(network.overlaps(each) and network.prefixlen <= each.prefixlen for each in PRIVATE_NETWORKS)
    if network.prefixlen < least or whole:
        raise StartError(
            f"FARISTOL_HTTP_PROXIES names {text}, which holds more than proxies: a visitor there would choose their"
            f" own address. Expected only the network of the proxies, of /{least} or narrower, as 10.42.0.0/16"
        )
    return network


class Forwarded:
    """ASGI middleware that sets client and scheme from the headers of trusted proxies."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set client and scheme of a request."""
        peer = scope["client"][0] if scope.get("client") else ""
        if peer and peer in self._proxies:
            forwarded = ",".join(_values(scope, b"x-forwarded-for"))
            if forwarded.strip():
                scope["client"] = (self._proxies.client_of(peer, forwarded), 0)
            scheme = ",".join(_values(scope, b"x-forwarded-proto")).rpartition(",")[2].strip().lower()
            if scheme in {"http", "https"}:
                scope["scheme"] = scheme
        await self._app(scope, receive, send)


def _values(scope: Scope, wanted: bytes) -> Iterator[str]:
    return (value.decode("latin-1") for name, value in scope["headers"] if name == wanted)
