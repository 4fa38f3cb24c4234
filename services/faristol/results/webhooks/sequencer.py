"""The sender task of a webhook: sends notifications to the receiver, one message after the other."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import grpc

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.tasks import end
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.api.event_tail import Tail
from faristol.results.api.public_events import piece
from faristol.results.storage import lookup
from faristol.results.webhooks import message, registry, telemetry
from faristol.results.webhooks.concurrency import Lane
from faristol.results.webhooks.registry import Superseded, Webhook
from faristol.results.webhooks.retry_policy import (
    USUAL,
    Course,
    Letter,
    Limits,
    Outcome,
    after,
    after_again,
)
from faristol.results.webhooks.target import Network, Target, target_of

if TYPE_CHECKING:
    from faristol.results.webhooks.sender import Way

QUICK, SLOW = 64, 32
"""Concurrent messages to receivers that answer quickly, and to all others."""

PROMPT = 1.0
"""Seconds within which an answer is quick."""

DEADLINE = 10.0
"""Seconds for one message, from resolving the name to the end of the answer."""

AWAY = 1.0
"""Seconds until a courier retries after its database was unavailable."""

IDLE_NOTE = 30.0
"""Seconds between stored positions of a webhook that receives no messages."""

_log = logging.getLogger(__name__)

Content = Callable[[results.FollowResponse, Topic], Awaitable[Sequence[bytes]]]
"""The resources that an event changed, as far as a topic may see them: whole answers, as JSON. Raises ``AioRpcError``.
"""


@dataclass
class Means:
    """Objects that the couriers of a process share."""

    record: Record
    tail: Tail
    now: Callable[[], datetime]
    networks: Collection[Network] = ()
    content: Content | None = None
    """For webhooks with content."""
    limits: Limits = USUAL
    deadline: float = DEADLINE
    may_send: Callable[[], bool] = lambda: True
    """Whether the lease of this process lasts for another message."""
    quick: Lane = field(default_factory=lambda: Lane(QUICK))
    slow: Lane = field(default_factory=lambda: Lane(SLOW))
    reached: dict[str, tuple[Webhook, Course]] = field(default_factory=dict)
    """Courses without failures, stored together at intervals."""

    def way_to(self, target: Target) -> Way:
        """Return the HTTP connection to a target."""
        from faristol.results.webhooks.sender import Way, trusted  # load its HTTP client only if there are webhooks

        return Way(target, self.networks, trusted(), self.now, self.deadline)

    async def flush(self) -> None:
        """Store the courses. Raises one of ``FAILURES``; the next call then stores them."""
        taken, self.reached = self.reached, {}
        if not taken:
            return
        try:
            async with self.record.writing() as connection:
                for webhook, course in taken.values():
                    with suppress(Superseded):
                        await registry.note(connection, webhook, course)
        except FAILURES:
            self.reached = taken | self.reached
            raise

    def close(self) -> None:
        """Stop resolving names."""
        self.quick.close()
        self.slow.close()


class _Ended(Exception):
    """The courier is finished."""


class Courier:
    """Delivers to one webhook, from its position, until it stops or is changed."""

    def __init__(self, means: Means, webhook: Webhook) -> None:
        self.webhook = webhook
        self.course = webhook.course
        self._means = means
        self._took = PROMPT
        """Recent seconds per answer. A new receiver begins among the slow ones."""
        self._at_work = asyncio.Lock()
        """Locked from sending a message until its outcome is stored."""
        self._noted_at = 0.0
        self._fingerprint = ""
        """Of the event at the position of the course, once received."""
        self.task = asyncio.create_task(self._run(), name=f"webhook {webhook.webhook_id}")

    async def end(self) -> None:
        """Stop after the message in progress is answered."""
        async with self._at_work:
            self.task.cancel()
        await end([self.task])

    async def _run(self) -> None:
        async with aclosing(self._means.way_to(target_of(self.webhook.url))) as way:
            try:
                while True:
                    try:
                        await self._deliver_again(way)
                        await self._follow(way)
                    except (*FAILURES, grpc.aio.AioRpcError) as problem:
                        _log.info("the webhook %s waits for its content: %r", self.webhook.webhook_id, problem)
                        await asyncio.sleep(AWAY)
            except (_Ended, Superseded):
                return

    async def _follow(self, way: Way) -> None:
        topic = await self._topic()
        told = self._means.tail.follow(topic, self.course.position, marks=True)
        async with aclosing(told):
            self._check_past(await anext(told))
            async for news in told:
                if news.type:
                    await self._deliver(way, news, topic)
                else:
                    self._idle(news.position)
                self._fingerprint = news.fingerprint if news.position == self.course.position else ""

    def _check_past(self, mark: results.FollowResponse) -> None:
        """Raise ``_Ended`` if the record differs from the one that this courier has delivered.

        A backup was restored while this process ran. The backup also contains the position of the webhook.
        """
        mine = self._fingerprint
        if mine and (mark.position, mark.fingerprint) != (self.course.position, mine):
            self._means.reached.pop(self.webhook.webhook_id, None)
            _log.warning("the webhook %s restarts at the position of the restored record", self.webhook.webhook_id)
            raise _Ended
        self._fingerprint = mark.fingerprint if mark.position == self.course.position else ""

    def _idle(self, position: int) -> None:
        """Advance to a position without messages."""
        if position <= self.course.position:
            return
        self.course = replace(self.course, position=position)
        if (now := asyncio.get_running_loop().time()) - self._noted_at >= IDLE_NOTE:
            self._noted_at = now
            self._means.reached[self.webhook.webhook_id] = (self.webhook, self.course)

    async def _topic(self) -> Topic:
        found = await lookup.tournament(self._means.record, self.webhook.tournament)
        return self.webhook.filter.topic(self.webhook.tournament, found.head.division_of)

    async def _body(self, news: results.FollowResponse, topic: Topic) -> bytes:
        if not topic.with_content:
            return message.body_of(news)
        assert self._means.content is not None
        return message.body_of(news, await self._means.content(news, topic))

    async def _deliver(self, way: Way, news: results.FollowResponse, topic: Topic) -> None:
        body = await self._body(news, topic)
        while self.course.position < news.position:
            async with self._turn():
                outcome = await self._send(way, news, body)
                chance = random.random()  # noqa: S311 # to spread retries
                course, letter = after(
                    self.course, news.position, outcome, self._means.now(), chance, self._means.limits
                )
                if not outcome.failure:
                    self.course = course
                    self._means.reached[self.webhook.webhook_id] = (self.webhook, course)
                else:
                    await self._store(course, news.position, letter)

    async def _deliver_again(self, way: Way) -> None:
        """Send the dead letters marked for redelivery."""
        async with self._means.record.reading() as connection:
            letters = await registry.letters_of(connection, self.webhook.webhook_id, again=True)
        for asked in letters:
            letter: Letter | None = asked
            news = await self._news_at(asked.position)
            body = await self._body(news, await self._topic())
            while letter and letter.again:
                async with self._turn():
                    outcome = await self._send(way, news, body)
                    chance = random.random()  # noqa: S311 # to spread retries
                    course, letter = after_again(
                        self.course, letter, outcome, self._means.now(), chance, self._means.limits
                    )
                    await self._store(course, asked.position, letter, is_letter=True)

    async def _news_at(self, position: int) -> results.FollowResponse:
        (event,) = await self._means.record.read(position - 1, limit=1)
        return piece(event)

    async def _store(self, course: Course, position: int, letter: Letter | None, *, is_letter: bool = False) -> None:
        """Store a course with the outcome of a message. Raises ``Superseded``, and ``_Ended`` for one that stops."""
        async with self._means.record.writing() as connection:
            if letter or is_letter:
                await registry.note_letter(connection, self.webhook, course, position, letter)
            else:
                await registry.note(connection, self.webhook, course)
        self._means.reached.pop(self.webhook.webhook_id, None)
        self.course = course
        if course.stop:
            _log.warning("the webhook %s has stopped: %s", self.webhook.webhook_id, course.stop.value)
            raise _Ended

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait until the next attempt is due and a slot is free; hold the slot until the outcome is stored."""
        if self.course.due is not None:
            limits = self._means.limits
            seconds = (self.course.due - self._means.now()).total_seconds()
            await asyncio.sleep(max(0.0, min(seconds, max(limits.longest, limits.longest_asked))))
        async with self._lane.slots, self._at_work:
            if not self._means.may_send():
                raise _Ended
            yield

    @property
    def _lane(self) -> Lane:
        return self._means.quick if self._took < PROMPT else self._means.slow

    async def _send(self, way: Way, news: results.FollowResponse, body: bytes) -> Outcome:
        now = self._means.now()
        message_id = message.id_of(news)
        headers = message.headers_of(message_id, int(now.timestamp()), body, self.webhook.signing(now))
        begun = asyncio.get_running_loop().time()
        outcome = await way.send(body, headers, self._lane)
        took = self._means.deadline if outcome.failure else asyncio.get_running_loop().time() - begun
        self._took = (self._took + took) / 2  # average, so that one slow answer does not make a receiver slow
        telemetry.deliveries.add(1, {"outcome": outcome.kind.value})
        return outcome
