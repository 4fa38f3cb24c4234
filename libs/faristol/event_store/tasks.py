"""Reliable cancellation of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

CANCEL_RETRY_SECONDS = 0.5
"""Seconds before a task that did not end is cancelled again."""


async def cancel_tasks(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until each has ended; their exceptions are dropped.

    One cancellation may be lost: ``asyncio.wait_for`` of Python 3.11, which the drivers use, drops one that coincides
    with the end of the awaited task (CPython issue 86296).
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=CANCEL_RETRY_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)  # retrieves the exceptions, which asyncio would log otherwise
