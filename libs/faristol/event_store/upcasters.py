"""The reading of events of every released version.

A stored event is never rewritten. The contract has the current version of each event type. If a definition only gained
fields, it reads old bytes as they are. Otherwise ``STEPS`` has a pure function that converts them to the next version.

The golden files under ``tests/unit/old_events`` have bytes of every released version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from google.protobuf import symbol_database
from google.protobuf.message import DecodeError, Message

from faristol.kernel import event_types

FIRST_SCHEMA_VERSION = 1
"""Schema version of a new event type."""

Upcaster = Callable[[bytes], bytes]
"""Converts the payload of one version to the next. Pure."""


class UnreadableEvent(LookupError):
    """An event that this program cannot read: its type or version is unknown, or its bytes are malformed."""


class Upcasters:
    """The versions of event types, and the steps between them."""

    def __init__(
        self, versions: Mapping[str, int], steps: Mapping[tuple[str, int], Upcaster] = MappingProxyType({})
    ) -> None:
        """``versions`` are those of types, ``FIRST_SCHEMA_VERSION`` by default.

        A step starts at the type and version of its key. Raises ``ValueError`` for a step that does not start
        before the current version of its type.
        """
        self._versions, self._steps = versions, steps
        for type_name, version in steps:
            if not FIRST_SCHEMA_VERSION <= version < self.version(type_name):
                raise ValueError(f"{type_name} is at version {self.version(type_name)}: no step can start at {version}")

    def version(self, type_name: str) -> int:
        """Return the version with which events of a type are written."""
        return self._versions.get(type_name, FIRST_SCHEMA_VERSION)

    def message(self, type_name: str, version: int, payload: bytes) -> Message:
        """Parse the message of any version.

        Raises ``UnreadableEvent`` for an unknown type, a version of a later Faristol, and malformed bytes.
        """
        current = self.version(type_name)
        if version != current:
            if not FIRST_SCHEMA_VERSION <= version < current:
                raise UnreadableEvent(
                    f"{type_name} is of schema version {version}; this version of Faristol reads up to {current}"
                )
            for number in range(version, current):
                if step := self._steps.get((type_name, number)):
                    payload = step(payload)
        try:
            return message_class(type_name).FromString(payload)
        except DecodeError as error:
            raise UnreadableEvent(f"the payload is not a {type_name} of schema version {version}") from error


@cache
def message_class(type_name: str) -> type[Message]:
    """Return the message class of a full name. Raises ``UnreadableEvent`` if it is unknown."""
    try:
        found: type[Message] = symbol_database.Default().GetSymbol(type_name)
    except KeyError:
        raise UnreadableEvent(f"no event is called {type_name}") from None
    return found


STEPS: Mapping[tuple[str, int], Upcaster] = {}
"""Steps by the type and the version that each starts at."""

upcasters = Upcasters(
    {kind.DESCRIPTOR.full_name: event_types.meaning(kind).version for kind in event_types.RECORD_EVENT_TYPES}, STEPS
)
"""All event types of Faristol, at the versions of the contract."""
