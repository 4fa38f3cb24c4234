"""The delivery of notifications, in only one of the processes that could deliver.

Each event is read once. In one transaction with the position, its notification is queued for every subscription that
follows it, each once. Then the queue is sent, concurrently and with a limit for each host, so that a slow push service
delays no other. A message leaves the queue after its answer; if the process dies between, it is sent once more, and the
push service and the browser take both for one by their topic and tag.
"""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import grpc
from cryptography.hazmat.primitives.asymmetric import ec

from faristol.consumers import Progress
from faristol.event_store import Record, Recorded
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.delays import Delays
from faristol.event_store.event import microseconds
from faristol.host.rpc.errors import Unreachable
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import TOLD_TYPES, types_of
from faristol.pb.people.v1 import events_pb2 as people
from faristol.read_models.push.content import PUSHED_TYPES, PushContent, find_told_event
from faristol.web_push import subscriptions
from faristol.web_push.encryption import SALT_BYTES, encrypt, from_base64, padded_size, to_base64
from faristol.web_push.subscriptions import QueuedPush, Subscription
from faristol.web_push.vapid import PushKeys
from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.retry_policy import DeliveryOutcome, Failure
from faristol.webhooks.target import Network, target_of

if TYPE_CHECKING:
    from faristol.webhooks.sender import TargetConnection

LEASE_NAME = "push"
PUSH_LEASE_SECONDS = 20.0
"""Seconds. Notifications wait so long for another process after one has died."""

LEASE_MARGIN_SECONDS = 12.0
"""Minimum seconds of the lease left when a message is sent: more than its timeout."""

PUSH_POLL_SECONDS = 1.0
"""Seconds between polls for events and due messages."""

PUSH_TIMEOUT_SECONDS = 10.0
"""Seconds for one message, from resolving the name to the end of the answer."""

EVENT_BATCH_EVENTS = 200
DUE_BATCH_SIZE = 256
"""Messages that are read from the queue at a time."""

MAX_HOST_MESSAGES = 8
"""Concurrent messages to one push service."""

MAX_MESSAGES = 64
"""Concurrent messages to all push services."""

PUSH_INTERVAL_SECONDS = 0.01
"""Minimum seconds between the starts of two messages. The phones that they reach ask for pages in the same moment."""

FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS = 2.0, 900.0
"""Delays between attempts; each is twice the one before."""

LONGEST_ASKED_SECONDS = 3_600.0
"""Longest delay that a push service may ask for by ``Retry-After``."""

GONE_STATUSES = frozenset({404, 410})
"""Answers for a subscription that has ended (RFC 8030, 7.3)."""

_ERASED_TYPES = types_of([people.PersonErased])
_log = logging.getLogger(__name__)


@dataclass
class PushMeans:
    """Objects that the delivery needs."""

    record: Record
    progress: Progress
    """Of the read models, from which texts are made."""
    keys: PushKeys
    now: Callable[[], datetime]
    networks: Collection[Network] = ()
    contact: str = ""
    """Address of the operator for push services; may be empty."""
    timeout: float = PUSH_TIMEOUT_SECONDS
    first_retry: float = FIRST_RETRY_SECONDS
    context: Callable[[], ssl.SSLContext] | None = None
    """Returns the trusted authorities; None for those of the system."""
    delivery_slots: DeliverySlots = field(default_factory=lambda: DeliverySlots(MAX_MESSAGES))


