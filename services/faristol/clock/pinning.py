"""The rules of a game, found again by the content that it pins and what was chosen for it."""

from __future__ import annotations

from faristol.clock.views import Table
from faristol.rules.pinned import pinned_ruleset
from faristol.rules.ruleset import Ruleset


def ruleset_of(table: Table) -> Ruleset:
    """The ruleset that the game pins. Raises ``Refusal`` when it is not installed here with that content."""
    return pinned_ruleset(table.ruleset, table.ruleset_digest, table.options)
