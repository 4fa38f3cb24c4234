"""The delivery of the outbox, in only one of the processes that could send."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from opentelemetry import metrics

from faristol.consumers import tables as beside
from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.mail import outbox
from faristol.mail.outbox import Mail, WaitingMail
from faristol.mail.retry_policy import Attempt, after_attempt
from faristol.mail.smtp import MailServer, send_all

LEASE_NAME = "mail"

MAIL_LEASE_SECONDS = 180.0
"""Seconds. Messages wait so long for another process after one has died. It is renewed before each message."""

MAIL_GRACE_SECONDS = 10.0
"""Seconds for the message in progress when the process ends."""

MAIL_POLL_SECONDS = 2.0
"""Seconds between polls for messages that are due."""

MAX_BATCH_MAILS_COUNT = 20
"""Messages over one connection. The outcome of each is stored before the next one is sent."""

PURGE_SECONDS = 3_600.0
"""Seconds between two deletions of old rows."""

_log = logging.getLogger(__name__)
_meter = metrics.get_meter("faristol.mail")
_attempts = _meter.create_counter("faristol.mail.attempts", unit="{message}", description="attempts to send a message")
_waiting = _meter.create_gauge("faristol.mail.waiting", unit="{message}", description="messages that wait to be sent")
_age = _meter.create_gauge("faristol.mail.age", unit="s", description="age of the oldest message that waits")
_refused = _meter.create_gauge("faristol.mail.refused", unit="{message}", description="messages refused for good")


class MailDelivery:
    """The sender of the outbox while this process holds the lease."""

    def __init__(
        self,
        record: Record,
        server: MailServer | None,
        now: Callable[[], datetime],
        holder: Callable[[], str],
        *,
        poll: float = MAIL_POLL_SECONDS,
    ) -> None:
        """Prepare the delivery; without a server, messages only wait. ``holder`` names this process for leases."""
        self._record, self._server, self._now, self._holder = record, server, now, holder
        self._poll = poll
        self._changed = asyncio.Event()
        self._purged_at = 0.0
        self._prepared = False

    @property
    def is_enabled(self) -> bool:
        """Whether the cell sends e-mail."""
        return self._server is not None

    def tell(self) -> None:
        """Look for messages at once: this process stored one."""
        self._changed.set()

    async def prepare(self) -> None:
        """Create the table if it is missing."""
        if not self._prepared:
            async with self._record.writing() as connection:
                await beside.make(connection, outbox.metadata)
            self._prepared = True

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            self._changed.clear()
            try:
                await self.prepare()
                await self._measure()
                if self._server is not None and await self._send_due(self._server):
                    continue
                await self._purge()
            except FAILURES as problem:
                _log.info("e-mail waits for the database: %r", problem)
            try:
                async with asyncio.timeout(self._poll):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _send_due(self, server: MailServer) -> bool:
        """Send a batch; return whether more messages may be due at once."""
        async with self._record.reading() as connection:
            due = await outbox.list_due(connection, self._now(), MAX_BATCH_MAILS_COUNT)
        if not due or not await self._record.lease(LEASE_NAME, self._holder(), MAIL_LEASE_SECONDS):
            return False
        async with self._record.reading() as connection:  # another process may have sent them before the lease
            due = await outbox.list_due(connection, self._now(), MAX_BATCH_MAILS_COUNT)
        sent = await self._send(due, server)
        return sent == len(due) == MAX_BATCH_MAILS_COUNT

    async def _send(self, due: Sequence[WaitingMail], server: MailServer) -> int:
        """Send messages in a thread, storing each outcome before the next one; return the number of sent ones."""
        by_id = {each.mail.mail_id: each for each in due}
        outcomes = send_all([(each.mail, each.created_at) for each in due], server)
        sent = 0
        try:
            while await self._record.lease(LEASE_NAME, self._holder(), MAIL_LEASE_SECONDS):
                step = asyncio.ensure_future(self._send_next(outcomes, by_id))
                try:
                    attempt = await asyncio.shield(step)
                except asyncio.CancelledError:
                    await _finish(step)
                    raise
                if attempt is None:
                    break
                sent += attempt.is_sent
        finally:
            with suppress(ValueError):  # its thread still runs, longer than the grace period
                outcomes.close()
        if due and not sent:
            await self._put_off(list(by_id.values()))
        return sent

    async def _send_next(
        self, outcomes: Generator[tuple[Mail, Attempt]], by_id: dict[str, WaitingMail]
    ) -> Attempt | None:
        """Send the next message of a batch and store its outcome; return None after the last one."""
        found = await asyncio.to_thread(next, outcomes, None)
        if found is None:
            return None
        mail, attempt = found
        await self._note(by_id.pop(mail.mail_id), attempt)
        return attempt

    async def _note(self, waiting: WaitingMail, attempt: Attempt) -> None:
        now = self._now()
        step = after_attempt(attempt, waiting.attempts + 1, waiting.created_at, now, random.random())  # noqa: S311 # a delay
        async with self._record.writing() as connection:
            await outbox.note_attempt(connection, waiting, attempt, step, now)
        _attempts.add(1, {"outcome": "sent" if attempt.is_sent else "final" if attempt.is_final else "temporary"})
        if not attempt.is_sent:
            _log.warning("a message was not sent: %s (SMTP %d)", attempt.problem, attempt.status)

    async def _put_off(self, waiting: Sequence[WaitingMail]) -> None:
        """Delay the messages of a batch that were not tried because the server is unavailable."""
        now = self._now()
        for each in waiting:
            step = after_attempt(Attempt(), each.attempts + 1, each.created_at, now, random.random())  # noqa: S311 # a delay
            async with self._record.writing() as connection:
                await outbox.note_attempt(connection, each, Attempt(problem="server unavailable"), step, now)

    async def _measure(self) -> None:
        async with self._record.reading() as connection:
            found = await outbox.count(connection)
        _waiting.set(found.waiting)
        _refused.set(found.refused)
        age = self._now() - found.waiting_since if found.waiting_since else timedelta(0)
        _age.set(age.total_seconds())

    async def _purge(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._purged_at and now - self._purged_at < PURGE_SECONDS:
            return
        self._purged_at = now
        async with self._record.writing() as connection:
            await outbox.purge(connection, self._now())


async def _finish(step: asyncio.Future[Attempt | None]) -> None:
    """Wait for a step, although this task is cancelled: its commit must follow the reply of the server."""
    loop = asyncio.get_running_loop()
    until = loop.time() + MAIL_GRACE_SECONDS
    while not step.done() and loop.time() < until:
        with suppress(asyncio.CancelledError):  # the process cancels its tasks repeatedly
            await asyncio.wait({step}, timeout=until - loop.time())
