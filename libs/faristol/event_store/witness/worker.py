"""Blocking work in a separate thread, with a timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from faristol.event_store.witness.witness import WitnessUnavailable

T = TypeVar("T")

WITNESS_TASK_TIMEOUT_SECONDS = 30.0
"""Timeout of one task in seconds. A network file system can block a thread indefinitely."""


class Worker:
    """Runs one task at a time. While one hangs, further ones are refused."""

    def __init__(self, name: str, patience: float = WITNESS_TASK_TIMEOUT_SECONDS) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._last: Future[Any] | None = None
        self._patience = patience

    async def do(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``. Raises ``WitnessUnavailable`` on a timeout or an ``OSError``."""
        if self._last is not None and not self._last.done():
            raise WitnessUnavailable("it does not answer")
        future: Future[T] = self._executor.submit(work)
        self._last = future
        waited = asyncio.wrap_future(future)
        waited.add_done_callback(_retrieve_exception)
        done, _ = await asyncio.wait([waited], timeout=self._patience)
        if not done:
            raise WitnessUnavailable(f"it has not answered for {self._patience:g} seconds")
        try:
            return waited.result()
        except OSError as error:
            raise WitnessUnavailable(error.strerror or str(error)) from error

    def close(self) -> None:
        """Refuse further tasks and cancel pending ones."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _retrieve_exception(future: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned task, which asyncio would log otherwise."""
    if not future.cancelled():
        future.exception()
