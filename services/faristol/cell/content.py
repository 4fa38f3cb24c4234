"""What news has changed, as the gateway tells it, for webhooks that the results service delivers."""

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
    from faristol.gateway.content_ring import Content


def content_of(runtime: Runtime) -> Callable[[pb.FollowResponse, Topic], Awaitable[Sequence[bytes]]]:
    """Return what says which answers of the JSON API a piece of news has changed, each whole, as JSON.

    It raises ``grpc.aio.AioRpcError`` while the results service cannot be asked.
    """

    @cache
    def content() -> Content:
        # The JSON is the gateway's: a process without it imports its models for a webhook that wants them alone.
        from faristol.gateway.content_ring import Content
        from faristol.gateway.results import Results

        return Content(Results(ResultsServiceStub(runtime.channel("results")), LANGUAGES[0]))

    async def changes(news: pb.FollowResponse, topic: Topic) -> Sequence[bytes]:
        (found,) = await content().of_past([news], topic)
        return found

    return changes
