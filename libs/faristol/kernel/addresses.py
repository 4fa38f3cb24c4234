"""Addresses of machines."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether an address or a name is of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
