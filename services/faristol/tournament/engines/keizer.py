"""The pairing of Keizer's system: neighbours in its standings, with rematches where they cannot be avoided. Pure.

J. H. Keizer's system is that of clubs whose players come and go: each round pairs the players that are present, from
the top of the standings, the first with the second and so on. Rounds can be more than opponents, so that players meet
again: the pairs that have met least often are taken, and among these the nearest. Its score, which orders the
standings, is in ``faristol.rules.standings.keizer``. The sources are the descriptions of the system in the Dutch and
German Wikipedia ("Keizer-System"), which leave the avoidance of rematches to the club.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from faristol.tournament.engines.monrad import list_from_top
from faristol.tournament.engines.swiss import Entrant, Paired, explain_impossible

ALGORITHM = "keizer-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""


def pair_keizer(
    order: Sequence[Entrant], meetings: Mapping[frozenset[str], int], byes: Mapping[str, int], last: Set[frozenset[str]]
) -> Paired:
    """Pair the players present from the top of ``order``; the higher player is named first.

    ``meetings`` has the number of earlier games of pairs, ``byes`` that of earlier byes of players; absent ones are 0.
    Pairs of the ``last`` round meet again only if no other pairing exists. With an odd number, the lowest of the
    players with the fewest byes has the bye. Raises ``Refusal`` if forbidden pairs exclude every pairing.
    """
    resting = None
    if len(order) % 2:
        fewest = min(byes.get(entrant.player_id, 0) for entrant in order)
        resting = max(node for node, entrant in enumerate(order) if byes.get(entrant.player_id, 0) == fewest)
    nodes = [node for node in range(len(order)) if node != resting]
    ids = [entrant.player_id for entrant in order]
    for most in range(max(meetings.values(), default=0) + 1):
        for spared in (last, frozenset[frozenset[str]]()):

            def may_meet(high: int, low: int, most: int = most, spared: Set[frozenset[str]] = spared) -> bool:
                pair = frozenset((ids[high], ids[low]))
                return ids[low] not in order[high].apart and meetings.get(pair, 0) <= most and pair not in spared

            matching = next(list_from_top(nodes, may_meet), None)
            if matching is not None:
                pairs = tuple((ids[high], ids[low]) for high, low in sorted(matching))
                return Paired(pairs, None if resting is None else ids[resting])
    raise explain_impossible(order)
