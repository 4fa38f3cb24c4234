"""Streams of responses that can end early."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextvars import copy_context
from typing import Any

from faristol.event_store.tasks import cancel_tasks


async def until_ended_by(
    ending: Coroutine[Any, Any, None], responses: AsyncGenerator[Any, None]
) -> AsyncGenerator[Any, None]:
    """Yield from ``responses`` until it ends. Raises the exception of ``ending`` if that comes first.

    Each step of ``responses`` is a task, and all of them, with its end, share a context: a context variable set in one
    step, such as the current span, is visible in the next one and can be reset.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    ended = asyncio.ensure_future(ending)
    coming: asyncio.Task[Any] | None = None
    try:
        while True:
            coming = loop.create_task(_next(responses, ended), context=context)
            await asyncio.wait({coming, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                await ended
                return
            if (response := coming.result()) is ended:
                return
            yield response
    finally:
        ended.cancel()
        if coming and not coming.done():
            await cancel_tasks([coming])
        await loop.create_task(_close(responses), context=context)


async def _next(responses: AsyncGenerator[Any, None], otherwise: object) -> Any:
    return await anext(responses, otherwise)


async def _close(responses: AsyncGenerator[Any, None]) -> None:
    await responses.aclose()
