"""King of the hill: each meets who stands next in the standings, whomever they have met before. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import isqrt

from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.engines.matchings import Matching, cheapest, first_as_cheap
from faristol.pairing.engines.swiss import NEIGHBOURS, no_bye_left, within_reach

ALGORITHM = "king-of-the-hill-2"
"""Name and version of this way of pairing, as ``RoundPaired.algorithm`` keeps it."""


def pair_neighbours(
    standing: Sequence[str], had_bye: Set[str], apart: Set[frozenset[str]]
) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """The pairs in the order of the standings, the higher player first, and who has the bye.

    ``standing`` are those to be paired, best first; ``apart`` pairs whom the organiser keeps apart. With an odd number
    the bye goes to the lowest of those who have had none. Where neighbours are kept apart, the squares of the distances
    in the standings are least; where they are so in several pairings, the first in the standings meets the nearest of
    whom they meet in one of these, then the first of those who are left. Raises ``Refusal`` when everybody has had the
    bye, or so many are kept apart that there is no pairing.
    """
    bye = None
    if len(standing) % 2:
        bye = next((player_id for player_id in reversed(standing) if player_id not in had_bye), None)
        if bye is None:
            raise no_bye_left(len(standing))
    there = [player_id for player_id in standing if player_id != bye]
    found = _nearest(there, apart)
    if found is None:
        raise Refusal(
            "NO_PAIRING",
            "",
            N_("So many players are kept apart that the {players} who are there cannot all be paired."),
            {"players": len(there)},
        )
    return tuple((there[high], there[low]) for high, low in found), bye


def _nearest(there: Sequence[str], apart: Set[frozenset[str]]) -> Matching | None:
    """The pairing of places in which the squares of the distances are least, looked for among neighbours first.

    No pair of it stands farther apart than those squares allow when all the others are neighbours. Of several it is the
    first, place by place.
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
