"""The last report of each hall screen. A table beside the record: a rebuild and an archive have no reports."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables as beside
from faristol.event_store import Record

MAX_FREE_SCREENS_COUNT = 500
"""Limit of reported screens that belong to no tournament; further ones are not stored."""

FREE_SCREEN_SECONDS = 60
"""Seconds after which a screen without a tournament is forgotten."""

SECOND_NS = 1_000_000_000

metadata = MetaData()

reports = Table(
    "screen_reports",
    metadata,
    Column("code", String(8), primary_key=True),
    Column("tournament", String(64), nullable=False, comment="empty while the screen belongs to none"),
    Column("seen_at", BigInteger, nullable=False, comment="nanoseconds since 1970, UTC"),
    Column("showing", Integer, nullable=False),
)


class ScreenReport(NamedTuple):
    """The last report of a screen; ``seen_at`` is in nanoseconds since 1970."""

    seen_at: int
    showing: int


async def prepare(record: Record) -> None:
    """Create the table if it is missing."""
    async with record.writing() as connection:
        await beside.make(connection, metadata)


async def store(connection: AsyncConnection, code: str, tournament: str, report: ScreenReport) -> None:
    """Store a report; one without a content keeps that of the report before in the same tournament.

    A report of a further screen without a tournament is dropped if there are too many.
    """
    before = select(reports.c.tournament, reports.c.showing).where(reports.c.code == code)
    found = (await connection.execute(before)).first()
    values = {"tournament": tournament, "seen_at": report.seen_at, "showing": report.showing}
    if found is not None:
        if not report.showing and found.tournament == tournament:
            values["showing"] = found.showing
        await connection.execute(update(reports).where(reports.c.code == code).values(values))
        return
    if not tournament:
        oldest = report.seen_at - FREE_SCREEN_SECONDS * SECOND_NS
        await connection.execute(delete(reports).where(reports.c.tournament == "", reports.c.seen_at < oldest))
        free = select(func.count()).select_from(reports).where(reports.c.tournament == "")
        if (await connection.execute(free)).scalar_one() >= MAX_FREE_SCREENS_COUNT:
            return
    await connection.execute(insert(reports).values(code=code, **values))


async def load(connection: AsyncConnection, codes: Collection[str]) -> dict[str, ScreenReport]:
    """Return the reports of screens, by code."""
    rows = await connection.execute(select(reports).where(reports.c.code.in_(codes)))
    return {row.code: ScreenReport(row.seen_at, row.showing) for row in rows}


async def list_free(connection: AsyncConnection, now: int) -> list[str]:
    """Return the codes of screens that reported lately and belong to no tournament, the latest first."""
    oldest = now - FREE_SCREEN_SECONDS * SECOND_NS
    query = (
        select(reports.c.code)
        .where(reports.c.tournament == "", reports.c.seen_at >= oldest)
        .order_by(reports.c.seen_at.desc())
        .limit(20)
    )
    return [row.code for row in await connection.execute(query)]
