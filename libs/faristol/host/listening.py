"""Where a socket listens that is to be reached by every address of its machine."""

from __future__ import annotations

import socket

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
