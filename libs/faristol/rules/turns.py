"""Turns that lay no tile: exchanges and passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from faristol.rules.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset


class TurnKind(StrEnum):
    """What a turn came to. A play that was taken off the board, for whatever reason, is ``WITHDRAWN``."""

    PLAY = "play"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    WITHDRAWN = "withdrawn"


def exchange_limit(bag_size: int, ruleset: Ruleset) -> int:
    """How many tiles may be exchanged while the bag holds ``bag_size``; 0 when none may be."""
    rack = ruleset.game.rack_size
    match ruleset.exchange.limit:
        case "bag":
            return min(rack, bag_size)
        case "full-rack-in-bag":
            return rack if bag_size >= rack else 0
        case "leave-full-rack":
            return max(0, min(rack, bag_size - rack))


def check_exchange(rack: Sequence[str], tiles: Sequence[str], bag_size: int, ruleset: Ruleset) -> None:
    """Refuse an exchange of ``tiles`` of ``rack`` that the rules do not allow (FISC I.7.1).

    ``rack`` and ``tiles`` hold faces, ``?`` for a blank; ``bag_size`` is the number of tiles in the bag before
    the exchange.
    """
    article = ruleset.article("exchange.limit")
    if not tiles:
        raise Refusal("NO_TILES", article, N_("An exchange names the tiles to exchange, at least one."))
    missing = Counter(tiles) - Counter(rack)
    if missing:
        raise Refusal(
            "NOT_IN_RACK",
            article,
            N_("The rack does not hold {tiles}. Only tiles of one's own rack can be exchanged."),
            {"tiles": " ".join(sorted(missing.elements()))},
        )
    if len(tiles) > (limit := exchange_limit(bag_size, ruleset)):
        raise Refusal(
            "EXCHANGE_TOO_LARGE",
            article,
            N_("{asked} tiles cannot be exchanged while the bag holds {bag}: the most is {limit}."),
            {"asked": len(tiles), "bag": bag_size, "limit": limit},
        )


def check_pass(bag_size: int, ruleset: Ruleset) -> None:
    """Refuse a pass where the rules do not allow it (FISC I.7.4 always allows it)."""
    if ruleset.passing.allowed == "full-rack-in-bag" and bag_size < ruleset.game.rack_size:
        raise Refusal(
            "PASS_NOT_ALLOWED",
            ruleset.article("passing.allowed"),
            N_("A turn can be passed only while the bag holds {least} tiles or more; it holds {bag}."),
            {"least": ruleset.game.rack_size, "bag": bag_size},
        )
