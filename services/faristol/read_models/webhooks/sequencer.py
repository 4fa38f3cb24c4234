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
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.event_tail import EventTail
from faristol.read_models.api.public_events import to_notification
from faristol.read_models.storage import lookup
from faristol.webhooks import message, registry, telemetry
from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.registry import Superseded, Webhook
from faristol.webhooks.retry_policy import (
    DEFAULT_DELIVERY_LIMITS,
    DeadLetter,
    DeliveryOutcome,
    DeliveryState,
    Limits,
    apply_outcome,
    apply_redelivery,
)
from faristol.webhooks.target import Network, Target, target_of

if TYPE_CHECKING:
    from faristol.webhooks.sender import TargetConnection

MAX_QUICK_MESSAGES, MAX_SLOW_MESSAGES = 64, 32
"""Concurrent messages to receivers that answer quickly, and to all others."""

QUICK_ANSWER_SECONDS = 1.0
"""Seconds within which an answer is quick."""

MESSAGE_TIMEOUT_SECONDS = 10.0
"""Seconds for one message, from resolving the name to the end of the answer."""

DATABASE_RETRY_SECONDS = 1.0
"""Seconds until a worker retries after its database was unavailable."""

IDLE_STORE_SECONDS = 30.0
"""Seconds between stored positions of a webhook that receives no messages."""

_log = logging.getLogger(__name__)

Content = Callable[[results.FollowResponse, Topic], Awaitable[Sequence[bytes]]]
"""The resources that an event changed, as far as a topic may see them: whole answers, as JSON. Raises ``AioRpcError``.
"""


@dataclass
class WorkerContext:
    """Objects that the workers of a process share."""

    record: Record
    tail: EventTail
    now: Callable[[], datetime]
    networks: Collection[Network] = ()
    content: Content | None = None
    """For webhooks with content."""
    limits: Limits = DEFAULT_DELIVERY_LIMITS
    deadline: float = MESSAGE_TIMEOUT_SECONDS
    may_send: Callable[[], bool] = lambda: True
    """Whether the lease of this process lasts for another message."""
    quick: DeliverySlots = field(default_factory=lambda: DeliverySlots(MAX_QUICK_MESSAGES))
    slow: DeliverySlots = field(default_factory=lambda: DeliverySlots(MAX_SLOW_MESSAGES))
    reached: dict[str, tuple[Webhook, DeliveryState]] = field(default_factory=dict)
    """Courses without failures, stored together at intervals."""

    def way_to(self, target: Target) -> TargetConnection:
        """Return the HTTP connection to a target."""
        from faristol.webhooks.sender import TargetConnection, build_ssl_context

        return TargetConnection(target, self.networks, build_ssl_context(), self.now, self.deadline)

    async def flush(self) -> None:
        """Store the delivery states. Raises one of ``FAILURES``; the next call then stores them."""
        taken, self.reached = self.reached, {}
        if not taken:
            return
        try:
            async with self.record.writing() as connection:
                for webhook, course in taken.values():
                    with suppress(Superseded):
                        await registry.store_state(connection, webhook, course)
        except FAILURES:
            self.reached = taken | self.reached
            raise

    def close(self) -> None:
        """Stop resolving names."""
        self.quick.close()
        self.slow.close()


class _Ended(Exception):
    """The worker is finished."""


