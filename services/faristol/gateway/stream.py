"""News as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any

import grpc
from pydantic import Field

from faristol.gateway.answers import Shown
from faristol.pb.results.v1 import results_pb2 as pb

HEARTBEAT = 15.0
"""Seconds of silence after which a comment shows that the stream lives."""

RETRY_MS = 2_000
"""Milliseconds after which a browser comes back when the stream breaks off."""

GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)


class News(Shown):
    """One piece of news, as the stream's `data`."""

    position: int
    type: str = Field(description="Name of the event.", examples=["PlayPlaced"])
    game_id: str = Field(description="The game that it is of; empty for the tournament's own.")
    round: int = Field(description="The round, 0 when it is of none.")
    recorded_at: datetime


async def events(
    call: Any, closing: asyncio.Event, heartbeat: float = HEARTBEAT, gone: Callable[[], Awaitable[bool]] | None = None
) -> AsyncIterator[str]:
    """The frames of a stream: one for each piece of news of ``call``, and comments while there is none.

    Ends when the results service goes away, when ``closing`` is set, or when ``gone`` says that nobody listens;
    a client then comes back with the id of the last event that it got.
    """
    yield f"retry: {RETRY_MS}\n\n"
    closed: asyncio.Future[Any] = asyncio.ensure_future(closing.wait())
    coming: asyncio.Future[Any] = asyncio.ensure_future(call.read())
    try:
        while not closing.is_set():
            done, _ = await asyncio.wait({coming, closed}, timeout=heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if coming in done:
                news = coming.result()
                if not isinstance(news, pb.FollowResponse):  # the end
                    return
                yield frame(news)
                coming = asyncio.ensure_future(call.read())
            elif not done:
                if gone and await gone():
                    return
                yield ": heartbeat\n\n"
    except grpc.aio.AioRpcError as error:
        if error.code() not in GONE:
            raise
    finally:
        coming.cancel()
        closed.cancel()
        call.cancel()


async def nothing() -> AsyncIterator[str]:
    """The frames of a stream of which the headers alone were asked for."""
    no_frames: tuple[str, ...] = ()
    for frame in no_frames:
        yield frame


def frame(news: pb.FollowResponse) -> str:
    """One event of the stream: the position as its id, the name as its event, the news as its data."""
    return f"id: {news.position}\nevent: {news.type}\ndata: {News.of(news).model_dump_json()}\n\n"
