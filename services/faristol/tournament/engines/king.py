"""King of the hill: neighbours in the standings meet, regardless of earlier games. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import isqrt

from faristol.kernel.refusal import N_, Refusal
from faristol.tournament.byes.allocated import list_bye_candidates, no_bye_left
from faristol.tournament.engines.matchings import Matching, cheapest, first_as_cheap
from faristol.tournament.engines.swiss import NEIGHBOURS, within_reach

ALGORITHM = "king-of-the-hill-2"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""


def pair_neighbours(
    standing: Sequence[str], had_bye: Set[str], apart: Set[frozenset[str]]
) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """Return the pairs in the order of the standings, the higher player first, and the player with the bye.

    ``standing`` are the players to pair, best first; ``apart`` are forbidden pairs. With an odd number, the lowest
    player without an earlier bye has the bye. If neighbours are kept apart, the sum of squared distances in the
    standings is minimal. Of several such pairings the first in lexicographic order is taken: the first player meets the
    nearest possible opponent, then the next one. Raises ``Refusal`` if all players have had the bye, or if too many
    pairs are forbidden.
    """
    bye = None
    if len(standing) % 2:
        place = next(list_bye_candidates([player_id in had_bye for player_id in standing]), None)
        if place is None:
            raise no_bye_left(len(standing))
        bye = standing[place]
    there = [player_id for player_id in standing if player_id != bye]
    found = _nearest(there, apart)
    if found is None:
        raise Refusal(
            "NO_PAIRING",
            N_("Too many players are kept apart: the {players} players present cannot all be paired."),
            {"players": len(there)},
        )
    return tuple((there[high], there[low]) for high, low in found), bye


def _nearest(there: Sequence[str], apart: Set[frozenset[str]]) -> Matching | None:
    """Return the pairing of places with the least sum of squared distances, searched among neighbours first.

    A pair cannot be farther apart than that sum allows with all other pairs adjacent. Of several pairings it is the
    first in lexicographic order.
    """
    places = range(len(there))
    for reach in (*NEIGHBOURS, len(there)):
        near = within_reach(places, reach)
        costs = {
            (high, low): (low - high) ** 2 for high, low in near if frozenset((there[high], there[low])) not in apart
        }
        found = cheapest(places, costs)
        if found is not None and isqrt(sum((low - high) ** 2 for high, low in found) - (len(found) - 1)) <= reach:
            return first_as_cheap(found, costs)
    return None
