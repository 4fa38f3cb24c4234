"""The world of a run: its loop, its random numbers, its trace, and replacements of nondeterministic parts of Python."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from unittest.mock import patch

from tests.campaigns.simulation.faults import Faults
from tests.campaigns.simulation.loop import Loop
from tests.campaigns.simulation.trace import Trace

BEGINNING = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
"""When every world begins."""


class World:
    """The world of a run. Every kind of random choice has a separate sequence, which follows from the seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.loop = Loop(self.luck("order"))
        self.trace = Trace(self.loop.time)
        self.chance = self.luck("faults")
        self.faults = Faults.draw(self.luck("kinds of faults"))
        self._bytes = self.luck("bytes")
        self._skipped = 0.0
        """Seconds that have passed by the clocks alone."""

    def luck(self, what: str) -> Random:
        """Return numbers that depend on the seed and on their purpose."""
        return Random(f"{self.seed}/{what}")

    def happens(self, rate: float) -> bool:
        """Return whether a fault occurs now."""
        return rate > 0 and self.chance.random() < rate

    def now(self) -> datetime:
        """Return the time by a clock that is right."""
        return BEGINNING + timedelta(seconds=self.loop.time() + self._skipped)

    def skip(self, seconds: float) -> None:
        """Let time pass by all clocks and in no process, as if all machines were suspended together."""
        if seconds > 0:
            self.trace("skip", f"{seconds:.1f} s")
            self._skipped += seconds

    @contextmanager
    def around(self) -> Iterator[None]:
        """Replace Python's clocks and random bytes by those of this world; garbage is collected only on request."""

        def seconds() -> float:
            return self.now().timestamp()

        with ExitStack() as stack:
            stack.enter_context(patch.object(time, "time", seconds))
            stack.enter_context(patch.object(time, "time_ns", lambda: int(seconds() * 1e9)))
            stack.enter_context(patch.object(time, "monotonic", self.loop.time))
            stack.enter_context(patch.object(time, "perf_counter", self.loop.time))
            stack.enter_context(patch.object(os, "urandom", self._bytes.randbytes))
            gc.disable()
            stack.callback(gc.enable)
            asyncio.set_event_loop(self.loop)
            stack.callback(asyncio.set_event_loop, None)
            yield
