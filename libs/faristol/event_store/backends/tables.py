"""The tables of the record, the same on every database."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    func,
    select,
    tuple_,
)

from faristol.event_store.backends.samples import omit_samples

RECORD_FORMAT = 4
"""Version of this set of tables, stored in `counter.format`; `migrations` bring older records to it."""

metadata = MetaData()

_position = BigInteger().with_variant(Integer, "sqlite")

events = Table(
    "events",
    metadata,
    Column("position", _position, primary_key=True, autoincrement=False),
    Column("stream", String(128), nullable=False),
    Column("version", Integer, nullable=False),
    Column("event_id", String(36), nullable=False, unique=True),
    Column("type", String(128), nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("tournament", String(64), nullable=False, index=True),
    Column("payload", LargeBinary, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("recorded_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
    Column("hash", LargeBinary, nullable=False),
    UniqueConstraint("stream", "version"),
)

counter = Table(
    "counter",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("position", BigInteger, nullable=False, comment="of the last event"),
    Column("format", Integer, nullable=False),
    Column("record_id", String(36), nullable=False, comment="tells this record from every other"),
)

commands = Table(
    "commands",
    metadata,
    Column("command_id", String(36), primary_key=True),
    Column("answer", LargeBinary, nullable=False),
    Column("position", BigInteger, nullable=False),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("consumer", String(128), primary_key=True),
    Column("position", BigInteger, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("holder", String(64), nullable=False),
    Column("until", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

people = Table(
    "people",
    metadata,
    Column("player_id", String(64), primary_key=True),
    Column("name", String(200), nullable=False, index=True),
    Column("club", String(200), nullable=False),
    Column("country", String(3), nullable=False, server_default=""),
    Column("salt", LargeBinary, nullable=True, comment="of what binds the name to an event; null where none does"),
    Column("details", Text, nullable=True, comment="further details by name, a JSON object; null without any"),
)
PERSONAL_COLUMNS = ("name", "club", "country", "details")
omit_samples(people, *PERSONAL_COLUMNS)

notes = Table(
    "notes",
    metadata,
    Column("position", _position, primary_key=True, autoincrement=False, comment="of the event"),
    Column("text", Text, nullable=False),
    Column("player_ids", Text, nullable=False, comment="whom it concerns, a JSON array"),
)
omit_samples(notes, "text")

erased = Table(
    "erased",
    metadata,
    Column("player_id", String(64), primary_key=True),
    Column("erased_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

seals = Table(
    "seals",
    metadata,
    Column("from_position", _position, primary_key=True, autoincrement=False),
    Column("to_position", BigInteger, nullable=False, unique=True),
    Column("root", LargeBinary, nullable=False),
    Column("previous", LargeBinary, nullable=False, comment="SHA-256 of the statement of the seal before"),
    Column("key_id", String(16), nullable=False),
    Column("signature", LargeBinary, nullable=False),
    Column("sealed_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

log_tiles = Table(
    "log_tiles",
    metadata,
    Column("level", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("hashes", LargeBinary, nullable=False, comment="32 bytes each, 256 at most; only appended to"),
)

log_checkpoints = Table(
    "log_checkpoints",
    metadata,
    Column("size", _position, primary_key=True, autoincrement=False, comment="number of events under it"),
    Column("origin", String(200), nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("note", Text, nullable=False, comment="signed note of the log; with cosignatures of witnesses"),
    Column("made_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
    Column(
        "published_at", BigInteger, nullable=True, comment="when the quorum was met, microseconds since 1970; else null"
    ),
)


def are_last(*of: ColumnElement[bool]) -> ColumnElement[bool]:
    """Build the condition that an event is the last one of a stream in ``streams`` among those that meet ``of``."""
    stream, version = events.c.stream, events.c.version
    wanted = stream.in_(bindparam("streams", expanding=True))
    return tuple_(stream, version).in_(select(stream, func.max(version)).where(wanted, *of).group_by(stream))
