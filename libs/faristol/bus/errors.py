"""What can be wrong with NATS."""

from __future__ import annotations


class BusError(Exception):
    """NATS cannot be used; the message says why and what to do."""


class BusAway(BusError):
    """NATS does not answer now and may answer later."""


class BusRefused(BusError):
    """NATS does not let this process in, or not do what it is there for."""
