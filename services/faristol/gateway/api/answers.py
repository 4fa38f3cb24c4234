"""Base classes of the JSON answers.

Fields are named as in ``proto/faristol/results/v1``; points are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, Self, get_args

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import BaseModel, Field, WithJsonSchema

from faristol.gateway.api.openapi.document import build_enum_schema


def moment(timestamp: Timestamp) -> datetime:
    """Convert a timestamp to a datetime in UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


Reader = Callable[[Any], Any]
"""Function that returns the value of a field from a message."""


@dataclass(frozen=True, slots=True)
class Read:
    """Annotation of a field whose value is not the message field of the same name."""

    reader: Reader


class Shown(BaseModel):
    """JSON of a contract message: each field has the value of the message field of the same name.

    ``Read`` annotates exceptions. An enumeration is shown as a word, and an unset value as null.
    """

    @classmethod
    def of(cls, message: Any) -> Self:
        """Build the answer from a contract message."""
        return cls(**cls.values(message))

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """Return the field values of a message. Subclasses add the fields that the message does not have."""
        return {name: read(message) for name, read in _readers(cls, message.DESCRIPTOR).items()}


@cache
def _readers(cls: type[Shown], message: Descriptor) -> Mapping[str, Reader]:
    """Return the readers of the fields that a message provides for a class."""
    found = {}
    for name, field in cls.model_fields.items():
        read = next((each.reader for each in field.metadata if isinstance(each, Read)), None)
        if read is None and (of := message.fields_by_name.get(name)) is not None:
            read = _reader(of, field.annotation)
        if read is not None:
            found[name] = read
    return found


def _reader(field: FieldDescriptor, annotation: Any) -> Reader | None:
    """Return the reader of a field; None for a message that has no ``Shown`` class."""
    read: Reader = attrgetter(field.name)
    told: Reader = _as_it_is
    if field.message_type is Timestamp.DESCRIPTOR:
        told = moment
    elif field.message_type is not None:
        shown = next((each for each in (annotation, *get_args(annotation)) if _is_shown(each)), None)
        if shown is None:
            return None
        told = shown.of
    elif field.enum_type is not None:
        told = words_of(field.enum_type).__getitem__
    elif field.type == FieldDescriptor.TYPE_BYTES:
        told = bytes.hex
    if field.is_repeated:
        return lambda message: [told(each) for each in read(message)]
    if NoneType in get_args(annotation) and field.has_presence:
        return lambda message: told(read(message)) if message.HasField(field.name) else None
    return read if told is _as_it_is else lambda message: told(read(message))


def _as_it_is(value: Any) -> Any:
    return value


def _is_shown(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Shown)


@cache
def words_of(enum: EnumDescriptor) -> Mapping[int, str | None]:
    """Return the words of an enumeration: ``requested_bye`` for ``TERM_BASIS_REQUESTED_BYE``, None for unspecified."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() if value.number else None for value in enum.values}


def word_of(enum: Any, name: str = "") -> WithJsonSchema:
    """Annotate a field as a word of an enumeration, so that the OpenAPI document lists the words.

    The document calls the schema ``name``, or as in the contract by default.
    """
    return build_enum_schema(name or enum.DESCRIPTOR.name, filter(None, words_of(enum.DESCRIPTOR).values()))


class Answer(Shown):
    """Fields of every answer."""

    position: int = Field(
        description="Position in the record up to which the answer is valid; subscribe to the stream from this "
        "position."
    )


class Pin(Shown):
    """Document pinned by its content."""

    name: str = Field(description="Name of a ruleset or of a lexicon.", examples=["fisc-2023"])
    digest: str = Field(description="SHA-256 of the content, in lower-case hexadecimal.")


TEAM = Field(description="The player's team; empty without teams.")
CATEGORY = Field(description="Class of competition of the player, such as `U18`; empty for none.")
MATCH = Field(description="Number of the match between two teams in the round; 0 without teams.")
DIVISION = Field(description="Name of the division; empty if the tournament is not a division.")
TOTAL = Field(description="Number of items in all pages.")
NEXT_PAGE = Field(description="Value of `page_token` for the next page; empty on the last page.")
