"""Too many tiles, too few, and tiles that lay under the table: who takes what, who sees what, who chooses.

Every draw is made by ``bag.draw`` from a seed and a counter, so that it can be made again and checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.bag import draw
from faristol.rules.ruleset import Ruleset
from faristol.rules.turns import exchange_limit


class Stage(StrEnum):
    """When it shows that a rack is too full or too empty."""

    UNRACKED = "unracked"
    """The new tiles still lie apart."""
    RACKED = "racked"
    """They are among the others."""
    LATE = "late"
    """The opponent notices, before the player's next play is complete."""


@dataclass(frozen=True, slots=True)
class Overdraw:
    """What is done about a surplus. It is settled when ``choose`` is 0 and no arbiter is needed."""

    surplus: int
    """Tiles over a full rack."""
    shown: tuple[str, ...]
    """Tiles taken out, in the order of the draw: those that go back, or those to choose from."""
    seen_by_opponent: bool
    """Whether the opponent looks at ``shown``."""
    choose: int
    """How many of ``shown`` the opponent must still choose for the bag."""
    returned: tuple[str, ...]
    """Tiles that go back into the bag."""
    turn_lost: bool
    """The player loses the next turn (FISE 28)."""
    arbiter: bool
    """The book leaves it to an arbiter: nothing was drawn."""
    article: str


def overdraw(
    held: Sequence[str],
    new: Sequence[str],
    *,
    stage: Stage,
    mover_saw: bool,
    seed: bytes,
    counter: int,
    ruleset: Ruleset,
) -> Overdraw:
    """What the rules do about too many tiles (UF 4, FISC I.7.3, FISE 28, PES Δ.στ).

    ``held`` are the tiles before the draw, ``new`` those that it brought. At random, what goes back is in the
    result. Where the opponent chooses, as many more as the surplus needs are shown (X + 2, or all there are);
    ``choose_returned`` then settles it. Raises ``ValueError`` when there is no surplus, or when more than the draw
    brought is over.
    """
    law, rack = ruleset.overdraw, (*held, *new)
    surplus = len(rack) - ruleset.game.rack_size
    if surplus < 1 or surplus > len(new):
        raise ValueError(f"{len(held)} tiles held and {len(new)} drawn are no surplus over {ruleset.game.rack_size}")
    if stage is Stage.UNRACKED and mover_saw and law.seen_counts_as_racked:
        stage = Stage.RACKED
    if stage is Stage.LATE and law.late == "choose-and-lose-turn":
        article = ruleset.article("overdraw.late")
        return Overdraw(surplus, rack, True, surplus, (), turn_lost=True, arbiter=False, article=article)
    if stage is Stage.LATE and law.late == "arbiter":
        article = ruleset.article("overdraw.late")
        return Overdraw(surplus, (), False, 0, (), turn_lost=False, arbiter=True, article=article)
    key = "unracked" if stage is Stage.UNRACKED else "racked"
    procedure = law.unracked if stage is Stage.UNRACKED else law.racked
    article = ruleset.article(f"overdraw.{key}")
    match procedure:
        case "arbiter":
            return Overdraw(surplus, (), False, 0, (), turn_lost=False, arbiter=True, article=article)
        case "random-of-new" | "random-of-rack":
            back = draw(new if procedure == "random-of-new" else rack, surplus, seed, counter)
            seen = law.returned_seen == "by-opponent" or (law.returned_seen == "by-opponent-if-mover-saw" and mover_saw)
            return Overdraw(surplus, back, seen, 0, back, turn_lost=False, arbiter=False, article=article)
        case "two-more-of-new" | "two-more-of-rack":
            among = new if procedure == "two-more-of-new" else rack
            shown = draw(among, min(surplus + 2, len(among)), seed, counter)
            return Overdraw(surplus, shown, True, surplus, (), turn_lost=False, arbiter=False, article=article)


def choose_returned(found: Overdraw, returned: Sequence[str]) -> Overdraw:
    """``found`` with the opponent's choice of what goes back.

    Raises ``Refusal`` when it is not as many tiles as the surplus, or not out of those shown.
    """
    if len(returned) != found.choose or Counter(returned) - Counter(found.shown):
        raise Refusal(
            "WRONG_CHOICE",
            found.article,
            N_("{count} of {shown} go back into the bag, not {chosen}."),
            {"count": found.choose, "shown": " ".join(found.shown), "chosen": " ".join(returned) or "–"},
        )
    return replace(found, choose=0, returned=tuple(returned))


