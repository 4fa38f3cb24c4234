"""The courier of a webhook: takes what the tail tells to the receiver, one message after the other."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record
from faristol.record.databases import FAILURES
from faristol.record.tasks import end
from faristol.results import lookup
from faristol.results.news import piece
from faristol.results.tail import Tail
from faristol.results.webhooks import message, registry, telemetry
from faristol.results.webhooks.course import USUAL, Course, Letter, Limits, Outcome, after, after_again
from faristol.results.webhooks.lane import Lane
from faristol.results.webhooks.registry import Superseded, Webhook
from faristol.results.webhooks.target import Network, Target, target_of

if TYPE_CHECKING:
    from faristol.results.webhooks.sender import Way

QUICK, SLOW = 64, 32
"""Messages that are sent at a time to receivers that answer quickly, and to all others."""

PROMPT = 1.0
"""Seconds within which an answer is quick."""

DEADLINE = 10.0
"""Seconds for one message, from looking the name up to the end of the answer."""

AWAY = 1.0
"""Seconds until a courier goes on whose database was away."""

IDLE_NOTE = 30.0
"""Seconds between two times at which it is noted how far a webhook is that gets nothing."""

_log = logging.getLogger(__name__)


@dataclass
class Means:
    """What the couriers of a process share."""

    record: Record
    tail: Tail
    now: Callable[[], datetime]
    networks: Collection[Network] = ()
    limits: Limits = USUAL
    deadline: float = DEADLINE
    may_send: Callable[[], bool] = lambda: True
    """Whether the lease of this process lasts for another message."""
    quick: Lane = field(default_factory=lambda: Lane(QUICK))
    slow: Lane = field(default_factory=lambda: Lane(SLOW))
    reached: dict[str, tuple[Webhook, Course]] = field(default_factory=dict)
    """Courses of which nothing failed, to be stored together now and then."""

    def way_to(self, target: Target) -> Way:
        """The way to a target."""
        from faristol.results.webhooks.sender import Way, trusted  # its HTTP client is for who has webhooks

        return Way(target, self.networks, trusted(), self.now, self.deadline)

    async def flush(self) -> None:
        """Store the courses. Raises one of ``FAILURES``; then they are stored the next time."""
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
        """Look no names up any more."""
        self.quick.close()
        self.slow.close()


class _Ended(Exception):
    """The courier has nothing more to do."""


class Courier:
    """Delivers to one webhook, from where it is, until it stops or somebody changes it."""

    def __init__(self, means: Means, webhook: Webhook) -> None:
        self.webhook = webhook
        self.course = webhook.course
        self._means = means
        self._took = PROMPT
        """Seconds that answers took of late. A receiver that is not known yet has its turn among the slow ones."""
        self._at_work = asyncio.Lock()
        """Held from sending a message until what came of it is stored."""
        self._noted_at = 0.0
        self.task = asyncio.create_task(self._run(), name=f"webhook {webhook.webhook_id}")

    async def end(self) -> None:
        """End, once what is being sent was answered."""
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
                    except FAILURES as problem:
                        _log.info("the webhook %s waits for the database: %r", self.webhook.webhook_id, problem)
                        await asyncio.sleep(AWAY)
            except (_Ended, Superseded):
                return

    async def _follow(self, way: Way) -> None:
        found = await lookup.tournament(self._means.record, self.webhook.tournament)
        topic = self.webhook.filter.topic(self.webhook.tournament, found.head.division_of)
        told = self._means.tail.follow(topic, self.course.position, marks=True)
        async with aclosing(told):
            async for news in told:
                if news.type:
                    await self._deliver(way, news)
                else:
                    self._idle(news.position)

    def _idle(self, position: int) -> None:
        """Nothing is to be told up to a position."""
        if position <= self.course.position:
            return
        self.course = replace(self.course, position=position)
        if (now := asyncio.get_running_loop().time()) - self._noted_at >= IDLE_NOTE:
            self._noted_at = now
            self._means.reached[self.webhook.webhook_id] = (self.webhook, self.course)

    async def _deliver(self, way: Way, news: results.FollowResponse) -> None:
        body = message.body_of(news)
        while self.course.position < news.position:
            async with self._turn():
                outcome = await self._send(way, news.position, body)
                chance = random.random()  # noqa: S311 # to spread tries
                course, letter = after(
                    self.course, news.position, outcome, self._means.now(), chance, self._means.limits
                )
                if not outcome.failure:
                    self.course = course
                    self._means.reached[self.webhook.webhook_id] = (self.webhook, course)
                else:
                    await self._store(course, news.position, letter)

    async def _deliver_again(self, way: Way) -> None:
        """Send the dead letters that are to be delivered once more."""
        async with self._means.record.reading() as connection:
            letters = await registry.letters_of(connection, self.webhook.webhook_id, again=True)
        for asked in letters:
            letter: Letter | None = asked
            body = await self._body_at(asked.position)
            while letter and letter.again:
                async with self._turn():
                    outcome = await self._send(way, asked.position, body)
                    chance = random.random()  # noqa: S311 # to spread tries
                    course, letter = after_again(
                        self.course, letter, outcome, self._means.now(), chance, self._means.limits
                    )
                    await self._store(course, asked.position, letter, is_letter=True)

    async def _body_at(self, position: int) -> bytes:
        (event,) = await self._means.record.read(position - 1, limit=1)
        return message.body_of(piece(event))

    async def _store(self, course: Course, position: int, letter: Letter | None, *, is_letter: bool = False) -> None:
        """Store a course with what became of a message. Raises ``Superseded``, and ``_Ended`` for one that stops."""
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
        """Wait until the next try is due and a place is free, and keep the place until what came of it is stored."""
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

    async def _send(self, way: Way, position: int, body: bytes) -> Outcome:
        now = self._means.now()
        message_id = message.id_of(self._means.record.epoch, position)
        headers = message.headers_of(message_id, int(now.timestamp()), body, self.webhook.signing(now))
        begun = asyncio.get_running_loop().time()
        outcome = await way.send(body, headers, self._lane)
        took = self._means.deadline if outcome.failure else asyncio.get_running_loop().time() - begun
        self._took = (self._took + took) / 2  # so that a receiver is not slow for having been so once
        telemetry.deliveries.add(1, {"outcome": outcome.kind.value})
        return outcome
