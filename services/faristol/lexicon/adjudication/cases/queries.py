"""Queries of cases in the docket and the record, and metrics of those that wait for a judge."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from opentelemetry import metrics
from sqlalchemy import Select, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.adjudication.cases import decide
from faristol.adjudication.cases.model import Case, Word, evolve, stream
from faristol.adjudication.policy import Judge
from faristol.adjudication.views import game_stream
from faristol.consumers import Live, NotBuilt, read
from faristol.event_store import Record
from faristol.event_store.event import microseconds
from faristol.host import Unreachable
from faristol.kernel.refusal import Refusal
from faristol.lexicon.adjudication.cases import docket
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events

T = TypeVar("T")

QUEUE_CACHE_SECONDS = 0.1
"""Seconds for which a queue that was read is cached for other watchers."""

EARLIER_RULINGS_LIMIT = 20
"""Earlier rulings on a word in a case file."""


@dataclass(frozen=True, slots=True)
class CaseWithRound:
    """A case and its round."""

    case: Case
    round: int
    """From 1."""


class CaseListPosition(NamedTuple):
    """A position in a list of cases, for paging."""

    round: int
    queued_at: int
    """Microseconds since 1970, UTC."""
    case_id: str

    def __str__(self) -> str:
        """Format as a page token."""
        return f"{self.round}.{self.queued_at}.{self.case_id}"

    @classmethod
    def read(cls, text: str) -> CaseListPosition:
        """Parse a page token. Raises ``ValueError`` for any other text."""
        found = _POSITION_PATTERN.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return cls(int(found[1]), int(found[2]), found[3])


_POSITION_PATTERN = re.compile(r"(\d{1,5})\.(\d{1,18})\.([a-z0-9-]{1,128})", re.ASCII)


async def cases(record: Record, case_ids: Collection[str]) -> dict[str, Case]:
    """Load cases from their streams, by id."""
    found = await record.events_of([stream(case_id) for case_id in case_ids])
    folded = [reduce(evolve, past_events, Case()) for past_events in found.values()]
    return {case.case_id: case for case in folded}


async def waiting(record: Record, tournament_id: str = "") -> list[Case]:
    """Return the cases waiting for a judge, of all tournaments or of one, the longest wait first."""
    return (await _waiting(record, tournament_id))[0]


async def _waiting(record: Record, tournament_id: str = "") -> tuple[list[Case], Mapping[tuple[str, str], Judge], int]:
    """Return the cases that wait, the judges by tournament and id, and the position of both."""

    async def look(connection: AsyncConnection, live: Live) -> tuple[Sequence[str], Sequence[Any]]:
        rows = docket.tables(live.version, live.generation)
        query = (
            select(rows.cases.c.case_id)
            .where(rows.cases.c.waiting, rows.cases.c.mode != events.MODE_AUTOMATIC)
            .order_by(rows.cases.c.queued_at, rows.cases.c.case_id)
        )
        if tournament_id:
            query = query.where(rows.cases.c.tournament_id == tournament_id)
        case_ids = (await connection.execute(query)).scalars().all()
        return case_ids, (await connection.execute(select(rows.judges))).all()

    (case_ids, rows), live = await _read(record, look)
    known = await cases(record, case_ids)
    judges = {
        (row.tournament_id, row.judge_id): Judge(row.judge_id, frozenset(row.languages.split()), row.director)
        for row in rows
    }
    return [known[case_id] for case_id in case_ids if known[case_id].waiting], judges, live.position


async def backlog(record: Record) -> tuple[int, int]:
    """Return the number of cases waiting for a judge, and the start of the longest wait, or 0.

    The start is in microseconds since 1970, UTC. Raises ``NotBuilt`` while the docket is being built.
    """

    async def look(connection: AsyncConnection, live: Live) -> tuple[int, int]:
        rows = docket.tables(live.version, live.generation)
        query = select(func.count(), func.min(rows.cases.c.queued_at)).where(
            rows.cases.c.waiting, rows.cases.c.mode != events.MODE_AUTOMATIC
        )
        number, since = (await connection.execute(query)).one()
        return number, since or 0

    return (await read(record, docket.projection(), look))[0]


class Queue:
    """The cases that wait, read once for all judges who watch."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._reading = asyncio.Lock()
        self._read_at = -QUEUE_CACHE_SECONDS
        self._cases: list[Case] = []
        self._judges: Mapping[tuple[str, str], Judge] = {}
        self._position = 0

    async def of(self, judge_id: str, language: str) -> tuple[list[Case], bool, int]:
        """Return the cases that a judge holds or may claim, the longest wait first.

        Returns also whether any tournament has appointed the judge, and the position of the queue. A ``language``
        selects the cases in it, if not empty. The queue is at most ``QUEUE_CACHE_SECONDS`` seconds old.
        """
        async with self._reading:
            now = asyncio.get_running_loop().time()
            if now - self._read_at >= QUEUE_CACHE_SECONDS:
                self._cases, self._judges, self._position = await _waiting(self._record)
                self._read_at = now
        found = [
            case
            for case in self._cases
            if language in {"", case.language} and _may_take(case, self._judges.get((case.tournament_id, judge_id)))
        ]
        appointed = any(judge_id == name for _, name in self._judges)
        return found, appointed, self._position


