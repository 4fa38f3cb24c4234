"""Concurrent calls of services for one request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

CONCURRENT_CALL_LIMIT = 8
"""Default limit of concurrent calls for one request."""


async def ask_each(
    ask: Callable[[K], Awaitable[V]], keys: Iterable[K], limit: int = CONCURRENT_CALL_LIMIT
) -> dict[K, V]:
    """Return the result of ``ask`` for each key, in order, with at most ``limit`` calls at a time.

    Raises the first error of ``ask``.
    """
    gate, wanted = asyncio.Semaphore(limit), [*dict.fromkeys(keys)]

    async def ask_in_turn(key: K) -> V:
        async with gate:
            return await ask(key)

    return dict(zip(wanted, await asyncio.gather(*map(ask_in_turn, wanted)), strict=True))
