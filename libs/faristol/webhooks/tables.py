"""The tables of webhooks: settings, erasable secrets, and delivery states.

They are not read models, so no rebuild touches them. They are not part of the record, so no archive contains secrets.
Only the results service uses them. It creates them by its own role: other roles of a PostgreSQL database cannot read
secrets.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Integer, MetaData, String, Table, Text

from faristol.event_store.backends.samples import omit_samples

metadata = MetaData()

webhooks = Table(
    "webhooks",
    metadata,
    Column("webhook_id", String(36), primary_key=True),
    Column("tournament", String(64), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("secrets", Text, nullable=False, comment="a JSON array of pairs: a secret, and until when; newest first"),
    Column("filter", Text, nullable=False, comment="a JSON object: arrays games, rounds, tables, types; with_content"),
    Column("created_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC; as all times here"),
    Column("created_by", String(64), nullable=False),
    Column("revision", Integer, nullable=False, comment="counts the commands that changed it"),
    Column("resumptions", Integer, nullable=False, comment="counts those that changed its course"),
    Column("rotation", String(36), nullable=False, comment="the command that gave the newest secret"),
    Column("position", BigInteger, nullable=False, comment="up to here everything is delivered, or a dead letter"),
    Column("stop", String(16), nullable=False, comment="why it has stopped; empty while it has not"),
    Column("failing_since", BigInteger, nullable=True),
    Column("tries", Integer, nullable=False, comment="of the next message"),
    Column("refusals", Integer, nullable=False, comment="those of them that the receiver refused"),
    Column("due", BigInteger, nullable=True, comment="when it is tried again"),
    Column("last_status", Integer, nullable=False),
    Column("last_failure", String(16), nullable=False),
    Column("delivered_at", BigInteger, nullable=True),
)

dead_letters = Table(
    "webhook_dead_letters",
    metadata,
    Column("webhook_id", String(36), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False, comment="of the event"),
    Column("tries", Integer, nullable=False),
    Column("status", Integer, nullable=False),
    Column("failure", String(16), nullable=False),
    Column("failed_at", BigInteger, nullable=False),
    Column("again", Boolean, nullable=False, comment="it is to be delivered once more"),
)

omit_samples(webhooks, "secrets", "url")
