"""Equal racks and equal words at several tables of a round. Pure.

Tables draw independently, so equal racks and words occur by chance, and their number is known: tables of different
rounds cannot tell each other a play, so their overlaps are the base rate. More overlaps within rounds than between
rounds are a signal that words were passed on, or that draws were not random.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from faristol.fair_play.comparison import SIGNAL_LEVEL_RATIO
from faristol.fair_play.estimates import compute_poisson_tail
from faristol.fair_play.turns import MAX_RACK_LENGTH, AnalysedTurn

MIN_OVERLAP_LENGTH = 7
"""Tiles of a word from which on an equal word at another table is listed: short words occur at most tables."""

MAX_OVERLAPS_COUNT = 100
"""Limit of listed overlaps."""


class OverlapKind(StrEnum):
    """The matter that is equal at two tables."""

    RACK = "rack"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Overlaps of one kind in a tournament."""

    kind: OverlapKind
    pairs: tuple[tuple[AnalysedTurn, AnalysedTurn], ...]
    """Pairs of turns at different tables of one round, at most ``MAX_OVERLAPS_COUNT``."""
    count: int
    """Number of all pairs of tables of a round with an overlap, one for each equal rack or word."""
    expected: float | None
    """Number that is expected by the overlaps of tables of different rounds; None with tables of one round only."""
    probability: float | None
    """Probability of ``count`` or more by chance, corrected for both kinds; None without a base rate."""

    @property
    def is_signal(self) -> bool:
        """Whether there are more than chance explains."""
        return self.probability is not None and self.probability <= SIGNAL_LEVEL_RATIO


def find_overlaps(turns: Iterable[AnalysedTurn]) -> list[Overlaps]:
    """Return the overlaps of racks and of words between the tables of each round of a tournament."""
    given = list(turns)
    keys: dict[OverlapKind, Callable[[AnalysedTurn], Hashable | None]] = {
        OverlapKind.RACK: lambda turn: turn.rack if len(turn.rack) == MAX_RACK_LENGTH else None,
        OverlapKind.WORD: lambda turn: turn.word if len(turn.word) >= MIN_OVERLAP_LENGTH else None,
    }
    return [_find(kind, given, key) for kind, key in keys.items()]


def _find(kind: OverlapKind, turns: Sequence[AnalysedTurn], key: Callable[[AnalysedTurn], Hashable | None]) -> Overlaps:
    rounds = {turn.game_id: turn.round for turn in turns}
    within, between = _count_pairs(rounds.values())
    groups: dict[Hashable, dict[str, AnalysedTurn]] = defaultdict(dict)
    for turn in turns:
        if (value := key(turn)) is not None:
            groups[value].setdefault(turn.game_id, turn)
    pairs: list[tuple[AnalysedTurn, AnalysedTurn]] = []
    elsewhere = 0
    for group in groups.values():
        for first, second in combinations(group.values(), 2):
            if first.round == second.round:
                pairs.append((first, second))
            else:
                elsewhere += 1
    pairs.sort(key=lambda pair: (pair[0].round, pair[0].table, pair[1].table, pair[0].turn))
    # One more than was seen, because a base rate of a few pairs may be too low.
    expected = within * (elsewhere + 1) / between if between else None
    probability = None if expected is None else min(1.0, len(OverlapKind) * compute_poisson_tail(len(pairs), expected))
    return Overlaps(kind, tuple(pairs[:MAX_OVERLAPS_COUNT]), len(pairs), expected, probability)


def _count_pairs(rounds: Iterable[int]) -> tuple[int, int]:
    """Return the number of pairs of games of the same round, and of different rounds."""
    sizes = Counter(rounds)
    games = sizes.total()
    within = sum(size * (size - 1) // 2 for size in sizes.values())
    return within, games * (games - 1) // 2 - within
