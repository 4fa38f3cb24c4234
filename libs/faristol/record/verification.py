"""Check that a record in a database is what was written: order, versions, chain and seals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import seals, stored
from faristol.record.checking import Checker, Wrong
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

    @classmethod
    def of(cls, checker: Checker, *, after: int = 0, wrong: str = "") -> Verdict:
        """From what a check has seen."""
        return cls(
            events=checker.events,
            streams=checker.streams,
            wrong=wrong,
            after=after,
            position=checker.position,
            seals=checker.seals,
            sealed=checker.sealed,
        )


async def verify(
    record: Record,
    progress: Progress = quiet,
    *,
    keys: Keys | None = None,
    kept: Iterable[Seal] = (),
    after: int = 0,
    from_seal: bool = False,
) -> Verdict:
    """Read the record and recompute every hash, and the root of every seal.

    With ``keys``, every seal must bear the signature of one of them; seals ``kept`` outside must all be the record's.
    ``after`` a position, or after the last seal (``from_seal``), what lies before is taken to be right, except that
    the order and the signatures of its seals are checked. What is appended meanwhile is left for the next time.
    """
    async with record.reading() as connection:
        counted, last = await stored.end(connection)
        if from_seal and (newest := await seals.last(connection)):
            after = newest.to_position
    checker = Checker(keys, kept=kept, after=after)
    try:
        if after > counted:
            raise Wrong(f"position {counted + 1}: not there; what comes after position {after} was to be checked")
        waiting = await _before(record, checker, after)
        while batch := await _next(record, checker, max(counted, last)):
            for event in batch:
                checker.event(event)
                while waiting and waiting[0].to_position <= event.position:
                    checker.seal(waiting.pop(0))
                    waiting = waiting or await _seals(record, checker.sealed)
            progress(checker.position - after, max(counted - after, 1))
        _ends(checker, counted, last)
        if waiting:
            raise Wrong(f"position {checker.position + 1}: {waiting[0]} is here, and the record ends before it")
        checker.end()
    except Wrong as wrong:
        return Verdict.of(checker, after=after, wrong=str(wrong))
    return Verdict.of(checker, after=after)


def _ends(checker: Checker, counted: int, last: int) -> None:
    if checker.position < counted:
        raise Wrong(f"position {checker.position + 1}: the record ends here, its counter says {counted}")
    if last > counted:
        raise Wrong(f"position {counted + 1}: an event lies here; the counter says that the record ends before it")


async def _before(record: Record, checker: Checker, after: int) -> list[Seal]:
    """Take in what seals say of the positions up to ``after``. Gives the next seals."""
    while waiting := await _seals(record, checker.sealed):
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
        for position, (digest, _) in enumerate(known, first):
            checker.leaf(position, digest)
        first = until + 1


async def _seals(record: Record, after: int) -> list[Seal]:
    async with record.engine.connect() as connection:
        return await seals.read(connection, after, stored.BATCH)


async def _next(record: Record, checker: Checker, up_to: int) -> list[Stored]:
    # Each batch is read by itself, so that a long check holds nothing open that others wait for.
    async with record.engine.connect() as connection:
        return await following(connection, checker, up_to)


async def following(
    connection: AsyncConnection, checker: Checker, up_to: int, *, tournament: str | None = None
) -> list[Stored]:
    """The next events for a check, which is told where their streams stood before."""
    batch = await stored.read(connection, checker.position, up_to, tournament=tournament)
    if streams := checker.unknown(batch):
        checker.know(await stored.heads(connection, streams, checker.position))
    return batch
