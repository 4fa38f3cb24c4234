"""Batches from the record for viewers behind the ring.

Viewers that reconnect together wait for the same batch (single-flight): a place is read once at a time.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import NamedTuple

from faristol.fanout.frames import Batch
from faristol.fanout.viewers import Audience, Viewer

SEND_SLICE_SECONDS = 0.005
"""Seconds of sending after which the task yields to the event loop."""

MAX_CONCURRENT_REPLAYS = 8
"""Limit of concurrent batches for viewers behind the ring."""

BATCH_RETRY_SECONDS = 0.5
"""Delay in seconds before a failed batch is fetched again."""

LOG_INTERVAL_SECONDS = 60.0
"""Minimum interval in seconds between log messages about a defect."""

_log = logging.getLogger(__name__)


class Unavailable(Exception):
    """The record cannot be read now."""


class Place(NamedTuple):
    """Place in the record from which viewers of a topic go on."""

    audience: Audience
    position: int
    given: str
    """Fingerprint sent by the client; empty without one, or after it was compared."""


class Replays:
    """Viewers that wait for a batch from the record."""

    def __init__(self, read: Callable[[Place], Awaitable[Batch | None]], begun: asyncio.Event) -> None:
        """Create the queue. ``read`` returns the next batch at a place, or None if it is not needed.

        It raises ``Unavailable``, and for a defect other errors. It is not called before ``begun`` is set.
        """
        self._read = read
        self._begun = begun
        self._viewers: dict[Place, list[Viewer]] = {}
        self._queue: deque[Place] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._working = 0
        self._logged_at = -math.inf

    def add(self, viewer: Viewer) -> None:
        """Queue a viewer for its next batch from the record, which viewers of a topic at one position share."""
        if viewer.replaying:
            return
        viewer.replaying = True
        place = Place(viewer.audience, viewer.position, viewer.given)
        if place in self._viewers:
            self._viewers[place].append(viewer)
            return
        self._viewers[place] = [viewer]
        self._queue.append(place)
        if self._working < MAX_CONCURRENT_REPLAYS:
            self._working += 1
            worker = asyncio.create_task(self._work(), name="replay")
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        try:
            await self._begun.wait()
            while self._queue:
                place = self._queue.popleft()
                if (viewers := self._viewers.get(place)) is not None:
                    await self._serve(place, viewers)
        finally:
            self._working -= 1

    async def _serve(self, place: Place, viewers: list[Viewer]) -> None:
        """Send viewers at a place their next batch. Viewers that come in the meantime are added to them."""
        found = None
        try:
            found = await self._read(place) if any(not viewer.paused for viewer in viewers) else None
        except Unavailable as error:
            _log.debug("no batch after %d: %s", place.position, error)
            await asyncio.sleep(BATCH_RETRY_SECONDS)
            self._queue.append(place)
            return
        except Exception as error:  # noqa: BLE001 # a defect that concerns these viewers: the others continue
            self._log_defect(error)
            for viewer in viewers:
                viewer.shutdown()
        if self._viewers.get(place) is not viewers:  # restarted
            return
        del self._viewers[place]
        await for_each(viewers, partial(self._end_replay, place, found))

    @staticmethod
    def _end_replay(place: Place, found: Batch | None, viewer: Viewer) -> None:
        viewer.replaying = False
        if found and not viewer.paused and viewer.position == place.position:  # it was not reset in the meantime
            viewer.given = ""
            viewer.write(found)
        viewer.go_on()

    def clear(self) -> None:
        """Forget all viewers: a batch that is being read is not sent."""
        self._viewers.clear()
        self._queue.clear()

    def cancel(self) -> None:
        """Cancel all reads."""
        for task in self._workers:
            task.cancel()

    def _log_defect(self, problem: Exception) -> None:
        """Log a defect that ends streams, at intervals: clients reconnect every two seconds."""
        now = asyncio.get_running_loop().time()
        if now - self._logged_at >= LOG_INTERVAL_SECONDS:
            self._logged_at = now
            _log.error("streams end, because their data cannot be written", exc_info=problem)


async def for_each(viewers: Iterable[Viewer], do: Callable[[Viewer], None]) -> None:
    """Apply a function to viewers, a few milliseconds at a time."""
    time = asyncio.get_running_loop().time
    until = time() + SEND_SLICE_SECONDS
    for viewer in viewers:
        do(viewer)
        if time() > until:
            await asyncio.sleep(0)
            until = time() + SEND_SLICE_SECONDS
