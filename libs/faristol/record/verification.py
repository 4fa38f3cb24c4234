"""Check that a record in a database is what was written: order, versions, chain, seals and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import seals, stored, tables
from faristol.record.bindings import Bindings, Names, erased_ids, kept_names
from faristol.record.checker import Checker
from faristol.record.errors import Wrong
from faristol.record.keys import Keys
from faristol.record.record import Record
from faristol.record.seals import Seal
from faristol.record.stored import Stored

Progress = Callable[[int, int], None]
"""Is told how many positions are done and how many there are."""


def quiet(done: int, total: int) -> None:
    """The progress that nobody looks at."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found."""

    events: int
    """How many were read and found right."""
    streams: int
    wrong: str
    """What is wrong with the first event that is, with its position; empty when nothing is."""
    after: int = 0
    """The position after which it began."""
    position: int = 0
    """The position up to which everything is right."""
    seals: int = 0
    """How many were found right."""
    sealed: int = 0
    """The position up to which they reach."""
    tournament: str = ""
    """Of which it was, when not of a whole record."""
    names: Names = field(default_factory=Names)
    """How the names stand to the events that bind them."""

    @classmethod
    def of(cls, checker: Checker, *, after: int = 0, wrong: str = "", names: Names | None = None) -> Verdict:
        """From what a check has seen."""
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
        )


async def verify(
    record: Record,
    progress: Progress = quiet,
    *,
    keys: Keys | None = None,
    kept: Iterable[Seal] = (),
    after: int = 0,
    from_seal: bool = False,
    without_names: bool = False,
) -> Verdict:
    """Read the record and recompute every hash, the root of every seal, and what binds every name.

    With ``keys``, every seal must bear the signature of one of them; seals ``kept`` outside must all be the record's.
    ``after`` a position, or after the last seal (``from_seal``), what lies before is taken to be right, except that
    the order and the signatures of its seals are checked. What is appended meanwhile is left for the next time. The
    record may be ``without_names`` that were bound, when it was restored without people.
    """
    checker = Checker(keys, kept=kept, after=after)
    try:
        async with record.reading() as connection:
            there = await _there(connection)
        if from_seal and there.sealed:
            after = there.sealed
            checker = Checker(keys, kept=kept, after=after)
        if after > there.counted:
            raise Wrong(f"position {there.counted + 1}: not there; what comes after position {after} was to be checked")
        bindings = Bindings(begun=after > 0, left_out=without_names)
        waiting = await _before(record, checker, after, there)
        while True:
            batch, answered = await _next(record, checker, max(there.counted, there.last))
            if not batch:
                break
            for event in batch:
                checker.event(event, answered)
                bindings.event(event)
                while waiting and waiting[0].to_position <= event.position:
                    checker.seal(waiting.pop(0))
                    waiting = waiting or await _seals(record, checker.sealed, there)
            progress(checker.position - after, max(there.counted - after, 1))
        _ends(checker, there)
        if waiting:
            raise Wrong(f"position {checker.position + 1}: {waiting[0]} is here, and the record ends before it")
        checker.end()
        names = await _names(record, bindings, checker.position)
    except Wrong as wrong:
        return Verdict.of(checker, after=after, wrong=str(wrong))
    return Verdict.of(checker, after=after, names=names)


async def _names(record: Record, bindings: Bindings, after: int) -> Names:
    """Compare the names as they are now, for which events that were appended meanwhile have to be looked at, too."""
    async with record.reading() as connection:
        end, _ = await stored.end(connection)
        while batch := await stored.read(connection, after, end):
            for event in batch:
                bindings.event(event)
            after = batch[-1].position
        return bindings.compare(await kept_names(connection), await erased_ids(connection))


@dataclass(frozen=True, slots=True)
class _There:
    """How far the record reached when the check began. What comes later is left for the next time, seals too."""

    counted: int
    """The last position by the counter."""
    last: int
    """The last position at which an event lies."""
    sealing: int
    """The position at which the last seal begins, 0 when there is none."""
    sealed: int
    """The position at which it ends."""


async def _there(connection: AsyncConnection) -> _There:
    for table, at in ((tables.events, tables.events.c.position), (tables.seals, tables.seals.c.from_position)):
        if (first := (await connection.execute(select(func.min(at)))).scalar_one()) is not None and first < 1:
            raise Wrong(f"position {first}: something lies here in the table of {table.name}; positions begin at 1")
    counted, last = await stored.end(connection)
    newest = await seals.last(connection)
    return _There(counted, last, newest.from_position if newest else 0, newest.to_position if newest else 0)


def _ends(checker: Checker, there: _There) -> None:
    if checker.position < there.counted:
        raise Wrong(f"position {checker.position + 1}: the record ends here, its counter says {there.counted}")
    if there.last > there.counted:
        raise Wrong(
            f"position {there.counted + 1}: an event lies here; the counter says that the record ends before it"
        )


async def _before(record: Record, checker: Checker, after: int, there: _There) -> list[Seal]:
    """Take in what seals say of the positions up to ``after``. Gives the next seals."""
    while waiting := await _seals(record, checker.sealed, there):
        for place, seal in enumerate(waiting):
            if seal.to_position > after:
                await _begun(record, checker, after)
                return waiting[place:]
            checker.skip(seal)
    return []


async def _begun(record: Record, checker: Checker, after: int) -> None:
    """A seal reaches over ``after``: its events up to there are taken as they are."""
    first = checker.sealed + 1
    while first <= after:
        until = min(after, first + stored.BATCH - 1)
        async with record.engine.connect() as connection:
            known = await stored.hashes(connection, first, until)
        for position, (digest, tournament) in enumerate(known, first):
            checker.leaf(position, digest, tournament)
        first = until + 1


async def _seals(record: Record, after: int, there: _There) -> list[Seal]:
    async with record.engine.connect() as connection:
        return await seals.read(connection, after, stored.BATCH, up_to=there.sealing)


async def _next(record: Record, checker: Checker, up_to: int) -> tuple[list[Stored], set[str]]:
    """The next events, and the commands with an answer among those that they came of."""
    # Each batch is read by itself, so that a long check holds nothing open that others wait for.
    async with record.engine.connect() as connection:
        batch = await following(connection, checker, up_to)
        return batch, await stored.answered(connection, batch)


async def following(connection: AsyncConnection, checker: Checker, up_to: int) -> list[Stored]:
    """The next events for a check, which is told where their streams stood before."""
    batch = await stored.read(connection, checker.position, up_to)
    if streams := checker.unknown(batch):
        checker.know(await stored.heads(connection, streams, checker.position))
    return batch
