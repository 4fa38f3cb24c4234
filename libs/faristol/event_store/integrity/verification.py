"""The verification of a record in a database: order, versions, hash chains, seals and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import stored
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import Bindings, Names, erased_ids, list_stored_names
from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity import seals
from faristol.event_store.integrity.checker import Checker
from faristol.event_store.integrity.keys import Keys
from faristol.event_store.integrity.seals import Seal
from faristol.event_store.record import Record
from faristol.event_store.stored import Stored
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.log_checker import LogChecker
from faristol.event_store.transparency.log_store import StoredCheckpoint
from faristol.event_store.transparency.signed_note import HASH_LENGTH
from faristol.event_store.transparency.tiles import TILE_SIZE, CorruptTile, GrowingTiles, find_difference

Progress = Callable[[int, int], None]
"""Called with the number of positions done and their total."""


def ignore_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a verification."""

    events: int
    """Number of events verified."""
    streams: int
    wrong: str
    """Error and position of the first wrong event; empty without an error."""
    after: int = 0
    """The position after which the verification began."""
    position: int = 0
    """The position up to which everything is verified."""
    seals: int = 0
    """Number of seals verified."""
    sealed: int = 0
    """The position up to which they reach."""
    tournament: str = ""
    """The tournament of a partial verification; empty for a whole record."""
    names: Names = field(default_factory=Names)
    """Result of the check of names."""
    checkpoints: int = 0
    """Number of checkpoints of the log that were compared."""
    logged: int = 0
    """Number of events under the last one."""

    @classmethod
    def of(
        cls,
        checker: Checker,
        *,
        after: int = 0,
        wrong: str = "",
        names: Names | None = None,
        log: LogChecker | None = None,
    ) -> Verdict:
        """Build the verdict from the state of a checker, and of that of the log."""
        return cls(
            events=checker.events,
            streams=checker.streams,
            wrong=wrong,
            after=after,
            position=checker.position,
            seals=checker.seals,
            sealed=checker.sealed,
            tournament=checker.part,
            names=names or Names(),
            checkpoints=log.checkpoints if log else 0,
            logged=log.logged if log else 0,
        )


async def verify(
    record: Record,
    progress: Progress = ignore_progress,
    *,
    keys: Keys | None = None,
    kept: Iterable[Seal] = (),
    after: int = 0,
    from_seal: bool = False,
    without_names: bool = False,
) -> Verdict:
    """Read the record and recompute every hash, all roots and tiles, and the commitment of every name.

    The roots are those of seals and of checkpoints of the log, which serves the tiles.

    With ``keys``, every seal must have a valid signature of one of them; seals ``kept`` outside the record must all be
    in the record. With ``after`` or ``from_seal``, everything up to that position or the last seal is trusted, except
    the order and the signatures of its seals; then only the last checkpoint of the log is compared, with the tiles.
    Later appends are left for the next verification. A record that was restored without people may be
    ``without_names`` that were bound.
    """
    checker = Checker(keys, kept=kept, after=after)
    log, tiles = LogChecker(keys), GrowingTiles({})
    try:
        async with record.reading() as connection:
            there = await _load_extent(connection)
        if from_seal and there.sealed:
            after = there.sealed
            checker = Checker(keys, kept=kept, after=after)
        if after > there.counted:
            raise CorruptData(f"position {there.counted + 1}: not there; expected events after position {after}")
        bindings = Bindings(begun=after > 0, left_out=without_names)
        waiting = await _before(record, checker, after, there)
        while True:
            batch, answered = await _next(record, checker, max(there.counted, there.last))
            if not batch:
                break
            is_whole = log.size == batch[0].position - 1
            signed = await _checkpoints(record, batch[-1].position, log) if is_whole else {}
            for event in batch:
                checker.event(event, answered)
                bindings.event(event)
                if leaf := log.event(event):
                    tiles.add(leaf)
                if made := signed.get(event.position):
                    log.checkpoint(made.checkpoint, str(made.note))
                while waiting and waiting[0].to_position <= event.position:
                    checker.seal(waiting.pop(0))
                    waiting = waiting or await _seals(record, checker.sealed, there)
            await _compare_tiles(record, tiles)
            progress(checker.position - after, max(there.counted - after, 1))
        _ends(checker, there)
        if waiting:
            raise CorruptData(f"position {checker.position + 1}: {waiting[0]} is here, and the record ends before it")
        checker.end()
        await _check_tiles(record, checker.position)
        names = await _names(record, bindings, checker.position)
    except CorruptData as wrong:
        return Verdict.of(checker, after=after, wrong=str(wrong), log=log)
    return Verdict.of(checker, after=after, names=names, log=log)


async def _checkpoints(record: Record, up_to: int, log: LogChecker) -> dict[int, StoredCheckpoint]:
    """Return the checkpoints after those that were compared, up to a position, by their sizes."""
    async with record.engine.connect() as connection:
        found = await log_store.read_checkpoints(connection, log.size, stored.STORED_BATCH_EVENTS, up_to=up_to)
    return {made.checkpoint.size: made for made in found}


