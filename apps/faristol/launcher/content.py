"""The changed content for webhooks of the results service, as in the gateway's streams."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from faristol.host import Runtime
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub
from faristol.text import LANGUAGES

if TYPE_CHECKING:
    from faristol.gateway.live.content_reader import Content


def content_of(runtime: Runtime) -> Callable[[pb.FollowResponse, Topic], Awaitable[Sequence[bytes]]]:
    """Return a function that maps a notification to the changed answers of the JSON API, each as complete JSON.

    It raises ``grpc.aio.AioRpcError`` if the results service is unavailable.
    """

    @cache
    def content() -> Content:
        # Deferred: a process without the gateway needs the gateway's models only for webhooks with content.
        from faristol.gateway.live.content_reader import Content
        from faristol.gateway.rpc.results import Results

        return Content(Results(ResultsServiceStub(runtime.channel("results")), LANGUAGES[0]))

    async def changes(news: pb.FollowResponse, topic: Topic) -> Sequence[bytes]:
        (found,) = await content().of_past([news], topic)
        return found

    return changes
