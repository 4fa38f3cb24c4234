"""The rules of a game, found again by the content that it pins."""

from __future__ import annotations

from faristol.clock.views import Table
from faristol.rules.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset, load_ruleset


def ruleset_of(table: Table) -> Ruleset:
    """The ruleset that the game was opened under.

    Raises ``Refusal`` when this program has none of that name, or has it with other content than was pinned.
    """
    try:
        ruleset = load_ruleset(table.ruleset)
    except LookupError:
        raise Refusal(
            "RULESET_UNKNOWN",
            "",
            N_("Game {game} is played under the ruleset {ruleset}, which is not among those known here."),
            {"game": table.game_id, "ruleset": table.ruleset},
        ) from None
    if ruleset.digest != table.ruleset_digest:
        raise Refusal(
            "RULESET_CHANGED",
            "",
            N_("Game {game} pins the ruleset {ruleset} with digest {pinned}; the one known here has {found}."),
            {
                "game": table.game_id,
                "ruleset": table.ruleset,
                "pinned": table.ruleset_digest,
                "found": ruleset.digest,
            },
        )
    return ruleset
