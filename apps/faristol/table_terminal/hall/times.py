"""The time of the services, on a device with an inaccurate clock that may be offline."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from faristol.kernel.times import Instant

COMPARISON_COUNT = 8
"""Stored comparisons; the one with the fastest answer counts, with an error of at most half of its duration."""


class SyncedClock:
    """A clock that follows the services' time, and the monotonic clock of the device in between."""

    def __init__(self, wall: Callable[[], int] = time.time_ns, steady: Callable[[], int] = time.monotonic_ns) -> None:
        """Take two clocks in nanoseconds. Before the first comparison the time is that of the device."""
        self._wall, self._steady = wall, steady
        self._compared: deque[tuple[int, int]] = deque(maxlen=COMPARISON_COUNT)
        self._offset = wall() - steady()

    def steady(self) -> int:
        """Return the monotonic time of a request, for ``compare``."""
        return self._steady()

    def compare(self, asked_at: int, server: Instant) -> None:
        """Use the time of an answer that arrived now to a request of ``asked_at``."""
        took = self._steady() - asked_at
        self._compared.append((took, server - (asked_at + took // 2)))
        _, self._offset = min(self._compared)

    def now(self) -> Instant:
        """Return the time of the services, in nanoseconds since 1970."""
        return self._steady() + self._offset

    @property
    def ahead(self) -> int:
        """Nanoseconds by which the services are ahead of the device's clock: valid across restarts."""
        return self.now() - self._wall()

    def restore(self, ahead: int) -> None:
        """Use the stored ``ahead`` of a previous process, until the first comparison."""
        self._offset = self._wall() + ahead - self._steady()
