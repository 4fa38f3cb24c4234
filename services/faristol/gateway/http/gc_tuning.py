"""Tuning of the garbage collector, so that a full collection does not block the event loop.

A full collection visits every object. With 10,000 viewers it takes half a second, in which no viewer receives data.
After a slow collection the surviving objects are frozen, so that the next one visits only newer objects. A frozen
object is still freed by its reference count; cycles are collected when few viewers are connected.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping
from time import thread_time
from typing import Any

SLOW_COLLECTION_SECONDS = 0.02
"""Processor seconds of a full collection above which its survivors are frozen."""

FULL_COLLECTION_INTERVAL_SECONDS = 3_600.0
"""Minimum interval in seconds between collections of all objects."""

MAX_PAUSABLE_VIEWERS = 200
"""Number of viewers up to which a pause of half a second is acceptable."""

_FULL_GENERATION_NUMBER = 2
"""Generation of a full collection."""


class Collector:
    """Monitor of the garbage collector. It is active during ``run``."""

    def __init__(
        self,
        watching: Callable[[], int],
        long: float = SLOW_COLLECTION_SECONDS,
        hour: float = FULL_COLLECTION_INTERVAL_SECONDS,
    ) -> None:
        """Set the thresholds.

        ``watching`` returns the number of viewers; see ``SLOW_COLLECTION_SECONDS`` and
        ``FULL_COLLECTION_INTERVAL_SECONDS``.
        """
        self._watching = watching
        self._long = long
        self._hour = hour
        self._began = 0.0
        self.freezes = 0
        """Number of freezes."""
        self.looks = 0
        """Number of collections of all objects."""

    def _handle_collection(self, phase: str, info: Mapping[str, Any]) -> None:
        """Freeze the survivors of a slow full collection, as a callback of ``gc.callbacks``."""
        if info["generation"] < _FULL_GENERATION_NUMBER:
            return
        if phase == "start":
            self._began = thread_time()
        elif thread_time() - self._began > self._long:
            gc.freeze()
            self.freezes += 1

    async def run(self) -> None:
        """Collect all objects at intervals if few viewers are connected, until cancelled."""
        gc.callbacks.append(self._handle_collection)
        try:
            while True:
                await asyncio.sleep(self._hour)
                if self._watching() <= MAX_PAUSABLE_VIEWERS:
                    gc.unfreeze()
                    gc.collect()
                    gc.freeze()
                    self.looks += 1
        finally:
            gc.callbacks.remove(self._handle_collection)