class PushDelivery:
    """The delivery while this process holds the lease."""

    def __init__(self, means: PushMeans, holder: Callable[[], str], *, beat: float = PUSH_POLL_SECONDS) -> None:
        """Prepare the delivery; ``holder`` returns the name of this process for leases. ``beat`` is in seconds."""
        self._means = means
        self._holder = holder
        self._beat = beat
        self._held_until = 0.0
        self._changed = asyncio.Event()
        self._idle: dict[str, list[TargetConnection]] = defaultdict(list)
        self._hosts: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(MAX_HOST_MESSAGES))
        self._headers: dict[tuple[str, str], tuple[str, datetime]] = {}
        self._delays = Delays()
        self._done: list[QueuedPush] = []
        """Messages that are to be deleted from the queue."""
        self._dropping = asyncio.Lock()
        self._pacing = asyncio.Lock()
        self._away: dict[str, tuple[int, int]] = {}
        """Push services without an answer: when they are called again, in microseconds, and the failures in a row."""

    def tell(self) -> None:
        """Look for work at once: a browser has subscribed."""
        self._changed.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        is_prepared = False
        try:
            while True:
                self._changed.clear()
                try:
                    if not is_prepared:
                        await subscriptions.prepare(self._means.record)
                        is_prepared = True
                    await self._work()
                except (*FAILURES, Unreachable, grpc.aio.AioRpcError) as problem:
                    _log.info("notifications wait for the database: %r", problem)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._beat):
                        await self._changed.wait()
        finally:
            await self._close()

    async def _work(self) -> None:
        async with self._means.record.reading() as connection:
            has_work = await subscriptions.count(connection) > 0
            position = await subscriptions.read_position(connection)
        if not has_work and position is not None and await self._means.record.last_position() == position:
            return
        if not await self._renew():
            return
        if position is None or not has_work:
            await self._skip()  # before the first subscription there is no event to announce
            return
        while await self._queue_events():
            pass
        while await self._send_due():
            await self._renew()

    async def _skip(self) -> None:
        position = await self._means.progress.position()
        async with self._means.record.writing() as connection:
            await subscriptions.lock(connection)
            if await subscriptions.count(connection) == 0 or await subscriptions.read_position(connection) is None:
                await subscriptions.store_position(connection, position)

    async def _renew(self) -> bool:
        """Acquire the lease, or renew it. Return False while another process holds it."""
        record, me, asked_at = self._means.record, self._holder(), asyncio.get_running_loop().time()
        if self._held_until - asked_at > LEASE_MARGIN_SECONDS + 2:
            return True
        is_free = await record.holder(LEASE_NAME, PUSH_LEASE_SECONDS) in {"", me}
        if is_free and await record.lease(LEASE_NAME, me, PUSH_LEASE_SECONDS):
            self._held_until = asked_at + PUSH_LEASE_SECONDS
            return True
        self._held_until = 0.0
        return False

    def _may_send(self) -> bool:
        return asyncio.get_running_loop().time() < self._held_until - LEASE_MARGIN_SECONDS

    # --- the queue ---------------------------------------------------------------------------------------------------

    async def _queue_events(self) -> bool:
        """Queue the notifications of the next events. Return whether there are further ones."""
        record = self._means.record
        async with record.reading() as connection:
            position = await subscriptions.read_position(connection) or 0
        last = await self._means.progress.position()
        if last <= position:
            return False
        types = PUSHED_TYPES | _ERASED_TYPES | TOLD_TYPES
        events = await record.read(position, types=types, limit=EVENT_BATCH_EVENTS, up_to=last)
        is_full = len(events) == EVENT_BATCH_EVENTS
        content, now = PushContent(record), self._means.now()
        await self._delays.read(record)
        public = [event for event in events if not self._delays.holds(event)]
        told = [(event.position, await find_told_event(record, event)) for event in public]
        async with record.writing() as connection:
            await subscriptions.lock(connection)
            for position, event in told:
                if event is None:
                    continue
                if isinstance(event.message, people.PersonErased):
                    await subscriptions.forget_person(connection, event.message.person_id)
                    continue
                expires_at = content.expires_at(event)
                if expires_at <= now:
                    continue
                try:
                    wanted = await content.readers(event)
                except NotFound:
                    continue  # the tournament was removed
                found = await subscriptions.find_followers(connection, event.tournament, wanted)
                await subscriptions.enqueue(
                    connection,
                    position,
                    event.tournament,
                    found,
                    microseconds(now),
                    microseconds(expires_at),
                )
            await subscriptions.store_position(connection, events[-1].position if is_full else last)
        return is_full

    # --- sending -----------------------------------------------------------------------------------------------------

    async def _send_due(self) -> bool:
        """Send the messages that are due. Return whether there may be further ones."""
        record, now = self._means.record, microseconds(self._means.now())
        async with record.writing() as connection:
            await subscriptions.drop_expired(connection, now)
        async with record.reading() as connection:
            due = await subscriptions.list_due(connection, now, DUE_BATCH_SIZE)
            known = await subscriptions.load(connection, {push.subscription_id for push in due})
        if not due or not self._may_send():
            return False
        positions = {push.position for push in due}
        events = {
            position: told
            for position in positions
            for event in await record.read(position - 1, limit=1, up_to=position)
            if (told := await find_told_event(record, event)) is not None
        }
        content = PushContent(record)
        gone = set[str]()
        sends = (self._send(push, known.get(push.subscription_id), events, content, gone) for push in due)
        await asyncio.gather(*sends)
        if gone:
            async with record.writing() as connection:
                await subscriptions.lock(connection)
                await subscriptions.remove(connection, gone)
        return len(due) == DUE_BATCH_SIZE

    async def _send(
        self,
        push: QueuedPush,
        subscription: Subscription | None,
        events: dict[int, Recorded],
        content: PushContent,
        gone: set[str],
    ) -> None:
        event = events.get(push.position)
        if subscription is None or event is None:
            await self._drop(push)
            return
        if subscription.key not in self._means.keys:
            gone.add(push.subscription_id)  # its key was withdrawn
            return
        target = target_of(subscription.endpoint)
        async with self._hosts[target.authority], self._means.delivery_slots.slots:
            if not self._may_send() or push.subscription_id in gone:
                return
            until, _ = self._away.get(target.authority, (0, 0))
            if until > microseconds(self._means.now()):  # the service does not answer: its messages wait together
                await self._postpone(push, until, push.tries)
                return
            async with self._pacing:
                await asyncio.sleep(PUSH_INTERVAL_SECONDS)
            try:
                body = await content.body(event, push.follow, subscription.language)
            except NotFound:
                body = b""
            if not body:
                await self._drop(push)
                return
            outcome = await self._post(push, subscription, body)
            self._note_host(target.authority, outcome)
        await self._store_outcome(push, outcome, gone)

    def _note_host(self, authority: str, outcome: DeliveryOutcome) -> None:
        """Note that a push service does not answer, so that its other messages do not wait for it one by one."""
        now, (until, failures) = microseconds(self._means.now()), self._away.get(authority, (0, 0))
        if outcome.status or outcome.failure is Failure.ADDRESS_REFUSED:
            self._away.pop(authority, None)
        elif until <= now:  # further failures of the same moment do not count
            delay = min(self._means.first_retry * 2 ** min(failures, 20), LONGEST_RETRY_SECONDS)
            self._away[authority] = now + int(delay * 1_000_000), failures + 1

    async def _post(self, push: QueuedPush, subscription: Subscription, body: bytes) -> DeliveryOutcome:
        means = self._means
        target = target_of(subscription.endpoint)
        left = (push.expires_at - microseconds(means.now())) // 1_000_000
        sealed = encrypt(
            body,
            from_base64("public_key", subscription.public_key, 65),
            from_base64("auth", subscription.auth, 16),
            ec.generate_private_key(ec.SECP256R1()),
            os.urandom(SALT_BYTES),
            padded_size(len(body)),
        )
        headers = {
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(max(0, left)),
            "urgency": "high",
            "topic": topic_of(push),
            "authorization": self._authorization(subscription.key, f"https://{target.authority}"),
        }
        connection = self._take(target.authority, subscription.endpoint)
        try:
            outcome = await connection.send(sealed, headers, means.delivery_slots, target.path)
        except BaseException:
            await connection.aclose()
            raise
        if outcome.status:
            self._idle[target.authority].append(connection)
        else:
            await connection.aclose()
        return outcome

    def _take(self, authority: str, endpoint: str) -> TargetConnection:
        """Return an idle connection to a push service, or a new one."""
        from faristol.webhooks.sender import TargetConnection, build_ssl_context

        if self._idle[authority]:
            return self._idle[authority].pop()
        means = self._means
        context = means.context() if means.context else build_ssl_context()
        return TargetConnection(target_of(endpoint), means.networks, context, means.now, means.timeout)

    def _authorization(self, key: str, origin: str) -> str:
        """Return the header for a push service; a token is used for an hour."""
        now = self._means.now()
        known = self._headers.get((key, origin))
        if known is None or known[1] <= now:
            known = self._means.keys.header(key, origin, now, self._means.contact), now + timedelta(hours=1)
            self._headers[key, origin] = known
        return known[0]

    async def _store_outcome(self, push: QueuedPush, outcome: DeliveryOutcome, gone: set[str]) -> None:
        if not outcome.failure:
            await self._drop(push)
        elif outcome.status in GONE_STATUSES:
            gone.add(push.subscription_id)
        elif outcome.failure is Failure.ADDRESS_REFUSED:
            gone.add(push.subscription_id)  # an address inside a network: it is never called
        elif outcome.status and outcome.status < 500 and outcome.status not in (408, 425, 429):
            _log.warning("a push service refused a message with the status %s", outcome.status)
            await self._drop(push)
        else:
            tries = push.tries + 1
            delay = min(self._means.first_retry * 2 ** min(push.tries, 20), LONGEST_RETRY_SECONDS)
            delay = max(delay, min(outcome.retry_after, LONGEST_ASKED_SECONDS))
            due = microseconds(self._means.now()) + int(delay * 1_000_000)
            await self._postpone(push, due, tries)

    async def _postpone(self, push: QueuedPush, due: int, tries: int) -> None:
        async with self._means.record.writing() as connection:
            await subscriptions.postpone(connection, push, due, tries)

    async def _drop(self, push: QueuedPush) -> None:
        """Delete a message from the queue, together with those that wait for the transaction before."""
        self._done.append(push)
        async with self._dropping:
            if push not in self._done:
                return  # another task deleted it
            done, self._done = self._done, []
            async with self._means.record.writing() as connection:
                await subscriptions.drop(connection, done)

    async def _close(self) -> None:
        for idle in self._idle.values():
            for connection in idle:
                await connection.aclose()
        self._means.delivery_slots.close()
        if self._held_until:
            with suppress(*FAILURES):
                await self._means.record.release(LEASE_NAME, self._holder())


def topic_of(push: QueuedPush) -> str:
    """Return the topic of a message: a push service that still has an earlier copy replaces it (RFC 8030, 5.4)."""
    return to_base64(f"{push.tournament}-{push.position}".encode()[-24:])
