"""Pauses against guesses of PINs: they grow with each wrong PIN and expire. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

FIRST_PIN_PAUSE = timedelta(minutes=1)
"""Pause after the first wrong PIN that is not free; each further wrong PIN doubles it."""

MAX_PIN_PAUSE = timedelta(hours=1)

PIN_RESET_DELAY = timedelta(hours=3)
"""Time without a wrong PIN after which the count restarts."""


class Guesses(NamedTuple):
    """Wrong PINs that are counted together."""

    wrong: int
    last: datetime

    def free_from(self, free: int) -> datetime:
        """Return when the next PIN is accepted; from the ``free``-th wrong one on (at least 1), there is a pause."""
        if self.wrong < free:
            return self.last
        doublings = min(self.wrong - free, 10)  # reaches the longest pause; more could overflow
        pause: timedelta = FIRST_PIN_PAUSE * (1 << doublings)
        return self.last + min(pause, MAX_PIN_PAUSE)


def one_more(before: Guesses | None, at: datetime) -> Guesses:
    """Count a wrong PIN. The count restarts if the last one is more than ``PIN_RESET_DELAY`` ago."""
    if before is None or at - before.last > PIN_RESET_DELAY:
        return Guesses(1, at)
    return Guesses(before.wrong + 1, max(at, before.last))
