"""Messages of the contract, built from values with fields of the same names, and such values from messages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.times import timestamp

M = TypeVar("M", bound=Message)


def like(kind: type[M], value: object, /, **others: Any) -> M:
    """Return a message filled from the fields of ``value``, a message or a row; ``others`` take precedence.

    Of a message, the fields that are set and have the same name and type are copied. Times of a row are nanoseconds
    since 1970, ``datetime`` or timestamps; None is omitted. Other messages of a row need ``others``.
    """
    if isinstance(value, Message):
        shared = _find_same_fields(kind.DESCRIPTOR, value.DESCRIPTOR)
        return kind(**{field.name: given for field, given in value.ListFields() if field.name in shared} | others)
    names, read, moments = _find_shared_fields(kind.DESCRIPTOR, cast("Hashable", type(value)))
    found = dict(zip(names, read(value), strict=True))
    for name in moments:
        if isinstance(found[name], int):
            found[name] = timestamp(found[name])
    return kind(**(found | others))


def encode_without_text(message: Message, others: Collection[str] = ()) -> bytes:
    """Encode a message without its free text, which is stored outside the events, and without ``others``, by name."""
    copied = deepcopy(message)
    for field, _ in copied.ListFields():
        if field.name in others or field.GetOptions().debug_redact:
            copied.ClearField(field.name)
    return copied.SerializeToString(deterministic=True)


def read_shared_fields(message: Message, into: type[Any]) -> Mapping[str, Any]:
    """Return the fields of a message that a data class or named tuple has too, without nested messages.

    Repeated fields are tuples.
    """
    return {
        field.name: tuple(getattr(message, field.name)) if field.is_repeated else getattr(message, field.name)
        for field in _find_plain_fields(message.DESCRIPTOR, cast("Hashable", into))
    }


@cache
def _find_same_fields(message: Descriptor, of: Descriptor) -> frozenset[str]:
    known = of.fields_by_name
    return frozenset(field.name for field in message.fields if _type_of(field) == _type_of(known.get(field.name)))


def _type_of(field: FieldDescriptor | None) -> tuple[Any, ...] | None:
    return None if field is None else (field.type, field.is_repeated, field.message_type, field.enum_type)


@cache
def _find_plain_fields(message: Descriptor, into: Any) -> Sequence[FieldDescriptor]:
    known = into._fields if issubclass(into, tuple) else [field.name for field in fields(into)]
    return [field for field in message.fields if field.name in known and field.message_type is None]


@cache
def _find_shared_fields(
    message: Descriptor, of: Any
) -> tuple[Sequence[str], Callable[[Any], Sequence[Any]], Sequence[str]]:
    known = {field.name for field in fields(of)} if is_dataclass(of) else set(of._fields)
    shared = [field for field in message.fields if field.name in known]
    moments = [field.name for field in shared if field.message_type is Timestamp.DESCRIPTOR]
    names = [field.name for field in shared if field.message_type is None or field.name in moments]
    read = attrgetter(*names)
    return names, read if len(names) > 1 else lambda value: (read(value),), moments
