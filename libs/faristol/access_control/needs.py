"""Requirements of calls, read from the contract (`proto/faristol/access/v1/needs.proto`). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message

from faristol.access_control.roles import PUBLIC, Role
from faristol.pb.access.v1 import needs_pb2 as pb

CALLERS: Mapping[pb.Callers.ValueType, frozenset[Role]] = {
    pb.Callers.Value(value.name): frozenset(value.GetOptions().Extensions[pb.role])
    for value in pb.Callers.DESCRIPTOR.values
}
"""Roles of each kind of caller."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Requirements of a call. A field is the path to it in the request, as a tuple of names."""

    method: str
    """Path such as ``/faristol.game.v1.GameService/PlacePlay``."""
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
    """Fields, each with the roles that may set it."""
    is_command: bool = False
    """True if the call changes state; False for a query."""
    recent_sign_in: bool = False
    """Whether the caller must have signed in within the last minutes."""
    recent_fields: tuple[tuple[str, ...], ...] = ()
    """Fields that need a recent sign-in if they are set."""

    @property
    def is_public(self) -> bool:
        """Whether any caller may call it, except with a field of ``narrowed`` set."""
        return PUBLIC in self.roles


def path_of(method: MethodDescriptor) -> str:
    """Return the path of a method in gRPC."""
    return f"/{method.containing_service.full_name}/{method.name}"


def needs_of(method: MethodDescriptor) -> Needs:
    """Return the requirements of a method. Raises ``TypeError`` if the contract states none or an unknown field."""
    options = method.GetOptions()
    option = options.Extensions[pb.needs]
    if not CALLERS.get(option.callers):
        raise TypeError(f"{method.full_name} has no option faristol.access.v1.needs with the roles that may call it")

    def field(path: str) -> tuple[str, ...]:
        return _parse_path(method, path) if path else ()

    return Needs(
        path_of(method),
        CALLERS[option.callers],
        tuple(map(field, option.tournaments)),
        tuple(map(field, option.games)),
        field(option.case),
        field(option.players),
        field(option.judge),
        field(option.arbiter),
        field(option.occurred_at),
        field(option.hall),
        tuple((field(part.field), CALLERS[part.callers]) for part in option.narrowed),
        is_command="command_id" in method.input_type.fields_by_name,
        recent_sign_in=option.recent_sign_in,
        recent_fields=tuple(field(part.field) for part in option.narrowed if part.recent_sign_in),
    )


def needs_of_all(services: Iterable[ServiceDescriptor]) -> dict[str, Needs]:
    """Return the requirements of all methods of services by their paths. Raises ``TypeError`` as ``needs_of``."""
    found = (needs_of(method) for service in services for method in service.methods)
    return {needs.method: needs for needs in found}


def _parse_path(method: MethodDescriptor, path: str) -> tuple[str, ...]:
    names = tuple(path.split("."))
    message: Descriptor | None = method.input_type
    for name in names:
        field = message.fields_by_name.get(name) if message else None
        if field is None:
            raise TypeError(f"{method.full_name} names a field {path}, which its request does not have")
        message = field.message_type
    return names


def values(request: Message, path: tuple[str, ...]) -> list[Any]:
    """Return the values of a field of a request, across repeated messages; unset values are omitted."""
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
    """Return the values of several fields; an empty path is skipped."""
    return [value for path in paths if path for value in values(request, path)]
