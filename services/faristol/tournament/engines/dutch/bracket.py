"""The pairing of one bracket: the best candidate, the first of equal ones (FIDE C.04.3, articles 3 and 4).

Problem. The rules describe a sequence of candidates, by exchanges and transpositions of S1 and S2. The pairing is the
first candidate that is best by the criteria C6 to C21. The sequence is exponentially long. Besides, a candidate must
leave all other players pairable (C4).

Idea. The best candidates are found first, then the first of them.

1. Each criterion gives every pair a number (``weights``). The numbers of a pair are its weight, compared in their
   order. The best candidates are the maximum-weight matchings of the ``Scene``. ``blossom`` finds one (Edmonds, 1965).
2. The sequence is followed by decisions about one player at a time. They are: the players moved down who are paired
   (4.4), their opponents (4.2), the exchanges (4.3), and the opponents of S1. Each decision is a *wish*: a last number
   of the weight, on the edges of one vertex. The matching is repaired by a search from that vertex, and the decision
   removes all edges against it.

Invariants:

- After each decision the matching is a best one of all that satisfy the decisions so far.
- A decision removes only edges, and never those of the present matching. So the criteria keep their values.
- The outcome depends on the input only. Ties are decided by the rules' sequence, not by the order of the search.

Cost. With ``n`` vertices the first matching needs up to ``n`` searches. Each visits up to ``n²`` edges, and again those
of blossoms. A wish needs one more search, and there are at most a few wishes for each player. The exchanges add one
number to all weights, and reuse the duals (``Matching.refine``). No wish is needed if the very first candidate is a
best one (3.3). A weight has as few integers as the criteria need (``pack``). ``pairing`` keeps scenes small
(``SMALL_FIELD_PLAYERS``).

Rejected alternatives (docs/decisions/0004-dutch-engine.md):

- A search through the candidates. It is exponential on brackets of a few dozen players; tests use it on small ones.
- JaVaFo or bbpPairings as a program. They are a second runtime, of one edition each, and explain no pairing.
- A new matching after each decision. A repaired one costs a search instead of up to ``n``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from faristol.tournament.engines.dutch.field import Bools, Ints, PlayerArrays
from faristol.tournament.engines.dutch.matched_graph import Matching
from faristol.tournament.engines.dutch.weights import COMPONENT_BITS, Bracket, Criterion, criteria, pack


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The graph of a bracket and of all players that its pairing depends on.

    Vertices are the rows of the bracket. If a bye is to be given here or below, the last vertex is the bye.
    """

    bracket: Bracket
    edge: Bools
    optional: Bools
    bye_from_here: bool
    """Whether a player of this bracket gets the allocated bye."""

    @property
    def count(self) -> int:
        """Number of vertices, with the bye."""
        return len(self.edge)


@dataclass(frozen=True, slots=True, eq=False)
class BracketPairing:
    """The pairing of a bracket, in vertices of its scene."""

    scene: Scene
    pairs: tuple[tuple[int, int], ...]
    floaters: tuple[int, ...]
    """Players who go down to the next bracket, or have the bye."""
    below: tuple[tuple[int, int], ...]
    """Pairs outside the bracket that satisfied the look-ahead (C4, C8)."""
    criteria: tuple[Criterion, ...]
    exchanges: int
    """Number of players exchanged between S1 and S2 (FIDE C.04.3 4.3)."""


def pair_bracket(field: PlayerArrays, scene: Scene) -> BracketPairing | None:
    """Return the pairing of a bracket, or None if no candidate leaves all players pairable (C4)."""
    found = tuple(criteria(field, scene.bracket, bye_from_here=False))
    matching = find_best_matching(scene, found)
    if not matching.complete:
        return None
    size = scene.bracket.size
    if scene.bye_from_here and sum(not 0 <= matching.mate(vertex) < size for vertex in range(size)) == 1:
        found = tuple(criteria(field, scene.bracket, bye_from_here=True))
        matching = find_best_matching(scene, found)
    return _Candidate(scene, found, matching).outcome()