def expulsion_due(in_game: int, in_tournament: int, ruleset: Ruleset) -> bool:
    """Whether so many racks held too full on purpose must be put forward for expulsion (FISE 28: 2 and 3)."""
    game, tournament = ruleset.overdraw.expulsion_after_in_game, ruleset.overdraw.expulsion_after_in_tournament
    return (game is not None and in_game >= game) or (tournament is not None and in_tournament >= tournament)


@dataclass(frozen=True, slots=True)
class Underdraw:
    """What is done about a rack that is too empty."""

    missing: int
    """Tiles that are drawn now: what a full rack lacks, or what the bag holds."""
    drawn: tuple[str, ...]
    shown: bool
    """Whether the opponent sees ``drawn``."""
    arbiter: bool
    """The book leaves it to an arbiter: nothing was drawn."""
    article: str


def underdraw(
    rack: Sequence[str], bag: Sequence[str], *, stage: Stage, seen: bool, seed: bytes, counter: int, ruleset: Ruleset
) -> Underdraw:
    """What the rules do about too few tiles (FISE 29, FISC I.7.3, PES Δ.στ).

    ``seen`` says whether the player looked at the tiles, which FISE treats as racked. Raises ``ValueError`` when
    nothing is missing.
    """
    missing = min(ruleset.game.rack_size - len(rack), len(bag))
    if missing < 1:
        raise ValueError(f"a rack of {len(rack)} lacks nothing that a bag of {len(bag)} holds")
    apart = stage is Stage.UNRACKED and not (seen and ruleset.overdraw.seen_counts_as_racked)
    procedure = ruleset.underdraw.unracked if apart else ruleset.underdraw.racked
    article = ruleset.article("underdraw.unracked" if apart else "underdraw.racked")
    if procedure == "arbiter":
        return Underdraw(missing, (), shown=False, arbiter=True, article=article)
    drawn = draw(bag, missing, seed, counter)
    return Underdraw(missing, drawn, shown=procedure == "complete-and-show", arbiter=False, article=article)


def found_tiles_go_in(found: int, bag_size: int, ruleset: Ruleset) -> bool:
    """Whether ``found`` tiles that were missing go into a bag of ``bag_size``, or stay out to the end (PES Δ.ζ).

    Raises ``Refusal`` where no claim is heard once the game has begun (UF 1, FISC I.5, FISE 3).
    """
    law = ruleset.found_tiles
    if law.rule == "refused":
        raise Refusal(
            "TILES_CLAIMED_LATE",
            ruleset.article("found_tiles.rule"),
            N_("The game has begun: claims about the number of tiles are no longer accepted."),
        )
    counted = bag_size + (found if law.counted == "after" else 0)
    return law.out_at is None or counted > law.out_at


@dataclass(frozen=True, slots=True)
class Revealed:
    """What the opponent sees after an exchange that took of the last tiles (PES Δ.β.iii)."""

    from_rack: tuple[str, ...]
    """Tiles of the player, at random, as many as were exchanged."""
    bag: tuple[str, ...]
    """The whole bag."""
    keep: int
    """How many of all these the player gets back."""
    article: str


def taken_too_many(exchanged: int, bag_size: int, ruleset: Ruleset) -> int:
    """How many of ``exchanged`` tiles should have stayed in a bag that held ``bag_size`` before the exchange."""
    return max(0, exchanged - exchange_limit(bag_size, ruleset))


def reveal(
    rack: Sequence[str], bag: Sequence[str], exchanged: int, *, seed: bytes, counter: int, ruleset: Ruleset
) -> Revealed:
    """Show the opponent ``exchanged`` tiles of ``rack``, at random, and the whole ``bag``, as both are now.

    The number is that of all tiles exchanged, not only of those that should have stayed (PES Δ.β.iii).
    """
    from_rack = draw(rack, min(exchanged, len(rack)), seed, counter)
    article = ruleset.article("exchange.illegal")
    return Revealed(from_rack, tuple(sorted(bag)), len(from_rack), article)


def keep_revealed(found: Revealed, kept: Sequence[str]) -> tuple[str, ...]:
    """What goes back into the bag when the opponent lets the player keep ``kept``; the bag then holds just that.

    Raises ``Refusal`` when that is not as many tiles as were taken from the rack, or not out of those revealed.
    """
    shown = Counter(found.from_rack) + Counter(found.bag)
    if len(kept) != found.keep or Counter(kept) - shown:
        raise Refusal(
            "WRONG_CHOICE",
            found.article,
            N_("The player keeps {count} of {shown}, not {chosen}."),
            {
                "count": found.keep,
                "shown": " ".join((*found.from_rack, *found.bag)),
                "chosen": " ".join(kept) or "–",
            },
        )
    return tuple(sorted((shown - Counter(kept)).elements()))
