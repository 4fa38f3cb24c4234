"""Batches of frames from the record, and fingerprints of its events, for viewers behind the ring.

A crowd that reconnects asks for the same batches. Each is fetched once for all viewers at one position.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from itertools import repeat
from typing import Any, TypeVar

import grpc

from faristol.gateway.live.content_history import Content
from faristol.gateway.live.sse import FRAME_BATCH_SIZE, Batch, batch, frame, without_name
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

MAX_CACHED_BATCHES = 256
"""Limit of cached batches from the record, shared by a reconnecting crowd."""

MAX_CACHED_CONTENT_BATCHES = 16
"""Limit of cached batches with content, of up to a megabyte each, for a third of ``STREAM_HEARTBEAT_SECONDS``."""

BATCH_TIMEOUT_SECONDS = 30.0
"""Timeout of a batch."""

MAX_BATCH_SECONDS = 1.0
"""Seconds after which a batch ends early, so that others have their turn."""

T = TypeVar("T")


class RecordBatches:
    """Batches and fingerprints, cached as the tasks that fetch them."""

    def __init__(self, stub: results_pb2_grpc.ResultsServiceAsyncStub, content: Content) -> None:
        self._stub = stub
        self._content = content
        self._batches: OrderedDict[tuple[Topic, int], asyncio.Task[Batch]] = OrderedDict()
        self._batches_with_content: OrderedDict[tuple[Topic, int], asyncio.Task[Batch]] = OrderedDict()
        self._fingerprints: OrderedDict[int, asyncio.Task[str]] = OrderedDict()

    async def batch(self, topic: Topic, after: int) -> Batch:
        """Return the next frames of a topic after a position. Raises ``grpc.aio.AioRpcError``."""
        batches, most = (
            (self._batches_with_content, MAX_CACHED_CONTENT_BATCHES)
            if topic.with_content
            else (self._batches, MAX_CACHED_BATCHES)
        )
        return await _share(batches, (topic, after), lambda: self._fetch(topic, after), most)

    async def fingerprint_at(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty without one. Raises ``grpc.aio.AioRpcError``."""
        return await _share(self._fingerprints, position, lambda: self._fetch_fingerprint(position), MAX_CACHED_BATCHES)

    def drop_content(self) -> None:
        """Drop the batches with content that are complete, since they have the content of their time."""
        for key in [key for key, task in self._batches_with_content.items() if task.done()]:
            del self._batches_with_content[key]

    def clear(self) -> None:
        """Drop all batches and fingerprints."""
        self._batches.clear()
        self._batches_with_content.clear()
        self._fingerprints.clear()

    def cancel(self) -> None:
        """Cancel all fetches."""
        for task in (*self._batches.values(), *self._batches_with_content.values(), *self._fingerprints.values()):
            task.cancel()

    async def _fetch_fingerprint(self, position: int) -> str:
        call = self._stub.Follow(
            pb.FollowRequest(after_position=position, limit=1, marks=True), timeout=BATCH_TIMEOUT_SECONDS
        )
        try:
            mark = await call.read()
        finally:
            call.cancel()
        return mark.fingerprint if isinstance(mark, pb.FollowResponse) and mark.position == position else ""

    async def _fetch(self, topic: Topic, after: int) -> Batch:
        """Fetch a batch from the record; with content, it has the current whole answers."""
        request = pb.FollowRequest(
            tournament_ids=sorted(topic.tournaments),
            after_position=after,
            game_ids=sorted(topic.games),
            rounds=() if topic.with_content else sorted(topic.rounds),
            tables=sorted(topic.tables),
            types=sorted(topic.types),
            limit=FRAME_BATCH_SIZE,
            marks=True,
        )
        found, position, fingerprint, began = [], after, "", _now()
        call = self._stub.Follow(request, timeout=BATCH_TIMEOUT_SECONDS)
        try:
            while isinstance(news := await call.read(), pb.FollowResponse):
                position, fingerprint = news.position, news.fingerprint
                if news.type and topic.has(news):
                    found.append(news)
                if position > after and _now() - began >= MAX_BATCH_SECONDS:
                    break
        except grpc.aio.AioRpcError:
            if position == after:
                raise  # else a partial batch is useful: the next one begins behind it
        finally:
            call.cancel()
        changes = await self._content.of_past(found, topic) if topic.with_content else repeat(None)
        frames = map(frame, found, changes)
        return batch(frames if topic.is_named else map(without_name, frames), position, fingerprint)


async def _share(
    tasks: OrderedDict[Any, asyncio.Task[T]], key: Hashable, fetch: Callable[[], Coroutine[Any, Any, T]], most: int
) -> T:
    """Return the result of a fetch that all callers share, and that continues if the first one leaves.

    ``tasks`` caches at most ``most`` results. A failed one is fetched again.
    """
    task = tasks.pop(key, None)
    if task is None or (task.done() and (task.cancelled() or task.exception())):
        task = asyncio.create_task(fetch(), name="batch")
    store_bounded(tasks, key, task, most)
    return await asyncio.shield(task)


def _now() -> float:
    return asyncio.get_running_loop().time()
