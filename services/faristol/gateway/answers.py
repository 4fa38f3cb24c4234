"""What every answer of the JSON has, and what many have.

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

from faristol.gateway.openapi import named


def moment(timestamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


Reader = Callable[[Any], Any]
"""Gives the value of a field out of a message."""


@dataclass(frozen=True, slots=True)
class Read:
    """Says in the type of a field how it is read out of a message that has it otherwise."""

    reader: Reader


class Shown(BaseModel):
    """The JSON of a message of the contract: a field of it has what the field of that name in the message has.

    What the message has otherwise is ``Read``. A number of an enumeration is told by its word, and nothing that is not
    there by null.
    """

    @classmethod
    def of(cls, message: Any) -> Self:
        """From the contract's message."""
        return cls(**cls.values(message))

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """The values of the fields. Whoever has fields that the message has not adds those."""
        return {name: read(message) for name, read in _readers(cls, message.DESCRIPTOR).items()}


@cache
def _readers(cls: type[Shown], message: Descriptor) -> Mapping[str, Reader]:
    """How the fields of a class that a message has are read."""
    found = {}
    for name, field in cls.model_fields.items():
        read = next((each.reader for each in field.metadata if isinstance(each, Read)), None)
        if read is None and (of := message.fields_by_name.get(name)) is not None:
            read = _reader(of, field.annotation)
        if read is not None:
            found[name] = read
    return found


def _reader(field: FieldDescriptor, annotation: Any) -> Reader | None:
    """None for messages that are shown otherwise than by a class of their own."""
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
    """The words of an enumeration: ``TERM_BASIS_REQUESTED_BYE`` is ``requested_bye``, and what is not said is None."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() if value.number else None for value in enum.values}


def word_of(enum: Any, name: str = "") -> WithJsonSchema:
    """Say in the type of a field that it is a word of an enumeration, so that a document lists them.

    The document calls it ``name``; without one, as the contract does.
    """
    return named(name or enum.DESCRIPTOR.name, filter(None, words_of(enum.DESCRIPTOR).values()))


class Answer(Shown):
    """What every answer has."""

    position: int = Field(description="Position in the record up to which this holds; follow the stream from here.")


class Pin(Shown):
    """A document pinned by its content."""

    name: str = Field(description="Name of a ruleset or of a lexicon.", examples=["fisc-2023"])
    digest: str = Field(description="SHA-256 of the content, in lower-case hexadecimal.")


TEAM = Field(description="The player's team; empty where there are no teams.")
CATEGORY = Field(description="Class of competition that the player is in, as `U18`; empty for none.")
MATCH = Field(description="The match between two teams, by its number in the round; 0 where there are no teams.")
DIVISION = Field(description="The division that the tournament is; empty where it is none.")
TOTAL = Field(description="How many there are in all pages.")
NEXT_PAGE = Field(description="What gives the next ones, as `page_token`; empty when these are the last.")
