"""Tables beside the record: the tables in use of projections, and the events that consumers cannot process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import BigInteger, Boolean, Column, Integer, MetaData, String, Table, Text
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.databases import kind_of

metadata = MetaData()

projections = Table(
    "projections",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("generation", Integer, nullable=False, comment="the tables that are read; changing it is the switch"),
    Column("consumer", String(128), nullable=False, comment="whose checkpoint says how far they are"),
    Column("since", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

generations = Table(
    "projection_generations",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("generation", Integer, primary_key=True),
    Column("tables", Text, nullable=False, comment="their names, with a space between"),
    Column("position", BigInteger, nullable=False, comment="how far a rebuild is; the live one has a checkpoint"),
    Column("since", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)
"""Every set of tables: in use, being built, or left over by an interrupted rebuild."""

numbers = Table(
    "projection_numbers",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("generation", Integer, nullable=False, comment="the last number that was given"),
)
"""Numbers are never reused, so a rebuild that was replaced does not write to tables of another one."""

stopped = Table(
    "stopped_consumers",
    metadata,
    Column("consumer", String(128), primary_key=True),
    Column("position", BigInteger, nullable=False, comment="of the event that it cannot take"),
    Column("event_id", String(36), nullable=False),
    Column("type", String(128), nullable=False),
    Column("stream", String(128), nullable=False),
    Column("error", Text, nullable=False),
    Column("since", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
    Column("attempts", Integer, nullable=False),
    Column("retry", Boolean, nullable=False, comment="an operator asked for another attempt"),
)

parked = Table(
    "parked_streams",
    metadata,
    Column("consumer", String(128), primary_key=True),
    Column("key", String(128), primary_key=True, comment="a stream; of a projection a tournament"),
    Column("tournament", String(64), nullable=False),
    Column("done", BigInteger, nullable=False, comment="events of the key are taken up to this position"),
    Column("position", BigInteger, nullable=False, comment="of the event that was not taken"),
    Column("event_id", String(36), nullable=False),
    Column("type", String(128), nullable=False),
    Column("stream", String(128), nullable=False),
    Column("error", Text, nullable=False),
    Column("since", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
    Column("attempts", Integer, nullable=False),
    Column("retry", Boolean, nullable=False, comment="an operator asked for another attempt"),
)
"""Events after ``done`` and up to the consumer's checkpoint are pending; those of other keys are processed."""

SERVICE_TABLES: Mapping[str, Sequence[str]] = {
    "pairing": ("mail_outbox", "registration_pending", "registration_links"),
    "results": (
        *("webhooks", "webhook_dead_letters", "screen_reports"),
        *("push_subscriptions", "push_follows", "push_queue", "push_state"),
    ),
}
"""Tables that a service creates in addition to its read models, and that a rebuild cannot recreate.

In a database with roles they are in the schema of the service's role.
"""

_TABLES_LOCK_ID = 0x6661726973746F6D  # arbitrary, but the same for every process of a cell


async def make(connection: AsyncConnection, tables: MetaData = metadata) -> None:
    """Create missing tables, one process at a time."""
    await kind_of(connection).alone(connection, _TABLES_LOCK_ID)
    await connection.run_sync(tables.create_all)
