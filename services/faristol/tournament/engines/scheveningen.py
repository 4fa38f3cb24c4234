"""The Scheveningen system: each player of one side meets each player of the other. Pure.

It is named after the tournament of 1923. In round r the player with number i of the first side meets number i + r - 1
of the second, counted around, so that each meets each of the other side once. The first side starts in every other
round. If a quarter of the boards is a whole number, the lower half of its numbers starts in the other rounds instead:
then each side starts half of the games of a round, too. Each player starts half of the games; one more or less if the
number is odd, or with a bye. Chess handbooks have the same games in another order (FIDE Arbiters' Manual).
"""

from __future__ import annotations

from collections.abc import Sequence

from faristol.tournament.engines.swiss import Paired

ALGORITHM = "scheveningen-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""

HALVED_BOARDS_COUNT = 4
"""Boards of which multiples can be started half by each side in every round."""


def count_rounds(first: int, second: int) -> int:
    """Return the number of rounds in which each player of a side meets each of the other."""
    return max(first, second)


def pair_sides(first: Sequence[str], second: Sequence[str], number: int) -> Paired:
    """Pair round ``number``, from 1, of two sides in the order of their numbers; the starting player is named first.

    If one side has a player more, its player without an opponent has the bye. Raises ``ValueError`` if the sides differ
    by more than one player.
    """
    if abs(len(first) - len(second)) > 1:
        raise ValueError(f"sides of {len(first)} and {len(second)} players differ by more than one")
    size = count_rounds(len(first), len(second))
    halved = size % HALVED_BOARDS_COUNT == 0
    pairs, bye = [], None
    for place in range(size):
        other = (place + number - 1) % size
        one, two = (side[at] if at < len(side) else None for side, at in ((first, place), (second, other)))
        if one is None or two is None:
            bye = one or two
        else:
            starts = (number + (halved and 2 * place >= size)) % 2
            pairs.append((one, two) if starts else (two, one))
    return Paired(tuple(pairs), bye)
