"""The names of services, and errors at the start of a process; importable without settings."""

from __future__ import annotations

SERVICES = ("access", "lexicon", "game", "clock", "pairing", "rating", "results", "gateway")
"""The eight services in their start order."""

PACKAGES = {"access": "credentials", "pairing": "tournament", "results": "read_models"}
"""Packages of the services that are not named like their service: the name in the contract stays, the package says the
subject that is decided in it."""

RELAY = "relay"
"""Name of a process that only publishes notifications of the record."""

ASKING = frozenset({"gateway"})
"""Services that call others for all data. In a separate process they have no database, bus or keys."""

_LOOPBACK_OF_ALL = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "[::]": "[::1]"}  # noqa: S104 # only compared


def to_reachable_address(address: str) -> str:
    """Return HOST:PORT at which this machine reaches a listener: loopback if it listens on all addresses."""
    host, _, port = address.rpartition(":")
    return f"{_LOOPBACK_OF_ALL.get(host, host)}:{port}"


class StartError(Exception):
    """The process cannot start; the message states the reason and the remedy."""
