"""When what is killed: all of it follows from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_QUIET = 0.4
"""Seconds between a recovery and the next blow."""
LONGEST_START = 1.2
"""Seconds between a blow and the next when that is to hit what is being started."""
LONGEST_DOWN = 0.1
"""Seconds for which what was killed stays down."""
TWO_AT_ONCE = 0.15
IMPATIENT = 0.35
"""Of all blows, how many are followed by the next before anything has recovered."""


@dataclass(frozen=True, slots=True)
class Blow:
    """SIGKILL to some processes at one moment."""

    number: int
    """From 1."""
    quiet: float
    """Seconds that pass before it."""
    victims: tuple[str, ...]
    down: float
    """Seconds until what was killed is started again."""
    patient: bool
    """The next one waits until the cell has recovered from this one."""


def blows(seed: int, victims: Sequence[str], count: int) -> Iterator[Blow]:
    """So many blows. A victim that is named several times is hit more often. The last blow is waited for."""
    chance = random.Random(f"blows/{seed}")
    patient = True
    for number in range(1, count + 1):
        several = 2 if len(victims) > 1 and chance.random() < TWO_AT_ONCE else 1
        quiet = chance.random() * (LONGEST_QUIET if patient else LONGEST_START)
        patient = chance.random() >= IMPATIENT or number == count
        yield Blow(
            number=number,
            quiet=quiet,
            victims=tuple(dict.fromkeys(chance.sample(list(victims), several))),
            down=chance.random() * LONGEST_DOWN,
            patient=patient,
        )
