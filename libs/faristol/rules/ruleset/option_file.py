"""Parsing of the options in a ruleset file, and validation of values against the type of their field.

An option is a table ``[options.NAME]`` with ``because``, ``article`` and ``note``; ``default``, or ``required = true``;
and one of these: ``key`` with ``least`` and ``most`` for a number, ``key`` with ``choices = […]``, ``key`` with
``some_of = […]``, or tables ``[options.NAME.choices.CHOICE]`` that set several keys at once. ``when`` names values that
the option requires. The default must agree with the values of the file. A number with the default ``none`` is optional.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from types import MappingProxyType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from faristol.rules.ruleset.options import NONE, Option, OptionValue, Value, format_value
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import Law

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


KEYS = frozenset(
    {"because", "article", "note", "default", "required", "when", "key", "choices", "least", "most", "some_of"}
)


class OptionFileError(ValueError):
    """An invalid option. ``key`` is the place in its table, ``problem`` the reason."""

    def __init__(self, key: str, problem: str) -> None:
        self.key, self.problem = key, problem
        super().__init__(f"{key}: {problem}")


def read_option(name: str, table: Mapping[str, Any], ruleset: Ruleset) -> Option:
    """Parse the option ``name`` from ``table`` and check it against the values of ``ruleset``.

    Raises ``OptionFileError``.
    """
    for key in table:
        if key not in KEYS:
            raise OptionFileError(key, f"unknown key; expected some of {', '.join(sorted(KEYS))}")
    required = _plain(table, "required", bool, default=False)
    if required == ("default" in table):
        raise OptionFileError("default", "expected either a default or required = true")
    choices, key = _choices(table), table.get("key", "")
    number, some_of = "least" in table or "most" in table, tuple(table.get("some_of", ()))
    if sum((bool(choices), number, bool(some_of))) != 1:
        raise OptionFileError("choices", "expected choices, least and most, or some_of: one of the three")
    if not choices:
        hint = hint_of(key)
        if number and int not in (hint, *get_args(hint)):
            raise OptionFileError("key", f"{key} is not a whole number")
        if some_of and get_origin(hint) is not tuple:
            raise OptionFileError("key", f"{key} is not a list")
    option = Option(
        name=name,
        because=_plain(table, "because", field_types(Option)["because"]),
        article=_plain(table, "article", str),
        note=_plain(table, "note", str),
        default=_default(table.get("default"), choices, number, some_of),
        required=required,
        when=MappingProxyType({key: _fits(f"when.{key}", key, value) for key, value in table.get("when", {}).items()}),
        key="" if choices else key,
        choices=choices,
        least=_plain(table, "least", int) if number else None,
        most=_plain(table, "most", int) if number else None,
        may_be_none=number and table.get("default") == NONE,
        some_of=some_of,
    )
    _check(option, ruleset)
    return option


def hint_of(key: str) -> Any:
    """Return the type of the value ``section.key``. Raises ``OptionFileError`` for an unknown key."""
    section, _, name = key.partition(".")
    kind = field_types(Ruleset).get(section)
    hint = field_types(kind).get(name) if isinstance(kind, type) and is_dataclass(kind) and kind is not Law else None
    if hint is None:
        raise OptionFileError("key", f"there is no value {key!r}")
    return hint


def _choices(table: Mapping[str, Any]) -> Mapping[str, Mapping[str, Value]]:
    found = table.get("choices", {})
    if isinstance(found, list):
        if "key" not in table:
            raise OptionFileError("key", "is missing: a list of choices is one of values")
        found = {
            format_value(tuple(value) if isinstance(value, list) else value): {table["key"]: value} for value in found
        }
    elif "key" in table and found:
        raise OptionFileError("key", "has no effect: each choice names the keys that it sets")
    return MappingProxyType(
        {
            str(choice): MappingProxyType({key: _fits(f"choices.{choice}", key, value) for key, value in sets.items()})
            for choice, sets in found.items()
        }
    )


def _fits(place: str, key: str, value: object) -> Value:
    try:
        return convert_value(value, hint_of(key))  # type: ignore[no-any-return] # of the key's type
    except OptionFileError as error:
        raise OptionFileError(place, error.problem) from None
    except ValueError as error:
        raise OptionFileError(place, f"{key}: {error}") from None


def _plain(table: Mapping[str, Any], key: str, hint: Any, default: object = None) -> Any:
    if key not in table and default is None:
        raise OptionFileError(key, "is missing")
    try:
        return convert_value(table.get(key, default), hint)
    except ValueError as error:
        raise OptionFileError(key, str(error)) from None


def _default(value: Any, choices: object, number: bool, some_of: tuple[str, ...]) -> OptionValue:  # noqa: FBT001
    if value is None or (number and value == NONE):
        return None
    if choices:
        return format_value(value)
    return tuple(value) if some_of and isinstance(value, list) else value


def _check(option: Option, ruleset: Ruleset) -> None:
    """Raise ``OptionFileError`` unless the default is in range and equals the file's values."""
    if option.least is not None and option.most is not None and option.least > option.most:
        raise OptionFileError("least", f"is more than the most, {option.most}")
    if option.required:
        return
    default = option.default
    if not in_range(option, default):
        raise OptionFileError("default", f"{format_value(default)} is not in the range {option.range}")
    for key, value in option.sets(default).items():
        section, _, name = key.partition(".")
        there = getattr(getattr(ruleset, section), name)
        if there != value:
            raise OptionFileError(
                "default", f"sets {key} to {format_value(value)}, and the file has {format_value(there)}"
            )


def in_range(option: Option, value: OptionValue) -> bool:
    """Check whether ``value`` may be chosen."""
    if option.choices:
        return value in option.choices
    if option.some_of:
        return isinstance(value, tuple) and set(value) <= set(option.some_of) and len(set(value)) == len(value)
    if value is None:
        return option.may_be_none
    if option.least is None or option.most is None or isinstance(value, bool) or not isinstance(value, int):
        return False
    return option.least <= value <= option.most
