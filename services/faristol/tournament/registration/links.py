"""Tables beside the record: entries that wait for the confirmation of their address, and the keys of entrants' links.

A submission without a confirmed address is no event: a flood of forms, or a foreign address, leaves no trace in the
record. Of a key only its SHA-256 is stored. The rows are in no archive. After a restore, the director sends new links.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    func,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.samples import omit_samples
from faristol.event_store.event import microseconds, moment

CONFIRMATION_LIFETIME = timedelta(hours=48)
"""Time in which an entrant can confirm an address."""

MAX_PENDING_COUNT = 5_000
"""Limit of unconfirmed submissions for a tournament."""

MAX_MAILS_PER_ADDRESS_COUNT = 3
"""Links that are sent to one address for a tournament while they are unconfirmed: a family shares an address."""

LINK_KEY_BYTES = 20
"""Random bytes of a key."""

metadata = MetaData()

pending = Table(
    "registration_pending",
    metadata,
    Column("command_id", String(36), primary_key=True),
    Column("key_hash", LargeBinary, nullable=False, unique=True),
    Column("tournament", String(64), nullable=False, index=True),
    Column("address_hash", LargeBinary, nullable=False, comment="keyed by the tournament; counts links to an address"),
    Column("submission", Text, nullable=False, comment="a JSON object with the fields of the form"),
    Column("created_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

links = Table(
    "registration_links",
    metadata,
    Column("key_hash", LargeBinary, primary_key=True),
    Column("tournament", String(64), nullable=False),
    Column("entry", Integer, nullable=False),
    Column("person_id", String(64), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False, comment="microseconds since 1970, UTC"),
)

omit_samples(pending, "submission")


@dataclass(frozen=True, slots=True)
class PendingEntry:
    """A submission that waits for its confirmation."""

    command_id: str
    tournament_id: str
    submission: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class EntryLink:
    """The entry that a key opens."""

    tournament_id: str
    entry: int
    person_id: str


def new_key() -> str:
    """Return a new random key."""
    return secrets.token_urlsafe(LINK_KEY_BYTES)


def hash_key(key: str) -> bytes:
    """Return the stored form of a key: it is random, so a hash without salt does not reveal it."""
    return hashlib.sha256(b"faristol entry link\n" + key.encode()).digest()


def hash_address(tournament_id: str, address: str) -> bytes:
    """Return a digest by which links to one address are counted for a tournament."""
    return hashlib.sha256(f"faristol entry address\n{tournament_id}\n{address.casefold()}".encode()).digest()


async def count_pending(connection: AsyncConnection, tournament_id: str, address_hash: bytes) -> tuple[int, int]:
    """Return the number of unconfirmed submissions for a tournament, and of those with an address."""
    here = pending.c
    query = select(func.count(), func.count().filter(here.address_hash == address_hash)).where(
        here.tournament == tournament_id
    )
    every, own = (await connection.execute(query)).one()
    return int(every), int(own)


async def store_pending(connection: AsyncConnection, entry: PendingEntry, key: str, address_hash: bytes) -> bool:
    """Store a submission; return False for a repeated command, which has no effect."""
    stored = await connection.execute(
        kind_of(connection)
        .new_row(pending)
        .values(
            command_id=entry.command_id,
            key_hash=hash_key(key),
            tournament=entry.tournament_id,
            address_hash=address_hash,
            submission=json.dumps(dict(entry.submission), ensure_ascii=False),
            created_at=microseconds(entry.created_at),
        )
    )
    return bool(stored.rowcount)


async def find_pending(connection: AsyncConnection, key: str, now: datetime) -> PendingEntry | None:
    """Return the unconfirmed submission of a key; None for an unknown or expired one."""
    query = select(pending).where(
        pending.c.key_hash == hash_key(key), pending.c.created_at > microseconds(now - CONFIRMATION_LIFETIME)
    )
    row = (await connection.execute(query)).first()
    if row is None:
        return None
    return PendingEntry(row.command_id, row.tournament, json.loads(row.submission), moment(row.created_at))


async def delete_pending(connection: AsyncConnection, command_id: str) -> None:
    """Delete a submission."""
    await connection.execute(delete(pending).where(pending.c.command_id == command_id))


async def purge_pending(connection: AsyncConnection, now: datetime) -> None:
    """Delete expired submissions."""
    await connection.execute(delete(pending).where(pending.c.created_at <= microseconds(now - CONFIRMATION_LIFETIME)))


async def store_link(connection: AsyncConnection, link: EntryLink, key: str, now: datetime) -> None:
    """Store a key of an entry."""
    await connection.execute(
        kind_of(connection)
        .new_row(links)
        .values(
            key_hash=hash_key(key),
            tournament=link.tournament_id,
            entry=link.entry,
            person_id=link.person_id,
            created_at=microseconds(now),
        )
    )


async def find_link(connection: AsyncConnection, key: str) -> EntryLink | None:
    """Return the entry of a key, or None."""
    row = (await connection.execute(select(links).where(links.c.key_hash == hash_key(key)))).first()
    return EntryLink(row.tournament, row.entry, row.person_id) if row else None


async def forget_persons(connection: AsyncConnection, person_ids: Collection[str]) -> None:
    """Delete the links of persons."""
    await connection.execute(delete(links).where(links.c.person_id.in_(sorted(person_ids))))
