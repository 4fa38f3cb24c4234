"""The connection to NATS, and the stream that carries the news."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeout
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError

from faristol.bus import stream
from faristol.bus.entrance import Entrance, is_denial, is_refusal, told
from faristol.bus.envelope import headers, subject
from faristol.bus.errors import BusAway, BusError, BusRefused
from faristol.bus.permissions import STREAM
from faristol.bus.stream import AS_A_RULE, NewsLimits
from faristol.record import Recorded
from faristol.record.tasks import end

GONE = ("409", "503")
"""Statuses of a request that nobody answers: its consumer was deleted, or there are no responders."""
AGAIN = 1.0
"""Seconds between two tries to come in again where NATS has closed the door."""

UNAVAILABLE_FOR_NOW = 10008
"""What JetStream says while its servers have not found each other, or have no leader."""

_log = logging.getLogger(__name__)


class Bus:
    """A connection to NATS that heals itself, and the one JetStream stream of a cell."""

    def __init__(self, entrance: Entrance, limits: NewsLimits, *, publishes: bool) -> None:
        """``connect`` makes one that is connected."""
        self._entrance = entrance
        self._limits = limits
        self._publishes = publishes
        self._client: Client
        self._jetstream: JetStreamContext
        self._leaving = False
        self._coming_back: asyncio.Task[None] | None = None
        self._denied = ""
        self.problem = ""
        """Why NATS does not let this process in; empty while it does."""
        self.refuses_since: float | None = None
        """Since when NATS answers and stores no news, by the clock of the loop; None while it stores them."""

    @classmethod
    async def connect(
        cls,
        url: str,
        credentials: Path | None = None,
        tls: Callable[[], ssl.SSLContext] | None = None,
        *,
        name: str = "faristol",
        publishes: bool = True,
        limits: NewsLimits = AS_A_RULE,
    ) -> Bus:
        """Connect to ``url``, or to one of several with commas between.

        ``tls`` gives what certificates are checked by and which one is shown; it is asked again before a connection,
        so that it can read them again. ``name`` is that of the user, where neither ``url`` nor ``credentials`` says it.
        Who ``publishes`` makes the stream, within ``limits``.

        Raises ``BusAway`` when nothing answers there, ``BusRefused`` when it is not let in or may not do what it is
        there for, ``BusError`` when JetStream is off or the credentials are no such file.
        """
        bus = cls(Entrance(url, credentials, tls, name), limits, publishes=publishes)
        await bus._come_in()
        try:
            await bus._check()
        except BusError:
            await bus.close()
            raise
        except (APIError, NatsError) as problem:
            await bus.close()
            at = bus._entrance.shown
            if bus._denied:
                raise BusRefused(
                    f"NATS at {at} does not let {bus._entrance.name} do what it is there for: {bus._denied}"
                ) from problem
            if _has_no_leader(problem):
                raise BusAway(f"JetStream of NATS at {at} does not answer ({problem})") from problem
            raise BusError(f"NATS at {at} has no JetStream ({problem}): start it with `-js`") from problem
        return bus

    async def _check(self) -> None:
        if self._publishes:
            await self.ensure_stream()
        else:
            with suppress(NotFoundError):  # it is made by who publishes
                await self._jetstream.stream_info(STREAM)

    async def _come_in(self) -> None:
        await self._entrance.try_once()  # so that a wrong URL is told at once; what follows is tried for ever
        self._client = await self._entrance.connect(
            error_cb=self._hear, disconnected_cb=self._refresh, reconnected_cb=self._let_in, closed_cb=self._closed
        )
        self._jetstream = self._client.jetstream(timeout=5)

    async def _hear(self, problem: Exception) -> None:
        if is_refusal(problem):
            self._tell(self._entrance.refused(problem))
        elif is_denial(problem):
            self._denied = told(problem)
            _log.error("NATS at %s: %s", self._entrance.shown, self._denied)
        else:
            _log.warning("NATS: %s", repr(problem))
        self._entrance.bring_up_to_date()

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            _log.error("%s", problem)

    async def _refresh(self) -> None:
        self._entrance.bring_up_to_date()

    async def _let_in(self) -> None:
        if self.problem:
            self.problem = ""
            _log.warning("NATS at %s lets this process in again", self._entrance.shown)

    async def _closed(self) -> None:
        """The client gives up where it is thrown out, as by credentials that have ended: come in by those of now."""
        if not self._leaving:
            self._coming_back = asyncio.create_task(self._come_back(), name="nats")

    async def _come_back(self) -> None:
        while True:
            try:
                await self._come_in()
            except BusError as problem:
                self._tell(str(problem))
                await asyncio.sleep(AGAIN)
            else:
                await self._let_in()
                return

    async def close(self) -> None:
        """Send what is waiting to be sent, and leave."""
        self._leaving = True
        if self._coming_back:
            await end([self._coming_back])
        if not self._client.is_closed:
            with suppress(OSError):  # a server that is away takes nothing any more
                await self._client.close()

    @property
    def connected(self) -> bool:
        """NATS answers at present."""
        return self._client.is_connected

    async def ensure_stream(self) -> None:
        """Make the stream if it is not there, and see that it takes the news (``stream.ensure``)."""
        await stream.ensure(self._jetstream, self._limits)

    async def publish(self, events: Sequence[Recorded], record_id: str) -> None:
        """Publish news of events in their order, and return when JetStream has stored them all.

        What an event says is not among its news: who hears them reads the record. Raises a ``nats.errors.Error`` when
        it has not.
        """
        try:
            await self._publish(events, record_id)
        except NatsError:
            if self.connected and self.refuses_since is None:
                self.refuses_since = asyncio.get_running_loop().time()
            raise
        self.refuses_since = None

    async def _publish(self, events: Sequence[Recorded], record_id: str) -> None:
        try:
            await asyncio.gather(
                *(
                    self._jetstream.publish(subject(event), b"", headers=headers(event, record_id), stream=STREAM)
                    for event in events
                )
            )
        except NoStreamResponseError:
            # The stream was wiped under us. Make it again; the relay will come back with the same events.
            await self.ensure_stream()
            raise

    async def remove_consumers(self, cell: str) -> None:
        """Remove the durable consumers of a cell which has ended and does not come back, as ``subscribe`` marked them.

        Their names do not tell: those of the cell ``a-b`` begin with ``a-`` too.
        """
        for info in await self._consumers():
            if info.config.description == _mark(cell):
                await self._jetstream.delete_consumer(STREAM, info.name)

    async def list_consumers(self) -> list[str]:
        """The names of the durable consumers of all cells on the server."""
        return [info.name for info in await self._consumers()]

    async def _consumers(self) -> list[ConsumerInfo]:
        """The durable consumers of all cells on the server, which tells them in parts."""
        infos: list[ConsumerInfo] = []
        while found := await self._jetstream.consumers_info(STREAM, len(infos)):
            infos += found
        return infos

    async def subscribe(self, durable: str, subjects: Sequence[str] = (), cell: str = "") -> Pull:
        """A durable pull consumer of the news on some subjects, from now on; of all news where none are named.

        It is marked as one of ``cell``, for ``remove_consumers``.
        """
        if self._publishes:
            await self.ensure_stream()
        pull = Pull(self._client, self._jetstream, durable, subjects, _mark(cell) if cell else None)
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

    def __init__(
        self,
        client: Client,
        jetstream: JetStreamContext,
        durable: str,
        subjects: Sequence[str] = (),
        description: str | None = None,
    ) -> None:
        self._client = client
        self._description = description
        self._jetstream = jetstream
        self._durable = durable
        self._subjects = subjects
        self._wanted = 0
        self._expires = 0.0

    async def open(self) -> None:
        """Make the consumer if it is not there, and listen."""
        config = ConsumerConfig(
            durable_name=self._durable,
            description=self._description,
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


def _mark(cell: str) -> str:
    """What the consumers of a cell are described as on NATS."""
    return f"cell {cell}"


def _has_no_leader(problem: Exception) -> bool:
    """Whether JetStream is there, and cannot answer yet."""
    return isinstance(problem, NatsTimeout) or (
        isinstance(problem, APIError) and problem.err_code == UNAVAILABLE_FOR_NOW
    )
