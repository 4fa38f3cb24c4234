"""Victims and times of kills, which all follow from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_QUIET_SECONDS = 0.4
"""Seconds between a recovery and the next blow."""
MAX_START_SECONDS = 1.2
"""Seconds between two blows if the second one is to hit a starting process."""
MAX_DOWN_SECONDS = 0.1
"""Seconds for which a killed process stays down."""
DOUBLE_BLOW_RATIO = 0.15
EARLY_BLOW_RATIO = 0.35
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
    """Seconds until a killed process is restarted."""
    patient: bool
    """The next one waits until the cell has recovered from this one."""


def blows(seed: int, victims: Sequence[str], count: int) -> Iterator[Blow]:
    """Yield blows. A process that is named several times is killed more often. The last kill is awaited."""
    chance = random.Random(f"blows/{seed}")
    patient = True
    for number in range(1, count + 1):
        several = 2 if len(victims) > 1 and chance.random() < DOUBLE_BLOW_RATIO else 1
        quiet = chance.random() * (MAX_QUIET_SECONDS if patient else MAX_START_SECONDS)
        patient = chance.random() >= EARLY_BLOW_RATIO or number == count
        yield Blow(
            number=number,
            quiet=quiet,
            victims=tuple(dict.fromkeys(chance.sample(list(victims), several))),
            down=chance.random() * MAX_DOWN_SECONDS,
            patient=patient,
        )
