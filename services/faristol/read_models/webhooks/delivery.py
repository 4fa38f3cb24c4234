"""Delivery: a worker for each live webhook, in only one of the processes that could deliver."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.tasks import cancel_tasks
from faristol.read_models.webhooks.sequencer import WebhookWorker, WorkerContext
from faristol.webhooks import registry, telemetry

LEASE_NAME = "webhooks"

WEBHOOK_LEASE_SECONDS = 20.0
"""Seconds. Webhooks wait so long for another process after one has died."""

LEASE_MARGIN_SECONDS = 12.0
"""Minimum seconds of the lease left when a message is sent: more than its deadline."""

WEBHOOK_POLL_SECONDS = 1.0
"""Seconds between polls for changed webhooks."""

POSITION_FLUSH_SECONDS = 0.25
"""Seconds between stores of positions. Messages delivered since then are delivered again if the process dies."""

MEASUREMENT_SECONDS = 5.0
"""Seconds between two measurements."""

DELIVERY_GRACE_SECONDS = 2.0
"""Seconds for messages in progress when the process ends."""

WORKER_RESTART_SECONDS = 60.0
"""Seconds until a worker that failed by an internal error is restarted."""

_log = logging.getLogger(__name__)


class Delivery:
    """The delivery to all webhooks while this process holds the lease."""

    def __init__(
        self,
        means: WorkerContext,
        holder: Callable[[], str],
        *,
        beat: float = WEBHOOK_POLL_SECONDS,
        lease: float = WEBHOOK_LEASE_SECONDS,
        margin: float = LEASE_MARGIN_SECONDS,
    ) -> None:
        """Prepare the delivery; ``holder`` returns the name of this process for leases. Times are in seconds."""
        self._means = means
        self._beat, self._lease, self._margin = beat, lease, margin
        self._holder = holder
        self._held_until = 0.0
        """By the clock of the loop."""
        self._workers: dict[str, WebhookWorker] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._failed_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._measured_at = 0.0
        means.may_send = lambda: asyncio.get_running_loop().time() < self._held_until - self._margin

    def tell(self) -> None:
        """Check for changes at once: a webhook was changed in this process."""
        self._changed.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        flushing = asyncio.create_task(self._keep_flushing(), name="webhooks.flush")
        try:
            await self._keep_up()
        finally:
            leaving = asyncio.create_task(self._leave(flushing), name="webhooks.leave")
            while not leaving.done():
                with suppress(asyncio.CancelledError):  # ``tasks.end`` cancels repeatedly
                    await asyncio.shield(leaving)

    async def _keep_up(self) -> None:
        is_prepared = False
        while True:
            self._changed.clear()
            try:
                if not is_prepared:
                    await registry.prepare(self._means.record)
                    is_prepared = True
                await self._look()
                await self._measure()
            except FAILURES as error:
                _log.info("webhooks wait for the database: %r", error)
            if asyncio.get_running_loop().time() >= self._held_until:
                await self._end_all()
            try:
                async with asyncio.timeout(self._beat):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _look(self) -> None:
        """Start a worker for each live webhook; end those of changed or removed ones."""
        async with self._means.record.reading() as connection:
            known = await registry.revisions(connection)
        if not known and not self._workers:  # without webhooks, the lease is not renewed
            if self._held_until:
                self._held_until = 0.0
                await self._means.record.release(LEASE_NAME, self._holder())
            return
        if not await self._renew():
            return
        for webhook_id, worker in list(self._workers.items()):
            if known.get(webhook_id) != worker.webhook.revision:
                self._end(webhook_id)
        self._forget_ended()
        wanted = known.keys() - self._workers.keys() - self._waiting()
        if wanted:
            await self._start(wanted, known)

    async def _renew(self) -> bool:
        """Acquire the lease, or renew it before it expires. Return False while another process holds it."""
        record, me, asked_at = self._means.record, self._holder(), asyncio.get_running_loop().time()
        if self._held_until - asked_at > (self._lease + self._margin) / 2:
            return True
        is_mine = await record.holder(LEASE_NAME, self._lease) in {"", me}
        if is_mine and await record.lease(LEASE_NAME, me, self._lease):
            self._held_until = asked_at + self._lease
            return True
        self._held_until = 0.0
        return False

    def _waiting(self) -> set[str]:
        """Return webhooks that may not start yet: their last sender is still running or has just failed."""
        now = asyncio.get_running_loop().time()
        failed = {webhook_id for webhook_id, at in self._failed_at.items() if now - at < WORKER_RESTART_SECONDS}
        return failed | {task.get_name() for task in self._ending}

    async def _start(self, wanted: Collection[str], known: Mapping[str, int]) -> None:
        await self._means.flush()  # the previous sender may have advanced beyond the stored position
        async with self._means.record.reading() as connection:
            found = await registry.load_webhooks(connection, wanted)
        for webhook in found:
            if known[webhook.webhook_id] == webhook.revision and not webhook.course.stop:
                self._workers[webhook.webhook_id] = WebhookWorker(self._means, webhook)

    def _forget_ended(self) -> None:
        """Remove workers that ended although their webhook has not stopped, so that they are restarted."""
        for webhook_id, worker in list(self._workers.items()):
            if not worker.task.done() or worker.course.stop:
                continue
            del self._workers[webhook_id]
            if not worker.task.cancelled() and (problem := worker.task.exception()):
                _log.error("the sender of webhook %s failed", webhook_id, exc_info=problem)
                self._failed_at[webhook_id] = asyncio.get_running_loop().time()

    def _end(self, webhook_id: str) -> None:
        """End a worker in the background, so that a slow receiver blocks no other."""
        worker = self._workers.pop(webhook_id)
        task = asyncio.create_task(worker.end(), name=webhook_id)
        self._ending.add(task)
        task.add_done_callback(self._discard_ended)

    def _discard_ended(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        self._changed.set()

    async def _end_all(self) -> None:
        """End all workers at once: another process delivers."""
        workers, self._workers = self._workers, {}
        await cancel_tasks([worker.task for worker in workers.values()])
        await cancel_tasks(list(self._ending))

    async def _keep_flushing(self) -> None:
        while True:
            await asyncio.sleep(POSITION_FLUSH_SECONDS)
            try:
                await self._means.flush()
            except FAILURES as error:
                _log.info("positions of webhooks cannot be stored: %r", error)

    async def _measure(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._measured_at < MEASUREMENT_SECONDS:
            return
        self._measured_at = now
        async with self._means.record.reading() as connection:
            found = await registry.numbers(connection)
        last = await self._means.record.last_position()
        live = [worker.course.position for worker in self._workers.values() if not worker.course.stop]
        # Every process reports the same values of the tables, and 0 for an unknown lag: the maximum is correct.
        telemetry.lag.set(max((last - position for position in live), default=0))
        telemetry.failing.set(found.failing)
        telemetry.stopped.set(found.stopped)
        telemetry.dead_letters.set(found.dead_letters)

    async def _leave(self, flushing: asyncio.Task[None]) -> None:
        """Wait for answers in progress, store all positions, and release the lease."""
        for webhook_id in list(self._workers):
            self._end(webhook_id)
        if self._ending:
            await asyncio.wait(self._ending, timeout=DELIVERY_GRACE_SECONDS)
        await cancel_tasks([flushing, *self._ending])
        self._means.close()
        try:
            await self._means.flush()
            if self._held_until:
                await self._means.record.release(LEASE_NAME, self._holder())
        except FAILURES as error:
            _log.info("the lease of webhooks expires by itself: %r", error)
