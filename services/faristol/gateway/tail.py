"""The tail of the public news of all tournaments: asked for once, for all of this process that follow it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import grpc

from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

PRIMED = 2_000
"""Positions before the end of the record at which a tail begins: the latest news is there after a restart."""

SILENCE = 15.0
"""Seconds after which a call on which nothing comes is given up; the results service says something every five."""

RETRY = 0.25
"""Seconds between two calls."""

PATIENCE = 20
"""Calls that fail one after the other until that is told."""

_log = logging.getLogger(__name__)

OnNews = Callable[[Sequence[pb.FollowResponse]], None]
OnGap = Callable[[], None]


class Tail:
    """The news of all tournaments in order, nothing left out and nothing twice, over restarts of the results service.

    Whoever listens is called within the event loop, and does not wait there. Pieces of news are shared: nobody changes
    them.
    """

    def __init__(self, stub: results_pb2_grpc.ResultsServiceAsyncStub, silence: float = SILENCE) -> None:
        """``silence`` is in seconds: see ``SILENCE``."""
        self._stub = stub
        self._silence = silence
        self._on_news: list[OnNews] = []
        self._on_gap: list[OnGap] = []
        self._failures = 0
        self.position = 0
        """Everything public up to this position of the record has been told."""
        self.fingerprint = ""
        """Of the event at ``position``: see ``FollowResponse``. Empty where it is not known."""
        self.begun = asyncio.Event()
        """Set once there is a position."""
        self.connected = False
        """Whether news comes in now."""

    def on_news(self, call: OnNews) -> None:
        """Have ``call`` called with the next pieces of news, in order; ``position`` is that of the last one by then.

        With none where only ``position`` has moved.
        """
        self._on_news.append(call)

    def on_gap(self, call: OnGap) -> None:
        """Have ``call`` called when the tail begins anew, at ``position``, and news before it may have been missed.

        It is called at the beginning, too.
        """
        self._on_gap.append(call)

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            try:
                await self._follow()
            except (grpc.aio.AioRpcError, TimeoutError) as problem:
                self._failed(problem)
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                # The call alone was cancelled: its channel was closed after certificates had been replaced.
            finally:
                self.connected = False
            await asyncio.sleep(RETRY)

    async def _follow(self) -> None:
        """One call: go on where the last one ended. The first response says from where it goes on."""
        last = None if self.begun.is_set() else PRIMED
        call = self._stub.Follow(pb.FollowRequest(after_position=self.position, last=last, marks=True))
        try:
            if (mark := await self._read(call)) is None:
                return
            self.connected, self._failures = True, 0
            if not self.begun.is_set() or self._is_of_another(mark):
                self._begin(mark)
            while (news := await self._read(call)) is not None:
                self.position, self.fingerprint = news.position, news.fingerprint
                self._tell((news,) if news.type else ())
        finally:
            call.cancel()

    async def _read(
        self, call: grpc.aio.UnaryStreamCall[pb.FollowRequest, pb.FollowResponse]
    ) -> pb.FollowResponse | None:
        async with asyncio.timeout(self._silence):
            found = await call.read()
        return found if isinstance(found, pb.FollowResponse) else None

    def _is_of_another(self, mark: pb.FollowResponse) -> bool:
        """Whether the record has another past than the one that was told."""
        is_other = bool(self.fingerprint and mark.fingerprint) and mark.fingerprint != self.fingerprint
        return mark.position != self.position or is_other

    def _begin(self, mark: pb.FollowResponse) -> None:
        """Begin at a position: at first, as the record has not come to where this tail was, or as it is another."""
        if self.begun.is_set():
            was, now = self.position, mark.position
            _log.warning("the news has begun anew: this tail was at %d, the record is at %d", was, now)
        self.position, self.fingerprint = mark.position, mark.fingerprint
        for call in self._on_gap:
            call()
        self.begun.set()

    def _tell(self, news: Sequence[pb.FollowResponse]) -> None:
        for call in self._on_news:
            call(news)

    def _failed(self, problem: grpc.aio.AioRpcError | TimeoutError) -> None:
        """Say once why no news comes, where that is not over soon."""
        self._failures += 1
        if self._failures == PATIENCE:
            why = problem.code().name if isinstance(problem, grpc.aio.AioRpcError) else "nothing is said on the call"
            _log.warning("no news comes from the results service (%s); it is asked again and again", why)
