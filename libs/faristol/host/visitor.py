"""Where a call comes from: the address and the program of a visitor, for counts and for the audit log alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, NamedTuple

from faristol.host.metadata import VISITOR_ADDRESS, VISITOR_AGENT, metadata_of

OF_ONE_BITS = 64
"""Leading bits of an IPv6 address that one line has: whoever has it may take any address behind them."""

REMEMBERED_COUNT = 4_096

LONGEST_AGENT = 200
"""Characters of what a program calls itself."""

GATEWAY = "gateway"
"""The name in the certificate of the service that calls for visitors of its pages."""


class Visitor(NamedTuple):
    """Where a call comes from. Neither field is ever on the record."""

    address: str
    """IPv4, or the network of IPv6; empty where it is not known."""
    agent: str
    """What the program calls itself, printable ASCII."""


@lru_cache(REMEMBERED_COUNT)
def counted(address: str) -> str:
    """Give what the requests and connections of an address are counted by: itself, and of IPv6 its network."""
    try:
        found = ip_address(address)
    except ValueError:  # a socket of this machine has a name, or none
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), OF_ONE_BITS), strict=False))


def to_metadata(address: str, agent: str) -> tuple[tuple[str, str], ...]:
    """Say in the metadata of a call for which visitor it is made. ``address`` is as the connection has it."""
    said = ((VISITOR_ADDRESS, counted(address)), (VISITOR_AGENT, agent))
    return tuple((name, clean) for name, value in said if (clean := _printable(value)))


def visitor_of(context: Any) -> Visitor:
    """Say where a call comes from.

    The gateway says it of its visitors. It is believed where it shows its certificate, or comes from this machine, or
    from a private network where certificates are not asked for; any other caller is whoever is at the other end.
    """
    metadata = context.invocation_metadata()
    peer = _peer_address(str(context.peer()))
    said = metadata_of(metadata, VISITOR_ADDRESS)
    if said and _speaks_for_visitors(peer, context.auth_context()):
        return Visitor(_printable(said)[:64], _printable(metadata_of(metadata, VISITOR_AGENT)))
    return Visitor(counted(peer), _printable(metadata_of(metadata, "user-agent")))


def _speaks_for_visitors(peer: str, shown: Mapping[str, Any]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:  # a socket of this machine
        return True
    if address.is_loopback:
        return True
    names = [name.decode(errors="replace") for name in shown.get("x509_subject_alternative_name", ())]
    if names:
        return any(name.partition(".")[0] == GATEWAY for name in names)
    return address.is_private


def _peer_address(peer: str) -> str:
    """The address in what gRPC calls the other end: ``ipv4:10.0.0.1:5000``, ``ipv6:%5B::1%5D:5000``, ``unix:…``."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    return rest.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]").removeprefix("::ffff:")


def _printable(text: str) -> str:
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text[:LONGEST_AGENT])
