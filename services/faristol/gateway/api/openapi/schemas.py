"""JSON schemas of contract messages: of results as ``contract_json`` shows them, and of requests and their responses.

Names, descriptions, words of enumerations and units come from the descriptors and the comments of the contract.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.gateway.api.contract_json import (
    Member,
    Schema,
    field_options,
    links_of,
    members_of,
    message_type,
    name_of,
    object_options,
    words_of,
)
from faristol.gateway.api.openapi.examples import BY_NAME
from faristol.pb.comments import COMMENTS

_INTEGER_SCHEMA: Schema = {"type": ["string", "integer"], "pattern": "^-?[0-9]+$"}
_COMMAND_SCALARS: Mapping[int, Schema] = {
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

_RESULT_SCALARS: Mapping[int, Schema] = {
    **_COMMAND_SCALARS,
    FieldDescriptor.TYPE_BYTES: {"type": "string"},
    FieldDescriptor.TYPE_INT32: {"type": "integer"},
    FieldDescriptor.TYPE_INT64: {"type": "integer"},
}

_UNIT_SENTENCE = re.compile(r" In (halves|quarters|hundredths)\.$")
_LINK_DESCRIPTIONS: Mapping[str, str] = {
    "self": "Address without the parameters of the request.",
    "page": "Page for people.",
    "players": "Players; of a game, a list in the order of the pairing.",
    "games": "In mode `duplicate`, the tournament, which lists its games.",
    "standings": "In mode `duplicate`, the standings of all games.",
    "crosstable": "In mode `duplicate`, the standings of all games.",
    "teams": "Empty list in an individual tournament.",
    "rulings": "In mode `duplicate`, the tournament, which lists its games.",
}


def ref_to(name: str) -> Schema:
    """Return a reference to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def _describe(schema: Schema, comment: str) -> Schema:
    return {**schema, "description": comment} if comment else schema


class SchemaMaker(ABC):
    """Maker of the schemas of messages and of the messages and enumerations in them."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._sources: dict[str, str] = {}

    @abstractmethod
    def name(self, of: Descriptor | EnumDescriptor) -> str:
        """Return the name of a schema."""

    @abstractmethod
    def object(self, of: Descriptor) -> Schema:
        """Return the schema of a message."""

    @abstractmethod
    def enum(self, of: EnumDescriptor) -> Schema:
        """Return the schema of a field that is an enumeration."""

    def add(self, of: Descriptor) -> Schema:
        """Add a message and return a reference. Raises ``ValueError`` if another type has its name."""
        return self._add(of.full_name, self.name(of), lambda: self.object(of))

    def _add(self, full_name: str, name: str, make: Callable[[], Schema]) -> Schema:
        if self._sources.setdefault(name, full_name) != full_name:
            raise ValueError(f"{full_name} and {self._sources[name]} have the same name")
        if name not in self.schemas:
            self.schemas[name] = {}  # for messages that contain themselves
            self.schemas[name] = make()
        return ref_to(name)

    def value(self, field: FieldDescriptor, scalars: Mapping[int, Schema]) -> Schema:
        """Return the schema of one value of a field."""
        if field.message_type is not None:
            is_time = field.message_type.full_name == Timestamp.DESCRIPTOR.full_name
            return {"type": "string", "format": "date-time"} if is_time else self.add(field.message_type)
        if field.enum_type is not None:
            return self.enum(field.enum_type)
        return dict(scalars[field.type])


class CommandSchemas(SchemaMaker):
    """Schemas of requests and responses: the JSON of Protocol Buffers with the names of fields."""

    def name(self, of: Descriptor | EnumDescriptor) -> str:
        """Return the name of a schema: ``game.Pin`` for ``faristol.game.v1.Pin``."""
        return ".".join(part for part in of.full_name.split(".") if part not in ("faristol", "v1"))

    def enum(self, of: EnumDescriptor) -> Schema:
        """Return the schema of a field that is an enumeration."""
        return {"type": "string", "enum": [value.name for value in of.values]}

    def object(self, of: Descriptor) -> Schema:
        """Return the schema of a message."""
        return {
            **_describe({"type": "object", "title": of.name}, COMMENTS.get(of.full_name, "")),
            "properties": {field.name: self._field(field) for field in of.fields},
            "additionalProperties": False,
        }

    def _field(self, field: FieldDescriptor) -> Schema:
        single = self.value(field, _COMMAND_SCALARS)
        schema = {"type": "array", "items": single} if field.is_repeated else single
        return _describe(schema, COMMENTS.get(field.full_name, ""))


class ResultSchemas(SchemaMaker):
    """Schemas of results, as ``to_json`` shows them."""

    def name(self, of: Descriptor | EnumDescriptor) -> str:
        """Return the name of a schema: ``Standings`` for ``GetStandingsResponse`` unless an option names it."""
        named = object_options(of).name if isinstance(of, Descriptor) else ""
        return named or re.sub("^(?:Get|List)(.*)Response$", r"\1", of.name)

    def enum(self, of: EnumDescriptor) -> Schema:
        """Return the schema of a field that is an enumeration."""
        words = [word for word in words_of(of).values() if word]
        return self._add(of.full_name, self.name(of), lambda: {"title": self.name(of), "type": "string", "enum": words})

    def object(self, of: Descriptor) -> Schema:
        """Return the schema of a message."""
        members = members_of(of)
        schema = {
            "title": self.name(of),
            "type": "object",
            "properties": {member.name: self._member(member) for member in members},
            "required": [member.name for member in members],
        }
        return _describe(schema, COMMENTS.get(of.full_name, ""))

    def _member(self, member: Member) -> Schema:
        if member.uses:
            self.add(member.uses)
        if member.field is None:
            return self._links(member.of) if member.of else dict(member.schema or {})
        field, of_field = member.field, field_options(member.field)
        single = self._value(field)
        if field.is_repeated:
            single = {"type": "array", "items": single}
        elif of_field.nullable or (field.has_presence and field.message_type is None):
            single = {"anyOf": [single, {"type": "null"}]}
        return _describe(single, _comment(field))

    def _value(self, field: FieldDescriptor) -> Schema:
        of_field = field_options(field)
        if not of_field.member:
            return {"type": "number"} if of_field.divisor else self.value(field, _RESULT_SCALARS)
        inner = message_type(field).fields_by_name[of_field.member]
        single = self._value(inner)
        return {"type": "array", "items": single} if inner.is_repeated else single

    def _links(self, of: Descriptor) -> Schema:
        name = f"{self.name(of)}Links"
        return self._add(f"{of.full_name}.links", name, lambda: _build_links(name, links_of(of), of))


def _build_links(name: str, patterns: Mapping[str, str], of: Descriptor) -> Schema:
    properties = {}
    for link, pattern in patterns.items():
        example: Any = re.sub(r"\{(\w+)\}", lambda found: str(BY_NAME[found[1]]), pattern)
        single: Schema = {"type": "string", "examples": [example]}
        if link == "players" and "seats" in of.fields_by_name:
            single = {"type": "array", "items": {"type": "string"}, "examples": [[example]]}
        properties[link] = _describe(single, _LINK_DESCRIPTIONS.get(link, ""))
    return {"title": name, "type": "object", "properties": properties, "required": [*properties]}


def _comment(field: FieldDescriptor) -> str:
    """Return the comment of a field with the names and units of its JSON."""
    comment = _UNIT_SENTENCE.sub("", COMMENTS.get(field.full_name, ""))
    for each in field.containing_type.fields if field.containing_type else ():
        comment = comment.replace(f"`{each.name}`", f"`{name_of(each)}`")
    return comment