class WebhookWorker:
    """Delivers to one webhook, from its position, until it stops or is changed."""

    def __init__(self, means: WorkerContext, webhook: Webhook) -> None:
        self.webhook = webhook
        self.course = webhook.course
        self._means = means
        self._took = QUICK_ANSWER_SECONDS
        """Recent seconds per answer. A new receiver begins among the slow ones."""
        self._at_work = asyncio.Lock()
        """Locked from sending a message until its outcome is stored."""
        self._noted_at = 0.0
        self._fingerprint = ""
        """Of the event at the position of the delivery state, once received."""
        self.task = asyncio.create_task(self._run(), name=f"webhook {webhook.webhook_id}")

    async def end(self) -> None:
        """Stop after the message in progress is answered."""
        async with self._at_work:
            self.task.cancel()
        await cancel_tasks([self.task])

    async def _run(self) -> None:
        async with aclosing(self._means.way_to(target_of(self.webhook.url))) as way:
            try:
                while True:
                    try:
                        await self._deliver_again(way)
                        await self._follow(way)
                    except (*FAILURES, grpc.aio.AioRpcError) as error:
                        _log.info("the webhook %s waits for its content: %r", self.webhook.webhook_id, error)
                        await asyncio.sleep(DATABASE_RETRY_SECONDS)
            except (_Ended, Superseded):
                return

    async def _follow(self, way: TargetConnection) -> None:
        topic = await self._topic()
        events = self._means.tail.follow(topic, self.course.position, marks=True)
        async with aclosing(events):
            self._check_past(await anext(events))
            async for news in events:
                if news.type:
                    await self._deliver(way, news, topic)
                else:
                    self._idle(news.position)
                self._fingerprint = news.fingerprint if news.position == self.course.position else ""

    def _check_past(self, mark: results.FollowResponse) -> None:
        """Raise ``_Ended`` if the record differs from the one that this worker has delivered.

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
        if (now := asyncio.get_running_loop().time()) - self._noted_at >= IDLE_STORE_SECONDS:
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

    async def _deliver(self, way: TargetConnection, news: results.FollowResponse, topic: Topic) -> None:
        body = await self._body(news, topic)
        while self.course.position < news.position:
            async with self._turn():
                outcome = await self._send(way, news, body)
                chance = random.random()  # noqa: S311 # to spread retries
                course, letter = apply_outcome(
                    self.course, news.position, outcome, self._means.now(), chance, self._means.limits
                )
                if not outcome.failure:
                    self.course = course
                    self._means.reached[self.webhook.webhook_id] = (self.webhook, course)
                else:
                    await self._store(course, news.position, letter)

    async def _deliver_again(self, way: TargetConnection) -> None:
        """Send the dead letters marked for redelivery."""
        async with self._means.record.reading() as connection:
            letters = await registry.letters_of(connection, self.webhook.webhook_id, again=True)
        for asked in letters:
            letter: DeadLetter | None = asked
            news = await self._news_at(asked.position)
            body = await self._body(news, await self._topic())
            while letter and letter.again:
                async with self._turn():
                    outcome = await self._send(way, news, body)
                    chance = random.random()  # noqa: S311 # to spread retries
                    course, letter = apply_redelivery(
                        self.course, letter, outcome, self._means.now(), chance, self._means.limits
                    )
                    await self._store(course, asked.position, letter, is_letter=True)

    async def _news_at(self, position: int) -> results.FollowResponse:
        (event,) = await self._means.record.read(position - 1, limit=1)
        return to_notification(event)

    async def _store(
        self, course: DeliveryState, position: int, letter: DeadLetter | None, *, is_letter: bool = False
    ) -> None:
        """Store a delivery state after a message. Raises ``Superseded``, and ``_Ended`` for one that stops."""
        async with self._means.record.writing() as connection:
            if letter or is_letter:
                await registry.note_letter(connection, self.webhook, course, position, letter)
            else:
                await registry.store_state(connection, self.webhook, course)
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
        async with self._delivery_slots.slots, self._at_work:
            if not self._means.may_send():
                raise _Ended
            yield

    @property
    def _delivery_slots(self) -> DeliverySlots:
        return self._means.quick if self._took < QUICK_ANSWER_SECONDS else self._means.slow

    async def _send(self, way: TargetConnection, news: results.FollowResponse, body: bytes) -> DeliveryOutcome:
        now = self._means.now()
        message_id = message.id_of(news)
        headers = message.headers_of(message_id, int(now.timestamp()), body, self.webhook.signing(now))
        begun = asyncio.get_running_loop().time()
        outcome = await way.send(body, headers, self._delivery_slots)
        took = self._means.deadline if outcome.failure else asyncio.get_running_loop().time() - begun
        self._took = (self._took + took) / 2  # average, so that one slow answer does not make a receiver slow
        telemetry.deliveries.add(1, {"outcome": outcome.kind.value})
        return outcome
