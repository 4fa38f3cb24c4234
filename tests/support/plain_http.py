"""The settings of clients of servers on this machine: no TLS."""

from __future__ import annotations

import ssl

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Given as ``verify``: a client that is given none loads every authority there is, for 30 ms of processor time."""
