"""Delivery: a courier for each webhook that is live, in one of all the processes that could deliver."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from faristol.record.databases import FAILURES
from faristol.record.tasks import end
from faristol.results.webhooks import registry, telemetry
from faristol.results.webhooks.courier import Courier, Means

LEASE_NAME = "webhooks"

LEASE = 20.0
"""Seconds. How long webhooks wait for another process when one has died."""

MARGIN = 12.0
"""Seconds of the lease that are left when a message is sent, at least: more than its deadline."""

BEAT = 1.0
"""Seconds between two looks at which webhooks there are."""

FLUSH = 0.25
"""Seconds between two times at which it is stored how far webhooks are. What a process that dies has delivered since
then is delivered again."""

MEASURE = 5.0
"""Seconds between two measurements."""

GRACE = 2.0
"""Seconds for messages that are being sent when the process ends."""

DEFECT = 60.0
"""Seconds until a webhook whose courier failed by a defect of ours is tried again."""

_log = logging.getLogger(__name__)


class Delivery:
    """Delivers to all webhooks while this process holds the lease."""

    def __init__(
        self,
        means: Means,
        holder: Callable[[], str],
        *,
        beat: float = BEAT,
        lease: float = LEASE,
        margin: float = MARGIN,
    ) -> None:
        """``holder`` is what this process is called as a holder of leases; the others are in seconds."""
        self._means = means
        self._beat, self._lease, self._margin = beat, lease, margin
        self._holder = holder
        self._held_until = 0.0
        """By the clock of the loop."""
        self._couriers: dict[str, Courier] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._failed_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._measured_at = 0.0
        means.may_send = lambda: asyncio.get_running_loop().time() < self._held_until - self._margin

    def tell(self) -> None:
        """A webhook was changed here: look at once."""
        self._changed.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        flushing = asyncio.create_task(self._keep_flushing(), name="webhooks.flush")
        try:
            await self._keep_up()
        finally:
            leaving = asyncio.create_task(self._leave(flushing), name="webhooks.leave")
            while not leaving.done():
                with suppress(asyncio.CancelledError):  # ``tasks.end`` cancels again what does not end at once
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
            except FAILURES as problem:
                _log.info("webhooks wait for the database: %r", problem)
            if asyncio.get_running_loop().time() >= self._held_until:
                await self._end_all()
            try:
                async with asyncio.timeout(self._beat):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _look(self) -> None:
        """Have a courier for each webhook that is live, and none for what was changed or removed."""
        async with self._means.record.reading() as connection:
            known = await registry.revisions(connection)
        if not known and not self._couriers:  # where nobody has webhooks, nothing is written again and again
            if self._held_until:
                self._held_until = 0.0
                await self._means.record.release(LEASE_NAME, self._holder())
            return
        if not await self._renew():
            return
        for webhook_id, courier in list(self._couriers.items()):
            if known.get(webhook_id) != courier.webhook.revision:
                self._end(webhook_id)
        self._forget_ended()
        wanted = known.keys() - self._couriers.keys() - self._waiting()
        if wanted:
            await self._start(wanted, known)

    async def _renew(self) -> bool:
        """Take the lease, or renew it before it can no longer be used. False while another process has it."""
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
        """Webhooks that are not begun yet: their last courier is at work still, or failed a moment ago."""
        now = asyncio.get_running_loop().time()
        failed = {webhook_id for webhook_id, at in self._failed_at.items() if now - at < DEFECT}
        return failed | {task.get_name() for task in self._ending}

    async def _start(self, wanted: Collection[str], known: Mapping[str, int]) -> None:
        await self._means.flush()  # the courier before has perhaps come further than is stored
        async with self._means.record.reading() as connection:
            found = await registry.some(connection, wanted)
        for webhook in found:
            if known[webhook.webhook_id] == webhook.revision and not webhook.course.stop:
                self._couriers[webhook.webhook_id] = Courier(self._means, webhook)

    def _forget_ended(self) -> None:
        """Forget couriers that ended though their webhook has not stopped, so that each is begun again."""
        for webhook_id, courier in list(self._couriers.items()):
            if not courier.task.done() or courier.course.stop:
                continue
            del self._couriers[webhook_id]
            if not courier.task.cancelled() and (problem := courier.task.exception()):
                _log.error("the courier of webhook %s failed", webhook_id, exc_info=problem)
                self._failed_at[webhook_id] = asyncio.get_running_loop().time()

    def _end(self, webhook_id: str) -> None:
        """End a courier beside, so that nobody waits for a receiver that is slow."""
        courier = self._couriers.pop(webhook_id)
        task = asyncio.create_task(courier.end(), name=webhook_id)
        self._ending.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        self._changed.set()

    async def _end_all(self) -> None:
        """End all couriers at once: another process delivers."""
        couriers, self._couriers = self._couriers, {}
        await end([courier.task for courier in couriers.values()])
        await end(list(self._ending))

    async def _keep_flushing(self) -> None:
        while True:
            await asyncio.sleep(FLUSH)
            try:
                await self._means.flush()
            except FAILURES as problem:
                _log.info("how far webhooks are cannot be stored: %r", problem)

    async def _measure(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._measured_at < MEASURE:
            return
        self._measured_at = now
        async with self._means.record.reading() as connection:
            found = await registry.numbers(connection)
        last = await self._means.record.last_position()
        live = [courier.course.position for courier in self._couriers.values() if not courier.course.stop]
        # Every process says the same of the tables, and 0 of a lag that it knows nothing of: the largest value holds.
        telemetry.lag.set(max((last - position for position in live), default=0))
        telemetry.failing.set(found.failing)
        telemetry.stopped.set(found.stopped)
        telemetry.dead_letters.set(found.dead_letters)

    async def _leave(self, flushing: asyncio.Task[None]) -> None:
        """Let what is being sent be answered, store how far everything is, and let another process go on."""
        for webhook_id in list(self._couriers):
            self._end(webhook_id)
        if self._ending:
            await asyncio.wait(self._ending, timeout=GRACE)
        await end([flushing, *self._ending])
        self._means.close()
        try:
            await self._means.flush()
            if self._held_until:
                await self._means.record.release(LEASE_NAME, self._holder())
        except FAILURES as problem:
            _log.info("the lease of webhooks runs out by itself: %r", problem)
