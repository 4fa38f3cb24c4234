"""The address of sockets that listen on all addresses of their machine."""

from __future__ import annotations

import socket

_ALL_ADDRESSES = frozenset({"0.0.0.0", "::"})  # noqa: S104 # only compared


def to_bind_address(host: str) -> str:
    """Return the host to bind to: for all addresses, IPv6 with IPv4 if the machine supports both."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if bare not in _ALL_ADDRESSES:
        return bare
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::", 0))
    except OSError:
        return "0.0.0.0"  # noqa: S104 # the operator asked for every address
    return "::"
