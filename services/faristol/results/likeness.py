"""Messages of the contract out of values that have fields of the same names, as rows do. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


def like(kind: type[M], value: object, /, **others: Any) -> M:
    """A message with what ``value`` has under the names of its fields, and with ``others``, which go before that.

    Fields that are messages themselves are for ``others`` alone.
    """
    names, read = _shared(kind.DESCRIPTOR, cast("Hashable", type(value)))
    return kind(**(dict(zip(names, read(value), strict=True)) | others))


@cache
def _shared(message: Descriptor, of: Any) -> tuple[Sequence[str], Callable[[Any], Sequence[Any]]]:
    known = {field.name for field in fields(of)} if is_dataclass(of) else set(of._fields)
    names = [field.name for field in message.fields if field.name in known and field.message_type is None]
    read = attrgetter(*names)
    return names, read if len(names) > 1 else lambda value: (read(value),)
