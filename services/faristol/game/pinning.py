"""The rules of a table, found again by the content that it pins."""

from __future__ import annotations

from faristol.game.model import Pin
from faristol.rules import N_, Refusal, Ruleset, load_ruleset, ruleset_names


def ruleset_of(pin: Pin) -> Ruleset:
    """The ruleset that ``pin`` names. Raises ``Refusal`` when it is not installed here with that content."""
    found = load_ruleset(pin.name) if pin.name in ruleset_names() else None
    if found is None or found.digest != pin.digest:
        raise Refusal(
            "RULESET_MISSING",
            "",
            N_("The game is pinned to ruleset {name} with content {digest}, which is not installed here."),
            {"name": pin.name, "digest": pin.digest},
        )
    return found
