"""Racks of a duplicate game: validity, drawing, entry by hand, and the lack of a valid one (FISC II.3, II.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.draws.bag import draw, without
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK, TileSet

MOST_ATTEMPTS = 100_000
"""The most racks drawn for one turn. If a valid one is possible, this number of failures does not happen."""


class TileSupply(NamedTuple):
    """The number of tiles of each sort."""

    vowels: int
    consonants: int
    blanks: int

    @classmethod
    def of(cls, tiles: Iterable[str], tile_set: TileSet) -> TileSupply:
        """Count ``tiles`` by sort, ``?`` for a blank."""
        held = Counter(BLANK if tile == BLANK else tile in tile_set.vowels for tile in tiles)
        return cls(held[True], held[False], held[BLANK])

    def satisfies(self, need: Need) -> bool:
        """Check whether a rack of these is valid: each blank fills one place, of a vowel or of a consonant."""
        return max(0, need.vowels - self.vowels) + max(0, need.consonants - self.consonants) <= self.blanks


class Need(NamedTuple):
    """The least content of a valid rack."""

    vowels: int
    consonants: int


@dataclass(frozen=True, slots=True)
class DrawnAttempt:
    """One rack that was drawn, valid or not."""

    counter: int
    """The number of the draw in its game."""
    leftover: tuple[str, ...]
    """Tiles of the turn before, called first."""
    drawn: tuple[str, ...]
    """Tiles drawn from the bag, in order."""
    valid: bool

    @property
    def rack(self) -> tuple[str, ...]:
        """The rack in the order of the call: the leftover first (FISC II.4)."""
        return (*self.leftover, *self.drawn)


@dataclass(frozen=True, slots=True)
class RackDrawn:
    """The result of drawing for a turn: every attempt, the last of them valid, and the bag after it."""

    attempts: tuple[DrawnAttempt, ...]
    bag: tuple[str, ...]

    @property
    def rack(self) -> tuple[str, ...]:
        """The rack of the turn."""
        return self.attempts[-1].rack

    @property
    def next_counter(self) -> int:
        """The number of the game's next draw."""
        return self.attempts[-1].counter + 1


def need_of(turn: int, left: Sequence[str], ruleset: Ruleset) -> Need:
    """Return the least content of a rack in ``turn``, from 1; ``left`` are all tiles in bag and rack (FISC II.3).

    Tiles only ever leave them, so the late values remain once they apply.
    """
    racks, supply = ruleset.racks, TileSupply.of(left, ruleset.tile_set)
    blanks = supply.blanks if racks.blanks_left_count else 0
    fewest = min(supply.vowels, supply.consonants) + blanks
    late = turn >= racks.late_from_turn or (racks.late_when_left is not None and fewest <= racks.late_when_left)
    if late:
        return Need(racks.vowels_min_late, racks.consonants_min_late)
    return Need(racks.vowels_min, racks.consonants_min)


def is_valid(rack: Sequence[str], turn: int, left: Sequence[str], ruleset: Ruleset) -> bool:
    """Check whether ``rack`` is valid in ``turn``; ``left`` are all tiles in bag and rack."""
    return TileSupply.of(rack, ruleset.tile_set).satisfies(need_of(turn, left, ruleset))


def can_be_valid(turn: int, left: Sequence[str], ruleset: Ruleset, kept: Sequence[str] = ()) -> bool:
    """Check whether the tiles ``left`` make a valid rack that includes the tiles ``kept``."""
    size = min(ruleset.game.rack_size, len(left))
    need, supply = need_of(turn, left, ruleset), TileSupply.of(left, ruleset.tile_set)
    held = TileSupply.of(kept, ruleset.tile_set)
    return any(
        TileSupply(vowels, consonants, size - vowels - consonants).satisfies(need)
        for vowels in range(held.vowels, min(supply.vowels, size) + 1)
        for consonants in range(held.consonants, min(supply.consonants, size - vowels) + 1)
        if held.blanks <= size - vowels - consonants <= supply.blanks
    )


def is_exhausted(left: Sequence[str], ruleset: Ruleset) -> bool:
    """Check whether vowels or consonants are exhausted, without a blank to stand for one (FISC II.6)."""
    supply = TileSupply.of(left, ruleset.tile_set)
    return ruleset.finish.exhausted and not supply.blanks and not (supply.vowels and supply.consonants)


