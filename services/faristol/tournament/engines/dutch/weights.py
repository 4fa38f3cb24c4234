"""The criteria of a bracket as weights of edges (FIDE C.04.3 2.3 to 2.4).

A minimum over players who are left over or badly paired is equivalent to a maximum over pairs. Each criterion therefore
gives every pair a number. The best pairing is the matching with the greatest sum of the first criterion, then of the
second, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from faristol.tournament.engines.dutch.field import Bools, Ints, PlayerArrays

COMPONENT_BITS = 40
"""Bits of one number of a weight. Sums along paths of a thousand players stay far below 63 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """The value of each pair for one criterion; higher is better."""

    name: str
    """``C6`` to ``C21``; both criteria of C8, on pairs and on scores, are ``C8``."""
    value: Ints
    """n × n, symmetric."""


@dataclass(frozen=True, slots=True, eq=False)
class Bracket:
    """The players in the pairing of a bracket, as rows of the field, best first.

    The order is: players moved down, residents, the next scoregroup, all players below.
    """

    rows: Ints
    moved: int
    """Number of players moved down into the bracket."""
    size: int
    """Number of players in the bracket, with those moved down."""
    next_size: int
    """Number of players in the next scoregroup."""


def criteria(field: PlayerArrays, bracket: Bracket, *, bye_from_here: bool) -> Iterator[Criterion]:
    """Yield the criteria of a bracket, the most important first. ``bye_from_here`` adds C9.

    Criteria with the same value for all pairs are left out.
    """
    for found in _criteria(field, bracket, bye_from_here=bye_from_here):
        if found.value.any():
            yield found


def _criteria(field: PlayerArrays, bracket: Bracket, *, bye_from_here: bool) -> Iterator[Criterion]:
    rows = bracket.rows
    count = len(rows)
    place = np.arange(count)
    points = field.points[rows]
    inside = place < bracket.size
    following = (place >= bracket.size) & (place < bracket.size + bracket.next_size)
    moved = place < bracket.moved
    resident = inside & ~moved
    here = np.logical_and.outer(inside, inside)
    ahead = _either(inside, following) | np.logical_and.outer(following, following)
    scores = sorted({int(score) for score in points[moved]}, reverse=True)
    own = sorted({int(score) for score in points[inside]}, reverse=True)

    yield Criterion("C6", here.astype(np.int64))
    for score in scores:
        yield Criterion("C7", _sum(inside & (points == score)) * here)
    yield Criterion("C8", ahead.astype(np.int64))
    for score in own:
        yield Criterion("C8", _either(inside & (points == score), following).astype(np.int64))
    if bye_from_here:
        # The bye is the last vertex. The player with the bye is the one without an opponent here.
        bye = np.zeros((count + 1, count + 1), np.int64)
        bye[count, : bracket.size] = bye[: bracket.size, count] = -field.unplayed[rows[: bracket.size]]
        yield Criterion("C9", bye)
    for name, short in field.colour.items():
        yield Criterion(name, -(short[np.ix_(rows, rows)] & here).astype(np.int64))
    down = [back[rows] for back in field.down]
    up = [back[rows] for back in field.up]
    for back, (downs, ups) in enumerate((("C14", "C15"), ("C16", "C17"))):
        yield Criterion(downs, _sum(resident & down[back]) * here)
        yield Criterion(ups, -_either(moved, resident & up[back]).astype(np.int64))
    for back, (downs, ups) in enumerate((("C18", "C19"), ("C20", "C21"))):
        for score in scores:
            yield Criterion(downs, _sum(moved & down[back] & (points == score)) * here)
        for score in scores:
            yield Criterion(ups, -_either(moved & (points == score), resident & up[back]).astype(np.int64))


def _sum(who: Bools) -> Ints:
    number = who.astype(np.int64)
    return np.asarray(np.add.outer(number, number), np.int64)


def _either(ones: Bools, others: Bools) -> Bools:
    """Return the pairs of one of ``ones`` and one of ``others``."""
    return np.asarray(np.logical_and.outer(ones, others) | np.logical_and.outer(others, ones), np.bool_)


def pack(found: Sequence[Criterion], count: int) -> Ints:
    """Pack criteria into weights: ``count`` × ``count`` × components, with as few components as possible."""
    components: list[Ints] = []
    room = 0
    for criterion in found:
        value = criterion.value
        most = int(np.abs(value).max(initial=0)) * count
        bits = most.bit_length() + 2
        if not components or room < bits:
            components.append(np.zeros((count, count), np.int64))
            room = COMPONENT_BITS
        room -= bits
        component = components[-1]
        component[: len(value), : len(value)] += value << room
    return np.stack(components, axis=2) if components else np.zeros((count, count, 0), np.int64)
