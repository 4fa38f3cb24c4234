"""The rules of a table, found again by the content that it pins."""

from __future__ import annotations

from faristol.game.model import Pin
from faristol.rules import Ruleset, pinned_ruleset


def ruleset_of(pin: Pin) -> Ruleset:
    """The ruleset that ``pin`` names. Raises ``Refusal`` when it is not installed here with that content."""
    return pinned_ruleset(pin.name, pin.digest, pin.chosen)
