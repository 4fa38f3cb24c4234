"""How long a guesser waits: pauses that grow with wrong PINs, and end by themselves. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

FIRST_PAUSE = timedelta(minutes=1)
"""After the last wrong PIN that costs no pause, one more costs this one; each further one costs twice as long."""

LONGEST_PAUSE = timedelta(hours=1)

QUIET = timedelta(hours=3)
"""After so long without a wrong PIN the count begins anew."""


class Guesses(NamedTuple):
    """Wrong PINs that count together."""

    wrong: int
    last: datetime

    def free_from(self, free: int) -> datetime:
        """The moment from which the next PIN is taken. ``free`` is how many wrong ones cost no pause, from 1."""
        if self.wrong < free:
            return self.last
        doublings = min(self.wrong - free, 10)  # beyond the longest pause, and no number that grows for ever
        pause: timedelta = FIRST_PAUSE * (1 << doublings)
        return self.last + min(pause, LONGEST_PAUSE)


def one_more(before: Guesses | None, at: datetime) -> Guesses:
    """Count a wrong PIN. What lies further back than ``QUIET`` counts no more."""
    if before is None or at - before.last > QUIET:
        return Guesses(1, at)
    return Guesses(before.wrong + 1, max(at, before.last))
