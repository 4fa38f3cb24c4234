"""Keeps the collector of garbage from stopping everybody: what a long collection found alive is not looked at again.

A full collection looks at every object there is. With 10,000 viewers that takes half a second, in which nobody is sent
anything. After a collection that took long, what is left is frozen, so that the next one looks at what has come since.
What dies later is freed as ever, but for objects that refer to each other: those are looked for again in a quiet hour.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping
from time import thread_time
from typing import Any

LONG = 0.02
"""Seconds of the processor that a full collection takes after which what it has found alive is frozen."""

HOUR = 3_600.0
"""Seconds after which everything is looked at again, at the earliest."""

FEW = 200
"""Viewers, up to whom a stop of half a second is borne once in a while."""

_OLDEST = 2
"""The generation of a full collection."""


class Collector:
    """Watches the collector of a process. Tasks run ``run``, which has it watched meanwhile."""

    def __init__(self, watching: Callable[[], int], long: float = LONG, hour: float = HOUR) -> None:
        """``watching`` gives how many watch; the others are in seconds: see ``LONG`` and ``HOUR``."""
        self._watching = watching
        self._long = long
        self._hour = hour
        self._began = 0.0
        self.freezes = 0
        """How often something was frozen."""
        self.looks = 0
        """How often everything was looked at again."""

    def _seen(self, phase: str, info: Mapping[str, Any]) -> None:
        """See ``gc.callbacks``."""
        if info["generation"] < _OLDEST:
            return
        if phase == "start":
            self._began = thread_time()
        elif thread_time() - self._began > self._long:
            gc.freeze()
            self.freezes += 1

    async def run(self) -> None:
        """Look at everything again in quiet hours, until cancelled."""
        gc.callbacks.append(self._seen)
        try:
            while True:
                await asyncio.sleep(self._hour)
                if self._watching() <= FEW:
                    gc.unfreeze()
                    gc.collect()
                    gc.freeze()
                    self.looks += 1
        finally:
            gc.callbacks.remove(self._seen)
