"""The origin of a call: address and program of a visitor, only for counts and for the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, NamedTuple

from faristol.host.rpc.metadata import VISITOR_ADDRESS, VISITOR_AGENT, metadata_of

OF_ONE_BITS = 64
"""Prefix length of the IPv6 network that a subscriber usually owns: its addresses count as one."""

REMEMBERED_COUNT = 4_096

MAX_AGENT_CHARACTERS = 200
"""Characters of a user agent."""

GATEWAY = "gateway"
"""Name in the certificate of the service that calls for visitors of its pages."""


class Visitor(NamedTuple):
    """The origin of a call. Neither field is ever in the record."""

    address: str
    """IPv4, or the network of IPv6; empty if unknown."""
    agent: str
    """User agent in printable ASCII."""


@lru_cache(REMEMBERED_COUNT)
def to_count_key(address: str) -> str:
    """Return the key for counts of an address: itself, or its network for IPv6."""
    try:
        found = ip_address(address)
    except ValueError:  # a socket of this machine has a name, or an empty one
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), OF_ONE_BITS), strict=False))


def to_metadata(address: str, agent: str) -> tuple[tuple[str, str], ...]:
    """Return metadata that states the visitor of a call. ``address`` is that of the connection."""
    pairs = ((VISITOR_ADDRESS, to_count_key(address)), (VISITOR_AGENT, agent))
    return tuple((name, clean) for name, value in pairs if (clean := _printable(value)))


def visitor_of(context: Any) -> Visitor:
    """Return the origin of a call.

    The gateway states that of its visitors. It is trusted if it shows its certificate, or calls from this machine, or
    from a private network without client certificates. For any other caller, it is the other end of the connection.
    """
    metadata = context.invocation_metadata()
    peer = _peer_address(str(context.peer()))
    address = metadata_of(metadata, VISITOR_ADDRESS)
    if address and _speaks_for_visitors(peer, context.auth_context()):
        return Visitor(_printable(address)[:64], _printable(metadata_of(metadata, VISITOR_AGENT)))
    return Visitor(to_count_key(peer), _printable(metadata_of(metadata, "user-agent")))


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
    """Parse the address of a gRPC peer: ``ipv4:10.0.0.1:5000``, ``ipv6:%5B::1%5D:5000``, ``unix:…``."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    return rest.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]").removeprefix("::ffff:")


def _printable(text: str) -> str:
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text[:MAX_AGENT_CHARACTERS])
