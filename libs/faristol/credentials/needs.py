"""What calls need, as the contract says it (`proto/faristol/access/v1/needs.proto`). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message

from faristol.credentials.roles import PUBLIC, Role
from faristol.pb.access.v1 import needs_pb2 as pb

CALLERS: Mapping[pb.Callers.ValueType, frozenset[Role]] = {
    pb.Callers.Value(value.name): frozenset(value.GetOptions().Extensions[pb.role])
    for value in pb.Callers.DESCRIPTOR.values
}
"""The roles of each kind of callers."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a call needs. A field is the path to it in the request, name by name."""

    method: str
    """``/faristol.game.v1.GameService/PlacePlay``."""
    roles: frozenset[Role]
    tournaments: tuple[tuple[str, ...], ...] = ()
    games: tuple[tuple[str, ...], ...] = ()
    case: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    arbiter: tuple[str, ...] = ()
    occurred_at: tuple[str, ...] = ()
    hall: tuple[str, ...] = ()
    narrowed: tuple[tuple[tuple[str, ...], frozenset[Role]], ...] = ()
    """Fields, and the roles that may set them."""
    is_command: bool = False
    """It changes something; a question only answers."""

    @property
    def is_public(self) -> bool:
        """Anybody may call, if they set no field that is for some."""
        return PUBLIC in self.roles


def path_of(method: MethodDescriptor) -> str:
    """What a method is called on the wire."""
    return f"/{method.containing_service.full_name}/{method.name}"


def needs_of(method: MethodDescriptor) -> Needs:
    """What a method needs. Raises ``TypeError`` where the contract does not say it, or says what cannot be."""
    options = method.GetOptions()
    said = options.Extensions[pb.needs]
    if not CALLERS.get(said.callers):
        raise TypeError(f"{method.full_name} has no option faristol.access.v1.needs that says who may call it")

    def field(path: str) -> tuple[str, ...]:
        return _checked(method, path) if path else ()

    return Needs(
        path_of(method),
        CALLERS[said.callers],
        tuple(map(field, said.tournaments)),
        tuple(map(field, said.games)),
        field(said.case),
        field(said.players),
        field(said.judge),
        field(said.arbiter),
        field(said.occurred_at),
        field(said.hall),
        tuple((field(part.field), CALLERS[part.callers]) for part in said.narrowed),
        is_command="command_id" in method.input_type.fields_by_name,
    )


def needs_of_all(services: Iterable[ServiceDescriptor]) -> dict[str, Needs]:
    """What the methods of services need, by what they are called on the wire. Raises ``TypeError`` as ``needs_of``."""
    found = (needs_of(method) for service in services for method in service.methods)
    return {needs.method: needs for needs in found}


def _checked(method: MethodDescriptor, path: str) -> tuple[str, ...]:
    names = tuple(path.split("."))
    message: Descriptor | None = method.input_type
    for name in names:
        field = message.fields_by_name.get(name) if message else None
        if field is None:
            raise TypeError(f"{method.full_name} names a field {path}, which its request does not have")
        message = field.message_type
    return names


def values(request: Message, path: tuple[str, ...]) -> list[Any]:
    """What stands in a field of a request, in each of the messages that hold it; what is not set is left out."""
    messages: list[Any] = [request]
    for name in path:
        found: list[Any] = []
        for message in messages:
            field = message.DESCRIPTOR.fields_by_name[name]
            if field.is_repeated:
                found.extend(getattr(message, name))
            elif message.HasField(name) if field.has_presence else getattr(message, name):
                found.append(getattr(message, name))
        messages = found
    return messages


def values_of_all(request: Message, paths: Iterable[tuple[str, ...]]) -> list[Any]:
    """What stands in several fields; a path that names none is left out."""
    return [value for path in paths if path for value in values(request, path)]
