"""Streams of responses that end before their time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from typing import Any


async def until(ending: Coroutine[Any, Any, None], responses: AsyncGenerator[Any, None]) -> AsyncIterator[Any]:
    """What ``responses`` gives until it ends. Raises what ``ending`` raises, when that comes first."""
    ended = asyncio.ensure_future(ending)
    coming: asyncio.Future[Any] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(anext(responses, ended))
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
            coming.cancel()
            await asyncio.wait([coming])
        await responses.aclose()
