"""The connection to NATS, and the stream of notifications."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections import deque
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
from faristol.bus.envelope import headers, is_whole, subject
from faristol.bus.errors import BusError, BusRefused, BusUnavailable
from faristol.bus.permissions import NOTIFICATION_STREAM
from faristol.bus.sign_in import NatsAccess, format_error, is_denial, is_denied, is_refusal
from faristol.bus.stream import DEFAULT_LIMITS, NewsLimits
from faristol.event_store import Recorded
from faristol.event_store.long_work import LongWork
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.bounded import split_batches

UNANSWERED_STATUSES = ("409", "503")
"""Statuses of a request without an answer: its consumer was deleted, or there are no responders."""
RECONNECT_INTERVAL_SECONDS = 1.0
"""Seconds between attempts to reconnect after NATS has closed the connection."""
REQUEST_TIMEOUT_SECONDS = 5.0
"""Timeout of a request to JetStream."""
PUBLISHED_EVENTS = 32
"""Events whose notifications are sent together, before other tasks may go on."""

RECENT_DENIALS_COUNT = 64
"""Denials of NATS that are stored until the denied request times out."""

JETSTREAM_UNAVAILABLE_STATUS = 10008
"""Error code of JetStream without a quorum or a leader."""

_log = logging.getLogger(__name__)


class Bus:
    """A self-healing connection to NATS, and the one JetStream stream of a cell."""

    def __init__(self, entrance: NatsAccess, limits: NewsLimits, *, publishes: bool) -> None:
        """Use ``connect`` to get a connected bus."""
        self._entrance = entrance
        self._limits = limits
        self._publishes = publishes
        self._client: Client
        self._jetstream: JetStreamContext
        self._leaving = False
        self._coming_back: asyncio.Task[None] | None = None
        self._denied: deque[str] = deque(maxlen=RECENT_DENIALS_COUNT)
        self.problem = ""
        """Why NATS refuses this process; empty while it is accepted."""
        self.refuses_since: float | None = None
        """Since when NATS answers but does not store notifications, by the loop's clock; None while it stores them."""
        self.denied: set[str] = set()
        """Consumers of this process that NATS denies to it."""

    @classmethod
    async def connect(
        cls,
        url: str,
        credentials: Path | None = None,
        tls: Callable[[], ssl.SSLContext] | None = None,
        *,
        name: str = "faristol",
        publishes: bool = True,
        limits: NewsLimits = DEFAULT_LIMITS,
    ) -> Bus:
        """Connect to ``url``, or to one of several URLs separated by commas.

        ``tls`` returns the TLS context; it is called before each connection, so that certificates can be reloaded.
        ``name`` is the user's name if neither ``url`` nor ``credentials`` has one. A process that ``publishes`` creates
        the stream, within
        ``limits``.

        Raises ``BusUnavailable`` if no server answers. Raises ``BusRefused`` if the process is refused or lacks a
        permission, and
        ``BusError`` if JetStream is disabled or the credentials are malformed.
        """
        bus = cls(NatsAccess(url, credentials, tls, name), limits, publishes=publishes)
        await bus._come_in()
        try:
            await bus._check()
        except BusError:
            await bus.close()
            raise
        except (APIError, NatsError) as error:
            await bus.close()
            at = bus._entrance.shown
            if bus._denied:
                raise BusRefused(
                    f"NATS at {at} denies {bus._entrance.name} a required permission: {bus._denied[-1]}"
                ) from error
            if _has_no_leader(error):
                raise BusUnavailable(f"JetStream of NATS at {at} does not answer ({error})") from error
            raise BusError(f"NATS at {at} has no JetStream ({error}): start it with `-js`") from error
        return bus

    async def _check(self) -> None:
        if self._publishes:
            await self.ensure_stream()
        else:
            with suppress(NotFoundError):  # the publisher creates it
                await self._jetstream.stream_info(NOTIFICATION_STREAM)

    async def _come_in(self) -> None:
        await self._entrance.try_once()  # reports a wrong URL at once; later attempts repeat without limit
        self._client = await self._entrance.connect(
            error_cb=self._hear,
            disconnected_cb=self._refresh,
            reconnected_cb=self._let_in,
            closed_cb=self._handle_closed,
        )
        self._jetstream = self._client.jetstream(timeout=REQUEST_TIMEOUT_SECONDS)

    async def _hear(self, problem: Exception) -> None:
        if is_refusal(problem):
            self._tell(self._entrance.format_refusal(problem))
        elif is_denial(problem):
            self._denied.append(format_error(problem))
            _log.error("NATS at %s: %s", self._entrance.shown, self._denied[-1])
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
            _log.warning("NATS at %s accepts connections again", self._entrance.shown)

    async def _handle_closed(self) -> None:
        """Reconnect with the current credentials after the client gave up, for example because credentials expired."""
        if not self._leaving:
            self._coming_back = asyncio.create_task(self._come_back(), name="nats")

    async def _come_back(self) -> None:
        while True:
            try:
                await self._come_in()
            except BusError as error:
                self._tell(str(error))
                await asyncio.sleep(RECONNECT_INTERVAL_SECONDS)
            else:
                await self._let_in()
                return

    async def close(self) -> None:
        """Flush pending messages and disconnect."""
        self._leaving = True
        if self._coming_back:
            await cancel_tasks([self._coming_back])
        if not self._client.is_closed:
            with suppress(OSError):  # the server may be unavailable
                await self._client.close()

    @property
    def connected(self) -> bool:
        """Whether NATS answers at present."""
        return self._client.is_connected

    async def ensure_stream(self) -> None:
        """Create the stream if it is missing, and check that it accepts notifications (``stream.ensure``)."""
        await stream.ensure(self._jetstream, self._limits)

    async def publish(
        self, events: Sequence[Recorded], record_id: str, is_held: Callable[[Recorded], bool] = lambda _: False
    ) -> None:
        """Publish events in order; return when JetStream has stored all of them.

        A public event is published whole, any other as a reference to the record, and also one that ``is_held`` back by
        a delay of the broadcast. Raises a ``nats.errors.Error`` if not all are stored.
        """
        try:
            await self._publish(events, record_id, is_held)
        except NatsError:
            if self.connected and self.refuses_since is None:
                self.refuses_since = asyncio.get_running_loop().time()
            raise
        self.refuses_since = None

    async def _publish(self, events: Sequence[Recorded], record_id: str, is_held: Callable[[Recorded], bool]) -> None:
        try:
            work = LongWork()
            for some in split_batches(events, PUBLISHED_EVENTS):
                await asyncio.gather(*(self._publish_one(event, record_id, is_held=is_held(event)) for event in some))
                await work.let_others()
        except NoStreamResponseError:
            # The stream was wiped. Create it again; the relay retries the same events.
            await self.ensure_stream()
            raise

    async def _publish_one(self, event: Recorded, record_id: str, *, is_held: bool) -> None:
        whole = not is_held and is_whole(event)
        await self._jetstream.publish(
            subject(event, whole=whole),
            event.payload if whole else b"",
            headers=headers(event, record_id, whole=whole),
            stream=NOTIFICATION_STREAM,
        )

    async def remove_consumers(self, cell: str) -> None:
        """Delete the durable consumers of a cell that has ended permanently, as marked by ``subscribe``.

        Their names are not sufficient: those of the cell ``a-b`` begin with ``a-`` too.
        """
        for info in await self._consumers():
            if info.config.description == _mark(cell):
                await self._jetstream.delete_consumer(NOTIFICATION_STREAM, info.name)

    async def list_consumers(self) -> list[str]:
        """List the names of the durable consumers of all cells on the server."""
        return [info.name for info in await self._consumers()]

    async def _consumers(self) -> list[ConsumerInfo]:
        """List the durable consumers of all cells on the server, page by page."""
        infos: list[ConsumerInfo] = []
        while found := await self._jetstream.consumers_info(NOTIFICATION_STREAM, len(infos)):
            infos += found
        return infos

    async def subscribe(self, durable: str, subjects: Sequence[str] = (), cell: str = "") -> Pull:
        """Open a durable pull consumer of notifications on some subjects, from now on; on all subjects by default.

        It is marked with ``cell``, for ``remove_consumers``. Raises ``BusRefused`` if NATS denies the consumer to this
        process, or a ``nats.errors.Error``.
        """
        if self._publishes:
            await self.ensure_stream()
        pull = Pull(self._client, self._jetstream, durable, subjects, _mark(cell) if cell else None)
        for denial in [each for each in self._denied if is_denied(each, durable)]:
            self._denied.remove(denial)  # of an earlier attempt
        try:
            await pull.open()
        except NatsTimeout as error:  # NATS reports a denied request apart from it, and in lower case
            if not any(is_denied(denial, durable) for denial in self._denied):
                raise
            self.denied.add(durable)
            raise BusRefused(
                f"NATS at {self._entrance.shown} denies the consumer {durable} to {self._entrance.name}: the prefix of "
                "FARISTOL_NATS_CELL (default: the id of the record) must be that in the permissions of NATS"
            ) from error
        self.denied.discard(durable)
        return pull


