"""The tables of Web Push: subscriptions, what each follows, and the queue of messages.

They are personal data beside the events: an address of a browser, and the players that it follows. They are not part of
the record, so no archive has them. The queue names the event of a message and not its text, which is read when the
message is sent: a text that was erased is not sent.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, Text

from faristol.event_store.backends.samples import omit_samples

metadata = MetaData()

subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("subscription_id", String(64), primary_key=True, comment="SHA-256 of the address"),
    Column("endpoint", Text, nullable=False, comment="address at the push service, known to it and the browser"),
    Column("public_key", String(88), nullable=False),
    Column("auth", String(24), nullable=False),
    Column("key", String(88), nullable=False, comment="the public key of the cell that it was made with"),
    Column("language", String(8), nullable=False),
    Column("created_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC; as all times here"),
)

follows = Table(
    "push_follows",
    metadata,
    Column("subscription_id", String(64), primary_key=True),
    Column("tournament", String(64), primary_key=True),
    Column("kind", String(8), primary_key=True, comment="messages, player, table, own"),
    Column("value", String(64), primary_key=True, comment="a player or a table; empty for messages"),
)

queue = Table(
    "push_queue",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False, comment="of the event"),
    Column("subscription_id", String(64), primary_key=True),
    Column("tournament", String(64), nullable=False),
    Column("kind", String(8), nullable=False, comment="of the follow that it is sent for"),
    Column("value", String(64), nullable=False),
    Column("due", BigInteger, nullable=False, index=True),
    Column("expires_at", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
)

state = Table(
    "push_state",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("position", BigInteger, nullable=False, comment="up to here every event is in the queue, or concerns none"),
)

omit_samples(subscriptions, "endpoint", "auth")