def _may_take(case: Case, judge: Judge | None) -> bool:
    if judge is None:
        return False
    if case.claim_of(judge.judge_id):
        return True
    try:
        decide.check_may_claim(case, judge)
    except Refusal:
        return False
    return True


async def of_tournament(record: Record, tournament_id: str) -> list[CaseWithRound]:
    """Return the cases of a tournament, sorted by round and time."""

    async def look(connection: AsyncConnection, live: Live) -> Sequence[Any]:
        query = _of_tournament(docket.tables(live.version, live.generation), tournament_id)
        found: Sequence[Any] = (await connection.execute(query)).all()
        return found

    return (await _load_listed_cases(record, look))[0]


async def list_closed_cases(
    record: Record, tournament_id: str, *, round_: int, size: int, after: CaseListPosition | None
) -> tuple[list[CaseWithRound], CaseListPosition | None, int, int]:
    """Return a page of the cases ruled on in closed rounds, or in one of them, sorted by round and time.

    The page has at most ``size`` cases after the position ``after``. Returns also the position of the next page, or
    None; the total; and the position of the docket.
    """
    total = 0

    async def look(connection: AsyncConnection, live: Live) -> Sequence[Any]:
        rows = docket.tables(live.version, live.generation)
        ended = select(rows.closed.c.round).where(rows.closed.c.tournament_id == tournament_id)
        query = _of_tournament(rows, tournament_id).where(rows.cases.c.ruled, rows.games.c.round.in_(ended))
        if round_:
            query = query.where(rows.games.c.round == round_)
        nonlocal total
        total = (await connection.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        if after:
            order = (rows.games.c.round, rows.cases.c.queued_at, rows.cases.c.case_id)
            place = (literal(value, column.type) for value, column in zip(after, order, strict=True))
            query = query.where(tuple_(*order) > tuple_(*place))
        found: Sequence[Any] = (await connection.execute(query.limit(size + 1))).all()
        return found

    listed, rows, position = await _load_listed_cases(record, look)
    following = CaseListPosition(*rows[size - 1]) if len(rows) > size else None
    return listed[:size], following, total, position


async def _load_listed_cases(
    record: Record, look: Callable[[AsyncConnection, Live], Awaitable[Sequence[Any]]]
) -> tuple[list[CaseWithRound], Sequence[Any], int]:
    rows, live = await _read(record, look)
    known = await cases(record, [row.case_id for row in rows])
    return [CaseWithRound(known[row.case_id], row.round) for row in rows], rows, live.position


def _of_tournament(rows: docket.Tables, tournament_id: str) -> Select[Any]:
    return (
        select(rows.games.c.round, rows.cases.c.queued_at, rows.cases.c.case_id)
        .join_from(rows.cases, rows.games, rows.games.c.game_id == rows.cases.c.game_id)
        .where(rows.cases.c.tournament_id == tournament_id)
        .order_by(rows.games.c.round, rows.cases.c.queued_at, rows.cases.c.case_id)
    )


async def earlier(record: Record, case: Case) -> dict[Word, list[Case]]:
    """Return earlier rulings of judges on the words of a case, the latest first."""

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
                .limit(EARLIER_RULINGS_LIMIT)
            )
            found[word] = (await connection.execute(query)).scalars().all()
        return found

    found, _ = await _read(record, look)
    known = await cases(record, {case_id for ids in found.values() for case_id in ids})
    return {word: [known[case_id] for case_id in ids] for word, ids in found.items()}


async def arguments(record: Record, case: Case) -> str:
    """Return the arguments of an appeal from its table's stream; empty for a challenge, and after erasure.

    A case has no copy of them, which would remain after their erasure at the table.
    """
    if not case.appeal:
        return ""
    table = game_stream(case.game_id)
    noted = await record.notes_of(table)
    for event in reversed(await record.read_stream(table)):
        raised = event.message
        if isinstance(raised, game_events.AppealRaised) and raised.challenge == case.challenge:
            return noted.get(event.version, raised.arguments)
    return ""


async def _read(record: Record, look: Callable[[AsyncConnection, Live], Awaitable[T]]) -> tuple[T, Live]:
    try:
        return await read(record, docket.projection(), look)
    except NotBuilt as error:
        raise Unreachable(docket.DOCKET_NAME) from error


_meter = metrics.get_meter("faristol.lexicon")
_waiting_gauge = _meter.create_gauge("faristol.cases.waiting", unit="{case}", description="cases waiting for a judge")
_longest = _meter.create_gauge("faristol.cases.wait", unit="s", description="waiting time of the oldest case")


async def measure_backlog(record: Record, now: Callable[[], datetime]) -> None:
    """Measure once, if the docket is built. Raises the errors of an unavailable database."""
    try:
        number, since = await backlog(record)
    except NotBuilt:
        return
    _waiting_gauge.set(number)
    _longest.set(max(0.0, (microseconds(now()) - since) / 1_000_000) if number else 0.0)
