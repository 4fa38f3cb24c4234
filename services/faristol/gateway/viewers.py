"""Who watches: each a socket and a position, without a task, a queue or a buffer of their own while nothing happens.

One task sends everybody what they have not got, the same bytes object to all who watch the same. It lets the event loop
go on every few milliseconds. Who reads slowly is passed over until they have read; who is behind the ring is sent what
they missed out of the record, few at a time and in turns, so that nobody waits for a slow reader.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import repeat
from typing import Any

import grpc

from faristol.gateway.connections import Line
from faristol.gateway.content_ring import AWAY, Content, ContentRing
from faristol.gateway.frames import (
    BATCH,
    OPENING,
    UNREADABLE,
    Batch,
    Plain,
    Ring,
    batch,
    chunk,
    frame,
    heartbeat,
    reset,
    without_name,
)
from faristol.gateway.listener import Listener
from faristol.gateway.results import Results
from faristol.gateway.tail import Tail
from faristol.gateway.topics import MOST_AHEAD_COUNT
from faristol.kernel.bounded import keep
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import LANGUAGES

HEARTBEAT = 15.0
"""Seconds of silence after which a comment shows that the stream lives, at most."""

KEPT = 8_192
"""Frames that the ring keeps, at least, once there are so many."""

SLICE = 0.005
"""Seconds for which viewers are sent something until the event loop goes on."""

REST = 0.005
"""Seconds between two rounds through all viewers, at least; as long as the last one took where that is more."""

REPLAYS = 8
"""Batches that are fetched at the same time for viewers who are behind the ring."""

REMEMBERED = 256
"""Batches of the record that are kept: a crowd that comes back is sent the same."""

REMEMBERED_WITH_CONTENT = 16
"""The same with content, of which a batch may have a megabyte, and for a third of ``HEARTBEAT``."""

AGAIN = 0.5
"""Seconds until a batch is fetched again that could not be had."""

SAY_AGAIN = 60.0
"""Seconds after which a defect is logged again."""

KNOWN = 4_096
"""Tournaments that are known to be there."""

SECONDS = 30.0
"""How long a batch may take."""

ENOUGH = 1.0
"""Seconds after which a batch ends with what was found: others want their turn."""

_log = logging.getLogger(__name__)


class Audience:
    """Viewers of one topic."""

    __slots__ = ("_made", "_made_at", "ring", "topic", "viewers")

    def __init__(self, topic: Topic, ring: Ring[Any]) -> None:
        self.topic = topic
        self.ring = ring
        self.viewers: set[Viewer] = set()
        self._made: dict[int, Batch] = {}
        self._made_at = -1

    def after(self, position: int) -> Batch:
        """The next frames after a position: made once for all who are there."""
        if self._made_at != self.ring.position:
            self._made, self._made_at = {}, self.ring.position
        if (found := self._made.get(position)) is None:
            found = self._made[position] = self.ring.after(self.topic, position)
        return found


class Viewer(Listener):
    """Somebody who watches: what they were sent, and what they have not got."""

    __slots__ = ("_fanout", "audience", "came_at", "epoch", "heard_at", "position", "replaying")

    def __init__(
        self,
        fanout: Fanout,
        audience: Audience,
        position: int,
        line: Line,
        left: Callable[[], None],
        *,
        chunked: bool,
        epoch: str = "",
    ) -> None:
        """See ``Listener``."""
        super().__init__(line, left, chunked=chunked)
        self.audience = audience
        self.position = position
        """Everything of the topic up to here was sent."""
        self.came_at = position
        """The position with which the other end came."""
        self.epoch = epoch
        """The one that came with the position, until it is compared with that of the record; empty for none."""
        self.replaying = False
        """A batch of the record is on its way, or waited for."""
        self.heard_at = 0.0
        """When something was sent, by the loop's clock."""
        self._fanout = fanout

    def write(self, data: Batch) -> None:
        """Send some frames."""
        if data.frames and not self._line.transport.is_closing():  # it would warn of each in the log
            self._line.transport.write(data.chunk if self.chunked else data.frames)
            self.heard_at = self._fanout.now()
        self.position = data.position

    def go_on(self) -> None:
        """Send what there is in the ring; where that begins later, ask for what was before."""
        ring = self.audience.ring
        while not self.paused and not self.replaying and self.position < ring.position:
            if self.position < ring.before:
                self._fanout.replay(self)
            else:
                self.write(self.audience.after(self.position))

    def resume_writing(self) -> None:
        """See ``asyncio.Protocol``, as with the other methods."""
        super().resume_writing()
        self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._fanout.leave(self)
        super().connection_lost(exc)


