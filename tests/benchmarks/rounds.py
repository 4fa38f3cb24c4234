"""Measure the pairing of a round by the Dutch system, and its growth with the players."""

from __future__ import annotations

import math
import time
from itertools import pairwise

from tests.benchmarks.figures import Figures
from tests.support.dutch_tournaments import Draw

SIZES = (100, 200, 400, 1000)
ROUND_COUNT = 7
HARDEST_SEED_NUMBER = 2
"""The seed of a tournament without absences and draws: brackets are widest, and one player is left over."""


def round_figures() -> Figures:
    """Return the slowest round of a tournament of each size, and the power of the size by which time grows between
    sizes.
    """
    _slowest(20)  # compile before the measurement
    taken = {size: _slowest(size) for size in SIZES}
    found: Figures = [
        (f"pairing: slowest of {ROUND_COUNT} rounds, {size:,} players", seconds * 1_000, "ms")
        for size, seconds in taken.items()
    ]
    for (small, short), (large, long) in pairwise(taken.items()):
        power = math.log(long / short) / math.log(large / small)
        found.append((f"pairing: growth from {small:,} to {large:,} players", power, "power"))
    return found


def _slowest(size: int) -> float:
    slowest = 0.0
    rounds = Draw(HARDEST_SEED_NUMBER, size=size, rounds=ROUND_COUNT).pair_rounds()
    while True:
        start = time.process_time()
        if next(rounds, None) is None:
            return slowest
        slowest = max(slowest, time.process_time() - start)
