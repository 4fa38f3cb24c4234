"""Events of the record, their metadata and their hashes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import sha256
from json.encoder import encode_basestring
from struct import Struct
from typing import Any

from google.protobuf.message import Message

from faristol.event_store.upcasters import upcasters

GENESIS = bytes(32)
"""Hash before the first event of a stream."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LENGTH = Struct(">Q").pack


@dataclass(frozen=True, slots=True)
class Metadata:
    """The origin of an event. It has no personal data: ``actor`` is an id."""

    actor: str = ""
    role: str = ""
    credential: str = ""
    """Id of the actor's credential, which leads to its giver and its scope."""
    command_id: str = ""
    causation_id: str = ""
    """Id of the event that this one reacts to."""
    correlation_id: str = ""
    """Id of the command or event that started the chain."""
    traceparent: str = ""
    """W3C trace context of the append."""
    names: str = ""
    """Commitments to names stored with the event, see ``bindings``. The record adds them."""

    def to_json(self) -> str:
        """Return the stored form: keys in order, without empty values."""
        given = [f'"{key}":{encode_basestring(value)}' for key in _KEYS if (value := getattr(self, key))]
        return "{" + ",".join(given) + "}"

    @classmethod
    def from_json(cls, text: str) -> Metadata:
        """Parse the stored form; keys of later versions are ignored."""
        return _metadata(text)


@lru_cache(maxsize=1_024)  # the events of one append share their metadata
def _metadata(text: str) -> Metadata:
    return Metadata(**{key: value for key, value in json.loads(text).items() if key in _KEYS})


_KEYS = tuple(sorted(Metadata.__dataclass_fields__))


@dataclass(frozen=True)
class Recorded:
    """An event of the record."""

    position: int
    """Global and gapless, from 1."""
    stream: str
    version: int
    """Version within the stream, gapless, from 1."""
    event_id: str
    """A UUID."""
    type: str
    """Full name of the message, such as ``faristol.game.v1.PlayPlaced``."""
    schema_version: int
    tournament: str
    payload: bytes
    metadata: Metadata
    recorded_at: datetime
    hash: bytes

    @cached_property
    def message(self) -> Message:
        """The message of the event, upcast to the current version of its type.

        Raises ``UnreadableEvent`` for a type or version that this program does not know.
        """
        return upcasters.message(self.type, self.schema_version, self.payload)

    @property
    def name(self) -> str:
        """The last part of the type, such as ``PlayPlaced``."""
        return self.type.rpartition(".")[2]

    @property
    def fingerprint(self) -> str:
        """Distinguishes this event from any other at its position.

        The restore of a backup makes positions available again for other events. A position with its fingerprint
        identifies one event and its history, regardless of the origin of the backup.
        """
        return fingerprint_of(self.hash)

    @property
    def context(self) -> str:
        """The context that owns the event, such as ``game``."""
        return self.type.split(".")[1]


FINGERPRINT_LENGTH = 16
"""Hexadecimal digits of a fingerprint."""


def fingerprint_of(chain: bytes) -> str:
    """Return the fingerprint of an event with this hash. The hash covers the event's id, which is random."""
    return chain.hex()[:FINGERPRINT_LENGTH]


def to_recorded(row: Sequence[Any]) -> Recorded:
    """Return the event of a row of the table of events, whose columns are in the order of the fields."""
    (position, stream, version, event_id, type_name, schema_version, tournament, payload, metadata, at, chain) = row
    decoded = bytes(payload), Metadata.from_json(metadata), moment(at), bytes(chain)
    return Recorded(position, stream, version, event_id, type_name, schema_version, tournament, *decoded)


def utc_now() -> datetime:
    """Return the current time in UTC, to the microsecond."""
    return datetime.now(UTC)


def microseconds(at: datetime) -> int:
    """Return the stored form of a time: whole microseconds since 1970."""
    delta = at - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment(stored: int) -> datetime:
    """Return the time of a stored value, in microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=stored)


def compute_chained_hash(
    previous: bytes,
    stream: str,
    version: int,
    event_id: str,
    type_name: str,
    schema_version: int,
    tournament: str,
    payload: bytes,
    metadata: str,
    recorded_at: int,
) -> bytes:
    """Compute SHA-256 over the hash of the stream's previous event and all stored columns of this one, in their order.

    Each part is preceded by its length (8 bytes, big-endian), so two events never have the same input. The position is
    not included: seals cover the order between streams.
    """
    content = frame_content(stream, version, event_id, type_name, schema_version, tournament, payload)
    return chain_content(previous, content, metadata, recorded_at)


def frame(part: bytes) -> bytes:
    """Return a part after its length (8 bytes, big-endian)."""
    return _LENGTH(len(part)) + part


@lru_cache(maxsize=4_096, typed=True)  # most texts and numbers are those of the event before, or of its stream
def frame_value(value: str | int) -> bytes:
    """Return a text or a decimal number after its length."""
    return frame(str(value).encode())


def frame_content(
    stream: str, version: int, event_id: str, type_name: str, schema_version: int, tournament: str, payload: bytes
) -> bytes:
    """Return the columns before the metadata, each after its length: they begin the hash and the entry of an event."""
    identifier = event_id.encode()
    return b"".join(
        (
            frame_value(stream),
            frame_value(version),
            _LENGTH(len(identifier)),
            identifier,
            frame_value(type_name),
            frame_value(schema_version),
            frame_value(tournament),
            _LENGTH(len(payload)),
            payload,
        )
    )


def chain_content(previous: bytes, content: bytes, metadata: str, recorded_at: int) -> bytes:
    """Return the hash of an event (``compute_chained_hash``) from its columns of ``frame_content``."""
    own = metadata.encode()
    return sha256(b"".join((previous, content, _LENGTH(len(own)), own, frame_value(recorded_at)))).digest()
