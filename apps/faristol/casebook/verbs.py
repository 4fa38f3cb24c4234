"""Verbs: the commands of a table's services, named as in cases. Every command of the contract is a verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.kernel.spellings import kebab

TABLE_STEP_FIELDS = frozenset({"command_id", "tournament_id", "game_id", "player_id", "arbiter_id", "occurred_at"})
"""Fields that the step itself determines."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command."""

    method: MethodDescriptor

    @property
    def name(self) -> str:
        """The name in cases: ``place-play``."""
        return kebab(self.method.name)

    @property
    def request(self) -> type[Message]:
        """The class of its requests."""
        return GetMessageClass(self.method.input_type)

    @property
    def argument(self) -> str:
        """The field for the text after the verb; empty if the command has none."""
        return next((field.name for field in self.method.input_type.fields if field.name not in TABLE_STEP_FIELDS), "")


def verbs_of(services: tuple[ServiceDescriptor, ...]) -> Mapping[str, Verb]:
    """Return every command of the services on a table, by name: methods with ``command_id`` and ``game_id``."""
    methods = [method for service in services for method in service.methods]
    found = [Verb(method) for method in methods if {"command_id", "game_id"} <= set(method.input_type.fields_by_name)]
    return {verb.name: verb for verb in found}
