"""Messages of the contract, built from values with fields of the same names, such as rows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.times import timestamp

M = TypeVar("M", bound=Message)


def like(kind: type[M], value: object, /, **others: Any) -> M:
    """Return a message filled from the fields of ``value``; ``others`` take precedence.

    Times of ``value`` are nanoseconds since 1970 or ``datetime``; None is omitted. Other messages need ``others``.
    """
    names, read, moments = _find_shared_fields(kind.DESCRIPTOR, cast("Hashable", type(value)))
    found = dict(zip(names, read(value), strict=True))
    for name in moments:
        if isinstance(found[name], int):
            found[name] = timestamp(found[name])
    return kind(**(found | others))


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
