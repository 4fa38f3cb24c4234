"""Too many tiles, too few, and tiles found beside the board: the tiles drawn or returned, shown and chosen.

Every draw is made by ``bag.draw`` from a seed and a counter, so that it can be reproduced and verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.draws.bag import draw
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.turns import exchange_limit


class Stage(StrEnum):
    """The stage at which a rack is found too full or too empty."""

    UNRACKED = "unracked"
    """The new tiles are still apart."""
    RACKED = "racked"
    """The new tiles are among the others."""
    LATE = "late"
    """An opponent notices it after the turn has passed, before the player's next play is complete."""


@dataclass(frozen=True, slots=True)
class Notice:
    """The circumstances in which a rack is found too full or too empty."""

    racked: bool
    """Whether the new tiles are among the others."""
    seen: bool
    """Whether the drawing player has seen them."""
    by_drawer: bool = True
    """Whether the drawing player reports it, and not an opponent."""
    turn_passed: bool = False
    """Whether the turn of the draw is over."""
    own_turn: bool = False
    """Whether the drawing player's next turn has begun."""

    @property
    def stage(self) -> Stage:
        """The stage for the record."""
        if self.turn_passed and not self.by_drawer:
            return Stage.LATE
        return Stage.RACKED if self.racked else Stage.UNRACKED


@dataclass(frozen=True, slots=True)
class Overdraw:
    """The procedure for a surplus. Without a choice or an arbiter, the tiles ``shown`` go back."""

    surplus: int
    """Tiles over a full rack."""
    article: str
    shown: tuple[str, ...] = ()
    """Tiles taken out, in the order of the draw: those that go back, or those to choose from."""
    seen_by_opponent: bool = False
    """Whether the opponent sees ``shown``."""
    choose: int = 0
    """Number of ``shown`` tiles that the opponent must still choose for the bag."""
    turn_lost: bool = False
    """Whether the player loses the next turn (FISE 28)."""
    arbiter: bool = False
    """Whether an arbiter decides: no tile was drawn."""
    from_rack: bool = False
    """Whether ``shown`` was drawn from the whole rack, and not from the new tiles only."""


def overdraw(
    held: Sequence[str],
    new: Sequence[str],
    notice: Notice,
    *,
    seed: bytes,
    counter: int,
    ruleset: Ruleset,
) -> Overdraw:
    """Return the procedure for too many tiles (UF 4, FISC I.7.3, FISE 28, PES Δ.στ).

    ``held`` are the tiles before the draw, ``new`` those drawn. The procedure depends on their place and on the person
    who noticed: FISE 28 takes the next turn if the opponent did, before the press or after it. For a random choice the
    result has the tiles that go back. For the opponent's choice it has two tiles more than the surplus (X + 2), or all
    there are. Raises ``ValueError`` without a surplus, or for a surplus of more tiles than drawn.
    """
    law, rack = ruleset.overdraw, (*held, *new)
    surplus = len(rack) - ruleset.game.rack_size
    if surplus < 1 or surplus > len(new):
        raise ValueError(f"{len(held)} tiles held and {len(new)} drawn are no surplus over {ruleset.game.rack_size}")
    late = notice.turn_passed and not notice.by_drawer
    if law.late == "choose-and-lose-turn" and not notice.by_drawer:
        article = ruleset.article("overdraw.late")
        return Overdraw(surplus, article, rack, seen_by_opponent=True, choose=surplus, turn_lost=True)
    if law.late == "arbiter" and late:
        return Overdraw(surplus, ruleset.article("overdraw.late"), arbiter=True)
    if law.own_late == "arbiter" and notice.by_drawer and notice.own_turn:
        return Overdraw(surplus, ruleset.article("overdraw.own_late"), arbiter=True)
    apart = not (notice.racked or (notice.seen and law.seen_counts_as_racked) or (late and law.late == "as-racked"))
    article = ruleset.article("overdraw.unracked" if apart else "overdraw.racked")
    procedure = law.unracked if apart else law.racked
    among = new if procedure.endswith("of-new") else rack
    match procedure:
        case "arbiter":
            return Overdraw(surplus, article, arbiter=True)
        case "random-of-new" | "random-of-rack":
            seen = law.returned_seen == "by-opponent" or (
                law.returned_seen == "by-opponent-if-mover-saw" and notice.seen
            )
            shown = draw(among, surplus, seed, counter)
            return Overdraw(surplus, article, shown, seen_by_opponent=seen, from_rack=among is rack)
        case "two-more-of-new" | "two-more-of-rack":
            shown = draw(among, min(surplus + 2, len(among)), seed, counter)
            return Overdraw(surplus, article, shown, seen_by_opponent=True, choose=surplus, from_rack=among is rack)


