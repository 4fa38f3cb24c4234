"""The webhooks and their delivery states, in the tables beside the record.

Every command that changes a webhook increments its ``revision``; one that changes its delivery state also increments
``resumptions``. Delivery changes the delivery state only if it was not resumed since and the position does not go back.
So neither undoes a change of the other.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import delete, func, inspect, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables as beside
from faristol.event_store import Record
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.event import microseconds, moment
from faristol.kernel.topics import Topic
from faristol.webhooks.retry_policy import DeadLetter, DeliveryOutcome, DeliveryState, Failure, StopReason
from faristol.webhooks.tables import dead_letters, metadata, webhooks

OLD_SECRET_LIFETIME = timedelta(hours=24)
"""The time for which a secret still signs after a newer one was created."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret, and the time until which it signs; None for the newest."""

    key: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """The events of its tournament that a webhook receives, as in ``Topic``."""

    games: Sequence[str] = ()
    rounds: Sequence[int] = ()
    tables: Sequence[int] = ()
    types: Sequence[str] = ()
    with_content: bool = False
    """Whether its messages contain the changed resources."""

    def topic(self, tournament: str, division_of: str) -> Topic:
        """Return the topic, for a tournament with the first division ``division_of`` or none."""
        parts = (self.games, self.rounds, self.tables, self.types)
        return Topic.of({tournament: division_of}, *parts, with_content=self.with_content)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook."""

    webhook_id: str
    tournament: str
    url: str
    secrets: Sequence[Secret]
    """The newest first."""
    filter: Filter
    created_at: datetime
    created_by: str
    course: DeliveryState
    revision: int = 0
    resumptions: int = 0
    rotation: str = ""
    """The command that created the newest secret."""

    def signing(self, now: datetime) -> list[str]:
        """Return the secrets that sign now, the newest first."""
        return [secret.key for secret in self.secrets if secret.until is None or now < secret.until]


class Superseded(Exception):
    """The webhook was resumed or removed, or another process delivers: the outcome is discarded."""


async def prepare(record: Record) -> None:
    """Create the tables if they are missing."""
    async with record.writing() as connection:
        await beside.make(connection, metadata)


_REGISTRY_LOCK_ID = 0x6661726973746F6E  # an arbitrary number, the same in every process of a cell


async def lock_webhooks(connection: AsyncConnection) -> None:
    """Lock webhooks against other commands until the end of the transaction."""
    await kind_of(connection).alone(connection, _REGISTRY_LOCK_ID)


_DEAD = (
    select(dead_letters.c.webhook_id, func.count().label("dead"))
    .group_by(dead_letters.c.webhook_id)
    .subquery("counted")
)
_ALL = (
    select(webhooks, func.coalesce(_DEAD.c.dead, 0).label("dead"))
    .outerjoin(_DEAD, _DEAD.c.webhook_id == webhooks.c.webhook_id)
    .order_by(webhooks.c.created_at, webhooks.c.webhook_id)
)


async def of_tournament(connection: AsyncConnection, tournament: str) -> list[Webhook]:
    """List the webhooks of a tournament, the oldest first."""
    return [_webhook(row) for row in await connection.execute(_ALL.where(webhooks.c.tournament == tournament))]


async def load_webhooks(connection: AsyncConnection, webhook_ids: Collection[str]) -> list[Webhook]:
    """Return those of these webhooks that exist."""
    return [
        _webhook(row) for row in await connection.execute(_ALL.where(webhooks.c.webhook_id.in_(sorted(webhook_ids))))
    ]


async def revisions(connection: AsyncConnection) -> Mapping[str, int]:
    """Return the revision of each webhook that has not stopped, by id."""
    rows = await connection.execute(select(webhooks.c.webhook_id, webhooks.c.revision).where(webhooks.c.stop == ""))
    return {row.webhook_id: row.revision for row in rows}


class Numbers(NamedTuple):
    """Counts of webhooks by state."""

    all: int
    failing: int
    """Those whose last message did not arrive."""
    stopped: int
    dead_letters: int


async def numbers(connection: AsyncConnection) -> Numbers:
    """Count the webhooks by state; all 0 if their tables do not exist yet."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(webhooks.name)):
        return Numbers(0, 0, 0, 0)
    here = webhooks.c
    found = (
        await connection.execute(
            select(
                func.count(),
                func.count(here.failing_since).filter(here.stop == ""),
                func.count().filter(here.stop != ""),
            )
        )
    ).one()
    dead = (await connection.execute(select(func.count()).select_from(dead_letters))).scalar_one()
    return Numbers(*map(int, (*found, dead)))


async def letters_of(connection: AsyncConnection, webhook_id: str, *, again: bool = False) -> list[DeadLetter]:
    """Return the dead letters of a webhook, in the order of positions; only those to redeliver if ``again``."""
    query = select(dead_letters).where(dead_letters.c.webhook_id == webhook_id).order_by(dead_letters.c.position)
    if again:
        query = query.where(dead_letters.c.again)
    return [
        DeadLetter(
            row.position,
            row.tries,
            DeliveryOutcome(row.status, Failure(row.failure)),
            moment(row.failed_at),
            again=row.again,
        )
        for row in await connection.execute(query)
    ]


# --- commands --------------------------------------------------------------------------------------------------------


