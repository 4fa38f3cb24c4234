"""Subscriptions in the database: what browsers follow, and the queue of messages."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, insert, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables as beside
from faristol.event_store import Record
from faristol.event_store.backends.databases import kind_of
from faristol.kernel.bounded import split_batches
from faristol.web_push.tables import follows, metadata, queue, state, subscriptions

MESSAGES, PLAYER, TABLE, OWN = "messages", "player", "table", "own"
"""Kinds of follows: the messages of a tournament, a player, a table, and the messages to a signed-in player."""

MAX_FOLLOWS_COUNT = 30
"""Limit of the follows of a subscription."""

MAX_SUBSCRIPTIONS_COUNT = 100_000
"""Limit of the subscriptions of a cell."""

STATE_NAME = "push"

_LOCK_ID = 0x6661726973746F70  # arbitrary, but the same for every process of a cell
_BATCH_SIZE = 200


class Follow(NamedTuple):
    """What a browser follows in a tournament."""

    tournament: str
    kind: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription of a browser."""

    endpoint: str
    public_key: str
    auth: str
    key: str
    """The public key of the cell that it was made with."""
    language: str

    @property
    def id(self) -> str:
        """Id of the subscription: a digest, so that logs do not have the address."""
        return id_of(self.endpoint)


class QueuedPush(NamedTuple):
    """A message in the queue. Times are in microseconds since 1970."""

    position: int
    subscription_id: str
    tournament: str
    kind: str
    value: str
    due: int
    expires_at: int
    tries: int

    @property
    def follow(self) -> Follow:
        """The follow that it is sent for."""
        return Follow(self.tournament, self.kind, self.value)


