"""Events as the record holds them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cache, cached_property

from google.protobuf import symbol_database
from google.protobuf.message import Message

from faristol.pb.clock.v1 import events_pb2 as _clock
from faristol.pb.game.v1 import events_pb2 as _game
from faristol.pb.lexicon.v1 import events_pb2 as _lexicon
from faristol.pb.pairing.v1 import events_pb2 as _pairing
from faristol.pb.rating.v1 import events_pb2 as _rating

CONTEXTS = (_clock, _game, _lexicon, _pairing, _rating)
"""The modules whose messages can be facts; importing them here makes every type known by its name."""

GENESIS = bytes(32)
"""What the first event of a stream chains to."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """Who caused an event, and what it belongs to. No personal data: ``actor`` is an id."""

    actor: str = ""
    role: str = ""
    command_id: str = ""
    causation_id: str = ""
    """Id of the event that this one reacts to."""
    correlation_id: str = ""
    """The command or event that all of this began with."""
    traceparent: str = ""
    """W3C trace context of the append."""

    def to_json(self) -> str:
        """The stored form: keys in order, empty ones left out."""
        given = {key: value for key, value in asdict(self).items() if value}
        return json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Metadata:
        """Read the stored form; keys of later versions are left alone."""
        known = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in json.loads(text).items() if key in known})


@dataclass(frozen=True)
class Recorded:
    """An event of the record."""

    position: int
    """Global and gapless, from 1."""
    stream: str
    version: int
    """Within the stream, gapless, from 1."""
    event_id: str
    """A UUID."""
    type: str
    """Full name of the message: ``faristol.game.v1.PlayPlaced``."""
    schema_version: int
    tournament: str
    payload: bytes
    metadata: Metadata
    recorded_at: datetime
    hash: bytes

    @cached_property
    def message(self) -> Message:
        """The fact itself. Raises ``LookupError`` for a type that this version does not know."""
        return message_class(self.type).FromString(self.payload)

    @property
    def name(self) -> str:
        """The last part of the type: ``PlayPlaced``."""
        return self.type.rpartition(".")[2]

    @property
    def context(self) -> str:
        """The context that owns the fact: ``game``."""
        return self.type.split(".")[1]


@cache
def message_class(type_name: str) -> type[Message]:
    """The message class of a full name. Raises ``LookupError`` when there is none."""
    try:
        found: type[Message] = symbol_database.Default().GetSymbol(type_name)
    except KeyError:
        raise LookupError(f"no event is called {type_name}") from None
    return found


def microseconds(moment: datetime) -> int:
    """Whole microseconds since 1970, the stored form of a time."""
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def chained(
    previous: bytes,
    *,
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
    """SHA-256 over the hash of the stream's previous event and every stored byte of this one.

    Each part is preceded by its length (8 bytes, big-endian), so that no two events give the same input.
    The position is not part of it: the order between streams is what seals are for.
    """
    digest = hashlib.sha256(previous)
    parts = (
        stream.encode(),
        str(version).encode(),
        event_id.encode(),
        type_name.encode(),
        str(schema_version).encode(),
        tournament.encode(),
        payload,
        metadata.encode(),
        str(recorded_at).encode(),
    )
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