async def _compare_tiles(record: Record, tiles: GrowingTiles) -> None:
    """Compare the tiles that have grown with those that the log serves.

    The log may have more events by now, or fewer. Raises ``CorruptData`` for the first wrong hash.
    """
    computed, tiles.changed = tiles.changed, {}
    async with record.engine.connect() as connection:
        last = await log_store.newest_checkpoint(connection)
        size = min(last.checkpoint.size, tiles.size) if last else 0
        for tile, hashes in sorted(computed.items()):
            served = await log_store.read_tile(connection, tile)
            if (at := find_difference(bytes(hashes), served)) is not None:
                begin = at * HASH_LENGTH
                position = (tile.number * TILE_SIZE + at + 1) * tile.entry_span
                raise CorruptData(
                    f"position {position}: hash {at} of tile {tile.number} of level {tile.level} of the log is "
                    f"{served[begin : begin + HASH_LENGTH].hex()}, and the record gives "
                    f"{hashes[begin : begin + HASH_LENGTH].hex()}"
                )
            if len(served) < tile.width_at(size) * HASH_LENGTH:
                raise CorruptData(f"position {size}: {CorruptTile(tile)}")


async def _check_tiles(record: Record, position: int) -> None:
    """Compare the last checkpoint of the log with the tiles that are served. Raises ``CorruptData``."""
    async with record.engine.connect() as connection:
        last = await log_store.newest_checkpoint(connection)
        if last is None:
            return
        size = last.checkpoint.size
        if size <= position and await log_store.compute_root(connection, size) != last.checkpoint.root:
            raise CorruptData(f"position {size}: the tiles of the log have another root than its last checkpoint")
        end, _ = await stored.end(connection)
    if size > end:
        raise CorruptData(f"position {end + 1}: missing, and a checkpoint of the log is over it")


async def _names(record: Record, bindings: Bindings, after: int) -> Names:
    """Compare the current names with their bindings, including those in events appended during the verification."""
    async with record.reading() as connection:
        end, _ = await stored.end(connection)
        while batch := await stored.read(connection, after, end):
            for event in batch:
                bindings.event(event)
            after = batch[-1].position
        return bindings.compare(await list_stored_names(connection), await erased_ids(connection))


@dataclass(frozen=True, slots=True)
class _RecordExtent:
    """The extent of the record at the start. Later events and seals are left for the next verification."""

    counted: int
    """The last position by the counter."""
    last: int
    """The last position of an event."""
    sealing: int
    """The position at which the last seal begins; 0 if no seal exists."""
    sealed: int
    """The position at which it ends."""


async def _load_extent(connection: AsyncConnection) -> _RecordExtent:
    for table, at in ((tables.events, tables.events.c.position), (tables.seals, tables.seals.c.from_position)):
        if (first := (await connection.execute(select(func.min(at)))).scalar_one()) is not None and first < 1:
            raise CorruptData(
                f"position {first}: there is a row here in the table of {table.name}; positions begin at 1"
            )
    counted, last = await stored.end(connection)
    newest = await seals.last(connection)
    return _RecordExtent(counted, last, newest.from_position if newest else 0, newest.to_position if newest else 0)


def _ends(checker: Checker, there: _RecordExtent) -> None:
    if checker.position < there.counted:
        raise CorruptData(f"position {checker.position + 1}: the record ends here, but its counter is {there.counted}")
    if there.last > there.counted:
        raise CorruptData(f"position {there.counted + 1}: there is an event here, although the counter ends before it")


async def _before(record: Record, checker: Checker, after: int, there: _RecordExtent) -> list[Seal]:
    """Process the seals up to the position ``after``. Return the next seals."""
    while waiting := await _seals(record, checker.sealed, there):
        for place, seal in enumerate(waiting):
            if seal.to_position > after:
                await _add_unchecked(record, checker, after)
                return waiting[place:]
            checker.skip(seal)
    return []


async def _add_unchecked(record: Record, checker: Checker, after: int) -> None:
    """Add the hashes, unchecked, of the events up to ``after`` under the seal that includes it."""
    first = checker.sealed + 1
    while first <= after:
        until = min(after, first + stored.STORED_BATCH_EVENTS - 1)
        async with record.engine.connect() as connection:
            known = await stored.hashes(connection, first, until)
        for position, (digest, tournament) in enumerate(known, first):
            checker.leaf(position, digest, tournament)
        first = until + 1


async def _seals(record: Record, after: int, there: _RecordExtent) -> list[Seal]:
    async with record.engine.connect() as connection:
        return await seals.read(connection, after, stored.STORED_BATCH_EVENTS, up_to=there.sealing)


async def _next(record: Record, checker: Checker, up_to: int) -> tuple[list[Stored], set[str]]:
    """Return the next events, and those of their commands that have an answer."""
    # Each batch is a separate read, so that a long verification holds no transaction open.
    async with record.engine.connect() as connection:
        batch = await following(connection, checker, up_to)
        return batch, await stored.find_answered(connection, batch)


async def following(connection: AsyncConnection, checker: Checker, up_to: int) -> list[Stored]:
    """Return the next events for a checker, after setting the heads of their streams."""
    batch = await stored.read(connection, checker.position, up_to)
    if streams := checker.unknown(batch):
        checker.know(await stored.heads(connection, streams, checker.position))
    return batch
