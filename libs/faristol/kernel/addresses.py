"""Addresses of machines."""

from __future__ import annotations

import ipaddress
import socket


def is_loopback(host: str) -> bool:
    """Whether an address or a name is of this machine alone; one of IPv6 may stand in brackets, as before a port."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return host == "localhost"


_EVERY = frozenset({"0.0.0.0", "::"})  # noqa: S104 # compared, and not listened on


def bindable(host: str) -> str:
    """The host that a socket binds to: every address of this machine by IPv6 and IPv4 at once, where it has both."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if bare not in _EVERY:
        return bare
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::", 0))
    except OSError:
        return "0.0.0.0"  # noqa: S104 # the operator asked for every address
    return "::"


def endpoint(host: str, port: int | None) -> str:
    """``HOST:PORT``, with an address of IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host and not host.startswith("[") else f"{host}:{port}"