def check_returned(chosen: Sequence[str], shown: Sequence[str], count: int, article: str) -> None:
    """Raise ``Refusal`` unless ``chosen`` for the bag are ``count`` tiles out of those ``shown``."""
    _check_choice(N_("{count} of {shown} must go back into the bag, not {chosen}."), chosen, shown, count, article)


def check_kept(chosen: Sequence[str], revealed: Sequence[str], count: int, article: str) -> None:
    """Raise ``Refusal`` unless the tiles ``chosen`` to keep are ``count`` tiles out of those ``revealed``.

    The opponent chooses them after an exchange of too many.
    """
    _check_choice(N_("The player must keep {count} of {shown}, not {chosen}."), chosen, revealed, count, article)


def _check_choice(text: str, chosen: Sequence[str], shown: Sequence[str], count: int, article: str) -> None:
    if len(chosen) != count or Counter(chosen) - Counter(shown):
        raise Refusal(
            "WRONG_CHOICE",
            text,
            {"count": count, "shown": " ".join(shown), "chosen": " ".join(chosen) or "–"},
            article=article,
        )


def expulsion_due(in_game: int, in_tournament: int, ruleset: Ruleset) -> bool:
    """Check whether this number of deliberate overdraws must be proposed for expulsion (FISE 28: 2 and 3)."""
    game, tournament = ruleset.overdraw.expulsion_after_in_game, ruleset.overdraw.expulsion_after_in_tournament
    return (game is not None and in_game >= game) or (tournament is not None and in_tournament >= tournament)


@dataclass(frozen=True, slots=True)
class Underdraw:
    """The procedure for a rack that is too empty."""

    missing: int
    """Tiles drawn now: those missing from a full rack, or those in the bag."""
    shown: bool
    """Whether the opponent sees them."""
    arbiter: bool
    """Whether an arbiter decides: no tile is drawn."""
    article: str


def underdraw(rack: Sequence[str], bag: Sequence[str], notice: Notice, ruleset: Ruleset) -> Underdraw:
    """Return the procedure for too few tiles (FISE 29, FISC I.7.3, PES Δ.στ).

    FISE treats tiles that the player has seen as racked. Raises ``Refusal`` if it is too late for a claim, and
    ``ValueError`` if no tile is missing.
    """
    missing = min(ruleset.game.rack_size - len(rack), len(bag))
    if missing < 1:
        raise ValueError(f"a rack of {len(rack)} has no missing tile that a bag of {len(bag)} holds")
    if notice.own_turn and ruleset.underdraw.late != "as-drawn":
        article = ruleset.article("underdraw.late")
        if ruleset.underdraw.late == "arbiter":
            return Underdraw(missing, shown=False, arbiter=True, article=article)
        raise Refusal(
            "UNDERDRAW_LATE",
            N_("It is the player's turn again: missing tiles are not drawn before the next play is made."),
            article=article,
        )
    apart = not (notice.racked or (notice.seen and ruleset.overdraw.seen_counts_as_racked))
    procedure = ruleset.underdraw.unracked if apart else ruleset.underdraw.racked
    article = ruleset.article("underdraw.unracked" if apart else "underdraw.racked")
    return Underdraw(missing, procedure == "complete-and-show", procedure == "arbiter", article)


def found_tiles_go_in(found: int, bag_size: int, ruleset: Ruleset) -> bool:
    """Check whether ``found`` tiles go into a bag of ``bag_size``, or stay out to the end (PES Δ.ζ).

    Raises ``Refusal`` if the rules accept no claim after the start of the game (UF 1, FISC I.5, FISE 3).
    """
    law = ruleset.found_tiles
    if law.rule == "refused":
        raise Refusal(
            "TILES_CLAIMED_LATE",
            N_("The game has begun: claims about the number of tiles are no longer accepted."),
            article=ruleset.article("found_tiles.rule"),
        )
    counted = bag_size + (found if law.counted == "after" else 0)
    return law.out_at is None or counted > law.out_at


def taken_too_many(exchanged: int, bag_size: int, ruleset: Ruleset) -> int:
    """Return the number of ``exchanged`` tiles beyond the limit of a bag with ``bag_size`` tiles."""
    return max(0, exchanged - exchange_limit(bag_size, ruleset))