def id_of(endpoint: str) -> str:
    """Return the id of the subscription with an address."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


async def prepare(record: Record) -> None:
    """Create the tables if they are missing."""
    async with record.writing() as connection:
        await beside.make(connection, metadata)


async def lock(connection: AsyncConnection) -> None:
    """Lock subscriptions against other changes until the end of the transaction."""
    await kind_of(connection).alone(connection, _LOCK_ID)


async def count(connection: AsyncConnection) -> int:
    """Return the number of subscriptions."""
    return int((await connection.execute(select(func.count()).select_from(subscriptions))).scalar_one())


async def store(connection: AsyncConnection, new: Subscription, created_at: int) -> None:
    """Store a subscription, in place of an earlier one with its address. Its follows stay."""
    await connection.execute(delete(subscriptions).where(subscriptions.c.subscription_id == new.id))
    values = {"subscription_id": new.id, **asdict(new), "created_at": created_at}
    await connection.execute(insert(subscriptions).values(values))


async def list_follows(connection: AsyncConnection, subscription_id: str) -> list[Follow]:
    """Return the follows of a subscription, in order."""
    rows = await connection.execute(
        select(follows.c.tournament, follows.c.kind, follows.c.value)
        .where(follows.c.subscription_id == subscription_id)
        .order_by(follows.c.tournament, follows.c.kind, follows.c.value)
    )
    return [Follow(*row) for row in rows]


async def add_follow(connection: AsyncConnection, subscription_id: str, follow: Follow) -> None:
    """Add a follow to a subscription, if it is missing."""
    if follow not in await list_follows(connection, subscription_id):
        await connection.execute(insert(follows).values(subscription_id=subscription_id, **follow._asdict()))


async def remove_follow(connection: AsyncConnection, subscription_id: str, follow: Follow) -> None:
    """Remove a follow; a subscription without follows is deleted."""
    await connection.execute(
        delete(follows).where(
            follows.c.subscription_id == subscription_id,
            follows.c.tournament == follow.tournament,
            follows.c.kind == follow.kind,
            follows.c.value == follow.value,
        )
    )
    await _delete_idle(connection)


async def remove(connection: AsyncConnection, ids: Collection[str]) -> None:
    """Delete subscriptions with their follows and queued messages."""
    for table in (queue, follows, subscriptions):
        for some in split_batches(list(ids), _BATCH_SIZE):
            await connection.execute(delete(table).where(table.c.subscription_id.in_(some)))


async def forget_person(connection: AsyncConnection, player_id: str) -> None:
    """Delete the follows of a player, and the subscriptions of that player."""
    of_player = and_(follows.c.kind.in_((PLAYER, OWN)), follows.c.value == player_id)
    await connection.execute(delete(follows).where(of_player))
    queued = and_(queue.c.kind.in_((PLAYER, OWN)), queue.c.value == player_id)
    await connection.execute(delete(queue).where(queued))
    await _delete_idle(connection)


async def _delete_idle(connection: AsyncConnection) -> None:
    """Delete the subscriptions that follow none."""
    following = select(follows.c.subscription_id)
    idle = not_(subscriptions.c.subscription_id.in_(following))
    await connection.execute(delete(subscriptions).where(idle))


async def find_followers(
    connection: AsyncConnection, tournament: str, wanted: Collection[tuple[str, str]]
) -> list[tuple[str, str, str]]:
    """Return the subscriptions with one of these follows, each once: id, kind, value.

    ``wanted`` has kinds and values, the most important first; an empty value stands for all values of the kind.
    """
    order = {kind: place for place, (kind, _) in reversed(list(enumerate(wanted)))}
    alike: dict[str, list[str]] = {}
    whole = [kind for kind, value in wanted if not value]
    for kind, value in wanted:
        if value:
            alike.setdefault(kind, []).append(value)
    found: dict[str, tuple[str, str, str]] = {}
    conditions: list[ColumnElement[bool]] = [follows.c.kind.in_(whole)] if whole else []
    for kind, values in alike.items():
        batches = split_batches(list(values), _BATCH_SIZE)
        conditions += [and_(follows.c.kind == kind, follows.c.value.in_(some)) for some in batches]
    for condition in conditions:
        query = select(follows.c.subscription_id, follows.c.kind, follows.c.value).where(
            follows.c.tournament == tournament, condition
        )
        for row in await connection.execute(query):
            known = found.get(row.subscription_id)
            if known is None or order[row.kind] < order[known[1]]:
                found[row.subscription_id] = (row.subscription_id, row.kind, row.value)
    return list(found.values())


async def enqueue(
    connection: AsyncConnection,
    position: int,
    tournament: str,
    followers: Iterable[tuple[str, str, str]],
    due: int,
    expires_at: int,
) -> None:
    """Add a message about an event to the queue, once for each subscription."""
    known = set(
        (await connection.execute(select(queue.c.subscription_id).where(queue.c.position == position))).scalars()
    )
    rows = [
        {
            "position": position,
            "subscription_id": subscription_id,
            "tournament": tournament,
            "kind": kind,
            "value": value,
            "due": due,
            "expires_at": expires_at,
            "tries": 0,
        }
        for subscription_id, kind, value in followers
        if subscription_id not in known
    ]
    if rows:
        await connection.execute(insert(queue), rows)


async def read_position(connection: AsyncConnection) -> int | None:
    """Return the position up to which events are in the queue; None before the first start."""
    found = (await connection.execute(select(state.c.position).where(state.c.name == STATE_NAME))).first()
    return None if found is None else int(found.position)


async def store_position(connection: AsyncConnection, position: int) -> None:
    """Store the position up to which events are in the queue."""
    changed = await connection.execute(update(state).where(state.c.name == STATE_NAME).values(position=position))
    if not changed.rowcount:
        await connection.execute(insert(state).values(name=STATE_NAME, position=position))


async def list_due(connection: AsyncConnection, now: int, limit: int) -> list[QueuedPush]:
    """Return the messages that are due, the oldest first."""
    rows = await connection.execute(
        select(queue).where(queue.c.due <= now).order_by(queue.c.due, queue.c.position).limit(limit)
    )
    return [QueuedPush(*row) for row in rows]


async def load(connection: AsyncConnection, ids: Collection[str]) -> dict[str, Subscription]:
    """Return subscriptions by id."""
    found: dict[str, Subscription] = {}
    for some in split_batches(list(ids), _BATCH_SIZE):
        for row in await connection.execute(select(subscriptions).where(subscriptions.c.subscription_id.in_(some))):
            found[row.subscription_id] = Subscription(row.endpoint, row.public_key, row.auth, row.key, row.language)
    return found


async def drop(connection: AsyncConnection, done: Collection[QueuedPush]) -> None:
    """Delete messages from the queue."""
    for push in done:
        await connection.execute(delete(queue).where(_is_push(push)))


async def postpone(connection: AsyncConnection, push: QueuedPush, due: int, tries: int) -> None:
    """Set the next attempt of a message."""
    await connection.execute(update(queue).where(_is_push(push)).values(due=due, tries=tries))


async def drop_expired(connection: AsyncConnection, now: int) -> None:
    """Delete the messages that are too late, and those of deleted subscriptions."""
    gone = not_(queue.c.subscription_id.in_(select(subscriptions.c.subscription_id)))
    await connection.execute(delete(queue).where(or_(queue.c.expires_at <= now, gone)))


def _is_push(push: QueuedPush) -> ColumnElement[bool]:
    return and_(queue.c.position == push.position, queue.c.subscription_id == push.subscription_id)
