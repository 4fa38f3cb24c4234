"""Ending tasks for certain."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

AGAIN = 0.5
"""Seconds until a task that did not end is cancelled again."""


async def end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until each has ended; what they raise is dropped.

    Once is not enough: ``asyncio.wait_for`` of Python 3.11, which the drivers below us use, loses a cancellation
    that comes together with what it waits for (CPython issue 86296).
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN)
    await asyncio.gather(*tasks, return_exceptions=True)  # so that nobody complains of exceptions never looked at
