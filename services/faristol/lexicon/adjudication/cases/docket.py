"""The docket: an index of cases, their words and their state. A projection.

It only locates cases. The state of a case is folded from its stream, so the meaning of an event of a case is defined
once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Integer, MetaData, String, Table, delete, insert, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.adjudication.cases.model import Word
from faristol.consumers import Projection
from faristol.event_store import Recorded
from faristol.kernel import event_types
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

DOCKET_NAME = "docket"
DOCKET_VERSION = 1


@dataclass(frozen=True)
class Tables:
    """The tables of one generation."""

    cases: Table
    words: Table
    """The words of each case, to find earlier rulings on a word."""
    judges: Table
    games: Table
    """The round of every game."""
    closed: Table
    """Closed rounds: their rulings are public."""

    @property
    def metadata(self) -> MetaData:
        """The metadata of all the tables."""
        return self.cases.metadata


@cache
def tables(version: int, generation: int) -> Tables:
    """Return the tables of a version and a generation."""
    metadata = MetaData()
    suffix = f"_v{version}" + (f"_{generation}" if generation > 1 else "")
    return Tables(
        cases=Table(
            f"docket_cases{suffix}",
            metadata,
            Column("case_id", String(128), primary_key=True),
            Column("tournament_id", String(64), nullable=False, index=True),
            Column("game_id", String(128), nullable=False),
            Column("language", String(8), nullable=False),
            Column("mode", Integer, nullable=False),
            Column("queued_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
            Column("waiting", Boolean, nullable=False, index=True),
            Column("ruled", Boolean, nullable=False),
        ),
        words=Table(
            f"docket_words{suffix}",
            metadata,
            Column("language", String(8), primary_key=True),
            Column("word", String(128), primary_key=True, comment="its faces, with a space between"),
            Column("case_id", String(128), primary_key=True),
        ),
        judges=Table(
            f"docket_judges{suffix}",
            metadata,
            Column("judge_id", String(64), primary_key=True),
            Column("tournament_id", String(64), primary_key=True),
            Column("languages", String(1_000), nullable=False, comment="with a space between"),
            Column("director", Boolean, nullable=False),
        ),
        games=Table(
            f"docket_games{suffix}",
            metadata,
            Column("game_id", String(128), primary_key=True),
            Column("round", Integer, nullable=False),
        ),
        closed=Table(
            f"docket_closed{suffix}",
            metadata,
            Column("tournament_id", String(64), primary_key=True),
            Column("round", Integer, primary_key=True),
        ),
    )


def key(word: Word) -> str:
    """Return the key of a word in the table of words."""
    return " ".join(word)


@cache
def projection(generation: int = 1) -> Projection:
    """Return the docket as a projection on the tables of a generation."""
    rows = tables(DOCKET_VERSION, generation)

    async def apply(connection: AsyncConnection, recorded: Sequence[Recorded]) -> None:
        for event in recorded:
            await _DOCKET_HANDLERS[type(event.message)](connection, rows, event.message, event.tournament)

    return Projection(
        name=DOCKET_NAME,
        version=DOCKET_VERSION,
        types=event_types.types_of(_DOCKET_HANDLERS),
        tables=rows.metadata,
        apply=apply,
        awaited=False,
        generation=generation,
        again=projection,
    )


async def _open_case(connection: AsyncConnection, rows: Tables, event: events.CaseOpened, tournament: str) -> None:
    queued_at = event.queued_at if event.HasField("queued_at") else event.occurred_at
    await connection.execute(
        insert(rows.cases).values(
            case_id=event.case_id,
            tournament_id=event.tournament_id,
            game_id=event.game_id,
            language=event.language,
            mode=event.mode,
            queued_at=queued_at.ToMicroseconds(),
            waiting=True,
            ruled=False,
        )
    )
    words = {key(tuple(word.faces)) for word in event.words}
    if words:
        named = [{"language": event.language, "word": word, "case_id": event.case_id} for word in sorted(words)]
        await connection.execute(insert(rows.words), named)


async def _rule(connection: AsyncConnection, rows: Tables, event: events.CaseRuled, tournament: str) -> None:
    this = update(rows.cases).where(rows.cases.c.case_id == event.case_id)
    await connection.execute(this.values(waiting=False, ruled=True))


async def _withdraw(connection: AsyncConnection, rows: Tables, event: events.CaseWithdrawn, tournament: str) -> None:
    this = update(rows.cases).where(rows.cases.c.case_id == event.case_id)
    await connection.execute(this.values(waiting=False))


async def _appoint(connection: AsyncConnection, rows: Tables, event: events.JudgeAppointed, tournament: str) -> None:
    await _dismiss(connection, rows, event, tournament)
    judge = {"judge_id": event.judge_id, "languages": " ".join(event.languages), "director": event.director}
    await connection.execute(insert(rows.judges).values(tournament_id=tournament, **judge))


async def _dismiss(
    connection: AsyncConnection, rows: Tables, event: events.JudgeAppointed | events.JudgeDismissed, tournament: str
) -> None:
    this = (rows.judges.c.tournament_id == tournament) & (rows.judges.c.judge_id == event.judge_id)
    await connection.execute(delete(rows.judges).where(this))


async def _open_game(connection: AsyncConnection, rows: Tables, event: game_events.GameOpened, tournament: str) -> None:
    await connection.execute(insert(rows.games).values(game_id=event.game_id, round=event.round))


async def _close(connection: AsyncConnection, rows: Tables, event: pairing_events.RoundClosed, tournament: str) -> None:
    this_round = (rows.closed.c.tournament_id == tournament) & (rows.closed.c.round == event.round)
    await connection.execute(delete(rows.closed).where(this_round))  # a round may close again after a correction
    await connection.execute(insert(rows.closed).values(tournament_id=tournament, round=event.round))


_DOCKET_HANDLERS: Mapping[event_types.Kind, Callable[[AsyncConnection, Tables, Any, str], Awaitable[None]]] = {
    events.CaseOpened: _open_case,
    events.CaseRuled: _rule,
    events.CaseWithdrawn: _withdraw,
    events.JudgeAppointed: _appoint,
    events.JudgeDismissed: _dismiss,
    game_events.GameOpened: _open_game,
    pairing_events.RoundClosed: _close,
}
"""The handler of each event."""
