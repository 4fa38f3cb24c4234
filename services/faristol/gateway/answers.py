"""What every answer of the JSON has, and what many have.

Fields are named as in ``proto/faristol/results/v1``; points are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, Self, TypeVar, get_args

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import BaseModel, Field


def moment(timestamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


class Shown(BaseModel):
    """The JSON of a message of the contract: a field of it has what the field of that name in the message has.

    A number of an enumeration is told by its word, and nothing that is not there by null.
    """

    @classmethod
    def of(cls, message: Any) -> Self:
        """From the contract's message."""
        return cls(**cls.values(message))

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """The values of the fields. Whoever has fields that the message has not, or has otherwise, adds those."""
        return cls.shared(message)

    @classmethod
    def shared(cls, message: Any, but: Container[str] = ()) -> dict[str, Any]:
        """The values of the fields that the message has too, ``but`` for some."""
        return {name: read(message) for name, read in _readers(cls, message.DESCRIPTOR).items() if name not in but}


Reader = Callable[[Any], Any]
"""Gives the value of a field out of a message."""


@cache
def _readers(cls: type[Shown], message: Descriptor) -> Mapping[str, Reader]:
    """How the fields that a class and a message share are read."""
    found = {}
    for name, field in cls.model_fields.items():
        if (of := message.fields_by_name.get(name)) is not None and (read := _reader(of, field.annotation)):
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


class Answer(Shown):
    """What every answer has."""

    position: int = Field(description="Position in the record up to which this holds; follow the stream from here.")


A = TypeVar("A", bound=Answer)


class Pin(Shown):
    """A document pinned by its content."""

    name: str = Field(description="Name of a ruleset or of a lexicon.", examples=["fisc-2023"])
    digest: str = Field(description="SHA-256 of the content, in lower-case hexadecimal.")


TEAM = Field(description="The player's team; empty where there are no teams.")
CATEGORY = Field(description="Class of competition that the player is in, as `U18`; empty for none.")
MATCH = Field(description="The match between two teams, by its number in the round; 0 where there are no teams.")
DIVISION = Field(description="The division that the tournament is; empty where it is none.")
NEXT_PAGE = Field(description="What gives the next ones, as `page_token`; empty when these are the last.")
