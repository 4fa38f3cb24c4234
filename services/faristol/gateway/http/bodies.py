"""Validation of JSON requests, with errors by field. Protobuf's own messages are English only, in its terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from reprlib import Repr
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.host.rpc.interceptor import MAX_VALUE_COUNT, TOO_MANY_VALUES
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_, Param

Mistake = tuple[str, str, Mapping[str, Param]]
"""Path of a field (``players[0].name``), a sentence to be translated, and its parameters."""

MAX_SHOWN_CHARACTERS = 100
"""Limit of the characters that are repeated from the input."""

MAX_MISTAKES_COUNT = 50
"""Errors in one answer. A body of a mebibyte can have half a million."""

MAX_DESCRIPTOR_COUNT = 512
"""Cached messages: the contract has fewer types of requests and of their parts."""

TWICE = N_("is specified more than once")
NO_NUMBER = N_("expected a whole number, got {given}")
NO_LIST = N_("expected a list, got {given}")
NO_OBJECT = N_("expected an object with the fields of {message}, got {given}")
NO_TIME = N_("expected a time with its offset, such as 2026-03-07T11:30:00Z, got {given}")
NO_WORD = N_("expected one of {expected}, got {given}")

MORE_MISTAKES = N_("has more errors, which are not listed")

_CONTAINERS = Repr()
"""Short form of lists and objects of any length and depth."""

_TIMESTAMP_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})")
_SURROGATES = re.compile("[\ud800-\udfff]")
"""Unpaired surrogates, which JSON can encode."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_INTEGER_TYPES = frozenset(
    (
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    )
)


def list_mistakes(message: Descriptor, given: Mapping[str, Any]) -> list[Mistake]:
    """Return the first ``MAX_MISTAKES_COUNT`` errors of an object that should be a ``message``, and a note on more."""
    if _has_too_many_values(given):
        return [("body", TOO_MANY_VALUES, {"most": f"{MAX_VALUE_COUNT:,}"})]
    found = list(islice(mistakes_in(message, given), MAX_MISTAKES_COUNT + 1))
    return [*found[:MAX_MISTAKES_COUNT], ("body", MORE_MISTAKES, {})] if len(found) > MAX_MISTAKES_COUNT else found


def _has_too_many_values(given: Mapping[str, Any]) -> bool:
    """Check whether a body has more than ``MAX_VALUE_COUNT`` values, at any depth."""
    count, pending = 0, [iter(given.values())]
    while pending:
        for value in pending.pop():
            count += 1
            if count > MAX_VALUE_COUNT:
                return True
            if isinstance(value, dict | list):
                pending.append(iter(value.values() if isinstance(value, dict) else value))
    return False


@lru_cache(MAX_DESCRIPTOR_COUNT)
def _fields_of(message: Descriptor) -> Mapping[str, FieldDescriptor]:
    """Return the fields of a message by the names of the contract and by those of JSON."""
    return {**{field.json_name: field for field in message.fields}, **message.fields_by_name}


def mistakes_in(message: Descriptor, given: Mapping[str, Any], within: str = "") -> Iterator[Mistake]:
    """Yield the errors of an object that should be a ``message``; none if it is valid."""
    fields = _fields_of(message)
    texts: set[str] = set()
    for name, value in given.items():
        # A JSON name may be invalid in UTF-8, and as long as the body.
        called = name[:MAX_SHOWN_CHARACTERS].encode("utf-8", "backslashreplace").decode()
        path = f"{within}.{called}" if within else called
        field = fields.get(name)
        if field is None:
            like = nearest(called, sorted(message.fields_by_name))
            known = ", ".join(sorted(message.fields_by_name))
            yield (
                path[:MAX_SHOWN_CHARACTERS],
                N_("unknown field; did you mean {like}?") if like else N_("unknown field; expected {known}"),
                {"like": like or "", "known": known},
            )
        elif field.name in texts:
            yield path, TWICE, {}
        elif value is not None:
            texts.add(field.name)
            yield from _mistakes_in_field(field, value, path)


def _mistakes_in_field(field: FieldDescriptor, value: Any, path: str) -> Iterator[Mistake]:
    if not field.is_repeated:
        yield from _mistakes_in_value(field, value, path)
    elif not isinstance(value, list):
        yield path, NO_LIST, {"given": _format_value(value)}
    else:
        for place, each in enumerate(value):
            yield from _mistakes_in_value(field, each, f"{path}[{place}]")


def _mistakes_in_value(field: FieldDescriptor, value: Any, path: str) -> Iterator[Mistake]:
    if field.message_type is not None and field.message_type.full_name == Timestamp.DESCRIPTOR.full_name:
        if not isinstance(value, str) or not _is_time(value):
            yield path, NO_TIME, _with_value(value)
    elif field.message_type is not None:
        if isinstance(value, dict):
            yield from mistakes_in(field.message_type, value, path)
        else:
            yield path, NO_OBJECT, {"message": field.message_type.name, **_with_value(value)}
    elif field.enum_type is not None:
        words = [word.name for word in field.enum_type.values]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number and value not in words:
            yield path, NO_WORD, {"expected": ", ".join(words[1:]), **_with_value(value)}
    elif field.type == FieldDescriptor.TYPE_BYTES:
        if not isinstance(value, str) or not _BASE64.fullmatch(value):
            yield path, N_("expected bytes in Base64, got {given}"), _with_value(value)
    elif field.type == FieldDescriptor.TYPE_STRING:
        if not isinstance(value, str) or _SURROGATES.search(value):
            yield path, N_("expected text, got {given}"), _with_value(value)
    elif field.type == FieldDescriptor.TYPE_BOOL:
        if not isinstance(value, bool):
            yield path, N_("expected true or false, got {given}"), _with_value(value)
    elif field.cpp_type in _INTEGER_TYPES and not _is_whole(value, field):
        yield path, NO_NUMBER, _with_value(value)


def _is_time(value: str) -> bool:
    """Check whether a value is a valid time with its offset."""
    if not _TIMESTAMP_PATTERN.fullmatch(value):
        return False
    try:
        Timestamp().FromJsonString(value)
    except ValueError:
        return False
    return True


def _is_whole(value: Any, field: FieldDescriptor) -> bool:
    """Check whether a value is an integer in the range of the field, as a number or as digits."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return isinstance(value, float) and value.is_integer() and abs(value) < 2**31
    if isinstance(value, str) and not re.fullmatch("-?[0-9]{1,20}", value):
        return False
    bits = 32 if field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32) else 64
    is_signed = field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if is_signed else (0, 2**bits)
    return bool(low <= int(value) < high)


def _with_value(value: Any) -> Mapping[str, Param]:
    return {"given": _format_value(value)}


def _format_value(value: Any) -> str:
    """Return a value as given, truncated."""
    shown = value[:MAX_SHOWN_CHARACTERS] if isinstance(value, str) else value
    text = _CONTAINERS.repr(value) if isinstance(value, dict | list) else repr(shown)
    return text[:MAX_SHOWN_CHARACTERS]