async def add(connection: AsyncConnection, webhook: Webhook) -> None:
    """Add a webhook."""
    await connection.execute(
        kind_of(connection)
        .new_row(webhooks)
        .values(
            webhook_id=webhook.webhook_id,
            tournament=webhook.tournament,
            url=webhook.url,
            secrets=_written_secrets(webhook.secrets),
            filter=_written_filter(webhook.filter),
            created_at=microseconds(webhook.created_at),
            created_by=webhook.created_by,
            revision=webhook.revision,
            resumptions=webhook.resumptions,
            rotation=webhook.rotation,
            **_course_values(webhook.course),
        )
    )


async def remove(connection: AsyncConnection, webhook_id: str) -> None:
    """Remove a webhook with its dead letters."""
    await connection.execute(delete(webhooks).where(webhooks.c.webhook_id == webhook_id))
    await connection.execute(delete(dead_letters).where(dead_letters.c.webhook_id == webhook_id))


async def change(connection: AsyncConnection, webhook: Webhook, course: DeliveryState | None = None) -> None:
    """Store the secrets of a webhook, and its delivery state if given, after a command."""
    values = {} if course is None else {**_course_values(course), "resumptions": webhooks.c.resumptions + 1}
    await connection.execute(
        update(webhooks)
        .where(webhooks.c.webhook_id == webhook.webhook_id)
        .values(
            secrets=_written_secrets(webhook.secrets),
            rotation=webhook.rotation,
            revision=webhooks.c.revision + 1,
            **values,
        )
    )


async def redeliver(connection: AsyncConnection, webhook: Webhook, positions: Collection[int]) -> int:
    """Mark dead letters for redelivery and return their number."""
    asked = update(dead_letters).where(_these(webhook.webhook_id, positions)).values(again=True)
    count = (await connection.execute(asked)).rowcount
    await change(connection, webhook)
    return int(count)


async def drop(connection: AsyncConnection, webhook: Webhook, positions: Collection[int]) -> int:
    """Delete dead letters and return their number."""
    count = (await connection.execute(delete(dead_letters).where(_these(webhook.webhook_id, positions)))).rowcount
    await change(connection, webhook)
    return int(count)


def _these(webhook_id: str, positions: Collection[int]) -> Any:
    return (dead_letters.c.webhook_id == webhook_id) & dead_letters.c.position.in_(sorted(positions))


# --- delivery --------------------------------------------------------------------------------------------------------


async def store_state(connection: AsyncConnection, webhook: Webhook, course: DeliveryState) -> None:
    """Store the delivery state of a webhook. Raises ``Superseded`` if it was resumed or removed in between."""
    here = webhooks.c
    mine = (here.webhook_id == webhook.webhook_id) & (here.resumptions == webhook.resumptions)
    noting = update(webhooks).where(mine, here.position <= course.position).values(**_course_values(course))
    if (await connection.execute(noting)).rowcount != 1:
        raise Superseded


async def note_letter(
    connection: AsyncConnection, webhook: Webhook, course: DeliveryState, position: int, letter: DeadLetter | None
) -> None:
    """Store the delivery state and the dead letter; delete the stored dead letter for None."""
    await store_state(connection, webhook, course)
    if letter is None:
        await connection.execute(delete(dead_letters).where(_these(webhook.webhook_id, [position])))
        return
    values = {
        "tries": letter.tries,
        "status": letter.outcome.status,
        "failure": letter.outcome.failure.value,
        "failed_at": microseconds(letter.failed_at),
        "again": letter.again,
    }
    key = {"webhook_id": webhook.webhook_id, "position": position}
    await connection.execute(kind_of(connection).upsert(dead_letters, values.keys()).values(**key, **values))


# --- rows ------------------------------------------------------------------------------------------------------------


_COURSE_TIMES = ("failing_since", "due", "delivered_at")


def _course_values(course: DeliveryState) -> dict[str, Any]:
    values = asdict(course) | {"stop": course.stop.value, "last_failure": course.last_failure.value}
    del values["dead"]  # counted from the rows of dead letters
    return values | {name: _to_microseconds(values[name]) for name in _COURSE_TIMES}


def _course(row: Any) -> DeliveryState:
    values = {field.name: getattr(row, field.name) for field in fields(DeliveryState)}
    values |= {"stop": StopReason(row.stop), "last_failure": Failure(row.last_failure)}
    return DeliveryState(**values | {name: _read(values[name]) for name in _COURSE_TIMES})


def _to_microseconds(at: datetime | None) -> int | None:
    return None if at is None else microseconds(at)


def _read(at: int | None) -> datetime | None:
    return None if at is None else moment(at)


def _written_secrets(secrets: Sequence[Secret]) -> str:
    return json.dumps([[each.key, _to_microseconds(each.until)] for each in secrets])


def _written_filter(wanted: Filter) -> str:
    parts: dict[str, Any] = {name: list(getattr(wanted, name)) for name in ("games", "rounds", "tables", "types")}
    if wanted.with_content:  # a previous version reads filters without this field
        parts["with_content"] = True
    return json.dumps(parts, ensure_ascii=False)


def _webhook(row: Any) -> Webhook:
    return Webhook(
        row.webhook_id,
        row.tournament,
        row.url,
        [Secret(key, _read(until)) for key, until in json.loads(row.secrets)],
        Filter(**json.loads(row.filter)),
        moment(row.created_at),
        row.created_by,
        _course(row),
        row.revision,
        row.resumptions,
        row.rotation,
    )
