"""Verbs: the commands of a table's services, as a case names them. What the contract says, a case can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.kernel.spellings import kebab

GIVEN = frozenset({"command_id", "tournament_id", "game_id", "player_id", "arbiter_id", "occurred_at"})
"""Fields that the step itself says."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command."""

    method: MethodDescriptor

    @property
    def name(self) -> str:
        """As cases write it: ``place-play``."""
        return kebab(self.method.name)

    @property
    def request(self) -> type[Message]:
        """The class of its requests."""
        return GetMessageClass(self.method.input_type)

    @property
    def argument(self) -> str:
        """The field that what stands behind the verb is for; empty when the command has none."""
        return next((field.name for field in self.method.input_type.fields if field.name not in GIVEN), "")


def verbs_of(services: tuple[ServiceDescriptor, ...]) -> Mapping[str, Verb]:
    """Every command of the services that concerns a table, by its name: the calls that carry its id and their own."""
    methods = [method for service in services for method in service.methods]
    found = [Verb(method) for method in methods if {"command_id", "game_id"} <= set(method.input_type.fields_by_name)]
    return {verb.name: verb for verb in found}


@cache
def method_of(request: Descriptor) -> MethodDescriptor:
    """The method that takes a request. The contract has the requests of a service in its file."""
    services = request.file.services_by_name.values()
    return next(method for service in services for method in service.methods if method.input_type is request)
