"""Streams end with their process or their reader, and leave no task behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from contextvars import ContextVar

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from faristol.host.rpc.streams import until_ended_by

_shared: ContextVar[int] = ContextVar("shared", default=0)

ENDS = ("by itself", "with its reader", "with its process")


class Ended(Exception):
    """The process ends."""


async def end_after(seconds: float) -> None:
    await asyncio.sleep(seconds)
    raise Ended


@pytest.mark.parametrize("ends", ENDS)
async def test_a_span_around_a_stream_ends_with_it_however_that_comes(
    ends: str, caplog: pytest.LogCaptureFixture
) -> None:
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
    spans: list[bool] = []

    async def responses() -> AsyncGenerator[int, None]:
        token = _shared.set(7)
        with tracer.start_as_current_span("stream") as span:
            try:
                for number in range(3):
                    await asyncio.sleep(0)
                    spans.append(trace.get_current_span() is span and _shared.get() == 7)
                    yield number
                if ends == "with its process":
                    await asyncio.Event().wait()
            finally:
                spans.append(trace.get_current_span() is span)
                _shared.reset(token)

    told = []
    with caplog.at_level(logging.DEBUG):
        async with aclosing(
            until_ended_by(end_after(0.05 if ends == "with its process" else 60), responses())
        ) as stream:
            try:
                async for number in stream:
                    told.append(number)
                    if ends == "with its reader" and number == 1:
                        break
            except Ended:
                assert ends == "with its process"
    assert told == ([0, 1] if ends == "with its reader" else [0, 1, 2])
    assert spans == [True] * (len(told) + 1)
    assert trace.get_current_span() is trace.INVALID_SPAN
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_stream_whose_source_loses_a_cancellation_ends_with_its_reader() -> None:
    async def responses() -> AsyncGenerator[int, None]:
        yield 0
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    stream = until_ended_by(end_after(60), responses())
    assert await anext(stream) == 0
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.01)
    reading.cancel()
    async with asyncio.timeout(10):
        await asyncio.wait([reading])
