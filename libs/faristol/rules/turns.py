"""Turns that lay no tile: exchanges, passes, and the change of a rack that costs no turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset
from faristol.rules.tiles import BLANK


class TurnKind(StrEnum):
    """What a turn came to."""

    PLAY = "play"
    """Tiles were laid and stayed, whatever they scored."""
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    WITHDRAWN = "withdrawn"
    """A play was taken off the board because a challenge, or the opponent at a missed centre, found it invalid."""
    CANNOT_PLAY = "cannot-play"
    """Given up where passing is not allowed, because nothing could be laid (FM 9)."""
    LOST = "lost"
    """Lost by what the player did in it: tiles touched and not played, a fake blank, an exchange not allowed."""
    TIMED_OUT = "timed-out"
    """Lost because its time was over (UF 18.1, FM 2, FISE 33)."""
    FORFEITED = "forfeited"
    """Lost before it came: by a penalty (FISE 28), or because the player has left the table for good."""


TAKEN_AWAY = (TurnKind.TIMED_OUT, TurnKind.FORFEITED)
"""Turns in which the player decided nothing."""


class FreeExchangeOutcome(StrEnum):
    """What asking to change a rack without losing the turn comes to."""

    GRANTED = "granted"
    TURN_LOST = "turn-lost"
    """The rack was not what it must be, and asking costs the turn (FM 6)."""


def exchange_limit(bag_size: int, ruleset: Ruleset) -> int:
    """How many tiles may be exchanged while the bag holds ``bag_size``; 0 when none may be.

    UF 14.1 and FM 7 ask for a full rack in the bag; FISC I.7.1 and FISE 25 for as many tiles as are taken; PES
    Δ.β.iii leaves the last seven in it.
    """
    rack = ruleset.exchange.max
    match ruleset.exchange.limit:
        case "bag":
            return min(rack, bag_size)
        case "full-rack-in-bag":
            return min(rack, bag_size) if bag_size >= ruleset.game.rack_size else 0
        case "leave-full-rack":
            return max(0, min(rack, bag_size - ruleset.game.rack_size))


def check_exchange(rack: Sequence[str], tiles: Sequence[str], bag_size: int, ruleset: Ruleset) -> None:
    """Refuse an exchange of ``tiles`` of ``rack`` that the rules do not allow (FISC I.7.1).

    ``rack`` and ``tiles`` hold faces, ``?`` for a blank; ``bag_size`` is the number of tiles in the bag before
    the exchange.
    """
    article = ruleset.article("exchange.limit")
    if not tiles:
        raise Refusal("NO_TILES", article, N_("An exchange names the tiles to exchange, at least one."))
    _check_held(tiles, rack, article)
    if len(tiles) > (limit := exchange_limit(bag_size, ruleset)):
        raise Refusal(
            "EXCHANGE_TOO_LARGE",
            article,
            N_("{asked} {asked:tile|tiles} cannot be exchanged while the bag holds {bag}: the most is {limit}."),
            {"asked": len(tiles), "bag": bag_size, "limit": limit},
        )


def _check_held(tiles: Sequence[str], rack: Sequence[str], article: str) -> None:
    missing = Counter(tiles) - Counter(rack)
    if missing:
        raise Refusal(
            "NOT_IN_RACK",
            article,
            N_("The rack does not hold {tiles}. Only tiles of one's own rack can be exchanged."),
            {"tiles": " ".join(sorted(missing.elements()))},
        )


def check_pass(bag_size: int, ruleset: Ruleset) -> None:
    """Refuse a pass where the rules do not allow it: with fewer than seven tiles in the bag under FM 7."""
    if ruleset.passing.allowed == "full-rack-in-bag" and bag_size < ruleset.game.rack_size:
        raise Refusal(
            "PASS_NOT_ALLOWED",
            ruleset.article("passing.allowed"),
            N_("A turn can be passed only while the bag holds {least} {least:tile|tiles} or more; it holds {bag}."),
            {"least": ruleset.game.rack_size, "bag": bag_size},
        )


def check_cannot_play(bag_size: int, ruleset: Ruleset) -> None:
    """Refuse to give a turn up for want of a play where the rules have no such thing, or a pass would do (FM 7, 9)."""
    if not ruleset.passing.cannot_play:
        raise Refusal(
            "CANNOT_PLAY_UNKNOWN",
            ruleset.article("passing.cannot_play") or ruleset.article("passing.allowed"),
            N_("A turn is not given up by saying that nothing can be played: pass instead."),
        )
    if bag_size >= ruleset.game.rack_size:
        raise Refusal(
            "PASS_INSTEAD",
            ruleset.article("passing.allowed"),
            N_("The bag holds {bag} tiles: while it holds {least} or more a turn is passed or tiles are exchanged."),
            {"bag": bag_size, "least": ruleset.game.rack_size},
        )


def free_exchange(rack: Sequence[str], tiles: Sequence[str], bag_size: int, ruleset: Ruleset) -> FreeExchangeOutcome:
    """Whether ``rack`` may be changed without losing the turn, on the own turn and before acting (UF 14.2, FM 6).

    ``tiles`` are those to be changed. A full rack of vowels alone or of consonants alone is asked for; a blank is
    neither, unless the rules let it pass for what is wanted. Raises ``Refusal`` where the rules know no such change,
    the bag holds too little, or less than the whole rack is offered; without such a rack it raises too, or gives
    ``TURN_LOST`` where asking costs the turn.
    """
    law = ruleset.free_exchange
    if not law.allowed:
        raise Refusal(
            "FREE_EXCHANGE_UNKNOWN",
            ruleset.article("free_exchange.allowed"),
            N_("These rules let nobody change tiles without losing the turn."),
        )
    if bag_size < law.bag_min:
        raise Refusal(
            "FREE_EXCHANGE_BAG",
            ruleset.article("free_exchange.bag_min"),
            N_("Tiles can be changed without losing the turn while the bag holds {least} or more; it holds {bag}."),
            {"least": law.bag_min, "bag": bag_size},
        )
    _check_held(tiles, rack, ruleset.article("free_exchange.allowed"))
    if all_alike(rack, ruleset):
        if law.all_tiles and len(tiles) != len(rack):
            raise Refusal(
                "FREE_EXCHANGE_NOT_ALL",
                ruleset.article("free_exchange.all_tiles"),
                N_("All {rack} tiles are changed at once, not {tiles} of them."),
                {"rack": len(rack), "tiles": len(tiles)},
            )
        return FreeExchangeOutcome.GRANTED
    if law.unfounded == "turn-lost":
        return FreeExchangeOutcome.TURN_LOST
    raise Refusal(
        "FREE_EXCHANGE_UNFOUNDED",
        ruleset.article("free_exchange.allowed"),
        N_("{rack} are not {wanted} vowels or {wanted} consonants, so they are not changed without losing the turn."),
        {"rack": " ".join(rack), "wanted": ruleset.game.rack_size},
    )


def all_alike(rack: Sequence[str], ruleset: Ruleset) -> bool:
    """Whether ``rack`` is full, and holds vowels alone or consonants alone (UF 14.2, FM 6)."""
    if len(rack) != ruleset.game.rack_size:
        return False
    letters = [face for face in rack if face != BLANK]
    if len(letters) < len(rack) and not ruleset.free_exchange.blanks_count:
        return False
    vowels = ruleset.tile_set.vowels
    return len({face in vowels for face in letters}) < 2
