"""Seals: signed statements that a range of positions has exactly these events in this order.

Problem. Each event has a hash over the previous one of its stream. An attacker with write access to the database can
change an event and compute all later hashes again. The archive of one tournament must prove that no event is missing,
without the events of the others.

Idea. A seal is an Ed25519 signature over six lines of text, ``Seal.statement``. Five follow a heading: the range of
positions, a root, the SHA-256 of the statement of the previous seal, the id of the key, the time. The root is of a
Merkle tree over the hashes of the events (``merkle``, RFC 6962). It also covers the number of events of each tournament
(``root_of``). The chain of seals is linked timestamping (Haber and Stornetta, 1991). A copy of the last seal, stored
elsewhere, commits the record up to there, even against the owner of the key.

Invariants:

- Ranges follow each other without gaps from position 1, and each seal has the digest of the previous one.
- An event is sealed only if it chains to its predecessors (``sealer``).
- The statement is text with fixed labels and lines, so other programs can verify it.
- Ids of tournaments in the root are preceded by their lengths, so two tallies never give the same bytes.

Cost. A seal reads its events once and recomputes their hashes. It has one signature and one row. A tree stores one hash
for each level. A larger range makes fewer seals, and locates an error less precisely; ``MAX_SEAL_EVENTS`` limits it. An
archive has one hash instead of each complete subtree of events that it omits.

Alternatives that are not used:

- A signature for each event. Each append would wait for the key, which may be in a token, and archives would grow.
- A hash over the concatenated events instead of a tree. The archive of one tournament could not prove its part.
- Trust in the chain of hashes only. It detects mistakes, but no attacker who computes new hashes (docs/record.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from struct import Struct
from typing import Any

from cryptography.exceptions import InvalidSignature
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import rows
from faristol.event_store.backends import tables
from faristol.event_store.errors import RecordError
from faristol.event_store.event import microseconds, moment
from faristol.event_store.integrity.keys import Keys, SealKey, key_id

MAX_SEAL_EVENTS = 10_000
"""Events under one seal. Fewer locate an error more precisely; more make fewer seals."""

_LAST_POSITION = 2**63 - 1
"""Largest integer of a database."""

NO_SEAL = (ValueError, TypeError, LookupError, OverflowError, RecursionError)
"""Exceptions of parsing malformed JSON of a seal: JSON may be deeply nested, and have numbers of any size."""

_NUMBER = Struct(">Q").pack

FIRST_PREVIOUS_HASH = bytes(32)
"""Value of ``previous`` in the first seal."""

_AFTER = (
    select(tables.seals)
    .where(tables.seals.c.to_position > bindparam("after"), tables.seals.c.from_position <= bindparam("up_to"))
    .order_by(tables.seals.c.from_position)
    .limit(bindparam("most"))
)
_LAST_SEAL = select(tables.seals).order_by(tables.seals.c.from_position.desc()).limit(1)
_SEAL_COLUMN_TYPES = (int, int, bytes, bytes, str, bytes, int)
"""Types of the columns of the table of seals."""


Tally = Mapping[str, int]
"""Number of events of each tournament under a seal."""


def root_of(tree: bytes, tally: Tally) -> bytes:
    """Compute the root that a seal states for its events.

    It is SHA-256 over a two byte, the root of the Merkle tree over their hashes, and a part for each tournament, in the
    byte order of the ids. A part is the length of the id, the id, and the number of events. Lengths and numbers have 8
    bytes, big-endian.
    """
    parts = [b"\x02", tree]
    for name, events in sorted((name.encode(), events) for name, events in tally.items()):
        parts += [_NUMBER(len(name)), name, _NUMBER(events)]
    return hashlib.sha256(b"".join(parts)).digest()


@dataclass(frozen=True, slots=True)
class Seal:
    """A signed statement on the events from one position to another, both inclusive."""

    from_position: int
    to_position: int
    root: bytes
    """``root_of`` of the Merkle tree over the 32 bytes of each event's hash, and of the events per tournament."""
    previous: bytes
    """Digest of the previous seal."""
    key_id: str
    sealed_at: int
    """Microseconds since 1970, UTC."""
    signature: bytes = b""
    """64 bytes, over the statement."""

    def __str__(self) -> str:
        return f"the seal of positions {self.from_position} to {self.to_position}"

    @property
    def statement(self) -> bytes:
        """The signed text."""
        return (
            "faristol seal 1\n"
            f"positions {self.from_position} {self.to_position}\n"
            f"root {self.root.hex()}\n"
            f"previous {self.previous.hex()}\n"
            f"key {self.key_id}\n"
            f"at {self.sealed_at}\n"
        ).encode()

    @property
    def digest(self) -> bytes:
        """SHA-256 of the statement, which the next seal includes."""
        return hashlib.sha256(self.statement).digest()

    def sign_with(self, key: SealKey) -> Seal:
        """Return the seal with the id and the signature of a key. May block, and raise ``KeyAway``."""
        named = replace(self, key_id=key_id(key.public_key()))
        return replace(named, signature=key.sign(named.statement))

    def problem(self, keys: Keys) -> str:
        """Return the error of the signature; empty if it is valid for one of the keys."""
        if self.key_id not in keys:
            return f"{self} was made with the key {self.key_id}, which was not given"
        try:
            keys[self.key_id].verify(self.signature, self.statement)
        except InvalidSignature:
            return f"{self} does not bear the signature of the key {self.key_id}"
        return ""


