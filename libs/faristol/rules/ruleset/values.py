"""Validation of a ruleset's values against the type of their field."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from faristol.rules.ruleset.options import NONE

_FIELD_TYPES: dict[type[Any], Mapping[str, Any]] = {}


def field_types(kind: type[Any]) -> Mapping[str, Any]:
    """Return the type of each field of the class ``kind``; cached, because Python parses each annotation again."""
    if kind not in _FIELD_TYPES:
        _FIELD_TYPES[kind] = types.MappingProxyType(get_type_hints(kind))
    return _FIELD_TYPES[kind]


def convert_value(value: object, hint: Any) -> Any:
    """Convert ``value`` of a TOML file to the type ``hint`` of its field.

    Lists become tuples, ``"none"`` becomes None in an optional field. Raises ``ValueError`` with the expected type; for
    an item of a list the message begins with its index, ``[1]: ``.
    """
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        if value not in arguments or not isinstance(value, str):
            raise ValueError(f"expected one of {', '.join(map(repr, arguments))}, got {value!r}")
        return value
    if get_origin(hint) is tuple:
        return _items(value, arguments[0])
    if get_origin(hint) in (types.UnionType, Union):
        return None if value == NONE or value is None else convert_value(value, arguments[0])
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not hint:
        names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
        raise ValueError(f"expected {names[hint]}, got {value!r}")
    if isinstance(value, int | float) and value < 0:
        raise ValueError(f"expected 0 or more, got {value!r}")
    return value


def _items(value: object, hint: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"expected a list, got {value!r}")
    items = []
    for place, item in enumerate(value):
        try:
            items.append(convert_value(item, hint))
        except ValueError as error:
            raise ValueError(f"[{place}]: {error}") from None
    if len(set(items)) < len(items):
        raise ValueError(f"names something twice: {', '.join(map(str, items))}")
    return tuple(items)
