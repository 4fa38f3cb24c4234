"""The time of the services, as a device goes by it whose own clock may be wrong and that may be cut off."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from faristol.kernel.times import Instant

KEPT = 8
"""Comparisons of which the one counts whose answer came fastest: it can be wrong by half of that at most."""


class SyncedClock:
    """Goes by what the services said, and by the steady clock of the device in between."""

    def __init__(self, wall: Callable[[], int] = time.time_ns, steady: Callable[[], int] = time.monotonic_ns) -> None:
        """Both in nanoseconds. Before anything is compared the time is that of the device."""
        self._wall, self._steady = wall, steady
        self._compared: deque[tuple[int, int]] = deque(maxlen=KEPT)
        self._offset = wall() - steady()

    def steady(self) -> int:
        """When a question is asked, for ``compare``."""
        return self._steady()

    def compare(self, asked_at: int, server: Instant) -> None:
        """Take the time that an answer had, which came now to a question that was asked at ``asked_at``."""
        took = self._steady() - asked_at
        self._compared.append((took, server - (asked_at + took // 2)))
        _, self._offset = min(self._compared)

    def now(self) -> Instant:
        """The time of the services, in nanoseconds since 1970."""
        return self._steady() + self._offset

    @property
    def ahead(self) -> int:
        """Nanoseconds by which the services are ahead of the device's clock: what outlasts a restart."""
        return self.now() - self._wall()

    def restore(self, ahead: int) -> None:
        """Go by what ``ahead`` was before the process was started again, until something is compared."""
        self._offset = self._wall() + ahead - self._steady()
