"""Swiss pairing by least distance. Pure.

The first round pairs the top half with the bottom half (FISC I.1). A later round is the complete pairing without a
rematch (FISC I.1.A) in which the distance between opponents is least (FISC I.1.B). The distance in points comes first,
so that players of one score group meet if possible. The distance in the standings comes second. Both are squared and
summed over all pairs, so that several short floats are better than a long one. A complete pairing is found whenever one
exists: the least one is a minimum-weight perfect matching (Edmonds). If the later rounds could not be paired after it,
the next best is taken. Pairings with equal distances are decided by lot from a seed. The same input therefore gives the
same pairing, independently of the matching library.
"""

from __future__ import annotations

import hmac
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby, islice, pairwise
from math import isqrt

from faristol.kernel.refusal import N_, Refusal
from faristol.tournament.byes.allocated import list_bye_candidates, no_bye_left
from faristol.tournament.engines.foresight import can_go_on
from faristol.tournament.engines.matchings import Edge, Matching, by_cost, cheapest

ALGORITHM = "swiss-distance-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""

MAX_PAIRINGS_PER_BYE = 300
"""Limit of pairings tried for each candidate for the bye, before the later rounds are ignored."""

IMPOSSIBLE = frozenset({"NO_BYE_LEFT", "NO_OPPONENT_LEFT", "NO_PAIRING"})
"""Reasons of refusals for an impossible pairing."""

NEIGHBOURS = (8, 32)
"""Distances in the standings within which opponents are searched: first, and if that fails."""

MAX_GROUP_PAIRS = 12
"""Limit of pairs in a score group for the check whether it can be paired by itself."""

_LOT_BITS = 48


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as input of the pairing."""

    player_id: str
    half_points: int = 0
    """Half points of the championship, with those of byes."""
    opponents: frozenset[str] = frozenset()
    """Ids of past opponents."""
    had_bye: bool = False
    apart: frozenset[str] = frozenset()
    """Ids of players in forbidden pairs with this one."""

    def may_meet(self, other: Entrant) -> bool:
        """Check whether the two have not met and are not a forbidden pair."""
        return other.player_id not in self.opponents | self.apart


@dataclass(frozen=True, slots=True)
class Paired:
    """A round: pairs in the order of the tables, and the player with the bye."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None


def pair_first(ranking: Sequence[Entrant]) -> Paired:
    """Pair the first round: the top half against the bottom half (FISC I.1), the higher-ranked player first.

    ``ranking`` is the initial ranking, best first, of two players or more. With an odd number the last one has the bye
    (FISC I.1.C). If that would pair a forbidden pair, the nearest possible pairing is taken. Raises ``Refusal`` if no
    pairing exists.
    """
    half = len(ranking) // 2
    bye = ranking[-1].player_id if len(ranking) % 2 else None
    places = range(2 * half)
    matching: Matching | None = tuple((place, place + half) for place in range(half))
    if any(not ranking[high].may_meet(ranking[low]) for high, low in matching or ()):
        costs = {
            (high, low): (low - high - half) ** 2
            for high, low in combinations(places, 2)
            if ranking[high].may_meet(ranking[low])
        }
        matching = next(by_cost(list(places), costs), None)
    if matching is None:
        raise explain_impossible(ranking)
    pairs = sorted((min(pair), max(pair)) for pair in matching)
    return Paired(pairs=tuple((ranking[high].player_id, ranking[low].player_id) for high, low in pairs), bye=bye)


def pair_next(standing: Sequence[Entrant], seed: bytes, *, rounds_after: int = 0) -> Paired:
    """Pair a round after the first, the higher-ranked player first.

    ``standing`` has all players in the order of pairing: points, then initial ranking or standings. With an odd number,
    the bye goes to the lowest player without an earlier one (FIDE C.04.1: only once). It must leave the others pairable
    (FISC I.1.C). ``seed`` is that of the lots, ``rounds_after`` the number of later rounds after this one. Raises
    ``Refusal`` if no complete pairing without a rematch exists (FIDE C.04.1 1.9.3).
    """
    fallback: tuple[Matching, int | None] | None = None
    for resting in list_bye_candidates([entrant.had_bye for entrant in standing]):
        nodes = [node for node in range(len(standing)) if node != resting]
        for matching in _by_distance(standing, nodes, seed):
            if can_go_on(build_graph_after(standing, matching, resting), rounds_after):
                return order_tables(standing, matching, resting)
            fallback = fallback or (matching, resting)
    if fallback is None:
        raise explain_impossible(standing)
    return order_tables(standing, *fallback)


def _by_distance(standing: Sequence[Entrant], nodes: Sequence[int], seed: bytes) -> Iterator[Matching]:
    """Yield complete pairings of these nodes, the least distance first, at most ``MAX_PAIRINGS_PER_BYE``."""
    nearest = _nearest(standing, nodes, seed)
    if nearest is not None:
        yield nearest
    costs = dict(_costs(standing, combinations(range(len(standing)), 2), seed))
    alternatives = islice(by_cost(nodes, costs), MAX_PAIRINGS_PER_BYE)
    if nearest is not None:
        next(alternatives)
    yield from alternatives


def _nearest(standing: Sequence[Entrant], nodes: Sequence[int], seed: bytes) -> Matching | None:
    """Return the complete pairing of least distance if its opponents are near each other, else None.

    A boundary between two scores with an odd number of players above it is crossed by a pair. The squared distances in
    points are therefore at least the squares of these boundaries. If they are equal, the squared ranks limit the
    distance of a pair: all other pairs are adjacent at best.
    """
    least = _least_points(standing, nodes)
    for within in NEIGHBOURS:
        matching = cheapest(nodes, dict(_costs(standing, within_reach(nodes, within), seed)))
        if matching is None or _points(standing, matching) > least:
            continue
        ranks = sum((low - high) ** 2 for high, low in matching)
        farthest = isqrt(ranks - (len(matching) - 1))
        if farthest <= within:
            return matching
        return cheapest(nodes, dict(_costs(standing, within_reach(nodes, farthest), seed)))
    return None