def find_best_matching(scene: Scene, found: Sequence[Criterion]) -> Matching:
    """Return the best matching of a scene by these criteria."""
    return Matching(pack(found, scene.count), scene.edge, scene.optional)


class _Candidate:
    """The search for the first of the best candidates."""

    def __init__(self, scene: Scene, found: tuple[Criterion, ...], matching: Matching) -> None:
        self._scene = scene
        self._criteria = found
        self._matching = matching
        self._size = scene.bracket.size
        self._inside = np.arange(scene.count) < self._size
        self._pairs: list[tuple[int, int]] = []
        self._exchanges = 0

    def outcome(self) -> BracketPairing:
        self._choose_moved()
        self._pair_moved()
        self._pair_remainder()
        paired = {vertex for pair in self._pairs for vertex in pair}
        mates = [(vertex, self._matching.mate(vertex)) for vertex in range(self._scene.count) if vertex not in paired]
        return BracketPairing(
            scene=self._scene,
            pairs=tuple(sorted(self._pairs)),
            floaters=tuple(vertex for vertex in range(self._size) if vertex not in paired),
            below=tuple((vertex, other) for vertex, other in mates if other > vertex),
            criteria=self._criteria,
            exchanges=self._exchanges,
        )

    def _is_in(self, vertex: int) -> bool:
        return 0 <= self._matching.mate(vertex) < self._size

    def _choose_moved(self) -> None:
        """Choose which players moved down are paired here and which are in Limbo (FIDE C.04.3 4.4)."""
        moved = range(self._scene.bracket.moved)
        if all(self._is_in(vertex) for vertex in moved):
            return
        for vertex in moved:
            if not self._is_in(vertex):
                self._matching.wish(vertex, self._inside.astype(np.int64))
            if self._is_in(vertex):
                self._matching.keep_only(vertex, self._inside, required=True)
            else:
                self._matching.keep_only(vertex, ~self._inside)

    def _pair_moved(self) -> None:
        """Pair the players moved down in order, each with the first possible opponent (FIDE C.04.3 4.2)."""
        for vertex in range(self._scene.bracket.moved):
            if self._matching.allows(vertex, self._matching.mate(vertex)) and self._is_in(vertex):
                self._meet_first(vertex, range(self._size))

    def _meet_first(self, vertex: int, others: Sequence[int]) -> None:
        """Pair a vertex with the first of ``others`` among its partners in best matchings, and fix the pair."""
        first = next(other for other in others if self._matching.allows(vertex, other))
        if self._matching.mate(vertex) != first:
            value = np.zeros(self._scene.count, np.int64)
            value[list(others)] = -np.arange(len(others))
            self._matching.wish(vertex, value)
        self._settle(vertex, self._matching.mate(vertex))

    def _settle(self, vertex: int, other: int) -> None:
        self._pairs.append((min(vertex, other), max(vertex, other)))
        self._matching.remove((vertex, other))

    def _pair_remainder(self) -> None:
        """Pair residents among themselves: exchanges first, then transpositions (FIDE C.04.3 3.6, 4.2, 4.3)."""
        taken = {vertex for pair in self._pairs for vertex in pair}
        rest = [vertex for vertex in range(self._scene.bracket.moved, self._size) if vertex not in taken]
        half = sum(self._is_in(vertex) for vertex in rest) // 2
        upper, lower = rest[:half], rest[half:]
        if self._accept(upper, lower):
            return
        self._matching = self._matching.refine(self._exchange_component(upper, lower), self._optional())
        self._exchanges = sum(self._matching.mate(vertex) in {*lower} for vertex in lower) // 2
        if self._exchanges:
            upper, lower = self._exchange(upper, lower)
        edges = np.ones((self._scene.count, self._scene.count), np.bool_)
        high = np.zeros(self._scene.count, np.bool_)
        low = high.copy()
        high[upper], low[lower] = True, True
        across = np.logical_and.outer(high, ~low)
        edges[across | across.T | np.logical_and.outer(low, low)] = False
        self._matching.keep_edges(edges)
        while upper and not self._accept(upper, lower):
            vertex = upper.pop(0)
            self._meet_first(vertex, lower)
            lower.remove(self._pairs[-1][0] if self._pairs[-1][1] == vertex else self._pairs[-1][1])

    def _optional(self) -> Bools:
        """Return the vertices that may stay single, with those of fixed pairs, which have no edges left."""
        optional = self._scene.optional.copy()
        for pair in self._pairs:
            optional[list(pair)] = True
        return optional

    def _accept(self, upper: list[int], lower: list[int]) -> bool:
        """Take the very first candidate, S1 against S2 in order, if it equals the best (FIDE C.04.3 3.3)."""
        half = len(upper)
        now = [vertex for vertex in (*upper, *lower) if self._is_in(vertex)]
        if {*upper, *lower[:half]} != set(now):
            return False
        if not all(self._matching.allows(high, other) for high, other in zip(upper, lower, strict=False)):
            return False
        lower_ends = [vertex for vertex in now if vertex < self._matching.mate(vertex)]
        best = self._matching.sum(lower_ends, [self._matching.mate(vertex) for vertex in lower_ends])
        if self._matching.sum(upper, lower[:half]) != best:
            return False
        self._pairs += [(min(pair), max(pair)) for pair in zip(upper, lower, strict=False)]
        return True

    def _exchange_component(self, upper: list[int], lower: list[int]) -> Ints:
        """Weigh the fewest exchanges, then the least difference of numbers (FIDE C.04.3 4.3.1, 4.3.2).

        Every exchange counts twice, for the player who leaves S1 and for the one who enters. Pairs across have the best
        value, 0.
        """
        count = self._scene.count
        one_exchange = 1 << (COMPONENT_BITS - count.bit_length() - 2)
        value = np.zeros((count, count), np.int64)
        number = np.zeros(count, np.int64)
        number[[*upper, *lower]] = np.arange(len(upper) + len(lower))
        outside = np.ones(count, np.bool_)
        outside[[*upper, *lower]] = False
        high, low = np.isin(np.arange(count), upper), np.isin(np.arange(count), lower)
        both_low, both_high = np.logical_and.outer(low, low), np.logical_and.outer(high, high)
        leaving = np.logical_and.outer(high, outside)
        value[both_low] = (-one_exchange - np.minimum.outer(number, number))[both_low]
        value[both_high] = (np.maximum.outer(number, number) - one_exchange)[both_high]
        value[leaving | leaving.T] = (np.add.outer(number, number) - one_exchange)[leaving | leaving.T]
        return value

    def _exchange(self, upper: list[int], lower: list[int]) -> tuple[list[int], list[int]]:
        """Exchange S1 and S2: the highest numbers leave S1, the lowest enter (FIDE C.04.3 4.3.3, 4.3.4)."""
        place = np.arange(self._scene.count)
        high = np.isin(place, upper)
        low = np.isin(place, lower)
        leaving = self._pick(upper[::-1], lambda vertex: ~low & ~(high & (place >= vertex)), single=True)
        entering = self._pick(lower, lambda vertex: low & (place > vertex), single=False)
        return (
            sorted({*upper} - {*leaving} | {*entering}),
            sorted({*lower} - {*entering} | {*leaving}),
        )

    def _pick(self, candidates: Sequence[int], ways: Callable[[int], Bools], *, single: bool) -> list[int]:
        """Return the first of ``candidates`` who can be exchanged, as many as there are exchanges.

        ``ways`` returns the mates that make a candidate exchanged; ``single`` says whether a candidate without a mate
        is.
        """
        found: list[int] = []
        for vertex in candidates:
            if len(found) == self._exchanges:
                break
            way = ways(vertex)
            if not self._goes(vertex, way, single=single):
                self._matching.wish(vertex, way.astype(np.int64) - single)
            if self._goes(vertex, way, single=single):
                found.append(vertex)
                self._matching.keep_only(vertex, way, required=not single)
            else:
                self._matching.keep_only(vertex, ~way, required=single)
        return found

    def _goes(self, vertex: int, way: Bools, *, single: bool) -> bool:
        mate = self._matching.mate(vertex)
        return bool(way[mate]) if mate >= 0 else single
