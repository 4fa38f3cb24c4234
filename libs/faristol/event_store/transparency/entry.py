"""The entry of an event in the log: a digest that commits to the event and reveals none of it.

Problem. The log is public, and an event may have a rack or a seed. Its few possible values could be tried
until one gives the published digest. Yet the proof of a public event must show its content, and a name must remain
erasable.

Idea. An entry is SHA-256 over a label, a *blind* and the content of the event, each part preceded by its length. The
blind is SHA-256 over a three byte and the hash of the event in its stream. That hash covers the metadata of all events
of the stream, with the random ids of their commands; neither a reader of the log nor a program on the bus gets it. So
the entry of a private event cannot be found by trial. The proof of a public event shows its blind and its content. From
the blind neither the hash nor another event of the stream can be computed.

Invariants:

- An entry depends only on the stored event, so the log of a restored record has the same entries.
- Events have no personal data, so an erasure changes no entry.
- The content has all columns of the event but its metadata, which only officials read.

Alternatives that are not used: the hash of the event as the entry, which a proof could not bind to a content without
the metadata; and the content without a blind, which could be found by trial.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from hashlib import sha256
from operator import attrgetter

from faristol.event_store.event import frame, frame_content, frame_value
from faristol.event_store.stored import Stored
from faristol.event_store.transparency.signed_note import HASH_LENGTH, InvalidNote, decode_base64, encode_base64

_LABEL = b"faristol log entry 1\n"
_BLIND_LABEL = b"\x03"
_LEAF_LABEL = b"\x00"
"""Of RFC 6962, as in ``merkle.leaf``."""
_BEGINNING = _LABEL + frame(bytes(HASH_LENGTH))[:-HASH_LENGTH]
"""The bytes of an entry before its blind."""


@dataclass(frozen=True, slots=True)
class DisclosedEvent:
    """The content of an event with its blind: the extra data of a proof."""

    stream: str
    version: int
    event_id: str
    type: str
    schema_version: int
    tournament: str
    payload: bytes
    recorded_at: int
    """Microseconds since 1970, UTC."""
    blind: bytes

    @property
    def entry(self) -> bytes:
        """The entry that the event has in the log, 32 bytes."""
        return compute_entry(self.blind, *_CONTENT(self))

    def to_extra(self) -> bytes:
        """Return the event as JSON, with keys in order."""
        members = {name: getattr(self, name) for name in _PLAIN}
        members |= {name: encode_base64(getattr(self, name)) for name in _ENCODED}
        return json.dumps(members, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_extra(cls, content: bytes) -> DisclosedEvent:
        """Parse the extra data of a proof. Raises ``InvalidNote``."""
        try:
            members = json.loads(content)
            given = {name: kind(members[name]) for name, kind in _PLAIN.items() if type(members[name]) is kind}
            given |= {name: decode_base64(members[name], f"{name} of the event") for name in _ENCODED}
            event = cls(**given)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise InvalidNote("the extra data of the proof are not an event of a record") from None
        if len(event.blind) != HASH_LENGTH:
            raise InvalidNote(f"the blind of the event has {len(event.blind)} bytes: expected {HASH_LENGTH}")
        return event


_PLAIN = {
    "stream": str,
    "version": int,
    "event_id": str,
    "type": str,
    "schema_version": int,
    "tournament": str,
    "recorded_at": int,
}
_ENCODED = ("payload", "blind")
_CONTENT = attrgetter(*[each.name for each in fields(DisclosedEvent) if each.name != "blind"])
"""The columns that an entry covers, in their order."""


def compute_blind(event_hash: bytes) -> bytes:
    """Return the blind of the event with this hash in its stream."""
    return sha256(_BLIND_LABEL + event_hash).digest()


def compute_entry(
    blind: bytes,
    stream: str,
    version: int,
    event_id: str,
    type_name: str,
    schema_version: int,
    tournament: str,
    payload: bytes,
    recorded_at: int,
) -> bytes:
    """Return SHA-256 over the label, then the blind and the columns, each after its length (8 bytes, big-endian)."""
    content = frame_content(stream, version, event_id, type_name, schema_version, tournament, payload)
    return sha256(_LABEL + frame(blind) + content + frame_value(recorded_at)).digest()


def disclose_event(event: Stored) -> DisclosedEvent:
    """Return the content and the blind of an event. Only those of a public event may leave the services."""
    values = (*_CONTENT(event), compute_blind(event.hash))
    return DisclosedEvent(*values)


def entry_of(event: Stored) -> bytes:
    """Return the entry of an event, 32 bytes."""
    return compute_entry(compute_blind(event.hash), *_CONTENT(event))


def compute_leaves(hashes: Iterable[bytes], contents: Iterable[bytes], moments: Iterable[bytes]) -> list[bytes]:
    """Return the leaves of events by their hashes, their contents (``frame_content``) and their framed times.

    The same as ``merkle.leaf(entry_of(event))`` for each, without a call between the three hashes of an event.
    """
    return [
        sha256(
            _LEAF_LABEL + sha256(_BEGINNING + sha256(_BLIND_LABEL + event_hash).digest() + content + moment).digest()
        ).digest()
        for event_hash, content, moment in zip(hashes, contents, moments, strict=False)
    ]
