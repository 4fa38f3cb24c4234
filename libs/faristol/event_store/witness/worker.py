"""Blocking work in a thread of its own, with a timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from faristol.event_store.witness.witness import WitnessAway

T = TypeVar("T")

PATIENCE = 30.0
"""Timeout of one task in seconds. A network file system can block a thread indefinitely."""


class Worker:
    """Runs one task at a time. While one hangs, further ones are refused."""

    def __init__(self, name: str, patience: float = PATIENCE) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._last: Future[Any] | None = None
        self._patience = patience

    async def do(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``. Raises ``WitnessAway`` on a timeout or an ``OSError``."""
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
        """Refuse further tasks and cancel pending ones."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _looked_at(future: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned task, which asyncio would log otherwise."""
    if not future.cancelled():
        future.exception()
