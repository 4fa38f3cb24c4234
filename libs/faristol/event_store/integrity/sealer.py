"""Creation of seals, by a command or by a background process."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from faristol.event_store import stored
from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.integrity import merkle, seals
from faristol.event_store.integrity.checker import Checker
from faristol.event_store.integrity.keys import KeyUnavailable, SealKey
from faristol.event_store.integrity.seals import FIRST_PREVIOUS_HASH, MAX_SEAL_EVENTS, Seal, root_of
from faristol.event_store.integrity.verification import Progress, following, ignore_progress
from faristol.event_store.record import Record

SEALER_LEASE = "sealer"
SEAL_EVENTS = 1_000
"""Events under one seal, if enough are pending."""
SIGNING_TIMEOUT_SECONDS = 30.0
"""Timeout of one signature in seconds."""
SEAL_INTERVAL_SECONDS = 60.0
"""Longest time for which an event remains unsealed, in seconds."""

MAX_SEALER_POLL_SECONDS = 5.0
"""Upper limit in seconds of the time between two polls."""

_log = logging.getLogger(__name__)


async def seal(
    record: Record,
    key: SealKey,
    *,
    events: int = SEAL_EVENTS,
    progress: Progress = ignore_progress,
    now: Callable[[], datetime] = utc_now,
) -> list[Seal]:
    """Seal all unsealed events, ``events`` at a time. Return the new seals.

    Raises ``CorruptData`` at the first event that does not chain to its predecessors, which is not sealed. Raises
    ``KeyUnavailable``
    if the key does not sign; earlier seals remain. If another process seals at the same time, continues after its last
    seal.
    """
    if not 0 < events <= MAX_SEAL_EVENTS:
        raise ValueError(f"a seal is over 1 to {MAX_SEAL_EVENTS} events, not {events}")
    made: list[Seal] = []
    async with record.reading() as connection:
        end, last = await stored.end(connection)
        newest = await seals.last(connection)
    if (newest and newest.to_position > end) or last > end:
        raise CorruptData(f"position {end + 1}: there is an event here, although the counter ends before it")
    start = newest.to_position if newest else 0
    while (done := newest.to_position if newest else 0) < end:
        root = await _root(record, done, up_to := min(done + events, end))
        draft = Seal(
            from_position=done + 1,
            to_position=up_to,
            root=root,
            previous=newest.digest if newest else FIRST_PREVIOUS_HASH,
            key_id="",
            sealed_at=microseconds(now()),
        )
        newest = await _sign_draft(draft, key)
        if await _store_seal(record, newest):
            made.append(newest)
        else:
            async with record.reading() as connection:
                newest = await seals.last(connection)
        progress(up_to - start, end - start)
    return made


async def _sign_draft(draft: Seal, key: SealKey) -> Seal:
    """Sign a seal in a thread, since its key may block. Raises ``KeyUnavailable``."""
    try:
        async with asyncio.timeout(SIGNING_TIMEOUT_SECONDS):
            return await asyncio.to_thread(draft.sign_with, key)
    except TimeoutError:
        raise KeyUnavailable(f"the key has not signed for {SIGNING_TIMEOUT_SECONDS:g} seconds") from None


async def _root(record: Record, after: int, up_to: int) -> bytes:
    checker, tree, tally = Checker(after=after), merkle.Tree(), Counter[str]()
    async with record.reading() as connection:
        while batch := await following(connection, checker, up_to):
            for event in batch:
                checker.event(event)
                tree.add(event.hash)
                tally[event.tournament] += 1
    if checker.position < up_to:
        raise CorruptData(f"position {checker.position + 1}: missing")
    return root_of(tree.root(), tally)


async def _store_seal(record: Record, made: Seal) -> bool:
    """Store a seal. Return False if another one covers these positions."""
    try:
        async with record.writing() as connection:
            await connection.execute(insert(tables.seals).values(asdict(made)))
    except IntegrityError:
        return False
    return True


class Sealer:
    """Seals in the background. A lease ensures that one process of a cell does it at a time."""

    def __init__(
        self, record: Record, key: SealKey, *, events: int = SEAL_EVENTS, seconds: float = SEAL_INTERVAL_SECONDS
    ) -> None:
        self._record = record
        self._key = key
        self._events = events
        self._seconds = seconds
        self._look = min(max(seconds / 8, 0.05), MAX_SEALER_POLL_SECONDS)
        """Seconds between two polls."""
        self._holder = str(uuid.uuid4())
        self._wrong = ""
        self._away = ""

    async def run(self) -> None:
        """Seal until cancelled.

        An invalid record, which is logged, or an unavailable key suspends sealing.
        """
        try:
            while True:
                try:
                    if await self._leads() and await self._due():
                        await seal(self._record, self._key, events=self._events)
                        self._wrong = ""
                        self._tell("")
                except KeyUnavailable as error:
                    self._tell(str(error))
                    await self._let_go()  # another process may have an available key
                except FAILURES as error:
                    _log.warning("sealing waits: %r", error)
                except CorruptData as wrong:
                    if str(wrong) != self._wrong:
                        _log.error("sealing has stopped, the record is wrong at %s", wrong)
                    self._wrong = str(wrong)
                await asyncio.sleep(self._look)
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        try:
            await self._record.release(SEALER_LEASE, self._holder)
        except FAILURES as error:
            _log.info("the lease for sealing expires by itself: %s", error)

    def _tell(self, away: str) -> None:
        """Log once that the key is unavailable, and once that it is back."""
        if away and away != self._away:
            _log.error("sealing waits for its key: %s", away)
        elif self._away and not away:
            _log.warning("sealing continues, its key is available again")
        self._away = away

    async def _leads(self) -> bool:
        return await self._record.lease(
            SEALER_LEASE, self._holder, _lease(self._look), longest=_lease(MAX_SEALER_POLL_SECONDS)
        )

    async def _due(self) -> bool:
        """Check whether enough events are unsealed, or the first of them has waited long enough."""
        async with self._record.reading() as connection:
            newest = await seals.last(connection)
            done = newest.to_position if newest else 0
            end, _ = await stored.end(connection)
            if end - done >= self._events or end < done:
                return True
            since = select(tables.events.c.recorded_at).where(tables.events.c.position == done + 1)
            waiting = (await connection.execute(since)).scalar_one_or_none()
        if not isinstance(waiting, int):
            return waiting is not None  # ``seal`` reports the error in the value
        # A time in the future was written by a fast clock, or before this clock was set back: hence the absolute
        # difference.
        return abs(microseconds(utc_now()) - waiting) >= self._seconds * 1_000_000


def _lease(look: float) -> float:
    """Return the duration of the lease of a sealer with this time between polls."""
    return look * 4 + 5
