"""The log of a record: entries from the record, signed checkpoints, and the cosignatures of witnesses.

Appends do not wait for the log. A process with the key computes the leaves of the events that it appended
(``recent_leaves``), reads the others, extends the tree and signs. Everything can be computed from the record again: the
entries, the tiles and the root of each size. Only signatures cannot, and no checkpoint is signed that does not extend
the last one.

The hash chain of the events is not verified here: the sealer of the same process does it within a minute, and
``verification`` does it for the whole record. So an event of this process costs the log three hashes for its leaf, one
for its node, and 33 bytes in a tile, but no read.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import stored
from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import FAILURES, kind_of
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import frame_content, frame_value, microseconds, utc_now
from faristol.event_store.integrity.keys import KeyUnavailable, SealKey
from faristol.event_store.integrity.sealer import SIGNING_TIMEOUT_SECONDS
from faristol.event_store.record import Record
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.entry import compute_leaves
from faristol.event_store.transparency.log_client import CosignerUnavailable, LogFork, OtherSize, request_cosignature
from faristol.event_store.transparency.log_store import StoredCheckpoint
from faristol.event_store.transparency.policy import LogWitness, TrustPolicy
from faristol.event_store.transparency.recent_leaves import HASHED_EVENTS, LeafRun, RecentLeaves
from faristol.event_store.transparency.signed_note import (
    LogCheckpoint,
    NoteSignature,
    SignedNote,
    check_key_name,
    sign_note,
)
from faristol.event_store.transparency.tiles import GrowingTiles
from faristol.kernel.bounded import split_batches

LOG_LEASE = "log"
LOG_LEASE_SECONDS = 60.0
"""Duration of the lease in seconds. Two processes that work at once have no effect on each other."""

MAX_UNSTORED_EVENTS = 10_000
"""Events whose hashes are stored in one transaction."""

LOG_INTERVAL_SECONDS = 60.0
"""Longest time for which an event remains without a checkpoint, in seconds."""

LOG_POLL_SECONDS = 1.0
"""Seconds between two polls for new events."""

MAX_COSIGNATURE_RETRY_SECONDS = 60.0
"""Longest pause in seconds before an unavailable witness is asked again."""

WITNESS_CHECKPOINT_PREFIX = "log-witness:"
"""Prefix of the checkpoint of a witness in the table of consumers; its position is the size that it cosigned last."""

MAX_CHECKPOINT_NAME_LENGTH = 128
"""Characters of the name of a consumer."""

_log = logging.getLogger(__name__)

_events = tables.events.c
_RECORDED_AT = select(_events.recorded_at).where(_events.position == bindparam("position"))
_OF_TYPES = (
    select(_events.position)
    .where(
        _events.position > bindparam("after"),
        _events.position <= bindparam("up_to"),
        _events.type.in_(bindparam("types", expanding=True)),
    )
    .limit(1)
)


def checkpoint_name(witness: str) -> str:
    """Return the name of the checkpoint of a witness, given by its name in the policy."""
    shown = witness.encode(errors="backslashreplace").decode()
    return f"{WITNESS_CHECKPOINT_PREFIX}{shown}"[:MAX_CHECKPOINT_NAME_LENGTH]


def name_log(origin: str, record_id: str) -> str:
    """Return the origin of the log of a record. Raises ``InvalidNote`` if the configured one is invalid.

    Without a configured one it is the id of the record, which never changes and is in no other record.
    """
    return check_key_name(origin) if origin else f"record/{record_id}"


async def extend_log(record: Record, *, up_to: int | None = None, recent: RecentLeaves | None = None) -> int:
    """Add the events of the record to the tree, up to a position. Return the number of events in it.

    The leaves that ``recent`` has are not computed from the record. Raises ``CorruptData`` at a missing or malformed
    event.
    """
    recent = RecentLeaves() if recent is None else recent
    async with record.reading() as connection:
        end, last = await stored.end(connection)
        tiles = await log_store.read_last_tiles(connection)
    if last > end or tiles.size > end:
        raise CorruptData(
            f"position {end + 1}: there is an event here or in the log, although the counter ends before it"
        )
    end = end if up_to is None else min(end, up_to)
    while (size := tiles.size) < end:
        while tiles.size < (until := min(end, size + MAX_UNSTORED_EVENTS)):
            run = recent.find_run(tiles.size, until)
            if run is not None and await _has_last_event(record, run):
                await _add_leaves(tiles, run.leaves)
                continue
            if run is not None:  # the database has lost events, and has others at their positions
                recent.clear(end)
            is_behind = tiles.size < recent.begin < end
            async with record.reading() as connection:
                batch = await stored.read_logged(connection, tiles.size, recent.begin if is_behind else end)
            await _add_events(tiles, batch)
        async with record.writing() as connection:
            is_written = await log_store.write_tiles(connection, size, tiles)
        if not is_written:
            return await extend_log(record, up_to=up_to, recent=recent)  # another process has extended it
        tiles.changed.clear()
        recent.drop(tiles.size)
    return tiles.size


async def _has_last_event(record: Record, run: LeafRun) -> bool:
    async with record.reading() as connection:
        return await stored.read_hash(connection, run.position) == run.hash


async def _add_events(tiles: GrowingTiles, batch: Sequence[Sequence[Any]]) -> None:
    first = tiles.size + 1
    if not batch or (batch[0][0], batch[-1][0]) != (first, first + len(batch) - 1):
        raise CorruptData(f"position {first}: it or a later one is missing")
    for part in split_batches(batch, HASHED_EVENTS):
        contents = (frame_content(*columns) for _, *columns, _, _ in part)
        moments = (frame_value(row[-2]) for row in part)
        tiles.extend(compute_leaves((row[-1] for row in part), contents, moments))
        await asyncio.sleep(0)


async def _add_leaves(tiles: GrowingTiles, leaves: Sequence[bytes]) -> None:
    """Add leaves in slices: a thread would hold the interpreter, and each append would wait for it several times."""
    for part in split_batches(leaves, HASHED_EVENTS):
        tiles.extend(part)
        await asyncio.sleep(0)


async def make_checkpoint(
    record: Record, key: SealKey, origin: str, *, is_published: bool = False, recent: RecentLeaves | None = None
) -> StoredCheckpoint | None:
    """Extend the tree by all new events and sign its checkpoint. Return the newest one; None for an empty record.

    ``is_published`` is for a log that needs no witness; ``recent`` is as in ``extend_log``. Raises ``CorruptData`` if
    the tree does not extend the last checkpoint, which is then not followed by another, and ``KeyUnavailable`` if the
    key does not sign.
    """
    size = await extend_log(record, recent=recent)
    async with record.reading() as connection:
        last = await log_store.newest_checkpoint(connection)
        if last is not None and last.checkpoint.size > size:
            raise CorruptData(f"position {size + 1}: missing, and a checkpoint of the log covers it")
        if not size:
            return None
        covered = last.checkpoint.size if last is not None else 0
        *before, root = await log_store.read_hashes(connection, [(0, each) for each in (covered, size) if each])
        if last is not None and before != [last.checkpoint.root]:
            raise CorruptData(f"the first {covered} events are not those under the last checkpoint of the log")
        if covered == size:
            return last
    checkpoint = LogCheckpoint(origin, size, root)
    note = await _sign(checkpoint, key)
    now = microseconds(utc_now())
    made = StoredCheckpoint(checkpoint, note, now, now if is_published else None)
    try:
        async with record.writing() as connection:
            await log_store.store_checkpoint(connection, made)
    except IntegrityError:  # another process signed this size
        async with record.reading() as connection:
            return await log_store.newest_checkpoint(connection)
    return made


async def _sign(checkpoint: LogCheckpoint, key: SealKey) -> SignedNote:
    try:
        async with asyncio.timeout(SIGNING_TIMEOUT_SECONDS):
            return await asyncio.to_thread(sign_note, checkpoint.text, checkpoint.origin, key)
    except TimeoutError:
        raise KeyUnavailable(f"the key has not signed for {SIGNING_TIMEOUT_SECONDS:g} seconds") from None


class Cosigning:
    """Requests of cosignatures from one witness."""

    def __init__(self, record: Record, witness: LogWitness) -> None:
        self._record = record
        self._witness = witness
        self._old = 0
        """Size of the last checkpoint of the witness, as far as it is known."""
        self._pause = LOG_POLL_SECONDS
        self._next_at = 0.0
        self._told = ""

    @property
    def name(self) -> str:
        """The name of the witness in the policy."""
        return self._witness.name

    async def cosign(self, made: StoredCheckpoint) -> SignedNote | None:
        """Return the note of a checkpoint with the cosignature of the witness.

        None if the witness is unavailable or refuses, which is logged, or if it is too early to ask it again.
        """
        now = asyncio.get_running_loop().time()
        if now < self._next_at:
            return None
        try:
            lines = await self._request(made)
        except (CosignerUnavailable, LogFork, OtherSize, CorruptData) as error:
            self._tell(str(error), is_fork=isinstance(error, LogFork))
            self._next_at = now + self._pause
            self._pause = min(self._pause * 2, MAX_COSIGNATURE_RETRY_SECONDS)
            return None
        self._old, self._pause, self._next_at = made.checkpoint.size, LOG_POLL_SECONDS, 0.0
        self._tell("")
        return made.note.with_signatures(lines)

    async def _request(self, made: StoredCheckpoint) -> Sequence[NoteSignature]:
        size = made.checkpoint.size
        for _ in range(2):
            async with self._record.reading() as connection:
                proof = await log_store.prove_consistency(connection, self._old, size)
            try:
                return await request_cosignature(self._witness, self._old, proof, made.note)
            except OtherSize as other:
                if other.size > size:
                    raise LogFork(
                        f"it has cosigned {other.size} entries, and the log has {size}: a record was restored from a"
                        " copy, or another log signs with this key"
                    ) from None
                self._old = other.size
        raise CosignerUnavailable("its size changes with each request")

    def _tell(self, problem: str, *, is_fork: bool = False) -> None:
        """Log a problem once, and once that it is over."""
        if problem and problem != self._told:
            level = logging.CRITICAL if is_fork else logging.ERROR
            _log.log(level, "the log waits for its witness %s: %s", self._witness.name, problem)
        elif self._told and not problem:
            _log.warning("the witness %s cosigns the log again", self._witness.name)
        self._told = problem


class LogWriter:
    """Extends and signs the log in the background. A lease ensures that one process of a cell does it at a time."""

    def __init__(
        self,
        record: Record,
        key: SealKey,
        origin: str,
        policy: TrustPolicy,
        *,
        seconds: float = LOG_INTERVAL_SECONDS,
        at_once: Collection[str] = (),
        look: float = LOG_POLL_SECONDS,
    ) -> None:
        """``at_once`` are types of events that are signed without a delay, such as the end of a round."""
        self._record = record
        self._key = key
        self._origin = origin
        self._policy = policy
        self._seconds = seconds
        self._at_once = sorted(at_once)
        self._look = look
        self._witnesses = [Cosigning(record, witness) for witness in policy.witnesses if witness.url]
        self._holder = str(uuid.uuid4())
        self._told = ""
        self._key_failures = 0
        self._renew_at = 0.0
        self.recent = RecentLeaves()
        """Leaves of the appends of this process, while it has the lease."""
        self._seen = -1
        """Position up to which no event had to be signed at once."""

    async def run(self) -> None:
        """Extend, sign and ask witnesses until cancelled."""
        try:
            await self._name_witnesses()
            while True:
                try:
                    if await self._leads():
                        await self.step()
                        self._tell("")
                except KeyUnavailable as error:
                    self._key_failures += 1
                    if self._key_failures > 1:  # a token serves one caller at a time, and the sealer may be that one
                        self._tell(f"the log waits for its key: {error}")
                        await self._let_go()
                except FAILURES as error:
                    _log.warning("the log waits: %r", error)
                except CorruptData as wrong:
                    self._tell(f"the log has stopped, the record is wrong at {wrong}")
                await asyncio.sleep(self._look)
        finally:
            await self._let_go()

    async def _leads(self) -> bool:
        """Check whether this process has the lease; it is renewed from time to time, since that is a write."""
        now = asyncio.get_running_loop().time()
        if now < self._renew_at:
            return True
        is_mine = await self._record.lease(LOG_LEASE, self._holder, LOG_LEASE_SECONDS)
        if is_mine:
            self._record.watch(self.recent.note)
        else:
            self._forget_appends()
        self._renew_at = now + LOG_LEASE_SECONDS / 4 if is_mine else 0.0
        return is_mine

    def _forget_appends(self) -> None:
        self._record.watch(None)
        self.recent.clear()

    async def step(self) -> None:
        """Sign a checkpoint if it is due, and ask the witnesses that have not cosigned the newest one."""
        async with self._record.reading() as connection:
            newest = await log_store.newest_checkpoint(connection)
            is_due = await self._is_due(connection, newest.checkpoint.size if newest else 0)
        if is_due:
            is_published = self._policy.is_met(())
            newest = await make_checkpoint(
                self._record, self._key, self._origin, is_published=is_published, recent=self.recent
            )
            self._key_failures = 0
        elif len(self.recent) >= MAX_UNSTORED_EVENTS:
            await extend_log(self._record, recent=self.recent)
        if newest is not None and newest.checkpoint.origin == self._origin:
            await self._ask_witnesses(newest)

    async def _ask_witnesses(self, newest: StoredCheckpoint) -> None:
        times = self._policy.find_times(newest.note)
        missing = [witness for witness in self._witnesses if witness.name not in times]
        answers = await asyncio.gather(*(witness.cosign(newest) for witness in missing))
        note = newest.note
        given = []
        for witness, answer in zip(missing, answers, strict=True):
            if answer is not None:
                note = note.with_signatures(answer.signatures)
                given.append(witness.name)
        is_met = self._policy.is_met(self._policy.find_times(note))
        if not given and (newest.published_at is not None or not is_met):
            return
        async with self._record.writing() as connection:
            size = newest.checkpoint.size
            await log_store.store_cosignatures(connection, size, note, is_published=is_met)
            for name in given:
                row = {"consumer": checkpoint_name(name), "position": size}
                await connection.execute(kind_of(connection).upsert(tables.checkpoints, ["position"]).values(**row))

    async def _name_witnesses(self) -> None:
        """Create the checkpoints of witnesses, so that one that was never reached is shown, and delete others."""
        names = [checkpoint_name(witness.name) for witness in self._witnesses]
        column = tables.checkpoints.c.consumer
        while True:
            try:
                async with self._record.writing() as connection:
                    gone = column.startswith(WITNESS_CHECKPOINT_PREFIX, autoescape=True) & column.not_in(names)
                    await connection.execute(tables.checkpoints.delete().where(gone))
                    for name in names:
                        new = kind_of(connection).new_row(tables.checkpoints)
                        await connection.execute(new.values(consumer=name, position=0))
            except FAILURES as error:
                _log.warning("the log waits: %r", error)
                await asyncio.sleep(self._look)
            else:
                return

    async def _is_due(self, connection: AsyncConnection, size: int) -> bool:
        """Check whether an event has waited long enough for a checkpoint, or is of a type that does not wait.

        ``size`` is that of the newest checkpoint.
        """
        end, _ = await stored.end(connection)
        if end == size:
            return False
        if end < size:
            return True  # ``make_checkpoint`` reports the missing events
        waiting = (await connection.execute(_RECORDED_AT, {"position": size + 1})).scalar_one_or_none()
        # A time in the future was written by a fast clock, or before this clock was set back.
        if not isinstance(waiting, int) or abs(microseconds(utc_now()) - waiting) >= self._seconds * 1_000_000:
            return True
        values = {"after": max(size, self._seen), "up_to": end, "types": self._at_once}
        if self._at_once and (await connection.execute(_OF_TYPES, values)).first() is not None:
            return True
        self._seen = end
        return False

    async def _let_go(self) -> None:
        self._renew_at = 0.0
        self._forget_appends()
        try:
            await self._record.release(LOG_LEASE, self._holder)
        except FAILURES as error:
            _log.info("the lease for the log expires by itself: %s", error)

    def _tell(self, problem: str) -> None:
        """Log a problem once, and once that it is over."""
        if problem and problem != self._told:
            _log.error("%s", problem)
        elif self._told and not problem:
            _log.warning("the log continues")
        self._told = problem
