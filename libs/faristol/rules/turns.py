"""Turns without a play: exchanges, passes, and the change of a rack that costs no turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK


class TurnKind(StrEnum):
    """The result of a turn."""

    PLAY = "play"
    """Tiles were laid and stayed, with any score."""
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    WITHDRAWN = "withdrawn"
    """A play was removed from the board after a challenge, or after the opponent refused a missed centre."""
    CANNOT_PLAY = "cannot-play"
    """Given up because no tile could be laid, although passing is not allowed (FM 9)."""
    LOST = "lost"
    """Lost by an action in it: tiles touched and not played, a fake blank, an illegal exchange."""
    TIMED_OUT = "timed-out"
    """Lost by timeout (UF 18.1, FM 2, FISE 33)."""
    FORFEITED = "forfeited"
    """Lost before it began: by a penalty (FISE 28), or because the player has left the table permanently."""


TAKEN_AWAY = (TurnKind.TIMED_OUT, TurnKind.FORFEITED)
"""Turns without a decision of the player."""


class FreeExchangeOutcome(StrEnum):
    """The result of a request to change a rack without losing the turn."""

    GRANTED = "granted"
    TURN_LOST = "turn-lost"
    """The rack does not qualify, and the request costs the turn (FM 6)."""


def exchange_limit(bag_size: int, ruleset: Ruleset) -> int:
    """Return the most tiles that may be exchanged while the bag has ``bag_size``; 0 for no exchange.

    UF 14.1 and FM 7 require a full rack in the bag; FISC I.7.1 and FISE 25 as many tiles as are taken; PES Δ.β.iii
    leaves the last seven in it.
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
    """Raise ``Refusal`` for an exchange of ``tiles`` of ``rack`` that the rules do not allow (FISC I.7.1).

    ``rack`` and ``tiles`` have faces, ``?`` for a blank; ``bag_size`` is the number of tiles in the bag before the
    exchange.
    """
    article = ruleset.article("exchange.limit")
    if not tiles:
        raise Refusal("NO_TILES", N_("An exchange names the tiles to exchange, at least one."), article=article)
    _check_held(tiles, rack, article)
    if len(tiles) > (limit := exchange_limit(bag_size, ruleset)):
        raise Refusal(
            "EXCHANGE_TOO_LARGE",
            N_("{asked} {asked:tile|tiles} cannot be exchanged while the bag holds {bag}: the maximum is {limit}."),
            {"asked": len(tiles), "bag": bag_size, "limit": limit},
            article=article,
        )


def _check_held(tiles: Sequence[str], rack: Sequence[str], article: str) -> None:
    missing = Counter(tiles) - Counter(rack)
    if missing:
        raise Refusal(
            "NOT_IN_RACK",
            N_("The rack does not hold {tiles}. Only tiles of the player's own rack can be exchanged."),
            {"tiles": " ".join(sorted(missing.elements()))},
            article=article,
        )


def check_pass(bag_size: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a pass that the rules do not allow: with fewer than seven tiles in the bag under FM 7."""
    if ruleset.passing.allowed == "full-rack-in-bag" and bag_size < ruleset.game.rack_size:
        raise Refusal(
            "PASS_NOT_ALLOWED",
            N_("A turn can be passed only while the bag holds {least} {least:tile|tiles} or more; it holds {bag}."),
            {"least": ruleset.game.rack_size, "bag": bag_size},
            article=ruleset.article("passing.allowed"),
        )


def check_cannot_play(bag_size: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for giving up a turn without a possible play, unless the rules allow it (FM 7, 9).

    A player passes or exchanges while the bag has a full rack.
    """
    if not ruleset.passing.cannot_play:
        raise Refusal(
            "CANNOT_PLAY_UNKNOWN",
            N_("A turn cannot be given up because no play is possible: pass instead."),
            article=ruleset.article("passing.cannot_play") or ruleset.article("passing.allowed"),
        )
    if bag_size >= ruleset.game.rack_size:
        raise Refusal(
            "PASS_INSTEAD",
            N_("The bag holds {bag} tiles: while it holds {least} or more, pass or exchange tiles."),
            {"bag": bag_size, "least": ruleset.game.rack_size},
            article=ruleset.article("passing.allowed"),
        )


def free_exchange(rack: Sequence[str], tiles: Sequence[str], bag_size: int, ruleset: Ruleset) -> FreeExchangeOutcome:
    """Decide on a change of ``rack`` without losing the turn, as the first action of the turn (UF 14.2, FM 6).

    ``tiles`` are those to change. The rack must be full and have only vowels or only consonants; a blank is neither,
    unless the rules count it as the required kind. Raises ``Refusal`` without such a change in the rules, with too few
    tiles in the bag, or for a part of the rack only. Without such a rack it raises too, or returns ``TURN_LOST`` if the
    request costs the turn.
    """
    law = ruleset.free_exchange
    if not law.allowed:
        raise Refusal(
            "FREE_EXCHANGE_UNKNOWN",
            N_("Under these rules tiles cannot be changed without losing the turn."),
            article=ruleset.article("free_exchange.allowed"),
        )
    if bag_size < law.bag_min:
        raise Refusal(
            "FREE_EXCHANGE_BAG",
            N_("Tiles can be changed without losing the turn while the bag holds {least} or more; it holds {bag}."),
            {"least": law.bag_min, "bag": bag_size},
            article=ruleset.article("free_exchange.bag_min"),
        )
    _check_held(tiles, rack, ruleset.article("free_exchange.allowed"))
    if all_alike(rack, ruleset):
        if law.all_tiles and len(tiles) != len(rack):
            raise Refusal(
                "FREE_EXCHANGE_NOT_ALL",
                N_("All {rack} tiles must be changed at once, not {tiles} of them."),
                {"rack": len(rack), "tiles": len(tiles)},
                article=ruleset.article("free_exchange.all_tiles"),
            )
        return FreeExchangeOutcome.GRANTED
    if law.unfounded == "turn-lost":
        return FreeExchangeOutcome.TURN_LOST
    raise Refusal(
        "FREE_EXCHANGE_UNFOUNDED",
        N_(
            "{rack} does not have {wanted} vowels or {wanted} consonants: it cannot be changed without losing the turn."
        ),
        {"rack": " ".join(rack), "wanted": ruleset.game.rack_size},
        article=ruleset.article("free_exchange.allowed"),
    )


def all_alike(rack: Sequence[str], ruleset: Ruleset) -> bool:
    """Check whether ``rack`` is full and has only vowels or only consonants (UF 14.2, FM 6)."""
    if len(rack) != ruleset.game.rack_size:
        return False
    letters = [face for face in rack if face != BLANK]
    if len(letters) < len(rack) and not ruleset.free_exchange.blanks_count:
        return False
    vowels = ruleset.tile_set.vowels
    return len({face in vowels for face in letters}) < 2
