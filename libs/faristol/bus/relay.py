"""The relay: publishes notifications of events in order of position."""

from __future__ import annotations

import asyncio
import logging
import math
import uuid

from nats.errors import Error as NatsError

from faristol.assertions import Sometimes
from faristol.bus.connection import Bus
from faristol.bus.errors import BusError
from faristol.bus.telemetry import trace_publication
from faristol.event_store import Checkpoint, Record, Stale
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.delays import Delays
from faristol.event_store.positions import move_checkpoint, start_checkpoint

RELAY_NAME = "relay"
RELAY_LEASE_SECONDS = 4.0
RELAY_STANDBY_SECONDS = RELAY_LEASE_SECONDS / 2
"""Seconds between two checks of the lease by a relay that does not hold it."""
RELAY_BATCH_EVENTS = 256
RELAY_POLL_SECONDS = 0.1
"""Seconds between two polls for appends of other processes."""
RELAY_NOTIFIED_POLL_SECONDS = 1.0
"""The same if the database notifies of appends."""

PUBLISHED_TWICE = Sometimes("two relays publish at once")

_log = logging.getLogger(__name__)


class Relay:
    """Each process of a cell that appends runs a relay; the holder of the lease publishes.

    If two publish for a moment, consumers get duplicates, which have no effect.
    """

    def __init__(self, record: Record, bus: Bus) -> None:
        self._record = record
        self._bus = bus
        self._holder = str(uuid.uuid4())
        self._delays = Delays()

    async def run(self) -> None:
        """Publish until cancelled."""
        try:
            while True:
                try:
                    await self._publish_while_leading()
                except (BusError, NatsError, *FAILURES) as error:
                    _log.warning("relay waits: %s", repr(error))
                except Stale:
                    PUBLISHED_TWICE.note()  # another relay published first; the lease decides
                await asyncio.sleep(RELAY_STANDBY_SECONDS)
        finally:
            try:
                await self._record.release(RELAY_NAME, self._holder)
            except FAILURES as error:
                _log.info("the relay's lease expires by itself: %s", error)

    async def _note(self, noted: int, position: int) -> int:
        """Move the checkpoint with each renewal of the lease: duplicates after a crash have no effect."""
        async with self._record.writing() as connection:
            if noted < 0:
                await start_checkpoint(connection, RELAY_NAME)
            elif position > noted:
                await move_checkpoint(connection, Checkpoint(RELAY_NAME, noted, position))
        return position if noted >= 0 else await self._record.checkpoint(RELAY_NAME)

    async def _publish_while_leading(self) -> None:
        loop = asyncio.get_running_loop()
        news = self._record.news
        renew_at = 0.0
        position = noted = -1
        await self._delays.read(self._record)
        while True:
            if loop.time() >= renew_at:
                if noted < 0 and await self._record.holder(RELAY_NAME, RELAY_LEASE_SECONDS) not in ("", self._holder):
                    return  # a standby does not write
                if not await self._record.lease(RELAY_NAME, self._holder, RELAY_LEASE_SECONDS):
                    return
                renew_at = loop.time() + RELAY_LEASE_SECONDS / 4
                noted = await self._note(noted, position)
                position = max(position, noted)
            announced = news.latest  # a failover can have lost announced events: an empty read waits for later ones
            is_announced = news.of_others and announced > position
            events = await self._record.recent.after(
                position,
                limit=RELAY_BATCH_EVENTS,
                at_least=announced if is_announced else 0,
                age=math.inf if is_announced else 0,
            )
            if events:
                self._delays.note(events)
                with trace_publication(events):
                    await self._bus.publish(events, self._record.record_id, self._delays.holds)
                position = events[-1].position
            if not events or (news.of_others and len(events) < RELAY_BATCH_EVENTS):
                poll = RELAY_NOTIFIED_POLL_SECONDS if news.of_others else RELAY_POLL_SECONDS
                await news.wait(poll, position if events else max(position, announced))
