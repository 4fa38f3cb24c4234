"""Address of this computer in its network, at which phones of the same network reach the pages."""

from __future__ import annotations

import socket

from faristol.host import Settings, StartError
from faristol.kernel.addresses import endpoint, is_loopback

ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 # the caller asks for it, and every command needs a credential
ELSEWHERE = ("192.0.2.1", 9)
"""An address of no computer (RFC 5737): the route to it is the default one."""


def find_network_address() -> str:
    """Return the IPv4 address of this computer on its default route; empty without a network.

    A connected datagram socket sends no packet: the system only chooses a route, and with it the address.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
            found = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if is_loopback(found) else found


def serve_to_network(settings: Settings, address: str) -> bool:
    """Serve the pages to the network in which this computer has ``address``. Return False if it is empty.

    A given ``http_host`` or ``http_address`` stays. Raises ``StartError`` for port 0: the address would change with
    each start, and cards for phones have it.
    """
    if not address:
        return False
    if "http_host" not in settings.model_fields_set:
        settings.http_host = ALL_ADDRESSES
    if not settings.http_address:
        if not settings.http_port:
            raise StartError("--network requires a port of the pages: --http 8080, not a free one")
        settings.http_address = f"http://{endpoint(address, settings.http_port)}"
    return True
