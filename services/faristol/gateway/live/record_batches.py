"""Batches of frames from the record, and fingerprints of its events, for viewers behind the ring.

A crowd that reconnects asks for the same batches. Each is fetched once for all viewers at one position.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, Generic, TypeVar

import grpc

from faristol.fanout import FRAME_BATCH_SIZE, Batch, Unavailable, batch
from faristol.gateway.live.content_reader import INTERRUPTED_CODES, Content
from faristol.gateway.live.notifications import add_content, frame, reset, without_name
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

MAX_CACHED_BATCHES = 256
"""Limit of cached batches from the record, shared by a reconnecting crowd."""

MAX_CACHED_CONTENT_BATCHES = 16
"""Limit of cached batches with content, of up to a megabyte each."""

CONTENT_BATCH_LIFETIME_SECONDS = 5.0
"""Lifetime of a cached batch with content in seconds, since it has the content of its time."""

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
        self._batches = _Shared[Batch](MAX_CACHED_BATCHES)
        self._batches_with_content = _Shared[Batch](MAX_CACHED_CONTENT_BATCHES)
        self._fingerprints = _Shared[str](MAX_CACHED_BATCHES)
        self.reset = reset

    async def batch(self, topic: Topic, after: int) -> Batch:
        """Return the next frames of a topic after a position. Raises ``Unavailable``, and other ``AioRpcError``."""
        fetch = partial(self._fetch, topic, after)
        if not topic.with_content:
            return await self._batches.get((topic, after), fetch)
        turn = _now() // CONTENT_BATCH_LIFETIME_SECONDS
        return await self._batches_with_content.get((topic, after, turn), fetch)

    async def fingerprint_at(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty without one. Raises as ``batch``."""
        return await self._fingerprints.get(position, partial(self._fetch_fingerprint, position))

    def clear(self) -> None:
        """Drop all batches and fingerprints."""
        for each in (self._batches, self._batches_with_content, self._fingerprints):
            each.tasks.clear()

    def cancel(self) -> None:
        """Cancel all fetches."""
        for each in (self._batches, self._batches_with_content, self._fingerprints):
            for task in each.tasks.values():
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
        frames = map(frame, found)
        if topic.with_content:
            frames = map(add_content, frames, await self._content.of_past(found, topic))
        return batch(frames if topic.is_named else map(without_name, frames), position, fingerprint)


class _Shared(Generic[T]):
    """Results that all callers share; at most ``most`` are cached."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.tasks: OrderedDict[Hashable, asyncio.Task[T]] = OrderedDict()

    async def get(self, key: Hashable, fetch: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of a fetch, which continues if its first caller leaves. A failed one is repeated."""
        task = self.tasks.pop(key, None)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(fetch(), name="batch")
        store_bounded(self.tasks, key, task, self._most)
        try:
            return await asyncio.shield(task)
        except grpc.aio.AioRpcError as problem:
            if problem.code() in INTERRUPTED_CODES:
                raise Unavailable(str(problem.code())) from problem
            raise


def _now() -> float:
    return asyncio.get_running_loop().time()