def draw_rack(
    turn: int, leftover: Sequence[str], bag: Sequence[str], seed: bytes, counter: int, ruleset: Ruleset
) -> RackDrawn | None:
    """Draw the rack of ``turn`` from ``bag``, by as many draws as needed from the number ``counter`` on.

    An invalid rack goes back, by ``racks.invalid``, before the next draw. None if the tiles left make no valid rack:
    the game is over (FISC II.3, II.6).
    """
    left = (*leftover, *bag)
    size = min(ruleset.game.rack_size, len(left))
    if not left or not can_be_valid(turn, left, ruleset):
        return None
    kept = tuple(leftover)
    attempts: list[DrawnAttempt] = []
    while not attempts or not attempts[-1].valid:
        if len(attempts) == MOST_ATTEMPTS:
            raise ValueError(f"no valid rack in {MOST_ATTEMPTS} draws for turn {turn}")
        drawn = draw(without(left, kept), size - len(kept), seed, counter + len(attempts))
        valid = is_valid((*kept, *drawn), turn, left, ruleset)
        attempts.append(DrawnAttempt(counter + len(attempts), kept, drawn, valid))
        if not valid and (ruleset.racks.invalid == "return-all" or not can_be_valid(turn, left, ruleset, kept)):
            kept = ()
    return RackDrawn(tuple(attempts), without(left, attempts[-1].rack))


def enter_rack(
    turn: int,
    rack: Sequence[str],
    leftover: Sequence[str],
    bag: Sequence[str],
    ruleset: Ruleset,
    *,
    redrawn: bool = False,
) -> tuple[str, ...]:
    """Check ``rack``, which the judge took out of the bag by hand, and return the bag after it.

    ``redrawn``: a rack with the leftover was invalid and went back, so this one need not include the leftover. Raises
    ``Refusal`` for missing tiles, a wrong size, a missing leftover, and an invalid rack (FISC II.3).
    """
    left = (*leftover, *bag)
    article = ruleset.article("racks.vowels_min")
    missing = Counter(rack) - Counter(left)
    if missing:
        raise Refusal(
            "NOT_IN_BAG",
            N_("The bag and the rack do not hold enough {tiles}."),
            {"tiles": " ".join(sorted(missing.elements()))},
            article=article,
        )
    size = min(ruleset.game.rack_size, len(left))
    if len(rack) != size:
        raise Refusal(
            "RACK_SIZE",
            N_("The rack of this round needs {size} tiles, not {found}."),
            {"size": size, "found": len(rack)},
            article=ruleset.article("game.rack_size"),
        )
    if not redrawn and (gone := Counter(leftover) - Counter(rack)):
        raise Refusal(
            "LEFTOVER_MISSING",
            N_("The tiles of the previous round stay in the rack, but {tiles} is missing."),
            {"tiles": " ".join(sorted(gone.elements()))},
            article=ruleset.article("game.rack_size"),
        )
    if not is_valid(rack, turn, left, ruleset):
        need = need_of(turn, left, ruleset)
        late = turn >= ruleset.racks.late_from_turn
        raise Refusal(
            "RACK_INVALID",
            N_(
                "In round {turn} a rack needs {vowels} {vowels:vowel|vowels} and {consonants} "
                "{consonants:consonant|consonants} or more. Return this rack and draw another."
            ),
            {"turn": turn, "vowels": need.vowels, "consonants": need.consonants},
            article=ruleset.article("racks.vowels_min_late" if late else "racks.vowels_min"),
        )
    return without(left, rack)


def in_call_order(rack: Sequence[str], leftover: Sequence[str]) -> tuple[str, ...]:
    """Return ``rack`` in the order of the call: the leftover first, then the others in their order (FISC II.4)."""
    kept = Counter(leftover) & Counter(rack)
    first = tuple(tile for tile in leftover if _take(kept, tile))
    return (*first, *without(rack, first))


def _take(tiles: Counter[str], tile: str) -> bool:
    """Remove one such tile from the counter, if there is one; return whether there was."""
    there = tiles[tile] > 0
    tiles[tile] -= there
    return there
