"""A request for every method of the contract, as a caller would send it to try their permissions."""

from __future__ import annotations

import uuid
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tests.unit.access_control.access_table import SERVICES

from faristol.access_control.needs import needs_of, path_of

OF_HALLS = frozenset({"HallCellService"})
"""Services that only the cell of a hall serves: `test_hall_cell.py` tests who may call them."""

METHODS = {
    path_of(method): method for service in SERVICES if service.name not in OF_HALLS for method in service.methods
}
"""Every method of the services of a championship by its path."""


def build_request(
    method: MethodDescriptor, tournament: str, subject: str, player: str, *, with_narrowed: bool = True
) -> Message:
    """Return a request with the fields that the method needs, all of one tournament, in the holder's own name.

    With ``with_narrowed``, it has the fields that only some of the callers may set, too.
    """
    needs = needs_of(method)
    request: Any = GetMessageClass(method.input_type)()
    if "command_id" in method.input_type.fields_by_name:
        request.command_id = str(uuid.uuid4())
    named = [(path, tournament) for path in needs.tournaments]
    named += [(path, f"{tournament}-r1-t1") for path in needs.games]
    named += [(needs.case, "a-case"), (needs.players, player)]
    named += [(path, subject) for path in (needs.judge, needs.arbiter)]
    for path, value in named:
        if path:
            _set(request, path, value)
    for path, _ in needs.narrowed if with_narrowed else ():
        if len(path) > 1:
            continue  # in a part, beside fields for all callers
        field = request.DESCRIPTOR.fields_by_name[path[0]]
        if field.type == field.TYPE_MESSAGE:
            getattr(request, path[0]).SetInParent()
            continue
        setattr(request, path[0], player if field.type == field.TYPE_STRING else True)
    return request  # type: ignore[no-any-return]


def _set(request: Any, path: tuple[str, ...], value: str) -> None:
    *parts, last = path
    for part in parts:
        field = request.DESCRIPTOR.fields_by_name[part]
        request = getattr(request, part).add() if field.is_repeated else getattr(request, part)
    if request.DESCRIPTOR.fields_by_name[last].is_repeated:
        getattr(request, last).append(value)
    else:
        setattr(request, last, value)


def list_queries() -> list[tuple[str, MethodDescriptor]]:
    """Return the methods that answer once and change nothing, by path."""
    return [
        (path, method)
        for path, method in METHODS.items()
        if not method.server_streaming and "command_id" not in method.input_type.fields_by_name
    ]


_CALL_SECONDS = 120
"""How long an answer may take: the first search for plays of a checkout compiles its code."""


async def call_method(channel: grpc.aio.Channel, path: str, request: Message, token: str = "", **said: str) -> Any:
    """Return the response of a method by its path; the first one of a stream. ``said`` is additional metadata."""
    method = METHODS[path]
    answer = GetMessageClass(method.output_type)
    metadata = (*said.items(), *([("authorization", f"Bearer {token}")] if token else []))
    if method.server_streaming:
        stream: Any = channel.unary_stream(path, type(request).SerializeToString, answer.FromString)
        call = stream(request, metadata=metadata, timeout=_CALL_SECONDS)
        try:
            return await call.read()
        finally:
            call.cancel()
    once: Any = channel.unary_unary(path, type(request).SerializeToString, answer.FromString)
    return await once(request, metadata=metadata, timeout=_CALL_SECONDS)
