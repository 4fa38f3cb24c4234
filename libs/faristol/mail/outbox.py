"""The outbox: messages that wait to be sent, stored in the transaction of the event that causes them.

Problem. A message must be sent if its cause is recorded, and not otherwise, although the mail server can be unavailable
at that moment, or for hours.

Idea. The transactional outbox: the row is inserted in the transaction of the append (``Decision.also``), under an id
that is computed from the cause. One process holds a lease and sends.

Invariants:

- A message is never lost: it is deleted only after a server took it, refused it for good, or five days.
- A message has one id, and so one ``Message-ID``, in all attempts. A second insertion under the id has no effect.
- A server that took a message gets it again only if its reply, or the commit after it, was lost. SMTP has no
  transaction with the sender, so such a repetition cannot be excluded; receivers drop it by its ``Message-ID``.
- The address and the text are deleted when the message is sent or refused. No archive and no read model has them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    func,
    inspect,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.samples import omit_samples
from faristol.event_store.event import microseconds, moment
from faristol.mail.retry_policy import Attempt, MailState, NextStep

SENT_ROW_LIFETIME = timedelta(days=30)
"""Time for which the row of a sent or refused message stays, without its address and text."""

metadata = MetaData()

outbox = Table(
    "mail_outbox",
    metadata,
    Column("mail_id", String(36), primary_key=True),
    Column("tournament", String(64), nullable=False, index=True),
    Column("person_id", String(64), nullable=False, index=True, comment="the recipient; empty before the confirmation"),
    Column("kind", String(32), nullable=False),
    Column("address", Text, nullable=False, comment="empty once sent or refused"),
    Column("subject", Text, nullable=False, comment="empty once sent or refused"),
    Column("body", Text, nullable=False, comment="empty once sent or refused"),
    Column("language", String(8), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due", BigInteger, nullable=False, comment="microseconds since 1970, UTC; as all times here"),
    Column("created_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("status", Integer, nullable=False, comment="last reply code of SMTP; 0 without a reply"),
    Column("problem", Text, nullable=False, comment="of the last attempt, without addresses"),
    Index("mail_outbox_due", "state", "due"),
)

omit_samples(outbox, "address", "body")


@dataclass(frozen=True, slots=True)
class Mail:
    """A message."""

    mail_id: str
    """UUID, computed from its cause."""
    tournament: str
    kind: str
    """Name of its template."""
    address: str
    subject: str
    body: str
    """Plain text."""
    language: str
    person_id: str = ""
    """Id of the recipient; empty if the recipient is not a known person yet."""


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """A message that is due."""

    mail: Mail
    attempts: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OutboxCounts:
    """Counts of messages by state."""

    waiting: int = 0
    refused: int = 0
    waiting_since: datetime | None = None
    """Creation of the oldest waiting message."""


async def enqueue(connection: AsyncConnection, mails: Sequence[Mail], now: datetime) -> int:
    """Store messages in the present transaction; return how many are new.

    A message whose id is stored already is ignored.
    """
    at, count = microseconds(now), 0
    for mail in mails:
        stored = await connection.execute(
            kind_of(connection)
            .new_row(outbox)
            .values(
                **asdict(mail),
                state=MailState.WAITING.value,
                attempts=0,
                due=at,
                created_at=at,
                changed_at=at,
                status=0,
                problem="",
            )
        )
        count += stored.rowcount
    return count


async def list_due(connection: AsyncConnection, now: datetime, limit: int) -> list[WaitingMail]:
    """Return the messages that are due, in the order of their times."""
    here = outbox.c
    query = (
        select(outbox)
        .where(here.state == MailState.WAITING.value, here.due <= microseconds(now))
        .order_by(here.due, here.mail_id)
        .limit(limit)
    )
    return [
        WaitingMail(
            Mail(**{field.name: getattr(row, field.name) for field in fields(Mail)}),
            row.attempts,
            moment(row.created_at),
        )
        for row in await connection.execute(query)
    ]


async def note_attempt(
    connection: AsyncConnection, waiting: WaitingMail, attempt: Attempt, step: NextStep, now: datetime
) -> None:
    """Store the outcome of an attempt. The address and the text are deleted unless the message still waits."""
    gone = {} if step.state is MailState.WAITING else {"address": "", "subject": "", "body": ""}
    await connection.execute(
        update(outbox)
        .where(outbox.c.mail_id == waiting.mail.mail_id, outbox.c.state == MailState.WAITING.value)
        .values(
            state=step.state.value,
            attempts=waiting.attempts + 1,
            due=microseconds(step.due),
            changed_at=microseconds(now),
            status=attempt.status,
            problem=attempt.problem,
            **gone,
        )
    )


async def count(connection: AsyncConnection, tournament: str = "") -> OutboxCounts:
    """Count messages of a tournament or of all; zeros if the table does not exist yet."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(outbox.name)):
        return OutboxCounts()
    here = outbox.c
    query = select(here.state, func.count().label("number"), func.min(here.created_at).label("since"))
    if tournament:
        query = query.where(here.tournament == tournament)
    found = {row.state: row for row in await connection.execute(query.group_by(here.state))}
    waiting, refused = found.get(MailState.WAITING.value), found.get(MailState.REFUSED.value)
    return OutboxCounts(
        waiting.number if waiting else 0, refused.number if refused else 0, moment(waiting.since) if waiting else None
    )


async def forget_persons(connection: AsyncConnection, person_ids: Collection[str]) -> None:
    """Delete the messages to persons, sent or not."""
    await connection.execute(delete(outbox).where(outbox.c.person_id.in_(sorted(person_ids))))


async def purge(connection: AsyncConnection, now: datetime) -> None:
    """Delete the rows of messages that were sent or refused long ago."""
    here = outbox.c
    old = here.changed_at < microseconds(now - SENT_ROW_LIFETIME)
    await connection.execute(delete(outbox).where(here.state != MailState.WAITING.value, old))
