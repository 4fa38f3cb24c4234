"""What counts as one address."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network

OF_ONE = 64
"""Leading bits of an IPv6 address that one line has: whoever has it may take any address behind them."""

REMEMBERED = 4_096


@lru_cache(REMEMBERED)
def counted(address: str) -> str:
    """What the requests and connections of an address are counted by: itself, and of IPv6 its network."""
    try:
        found = ip_address(address)
    except ValueError:  # a socket of this machine has a name, or none
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), OF_ONE), strict=False))
