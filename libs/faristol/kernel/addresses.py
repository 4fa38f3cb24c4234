"""Addresses of machines."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether an address or a name is of this machine alone; one of IPv6 may stand in brackets, as before a port."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return host == "localhost"


def endpoint(host: str, port: int | None) -> str:
    """``HOST:PORT``, with an address of IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host and not host.startswith("[") else f"{host}:{port}"