def within_reach(nodes: Sequence[int], distance: int) -> Iterator[Edge]:
    """Yield the pairs of nodes within a distance, in ascending order."""
    for place, high in enumerate(nodes):
        for low in nodes[place + 1 : bisect_right(nodes, high + distance)]:
            yield high, low


def _points(standing: Sequence[Entrant], matching: Matching) -> int:
    return sum((standing[high].half_points - standing[low].half_points) ** 2 for high, low in matching)


def _least_points(standing: Sequence[Entrant], nodes: Sequence[int]) -> int:
    """Return a lower bound of the squared distances in points of a complete pairing.

    A boundary between two scores is crossed an odd number of times if an odd number of players is above it. Otherwise
    the number is even: if an even group cannot be paired by itself, an adjacent boundary is crossed twice.
    """
    groups = [list(group) for _, group in groupby(nodes, key=lambda node: standing[node].half_points)]
    gaps = [(standing[upper[0]].half_points - standing[lower[0]].half_points) ** 2 for upper, lower in pairwise(groups)]
    above = list(accumulate(map(len, groups)))
    least = sum(gap for gap, players in zip(gaps, above, strict=False) if players % 2)
    counted = None
    for place, group in enumerate(groups):
        beside = [boundary for boundary in (place - 1, place) if 0 <= boundary < len(gaps)]
        even = len(group) % 2 == 0 and all(above[boundary] % 2 == 0 for boundary in beside)
        if (
            not even
            or not beside
            or counted in beside
            or len(group) // 2 > MAX_GROUP_PAIRS
            or _pairable(standing, group)
        ):
            continue
        least += 2 * min(gaps[boundary] for boundary in beside)
        counted = place
    return least


def _pairable(standing: Sequence[Entrant], group: Sequence[int]) -> bool:
    """Check whether players can be paired among themselves."""
    edges = [(high, low) for high, low in combinations(group, 2) if standing[high].may_meet(standing[low])]
    return cheapest(group, dict.fromkeys(edges, 0)) is not None


def _costs(standing: Sequence[Entrant], pairs: Iterable[Edge], seed: bytes) -> Iterator[tuple[Edge, int]]:
    """Yield the cost of each allowed pair. Each criterion outweighs the sum of all later ones."""
    count = len(standing)
    step = (1 << _LOT_BITS) * count
    leap = step * count**3
    for high, low in pairs:
        higher, other = standing[high], standing[low]
        if higher.may_meet(other):
            points = higher.half_points - other.half_points
            yield (high, low), points**2 * leap + (low - high) ** 2 * step + _lot(seed, higher, other)


def _lot(seed: bytes, higher: Entrant, other: Entrant) -> int:
    lot = hmac.digest(seed, f"{higher.player_id} {other.player_id}".encode(), "sha256")
    return int.from_bytes(lot[: _LOT_BITS // 8], "big")


def build_graph_after(standing: Sequence[Entrant], matching: Matching, resting: int | None) -> tuple[int, ...]:
    """Return the allowed pairs after this round. With an odd number, an extra node represents the bye."""
    count = len(standing)
    place = {entrant.player_id: node for node, entrant in enumerate(standing)}
    rows = [((1 << count) - 1) & ~(1 << node) for node in range(count)]
    for node, entrant in enumerate(standing):
        for other in entrant.opponents | entrant.apart:
            if other in place:
                rows[node] &= ~(1 << place[other])
                rows[place[other]] &= ~(1 << node)
    for high, low in matching:
        rows[high] &= ~(1 << low)
        rows[low] &= ~(1 << high)
    if count % 2 == 0:
        return tuple(rows)
    rests = [node for node, entrant in enumerate(standing) if not entrant.had_bye and node != resting]
    for node in rests:
        rows[node] |= 1 << count
    return (*rows, sum(1 << node for node in rests))


def order_tables(standing: Sequence[Entrant], matching: Matching, resting: int | None) -> Paired:
    """Order tables by the points of the better player, then of both together, then by rank (FIDE C.04.2)."""

    def order(pair: Edge) -> tuple[int, int, int]:
        better, other = (standing[node].half_points for node in pair)
        return -max(better, other), -(better + other), pair[0]

    return Paired(
        pairs=tuple((standing[high].player_id, standing[low].player_id) for high, low in sorted(matching, key=order)),
        bye=None if resting is None else standing[resting].player_id,
    )


def explain_impossible(standing: Sequence[Entrant]) -> Refusal:
    """Return the most specific refusal for an impossible pairing."""
    count = len(standing)
    odd = count % 2 == 1
    if odd and all(entrant.had_bye for entrant in standing):
        return no_bye_left(count)
    for entrant in standing:
        if len(entrant.opponents) == count - 1 and (entrant.had_bye or not odd):
            return Refusal(
                "NO_OPPONENT_LEFT",
                N_("{player} has met every other player, and players cannot meet twice; the arbiter decides."),
                {"player": entrant.player_id},
                article="FIDE C.04.1 1.9.3",
            )
    return Refusal(
        "NO_PAIRING",
        N_("The {players} players cannot all be paired without two meeting twice; the arbiter decides."),
        {"players": count},
        article="FIDE C.04.1 1.9.3",
    )
