"""Errors of NATS."""

from __future__ import annotations


class BusError(Exception):
    """NATS cannot be used; the message states the reason and the remedy."""


class BusUnavailable(BusError):
    """NATS does not answer at present."""


class BusRefused(BusError):
    """NATS refuses this process, or denies it a required permission."""
