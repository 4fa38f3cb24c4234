"""Old events, read for ever.

An event is stored as it was written and never rewritten. The contract says which version the definition of an event is
at. That is all where a definition was only added to: it reads old bytes as they are. Where it does not, ``STEPS`` has a
pure function that brings them up to the next version.

The golden files under ``tests/unit/record_events`` hold bytes of every version ever released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from google.protobuf import symbol_database
from google.protobuf.message import DecodeError, Message

from faristol.kernel import facts

FIRST = 1
"""Schema version of every event type when it is new."""

Upcaster = Callable[[bytes], bytes]
"""From the payload of one version to that of the next. Pure: it reads no clock, no file and no database."""


class UnreadableEvent(LookupError):
    """An event that this program cannot read: its type or version is unknown, or its bytes are none of it."""


class Upcasters:
    """The versions of event types, and the steps between them."""

    def __init__(
        self, versions: Mapping[str, int], steps: Mapping[tuple[str, int], Upcaster] = MappingProxyType({})
    ) -> None:
        """``versions`` are those of types, ``FIRST`` for others; ``steps`` start at the type and version of their keys.

        Raises ``ValueError`` for a step that starts at a version which is not before that of the type.
        """
        self._versions, self._steps = versions, steps
        for type_name, version in steps:
            if not FIRST <= version < self.version(type_name):
                raise ValueError(f"{type_name} is at version {self.version(type_name)}: no step can start at {version}")

    def version(self, type_name: str) -> int:
        """The version that events of a type are written at."""
        return self._versions.get(type_name, FIRST)

    def message(self, type_name: str, version: int, payload: bytes) -> Message:
        """The fact itself, whatever version it was written at.

        Raises ``UnreadableEvent`` for an unknown type, a version that only a later Faristol can have written, and
        bytes that are not such a message.
        """
        current = self.version(type_name)
        if version != current:
            if not FIRST <= version < current:
                raise UnreadableEvent(
                    f"{type_name} is of schema version {version}; this version of Faristol reads up to {current}"
                )
            for number in range(version, current):
                if step := self._steps.get((type_name, number)):
                    payload = step(payload)
        try:
            return message_class(type_name).FromString(payload)
        except DecodeError as problem:
            raise UnreadableEvent(f"the payload is not a {type_name} of schema version {version}") from problem


@cache
def message_class(type_name: str) -> type[Message]:
    """The message class of a full name. Raises ``UnreadableEvent`` when there is none."""
    try:
        found: type[Message] = symbol_database.Default().GetSymbol(type_name)
    except KeyError:
        raise UnreadableEvent(f"no event is called {type_name}") from None
    return found


STEPS: Mapping[tuple[str, int], Upcaster] = {}
"""The steps of Faristol's events, by the type and the version that each starts at."""

upcasters = Upcasters({kind.DESCRIPTOR.full_name: facts.meaning(kind).version for kind in facts.EVENTS}, STEPS)
"""Every event type of Faristol, at the version that the contract says."""