class Gone(NatsError):
    """The consumer is missing: it, or the stream, was deleted."""


class Pull:
    """Messages of a durable consumer, requested in batches with always one request outstanding.

    nats-py's own ``fetch`` can wait for its whole timeout while messages are available (nats.py issues 933 and 986).
    This class returns messages as they arrive, and repeats a request without an answer.
    """

    BATCH = 256
    EXPIRES = 5.0
    """Seconds after which the server ends an unfilled request."""

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
        """Create the consumer if it is missing, and subscribe to its inbox."""
        config = ConsumerConfig(
            durable_name=self._durable,
            description=self._description,
            filter_subjects=list(self._subjects) or None,
            deliver_policy=DeliverPolicy.NEW,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=30,
            max_ack_pending=4 * self.BATCH,
        )
        await self._jetstream.add_consumer(NOTIFICATION_STREAM, config)
        self._inbox = self._client.new_inbox()
        self._subscription = await self._client.subscribe(self._inbox)

    @property
    def waiting(self) -> int:
        """Number of received messages that are not yet returned; never more than were requested."""
        return int(self._subscription.pending_msgs)

    async def close(self) -> None:
        """Unsubscribe; the consumer remains on the server."""
        if not self._client.is_closed:
            await self._subscription.unsubscribe()

    async def messages(self, timeout: float) -> list[Msg]:
        """Return the available messages, after a wait of at most ``timeout`` seconds for a first one; may be empty."""
        now = asyncio.get_running_loop().time()
        if now > self._expires:
            self._wanted = self.waiting  # the server has ended every request: only received ones are left
        if self._wanted <= self.BATCH // 4:
            await self._ask(now)
        found: list[Msg] = []
        try:
            async with asyncio.timeout(timeout):  # nats-py's own timeout can lose a cancellation
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
            f"$JS.API.CONSUMER.MSG.NEXT.{NOTIFICATION_STREAM}.{self._durable}",
            json.dumps(request).encode(),
            reply=self._inbox,
        )
        self._wanted += self.BATCH
        self._expires = now + self.EXPIRES

    def _sort(self, message: Msg, found: list[Msg]) -> None:
        status = (message.headers or {}).get("Status")
        if status is None:
            self._wanted -= 1
            found.append(message)
        elif status in UNANSWERED_STATUSES:
            raise Gone(f"the consumer {self._durable} is gone")
        else:  # a request has expired; a later one may be outstanding
            unfilled = (message.headers or {}).get("Nats-Pending-Messages")
            self._wanted = max(0, self._wanted - int(unfilled)) if unfilled else 0


def _mark(cell: str) -> str:
    """Return the description of the consumers of a cell on NATS."""
    return f"cell {cell}"


def _has_no_leader(problem: Exception) -> bool:
    """Check whether JetStream is enabled but cannot answer yet."""
    return isinstance(problem, NatsTimeout) or (
        isinstance(problem, APIError) and problem.err_code == JETSTREAM_UNAVAILABLE_STATUS
    )
