"""Batches of frames from the record, and fingerprints of its events, for viewers behind the ring."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

import grpc

from faristol.fanout import FRAME_BATCH_SIZE, Batch, batch
from faristol.gateway.live.content_reader import Content, convert_interruptions
from faristol.gateway.live.notifications import add_content, frame, reset, without_name
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

MAX_CACHED_BATCHES = 256
"""Limit of cached batches without content, which a crowd that reconnects shares."""

BATCH_TIMEOUT_SECONDS = 30.0
"""Timeout of a batch."""

MAX_BATCH_SECONDS = 1.0
"""Seconds after which a batch ends early, so that others have their turn."""


class RecordBatches:
    """Batches and fingerprints. A call raises ``Unavailable`` or, for a defect, another ``AioRpcError``."""

    def __init__(self, stub: results_pb2_grpc.ResultsServiceAsyncStub, content: Content) -> None:
        self._stub = stub
        self._content = content
        self._batches: OrderedDict[tuple[Topic, int], Batch] = OrderedDict()
        self.reset = reset

    async def fingerprint_at(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty without one."""
        with convert_interruptions():
            request = pb.FollowRequest(after_position=position, limit=1, marks=True)
            call = self._stub.Follow(request, timeout=BATCH_TIMEOUT_SECONDS)
            try:
                mark = await call.read()
            finally:
                call.cancel()
        return mark.fingerprint if isinstance(mark, pb.FollowResponse) and mark.position == position else ""

    async def batch(self, topic: Topic, after: int) -> Batch:
        """Return the next frames of a topic after a position; with content, they have the current whole answers."""
        batches = self._batches
        if (kept := batches.get((topic, after))) is not None:
            return kept
        with convert_interruptions():
            found, position, fingerprint = await self._read(topic, after)
            frames = map(frame, found)
            if topic.with_content:
                frames = map(add_content, frames, await self._content.of_past(found, topic))
        made = batch(frames if topic.is_named else map(without_name, frames), position, fingerprint)
        if position > after and not topic.with_content:  # an erased name must not be sent again
            store_bounded(batches, (topic, after), made, MAX_CACHED_BATCHES)
        return made

    def clear(self) -> None:
        """Forget all batches, since the record may be a different one."""
        self._batches = OrderedDict()  # a running call stores its batch in the old one

    async def _read(self, topic: Topic, after: int) -> tuple[list[pb.FollowResponse], int, str]:
        """Return the next notifications, and the position and fingerprint up to which they are complete."""
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
        return found, position, fingerprint


def _now() -> float:
    return asyncio.get_running_loop().time()
