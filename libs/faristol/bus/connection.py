"""The connection to NATS, and the stream that carries the news."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from contextlib import suppress

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoServersError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NoStreamResponseError

from faristol.bus.envelope import headers, subject
from faristol.record import Recorded

STREAM = "FARISTOL"
DAY = 24 * 3600.0
GONE = ("409", "503")
"""Statuses of a request that nobody answers: its consumer was deleted, or there are no responders."""

_log = logging.getLogger(__name__)
_WITH_PASSWORD = re.compile(r"//[^@/]*@")


class BusError(Exception):
    """NATS cannot be used; the message says why and what to do."""


class BusAway(BusError):
    """NATS does not answer now and may answer later."""


class Bus:
    """A connection to NATS that heals itself, and the one JetStream stream of a cell."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._jetstream: JetStreamContext = client.jetstream(timeout=5)

    @classmethod
    async def connect(cls, url: str) -> Bus:
        """Connect to ``url``. Raises ``BusAway`` when nothing answers there, ``BusError`` when JetStream is off."""
        shown = _WITH_PASSWORD.sub("//", url)
        try:
            # The first connection is tried once, so that a wrong URL is told at once; later ones for ever.
            client = await nats.connect(
                url, max_reconnect_attempts=1, reconnect_time_wait=0.1, connect_timeout=3, error_cb=_quiet
            )
            await client.close()
            client = await nats.connect(
                url, max_reconnect_attempts=-1, reconnect_time_wait=0.2, connect_timeout=3, error_cb=_report
            )
        except (TimeoutError, NoServersError, NatsError, OSError, ValueError) as problem:
            kind = BusError if isinstance(problem, ValueError) else BusAway
            raise kind(f"NATS at {shown} cannot be reached ({problem}): start it or give another URL") from problem
        bus = cls(client)
        try:
            await bus.ensure_stream()
        except (APIError, NatsError) as problem:
            await client.close()
            raise BusError(f"NATS at {shown} has no JetStream ({problem}): start it with `-js`") from problem
        return bus

    async def close(self) -> None:
        """Send what is waiting to be sent, and leave."""
        if not self._client.is_closed:
            with suppress(OSError):  # a server that is away takes nothing any more
                await self._client.close()

    @property
    def connected(self) -> bool:
        """NATS answers at present."""
        return self._client.is_connected

    async def ensure_stream(self) -> None:
        """Make the stream if it is not there. News older than a day are dropped: the record has them."""
        config = StreamConfig(
            name=STREAM,
            subjects=["faristol.>"],
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=DAY,
            duplicate_window=120,
        )
        await self._jetstream.add_stream(config)

    async def publish(self, events: Sequence[Recorded], record_id: str) -> None:
        """Publish events of a record in their order, and return when JetStream has stored them all.

        Raises a ``nats.errors.Error`` when it has not.
        """
        try:
            await asyncio.gather(
                *(
                    self._jetstream.publish(
                        subject(event), event.payload, headers=headers(event, record_id), stream=STREAM
                    )
                    for event in events
                )
            )
        except NoStreamResponseError:
            # The stream was wiped under us. Make it again; the relay will come back with the same events.
            await self.ensure_stream()
            raise

    async def subscribe(self, durable: str, subjects: Sequence[str] = ()) -> Pull:
        """A durable pull consumer of the news on some subjects, from now on; of all news where none are named."""
        await self.ensure_stream()
        pull = Pull(self._client, self._jetstream, durable, subjects)
        await pull.open()
        return pull


class Gone(NatsError):
    """The consumer is not there any more: it, or the stream, was removed."""


class Pull:
    """Messages of a durable consumer, asked for in batches of which one is always outstanding.

    nats-py's own ``fetch`` can wait out its whole timeout while messages are there (nats.py issues 933 and
    986). Here messages are handed on as they come, and a request that went silent is sent again.
    """

    BATCH = 256
    EXPIRES = 5.0
    """Seconds after which the server ends a request that it could not fill."""

    def __init__(self, client: Client, jetstream: JetStreamContext, durable: str, subjects: Sequence[str] = ()) -> None:
        self._client = client
        self._jetstream = jetstream
        self._durable = durable
        self._subjects = subjects
        self._wanted = 0
        self._expires = 0.0

    async def open(self) -> None:
        """Make the consumer if it is not there, and listen."""
        config = ConsumerConfig(
            durable_name=self._durable,
            filter_subjects=list(self._subjects) or None,
            deliver_policy=DeliverPolicy.NEW,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=30,
            max_ack_pending=4 * self.BATCH,
        )
        await self._jetstream.add_consumer(STREAM, config)
        self._inbox = self._client.new_inbox()
        self._subscription = await self._client.subscribe(self._inbox)

    @property
    def waiting(self) -> int:
        """Messages that have come and were not handed on: never more than were asked for."""
        return int(self._subscription.pending_msgs)

    async def close(self) -> None:
        """Stop listening; the consumer stays."""
        if not self._client.is_closed:
            await self._subscription.unsubscribe()

    async def messages(self, timeout: float) -> list[Msg]:
        """The messages that are here, waiting at most ``timeout`` seconds for a first one; none when none came."""
        now = asyncio.get_running_loop().time()
        if now > self._expires:
            self._wanted = self.waiting  # the server has ended every request: what is here is all that comes of them
        if self._wanted <= self.BATCH // 4:
            await self._ask(now)
        found: list[Msg] = []
        try:
            async with asyncio.timeout(timeout):  # not next_msg's own, with which it can lose a cancellation
                message = await self._subscription.next_msg(None)
        except TimeoutError:
            return found
        self._sort(message, found)
        while self._subscription.pending_msgs and len(found) < self.BATCH:
            self._sort(await self._subscription.next_msg(None), found)
        return found

    async def _ask(self, now: float) -> None:
        request = {"batch": self.BATCH, "expires": int(self.EXPIRES * 1e9)}
        await self._client.publish(
            f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{self._durable}", json.dumps(request).encode(), reply=self._inbox
        )
        self._wanted += self.BATCH
        self._expires = now + self.EXPIRES

    def _sort(self, message: Msg, found: list[Msg]) -> None:
        status = (message.headers or {}).get("Status")
        if status is None:
            self._wanted -= 1
            found.append(message)
        elif status in GONE:
            raise Gone(f"the consumer {self._durable} is gone")
        else:  # a request has expired; a later one may be outstanding
            unfilled = (message.headers or {}).get("Nats-Pending-Messages")
            self._wanted = max(0, self._wanted - int(unfilled)) if unfilled else 0


async def _quiet(_: Exception) -> None:
    """The caller is told by the exception that follows."""


async def _report(problem: Exception) -> None:
    _log.warning("NATS: %s", repr(problem))
