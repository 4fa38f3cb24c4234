"""Kinds of byes. Pure, and without the contract, so that the rules can use it."""

from __future__ import annotations

from enum import StrEnum


class Bye(StrEnum):
    """The kind of a bye."""

    ALLOCATED = "allocated"
    """The pairing left the player without an opponent."""
    HALF_POINT = "half-point"
    FULL_POINT = "full-point"
    ZERO_POINT = "zero-point"
