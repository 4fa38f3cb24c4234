"""All players of a round in arrays, with the effect of each pair on the criteria.

Rows and columns follow the order of FIDE C.04.3 1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from faristol.tournament.engines.dutch.player import DutchPlayer, DutchRound, Float, Strength

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PlayerArrays:
    """The players of a round as rows of arrays."""

    players: tuple[DutchPlayer, ...]
    points: Ints
    may_meet: Bools
    """Pairs that C1 and C3 allow and that are not forbidden."""
    may_rest: Bools
    """Players who may have the allocated bye by C2."""
    unplayed: Ints
    down: tuple[Bools, Bools]
    """Players with a downfloat in the round before, and in the one before that."""
    up: tuple[Bools, Bools]
    colour: dict[str, Bools]
    """The pairs that violate each colour criterion, for one player, by its name."""


def field_of(ranking: Sequence[DutchPlayer], a_round: DutchRound) -> PlayerArrays:
    """Build the field of the players ``ranking`` of a round, in that order."""
    place = {player.number: index for index, player in enumerate(ranking)}
    count = len(ranking)
    may_meet = ~np.eye(count, dtype=np.bool_)
    for index, player in enumerate(ranking):
        met = [place[number] for number in player.opponents if number in place]
        may_meet[index, met] = False
        may_meet[met, index] = False
    for pair in a_round.forbidden:
        if len(found := [place[number] for number in pair if number in place]) == 2:
            may_meet[found[0], found[1]] = may_meet[found[1], found[0]] = False
    colour = _colour_criteria(ranking) if a_round.colours else {}
    if a_round.colours:
        topscorer = np.array([player.topscorer for player in ranking], np.bool_)
        absolute = np.array([player.strength is Strength.ABSOLUTE for player in ranking], np.bool_)
        both = _same_preference(ranking) & np.logical_and.outer(absolute, absolute)
        may_meet &= ~(both & ~np.logical_or.outer(topscorer, topscorer))
    return PlayerArrays(
        players=tuple(ranking),
        points=np.array([player.points for player in ranking], np.int64),
        may_meet=may_meet,
        may_rest=np.array([not player.had_bye for player in ranking], np.bool_),
        unplayed=np.array([player.unplayed for player in ranking], np.int64),
        down=_floats(ranking, Float.DOWN),
        up=_floats(ranking, Float.UP),
        colour=colour,
    )


def _floats(ranking: Sequence[DutchPlayer], kind: Float) -> tuple[Bools, Bools]:
    last, before = (np.array([player.floats[back] is kind for player in ranking], np.bool_) for back in (0, 1))
    return last, before


def _same_preference(ranking: Sequence[DutchPlayer]) -> Bools:
    preference = np.array([player.preference for player in ranking], np.int64)
    return np.asarray(np.equal.outer(preference, preference) & (preference != 0), np.bool_)


def _colour_criteria(ranking: Sequence[DutchPlayer]) -> dict[str, Bools]:
    """Return the pairs that violate C10 to C13: of a common preference only one player gets it, by 5.2."""
    same = _same_preference(ranking)
    strength = np.array([player.strength for player in ranking], np.int64)
    difference = np.array([abs(player.colour_difference) for player in ranking], np.int64)
    repeated = np.array([player.repeated for player in ranking], np.int64)
    absolute = strength == Strength.ABSOLUTE
    both_absolute = np.logical_and.outer(absolute, absolute)
    strong = strength >= Strength.STRONG
    twice = repeated != 0
    wider = np.greater.outer(difference, difference)
    loser_twice = np.where(wider, twice[np.newaxis, :], np.where(wider.T, twice[:, np.newaxis], False))
    level = np.equal.outer(difference, difference) & np.logical_and.outer(twice, twice)
    return {
        "C10": same & np.logical_and.outer(difference > 1, difference > 1),
        "C11": same & both_absolute & (loser_twice | level),
        "C12": same,
        "C13": same & np.logical_and.outer(strong, strong) & ~both_absolute,
    }
