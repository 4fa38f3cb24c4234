"""Background delivery of seals to witnesses. A witness is asked for its last seal after a start and a failure."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import uuid
from collections.abc import Sequence

from sqlalchemy import delete

from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import FAILURES, kind_of
from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity import seals
from faristol.event_store.integrity.seals import Seal
from faristol.event_store.record import Record
from faristol.event_store.witness.witness import Fork, Witness, WitnessUnavailable

PREFIX = "witness:"
"""Prefix of the checkpoint of a witness, such as ``witness:folder:0a1b2c3d``. It is informative only."""

DELIVERY_BATCH_SIZE = 20
"""Seals between two renewals of the lease."""

DELIVERY_LEASE_SECONDS = 60.0
"""Seconds. If a batch takes longer, two processes may deliver at once, which is harmless: delivery is idempotent."""

DELIVERY_POLL_SECONDS = 2.0
"""Seconds between two polls for new seals."""

MAX_DELIVERY_RETRY_SECONDS = 60.0
"""Longest pause in seconds before a retry of an unavailable witness."""

_log = logging.getLogger(__name__)


def checkpoint_of(witness: Witness) -> str:
    """Return the name of the checkpoint of a witness, which does not reveal its location."""
    return f"{PREFIX}{witness.kind}:{hashlib.sha256(witness.shown.encode()).hexdigest()[:8]}"


class Delivery:
    """Delivers to one witness. A lease ensures that one process of a cell does it at a time."""

    def __init__(self, record: Record, witness: Witness, *, look: float = DELIVERY_POLL_SECONDS) -> None:
        self._record = record
        self._witness = witness
        self._look = look
        self._name = checkpoint_of(witness)
        self._holder = str(uuid.uuid4())
        self._newest: Seal | None = None
        """The last seal of the witness."""
        self._is_known = False
        """Whether ``_newest`` was queried since the last failure."""
        self._told = ""

    async def run(self) -> None:
        """Deliver until cancelled."""
        pause = self._look
        try:
            while True:
                try:
                    if await self._record.lease(self._name, self._holder, DELIVERY_LEASE_SECONDS):
                        await self._deliver()
                        self._tell("")
                    else:
                        self._is_known = False
                    pause = self._look
                except FAILURES as error:
                    _log.warning("delivery to the witness %s waits: %r", self._witness.shown, error)
                except (WitnessUnavailable, Fork, CorruptData) as error:
                    self._is_known = False
                    self._tell(str(error))
                    pause = min(pause * 2, MAX_DELIVERY_RETRY_SECONDS)
                await asyncio.sleep(pause)
        finally:
            await self._witness.close()
            try:
                await self._record.release(self._name, self._holder)
            except FAILURES as error:
                _log.info("the lease for the witness %s expires by itself: %s", self._witness.shown, error)

    async def _deliver(self) -> None:
        if not self._is_known:
            self._newest = await self._query_newest()
            self._is_known = True
            await self._save_checkpoint()
        while True:
            done = self._newest.to_position if self._newest else 0
            async with self._record.reading() as connection:
                waiting = await seals.read(connection, done, DELIVERY_BATCH_SIZE)
            if not waiting:
                return
            await self._witness.deliver(waiting)
            self._newest = waiting[-1]
            await self._save_checkpoint()
            await self._record.lease(self._name, self._holder, DELIVERY_LEASE_SECONDS)

    async def _query_newest(self) -> Seal | None:
        """Query the last seal of the witness. Raises ``Fork`` if the record does not have it."""
        newest = await self._witness.newest()
        if newest is None:
            return None
        async with self._record.reading() as connection:
            own = await seals.read(connection, newest.from_position - 1, 1)
        if not own or own[0].digest != newest.digest:
            raise Fork(newest)
        return newest

    async def _save_checkpoint(self) -> None:
        row = {"consumer": self._name, "position": self._newest.to_position if self._newest else 0}
        async with self._record.writing() as connection:
            table = tables.checkpoints
            await connection.execute(kind_of(connection).upsert(table, ["position"]).values(**row))

    def _tell(self, problem: str) -> None:
        """Log a problem once, and once that it is over."""
        if problem and problem != self._told:
            _log.error("seals wait to be delivered to the witness %s: %s", self._witness.shown, problem)
        elif self._told and not problem:
            _log.warning("the witness %s has all seals again", self._witness.shown)
        self._told = problem


async def deliver_to_all(record: Record, witnesses: Sequence[Witness], *, look: float = DELIVERY_POLL_SECONDS) -> None:
    """Deliver to each of these until cancelled, and delete the checkpoints of witnesses that are no longer used."""
    names = [checkpoint_of(witness) for witness in witnesses]
    while True:
        try:
            await _forget_others(record, names)
        except FAILURES as error:
            _log.warning("delivery to witnesses waits: %r", error)
            await asyncio.sleep(look)
        else:
            break
    if not witnesses:
        await asyncio.Event().wait()  # a process whose task ends counts as failed
    async with asyncio.TaskGroup() as group:
        for witness in witnesses:
            group.create_task(Delivery(record, witness, look=look).run(), name="witness")


async def _forget_others(record: Record, names: Sequence[str]) -> None:
    column = tables.checkpoints.c.consumer
    async with record.writing() as connection:
        gone = column.startswith(PREFIX, autoescape=True) & column.not_in(names)
        await connection.execute(delete(tables.checkpoints).where(gone))
