"""Cases out of the docket and the record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Live, NotBuilt, read
from faristol.host import Unreachable
from faristol.lexicon import decide, docket
from faristol.lexicon.adjudication import Judge
from faristol.lexicon.model import Case, Word, evolve, stream
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.record import Record
from faristol.rules.refusal import Refusal

T = TypeVar("T")

EARLIER = 20
"""Earlier rulings on a word that a judge is shown."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A case and the round that it is of."""

    case: Case
    round: int
    """From 1."""


async def cases(record: Record, case_ids: Collection[str]) -> dict[str, Case]:
    """Cases as their streams have them, by their ids."""
    found = await record.facts_of([stream(case_id) for case_id in case_ids])
    folded = [reduce(evolve, facts, Case()) for facts in found.values()]
    return {case.case_id: case for case in folded}


async def queue(record: Record, judge_id: str, language: str) -> tuple[list[Case], int]:
    """The cases that a judge holds or may claim, the one that waits longest first, and the position of the list.

    Only those in ``language``, if that is not empty.
    """

    async def look(connection: AsyncConnection, live: Live) -> Sequence[Any]:
        rows = docket.tables(live.version, live.generation)
        query = (
            select(rows.cases.c.case_id, rows.judges.c.languages, rows.judges.c.director)
            .join_from(rows.cases, rows.judges, rows.judges.c.tournament_id == rows.cases.c.tournament_id)
            .where(rows.cases.c.waiting, rows.judges.c.judge_id == judge_id)
            .order_by(rows.cases.c.queued_at, rows.cases.c.case_id)
        )
        if language:
            query = query.where(rows.cases.c.language == language)
        return (await connection.execute(query)).all()

    found, live = await _read(record, look)
    known = await cases(record, [row.case_id for row in found])
    judges = {row.case_id: Judge(judge_id, frozenset(row.languages.split()), row.director) for row in found}
    queued = [known[row.case_id] for row in found]
    return [case for case in queued if case.waiting and _may_take(case, judges[case.case_id])], live.position


def _may_take(case: Case, judge: Judge) -> bool:
    if case.claim_of(judge.judge_id):
        return True
    try:
        decide.check_may_claim(case, judge)
    except Refusal:
        return False
    return True


async def waiting(record: Record) -> list[Case]:
    """Every case that waits for a judge."""

    async def look(connection: AsyncConnection, live: Live) -> Sequence[str]:
        rows = docket.tables(live.version, live.generation)
        judged = rows.cases.c.mode != events.MODE_AUTOMATIC
        return (
            (await connection.execute(select(rows.cases.c.case_id).where(rows.cases.c.waiting, judged))).scalars().all()
        )

    found, _ = await _read(record, look)
    return [case for case in (await cases(record, found)).values() if case.waiting]


async def of_tournament(
    record: Record, tournament_id: str, *, closed: bool = False, round_: int = 0
) -> tuple[list[Listed], int]:
    """The cases of a tournament in the order of rounds and of time, and the position of the list.

    Of rounds that are ``closed`` alone, or of one round, if that is asked for.
    """

    async def look(connection: AsyncConnection, live: Live) -> Sequence[Any]:
        rows = docket.tables(live.version, live.generation)
        query = (
            select(rows.cases.c.case_id, rows.games.c.round)
            .join_from(rows.cases, rows.games, rows.games.c.game_id == rows.cases.c.game_id)
            .where(rows.cases.c.tournament_id == tournament_id)
            .order_by(rows.games.c.round, rows.cases.c.queued_at, rows.cases.c.case_id)
        )
        if closed:
            ended = select(rows.closed.c.round).where(rows.closed.c.tournament_id == tournament_id)
            query = query.where(rows.games.c.round.in_(ended))
        if round_:
            query = query.where(rows.games.c.round == round_)
        return (await connection.execute(query)).all()

    found, live = await _read(record, look)
    known = await cases(record, [row.case_id for row in found])
    return [Listed(known[row.case_id], row.round) for row in found], live.position


async def earlier(record: Record, case: Case) -> dict[Word, list[Case]]:
    """What judges ruled before on the words of a case, the latest first."""

    async def look(connection: AsyncConnection, live: Live) -> dict[Word, Sequence[str]]:
        rows = docket.tables(live.version, live.generation)
        found = {}
        for word in case.words:
            query = (
                select(rows.cases.c.case_id)
                .join_from(rows.words, rows.cases, rows.cases.c.case_id == rows.words.c.case_id)
                .where(rows.words.c.language == case.language, rows.words.c.word == docket.key(word))
                .where(rows.cases.c.ruled, rows.cases.c.mode != events.MODE_AUTOMATIC)
                .where(rows.cases.c.case_id != case.case_id)
                .order_by(rows.cases.c.queued_at.desc(), rows.cases.c.case_id)
                .limit(EARLIER)
            )
            found[word] = (await connection.execute(query)).scalars().all()
        return found

    found, _ = await _read(record, look)
    known = await cases(record, {case_id for ids in found.values() for case_id in ids})
    return {word: [known[case_id] for case_id in ids] for word, ids in found.items()}


async def _read(record: Record, look: Callable[[AsyncConnection, Live], Awaitable[T]]) -> tuple[T, Live]:
    try:
        return await read(record, docket.projection(), look)
    except NotBuilt as problem:
        raise Unreachable(docket.NAME) from problem
