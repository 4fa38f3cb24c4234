"""Contact and arbiters of a tournament: personal data stored beside the events, so that it can be erased."""

from __future__ import annotations

from dataclasses import dataclass

_BETWEEN = ";"


@dataclass(frozen=True, slots=True)
class Description:
    """Personal data of a tournament; empty if not given or erased."""

    contact: str = ""
    arbiters: tuple[str, ...] = ()
    """Names, the chief arbiter first."""


def read_description(contact: str, arbiters: str) -> Description:
    """Parse the notes of the last ``ContactSet`` and the last ``ArbitersNamed`` of a tournament."""
    return Description(contact, tuple(name.strip() for name in arbiters.split(_BETWEEN) if name.strip()))