async def read(
    connection: AsyncConnection, after: int = 0, most: int = MAX_SEAL_EVENTS, *, up_to: int | None = None
) -> list[Seal]:
    """Return the next seals that end after a position, in order; with ``up_to``, only those that begin there or before.

    Raises ``Wrong`` for a malformed value.
    """
    values = {"after": after, "most": most, "up_to": _LAST_POSITION if up_to is None else up_to}
    return [Seal(**row._mapping) for row in await rows.read(connection, _AFTER, values, _SEAL_COLUMN_TYPES, "the seal")]


async def last(connection: AsyncConnection) -> Seal | None:
    """Return the seal with the highest positions. Raises ``Wrong``."""
    found = await rows.read(connection, _LAST_SEAL, {}, _SEAL_COLUMN_TYPES, "the seal")
    return Seal(**found[0]._mapping) if found else None


def to_json(seal: Seal) -> dict[str, str | int]:
    """Return a seal in the form of ``/api/v1/seals``."""
    return {
        "from_position": seal.from_position,
        "to_position": seal.to_position,
        "root": seal.root.hex(),
        "previous": seal.previous.hex(),
        "key_id": seal.key_id,
        "sealed_at": moment(seal.sealed_at).isoformat(),
        "signature": seal.signature.hex(),
        "statement": seal.statement.decode(),
    }


def from_json(member: Mapping[str, Any]) -> Seal:
    """Parse a seal in the form of ``to_json``. Raises one of ``NO_SEAL`` if it is malformed."""
    seal = Seal(
        from_position=int(member["from_position"]),
        to_position=int(member["to_position"]),
        root=bytes.fromhex(member["root"]),
        previous=bytes.fromhex(member["previous"]),
        key_id=str(member["key_id"]),
        signature=bytes.fromhex(member["signature"]),
        sealed_at=microseconds(datetime.fromisoformat(member["sealed_at"])),
    )
    if not 1 <= seal.from_position <= seal.to_position <= _LAST_POSITION:
        raise ValueError("no record has these positions")
    seal.key_id.encode("ascii")  # the digest covers it as ASCII
    return seal


def difference(kept: Seal, found: Seal) -> str:
    """Describe how a seal differs from the one stored outside the record in its place; empty if they are equal."""
    if kept.digest == found.digest:
        return ""
    if kept.to_position != found.to_position:
        return f", which is over positions {kept.from_position} to {kept.to_position}: all was resealed from here on"
    if kept.root != found.root:
        return ", which has another root: the events under it were changed and resealed"
    if kept.previous != found.previous:
        return ", which follows another seal: the events before it were resealed"
    return ": the same events were resealed"


def load_seals(path: Path) -> Sequence[Seal]:
    """Read seals stored outside the record: an answer of ``/api/v1/seals``, saved to a file.

    Raises ``RecordError`` if the file is not readable or malformed.
    """
    try:
        found = json.loads(path.read_bytes())["seals"]
        return [from_json(member) for member in found]
    except OSError as error:
        raise RecordError(f"the seals in {path} cannot be read: {error.strerror}") from error
    except NO_SEAL as error:
        raise RecordError(f"{path} has no seals: expected an answer of /api/v1/seals") from error