class Fanout:
    """All viewers of a gateway process."""

    def __init__(self, tail: Tail, stub: results_pb2_grpc.ResultsServiceAsyncStub) -> None:
        """Both have to be of one results service."""
        self.ring = Ring[Plain](KEPT)
        self.content_ring = ContentRing(
            Content(Results(stub, LANGUAGES[0])), KEPT, lambda: self._moved.set(), self._end_content
        )
        self._tail = tail
        self._stub = stub
        self._heartbeat = HEARTBEAT
        self._audiences: dict[Topic, Audience] = {}
        self.known: OrderedDict[str, str] = OrderedDict()
        """Tournaments that there are, each with the first division of its championship or nothing."""
        self.checked: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        """Filters that name what there is: a tournament, with the games and the rounds that a request named."""
        self._asking: dict[tuple[str, str], asyncio.Future[str]] = {}
        self._moved = asyncio.Event()
        self._said_at = -math.inf
        self._replays: deque[Viewer] = deque()
        self._working = 0
        self._workers: set[asyncio.Task[None]] = set()
        self._past: OrderedDict[tuple[Topic, int], asyncio.Task[Batch]] = OrderedDict()
        self._past_with_content: OrderedDict[tuple[Topic, int], asyncio.Task[Batch]] = OrderedDict()
        tail.on_news(self._heard)
        tail.on_gap(self._begin)

    @staticmethod
    def now() -> float:
        """The loop's clock."""
        return asyncio.get_running_loop().time()

    @property
    def last_position(self) -> int:
        """The end of the record as far as it is known; 0 before anything is."""
        return self._tail.position

    def join(
        self, topic: Topic, position: int, line: Line, left: Callable[[], None], *, chunked: bool, epoch: str = ""
    ) -> Viewer:
        """Have the other end of a connection watch a topic after a position. See ``Viewer``.

        Where ``epoch`` is not that of the record, it is told so, and everything.
        """
        audience = self._audiences.get(topic)
        if audience is None:
            audience = self._audiences[topic] = Audience(topic, self._ring_of(topic))
        viewer = Viewer(self, audience, position, line, left, chunked=chunked, epoch=epoch)
        audience.viewers.add(viewer)
        if self._tail.begun.is_set() and self._is_of_another(viewer):
            opening = self._reset(viewer)
        else:
            opening = audience.after(position) if self._in_ring(audience, position) else batch((), position)
        data = OPENING + opening.frames
        viewer.write(Batch(data, chunk(data), opening.position))
        viewer.go_on()
        if not self._tail.begun.is_set():
            self.replay(viewer)
        return viewer

    @property
    def watching(self) -> int:
        """How many watch."""
        return sum(len(audience.viewers) for audience in self._audiences.values())

    def _ring_of(self, topic: Topic) -> Ring[Any]:
        if not topic.with_content:
            return self.ring
        self.content_ring.start(self.ring.position)
        return self.content_ring

    def _is_of_another(self, viewer: Viewer) -> bool:
        """Whether the position of a viewer who has come cannot be one of this record."""
        given, viewer.epoch = viewer.epoch, ""
        if given == UNREADABLE or viewer.position > self._tail.position + MOST_AHEAD_COUNT:
            return True
        return bool(given and self._tail.epoch) and given != self._tail.epoch

    def _reset(self, viewer: Viewer) -> Batch:
        """Frames that begin the stream of a viewer anew."""
        return reset(viewer.audience.topic, self._tail.epoch, datetime.now(UTC))

    def _in_ring(self, audience: Audience, position: int) -> bool:
        return self._tail.begun.is_set() and position >= audience.ring.before

    async def find(self, tournament_id: str, language: str, ask: Callable[[str], Awaitable[str]]) -> str:
        """The first division of the championship of a tournament, or nothing; raises as ``ask`` where there is none.

        It is asked for once, in a language, for all who want it at the same time.
        """
        if tournament_id not in self.known:
            key = (tournament_id, language)
            if (task := self._asking.get(key)) is None:
                task = self._asking[key] = asyncio.ensure_future(ask(tournament_id))
                task.add_done_callback(lambda _: self._asking.pop(key))
            keep(self.known, tournament_id, await asyncio.shield(task), KNOWN)
        return self.known[tournament_id]

    def leave(self, viewer: Viewer) -> None:
        """A viewer has gone."""
        audience = viewer.audience
        audience.viewers.discard(viewer)
        if not audience.viewers and self._audiences.get(audience.topic) is audience:
            del self._audiences[audience.topic]
            if not any(topic.with_content for topic in self._audiences):
                self.content_ring.stop()

    async def run(self) -> None:
        """Send news and heartbeats until cancelled."""
        beat = self.now() + self._heartbeat / 3
        self._workers.add(asyncio.create_task(self.content_ring.run(), name="content"))
        try:
            while True:
                try:
                    async with asyncio.timeout_at(beat):
                        await self._moved.wait()
                except TimeoutError:
                    pass
                self._moved.clear()
                began = self.now()
                await self._visit(Viewer.go_on)
                if began >= beat:
                    self._age(began)
                    silent_since = began - self._heartbeat * 2 / 3
                    await self._visit(partial(self._beat, silent_since))
                    beat = began + self._heartbeat / 3
                await asyncio.sleep(max(REST, self.now() - began))
        finally:
            for task in (*self._workers, *self._past.values(), *self._past_with_content.values()):
                task.cancel()

    def _age(self, now: float) -> None:
        """Keep nothing with content for long: see ``KEPT_SECONDS`` of its ring."""
        self.content_ring.age(now)
        for key in [key for key, task in self._past_with_content.items() if task.done()]:
            del self._past_with_content[key]

    async def _visit(self, do: Callable[[Viewer], None]) -> None:
        """Do something with every viewer, a few milliseconds at a time."""
        until = self.now() + SLICE
        for audience in [*self._audiences.values()]:
            for viewer in [*audience.viewers]:
                do(viewer)
                if self.now() > until:
                    await asyncio.sleep(0)
                    until = self.now() + SLICE

    def _beat(self, silent_since: float, viewer: Viewer) -> None:
        """Show a viewer who heard nothing for long that the stream lives, and where it is."""
        if viewer.heard_at > silent_since or viewer.paused:
            return
        is_ahead = viewer.position == viewer.came_at and viewer.position > self._tail.position
        if is_ahead and self._tail.connected:
            # They come from another record, or this one was restored: no gateway is so far behind another.
            viewer.write(self._reset(viewer))
            viewer.go_on()
        else:
            viewer.write(heartbeat(viewer.position, self._tail.epoch))

    def _heard(self, news: Sequence[pb.FollowResponse]) -> None:
        self.ring.add(news, self._tail.position, map(Plain, news, repeat(self._tail.epoch)))
        self.content_ring.hear(news, self._tail.position)
        if news:
            self._moved.set()

    def _begin(self) -> None:
        """The tail has begun, or begun anew: then what viewers were sent may be of another record."""
        if self._tail.begun.is_set():
            for audience in [*self._audiences.values()]:
                for viewer in [*audience.viewers]:
                    viewer.shutdown()
        self.known.clear()
        self.checked.clear()
        self._past.clear()
        self._past_with_content.clear()
        self.content_ring.epoch = self._tail.epoch
        self.ring.begin(self._tail.position)
        self.content_ring.begin(self._tail.position)
        self._moved.set()

    def _end_content(self, problem: Exception) -> None:
        """End all streams with content: what they were to be told cannot be had from the ring."""
        self._say(problem)
        for audience in [*self._audiences.values()]:
            if audience.topic.with_content:
                for viewer in [*audience.viewers]:
                    viewer.shutdown()

    def _say(self, problem: Exception) -> None:
        """Log a defect by which streams end. They come back every other second: it is said once in a while."""
        if self.now() - self._said_at >= SAY_AGAIN:
            self._said_at = self.now()
            _log.error("streams end, for what they are to be told cannot be written", exc_info=problem)

    # --- what was before the ring ---------------------------------------------------------------------------------

    def replay(self, viewer: Viewer) -> None:
        """Send a viewer the next batch from the record when it is their turn."""
        if viewer.replaying:
            return
        viewer.replaying = True
        self._replays.append(viewer)
        if self._working < REPLAYS:
            self._working += 1
            worker = asyncio.create_task(self._work(), name="replay")
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        try:
            await self._tail.begun.wait()
            while self._replays:
                viewer = self._replays.popleft()
                try:
                    if self._is_of_another(viewer):
                        viewer.write(self._reset(viewer))
                    is_done = viewer.paused or self._in_ring(viewer.audience, viewer.position)
                    is_done = is_done or await self._sent(viewer)
                except Exception as problem:  # noqa: BLE001 # a defect of ours, with one answer: the others go on
                    self._say(problem)
                    viewer.shutdown()
                    is_done = True
                if not is_done:
                    self._replays.append(viewer)
                    await asyncio.sleep(AGAIN)
                    continue
                viewer.replaying = False
                viewer.go_on()
        finally:
            self._working -= 1

    async def _sent(self, viewer: Viewer) -> bool:
        """Send a viewer the next batch; False where it cannot be had now. Raises where it never can."""
        try:
            found = await self._batch(viewer.audience.topic, viewer.position)
        except grpc.aio.AioRpcError as problem:
            if problem.code() not in AWAY:
                raise
            _log.debug("no batch after %d: %s", viewer.position, problem.code())
            return False
        if found.position <= viewer.position:  # the results service is not so far
            return False
        if not viewer.paused:
            viewer.write(found)
        return True

    async def _batch(self, topic: Topic, after: int) -> Batch:
        """A batch out of the record: fetched once for all who want it, whoever of them goes meanwhile."""
        key = (topic, after)
        past, most = (
            (self._past_with_content, REMEMBERED_WITH_CONTENT) if topic.with_content else (self._past, REMEMBERED)
        )
        task = past.pop(key, None)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(self._fetch(topic, after), name="batch")
        keep(past, key, task, most)
        return await asyncio.shield(task)

    async def _fetch(self, topic: Topic, after: int) -> Batch:
        """A batch out of the record; with content, it has whole answers as they are now."""
        request = pb.FollowRequest(
            tournament_ids=sorted(topic.tournaments),
            after_position=after,
            game_ids=sorted(topic.games),
            rounds=() if topic.with_content else sorted(topic.rounds),
            tables=sorted(topic.tables),
            types=sorted(topic.types),
            limit=BATCH,
            marks=True,
        )
        found, position, began = [], after, self.now()
        call = self._stub.Follow(request, timeout=SECONDS)
        try:
            while isinstance(news := await call.read(), pb.FollowResponse):
                position = news.position
                if news.type and topic.has(news):
                    found.append(news)
                if position > after and self.now() - began >= ENOUGH:
                    break
        except grpc.aio.AioRpcError:
            if position == after:
                raise  # else what came until then was not in vain: the next batch begins behind it
        finally:
            call.cancel()
        changes = await self.content_ring.content.of_past(found, topic) if topic.with_content else repeat(None)
        frames = map(partial(frame, epoch=self._tail.epoch), found, changes)
        return batch(frames if topic.is_named else map(without_name, frames), position)
