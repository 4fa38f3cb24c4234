"""Whom to ask about tournaments, and their arbiters: names that stand beside the events, so that they can be erased."""

from __future__ import annotations

from dataclasses import dataclass

_BETWEEN = ";"


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a tournament beside its events; empty where it was not said, and where it was erased."""

    contact: str = ""
    arbiters: tuple[str, ...] = ()
    """The chief arbiter first."""


def read_description(contact: str, arbiters: str) -> Description:
    """Read what stands beside the last ``ContactSet`` and the last ``ArbitersNamed`` of a tournament."""
    return Description(contact, tuple(name.strip() for name in arbiters.split(_BETWEEN) if name.strip()))
