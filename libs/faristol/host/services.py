"""The services by name, and what every process may have to say about its start: read without any settings."""

from __future__ import annotations

SERVICES = ("access", "lexicon", "game", "clock", "pairing", "rating", "results", "gateway")
"""The eight services, in the order in which they start."""

RELAY = "relay"
"""What a process serves that publishes the news of the record and does nothing else."""

ASKING = frozenset({"gateway"})
"""Services that ask others for everything. In a process of their own they know neither database, bus nor keys."""

_EVERY = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "[::]": "[::1]"}  # noqa: S104 # compared, and not listened on


def reached(address: str) -> str:
    """HOST:PORT by which this machine reaches what listens at an address: on every one of its own, by loopback."""
    host, _, port = address.rpartition(":")
    return f"{_EVERY.get(host, host)}:{port}"


class StartError(Exception):
    """The process cannot start; the message says why and what to do."""
