"""Pairing from the top: each player meets the next one below without an earlier game. Pure.

This is the Monrad system of Scandinavia. Players are ordered by their points and, if these are equal, by their numbers;
the first meets the second, the next the one after that, and a pair that has met is avoided. The source is the
description of the Norwegian chess federation (Norges Sjakkforbunds Monradsystem, 2.1.2), without its rules of colours,
because the start of a game is no part of the pairing here, and with the initial ranking as numbers.

Problem. The last players can have met each other, so that the pairs above must change. The books leave that to the
arbiter. Idea. The pairings are tried in the order of the top: of all complete pairings without a rematch, the one is
taken in which the first player meets the nearest opponent, then the second one, and so on. A depth-first search finds
it at once where the nearest opponents are free, and steps back from the bottom where they are not.

The pairing of Keizer's system is the same, with the order of its standings and with rematches where no pairing without
them exists: first the pairs that have met once, then those that have met twice, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from faristol.tournament.byes.allocated import list_bye_candidates
from faristol.tournament.engines.foresight import can_go_on
from faristol.tournament.engines.matchings import Edge, Matching, cheapest
from faristol.tournament.engines.swiss import Entrant, Paired, build_graph_after, explain_impossible, order_tables

ALGORITHM = "monrad-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""

MAX_SEARCH_STEPS_COUNT = 20_000
"""Limit of the steps of a search. Then the pairing with the least distances in the order is taken."""

MAX_PAIRINGS_PER_BYE_COUNT = 100
"""Limit of pairings tried for each candidate for the bye, before the later rounds are ignored."""


def pair_from_top(order: Sequence[Entrant], *, rounds_after: int = 0) -> Paired:
    """Pair a round from the top of ``order``, best first; the higher player is named first.

    With an odd number, the lowest player without an earlier bye has it, if the others can be paired (FIDE C.04.1). A
    pairing that makes a later one of ``rounds_after`` rounds impossible is avoided. Raises ``Refusal`` if no complete
    pairing without a rematch exists.
    """
    fallback: tuple[Matching, int | None] | None = None
    for resting in list_bye_candidates([entrant.had_bye for entrant in order]):
        nodes = [node for node in range(len(order)) if node != resting]
        for matching in list_from_top(nodes, lambda high, low: order[high].may_meet(order[low])):
            if can_go_on(build_graph_after(order, matching, resting), rounds_after):
                return order_tables(order, matching, resting)
            fallback = fallback or (matching, resting)
    if fallback is None:
        raise explain_impossible(order)
    return order_tables(order, *fallback)


def list_from_top(nodes: Sequence[int], may_meet: Callable[[int, int], bool]) -> Iterator[Matching]:
    """Yield complete pairings in the order of the top, at most ``MAX_PAIRINGS_PER_BYE_COUNT``.

    The first one has the nearest possible opponent of the first node, then that of the next one.
    """
    if not nodes:
        yield ()
        return
    free = bytearray(b"\x01" * len(nodes))
    stack: list[tuple[int, int]] = []
    steps = found = 0
    high, low = 0, 0
    while steps < MAX_SEARCH_STEPS_COUNT:
        if high < 0:
            yield tuple((nodes[first], nodes[second]) for first, second in stack)
            found += 1
            if found == MAX_PAIRINGS_PER_BYE_COUNT:
                return
            low = -1
        else:
            low = free.find(1, low + 1)
            while low >= 0 and not may_meet(nodes[high], nodes[low]):
                steps += 1
                low = free.find(1, low + 1)
        if low >= 0:
            free[high] = free[low] = 0
            stack.append((high, low))
            high = low = free.find(1)
            continue
        if not stack:
            return
        steps += 1
        high, low = stack.pop()
        free[high] = free[low] = 1
    if not found:
        yield from _find_nearest(nodes, may_meet)


def _find_nearest(nodes: Sequence[int], may_meet: Callable[[int, int], bool]) -> Iterator[Matching]:
    """Yield the complete pairing with the least squares of distances, if there is one."""
    places: dict[Edge, int] = {
        (high, low): (low_place - high_place) ** 2
        for (high_place, high), (low_place, low) in combinations(enumerate(nodes), 2)
        if may_meet(high, low)
    }
    matching = cheapest(list(nodes), places)
    if matching is not None:
        yield tuple(sorted((min(pair), max(pair)) for pair in matching))
