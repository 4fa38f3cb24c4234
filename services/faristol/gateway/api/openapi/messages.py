"""JSON schemas of the contract messages, with their field names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.comments import COMMENTS

Schema = dict[str, Any]

REF = "#/components/schemas/{name}"

_INTEGER_SCHEMA: Schema = {"type": ["string", "integer"], "pattern": "^-?[0-9]+$"}
_SCALAR_SCHEMAS: Mapping[int, Schema] = {
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_DOUBLE: {"type": "number"},
    FieldDescriptor.TYPE_FLOAT: {"type": "number"},
    FieldDescriptor.TYPE_INT32: {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    FieldDescriptor.TYPE_INT64: _INTEGER_SCHEMA,
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptor.TYPE_UINT64: _INTEGER_SCHEMA,
}
"""Schemas of scalar types. 64-bit integers are sent as strings, so that no program rounds them; both are accepted."""

_EXAMPLES: Mapping[str, Any] = {
    "command_id": "5f0c3a52-3f0e-4d0b-9d3f-1f5a4f6f2f10",
    "tournament_id": "demo",
    "game_id": "demo-r1-t1",
    "player_id": "anna",
    "name": "Anna Pla",
    "round": 1,
    "table": 1,
}
"""Example values of a request by field name."""


def name_of(message: Descriptor | EnumDescriptor) -> str:
    """Return the schema name of a message: ``game.Pin`` for ``faristol.game.v1.Pin``."""
    return ".".join(part for part in message.full_name.split(".") if part not in ("faristol", "v1"))


def ref_to(message: Descriptor) -> Schema:
    """Return a reference to the schema of a message."""
    return {"$ref": REF.format(name=name_of(message))}


def schemas_of(*messages: Descriptor) -> dict[str, Schema]:
    """Return the schemas of messages and of their nested messages, by name."""
    found: dict[str, Schema] = {}
    left = list(messages)
    while left:
        message = left.pop()
        if (name := name_of(message)) not in found:
            found[name] = _schema(message)
            below = (field.message_type for field in message.fields)
            left += [each for each in below if each is not None and each is not Timestamp.DESCRIPTOR]
    return dict(sorted(found.items()))


def example_of(message: Descriptor) -> dict[str, Any]:
    """Return an example request with its ids and names; the contract describes other required fields."""
    found = {field.name: _EXAMPLES[field.name] for field in message.fields if _is_exemplary(field)}
    if "name" in found:  # a registration: round and table are left to the rules
        found = {name: value for name, value in found.items() if name not in ("round", "table")}
    return found


def _is_exemplary(field: FieldDescriptor) -> bool:
    example = _EXAMPLES.get(field.name)
    return not field.is_repeated and (
        (isinstance(example, str) and field.type == FieldDescriptor.TYPE_STRING)
        or (isinstance(example, int) and field.type == FieldDescriptor.TYPE_INT32)
    )


def _schema(message: Descriptor) -> Schema:
    return {
        "type": "object",
        "title": message.name,
        **_build_description(message.name),
        "properties": dict(_properties(message)),
        "additionalProperties": False,
    }


def _properties(message: Descriptor) -> Iterator[tuple[str, Schema]]:
    for field in message.fields:
        single = _of_single(field)
        said = _build_description(f"{message.name}.{field.name}")
        yield field.name, {"type": "array", "items": single, **said} if field.is_repeated else {**single, **said}


def _of_single(field: FieldDescriptor) -> Schema:
    if field.message_type is Timestamp.DESCRIPTOR:
        return {"type": "string", "format": "date-time"}
    if field.message_type is not None:
        return ref_to(field.message_type)
    if field.enum_type is not None:
        return {"type": "string", "enum": [value.name for value in field.enum_type.values]}
    return dict(_SCALAR_SCHEMAS[field.type])


def _build_description(key: str) -> Schema:
    said = COMMENTS.get(key, "")
    return {"description": said} if said else {}
