"""Blocking work in a thread of its own, given up after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from faristol.record.witness.witness import WitnessAway

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds for one piece of work. A network file system can keep a thread for ever."""


class Worker:
    """Does one piece of work at a time. While one hangs, no other is begun."""

    def __init__(self, name: str, patience: float = PATIENCE) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._last: Future[Any] | None = None
        self._patience = patience

    async def do(self, work: Callable[[], T]) -> T:
        """What ``work`` gives. Raises ``WitnessAway`` when that takes too long, or for what the system raises."""
        if self._last is not None and not self._last.done():
            raise WitnessAway("it does not answer")
        future: Future[T] = self._executor.submit(work)
        self._last = future
        waited = asyncio.wrap_future(future)
        waited.add_done_callback(_looked_at)
        done, _ = await asyncio.wait([waited], timeout=self._patience)
        if not done:
            raise WitnessAway(f"it has not answered for {self._patience:g} seconds")
        try:
            return waited.result()
        except OSError as problem:
            raise WitnessAway(problem.strerror or str(problem)) from problem

    def close(self) -> None:
        """Begin nothing any more."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _looked_at(future: asyncio.Future[Any]) -> None:
    """What comes of work that nobody waits for any more is no news."""
    if not future.cancelled():
        future.exception()
