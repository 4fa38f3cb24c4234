"""Conversion of forms to commands: the fields of a form are named as in the contract. Pure.

A list has a field for each entry, ``player_ids.1``, or one field with commas. Parts of a message follow a dot:
``halls.1.first_table``. A message of two parts, such as a score, may be one field: ``scores.anna``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.times import to_datetime
from faristol.presentation.table_commands import FIELD_HINTS, FIELD_LABELS, label_of
from faristol.typed_input.fields import Kind, kind_of, parse_value

Given = Mapping[str, str]

SET_BY_PAGE = frozenset({"command_id", "tournament_id", "occurred_at"})
"""Fields that no form has."""

SET_AT_TABLE = SET_BY_PAGE | {"game_id", "arbiter_id", "player_ids"}
"""Fields that no form at a table has."""

CHOSEN = frozenset({"valid", "accept", "told", "turn", "square"})
"""Fields at a table with a choice among the values that it offers, besides enumerations."""

OPTIONAL = frozenset({"points"})
"""Fields that may be empty although the contract does not say so, besides texts and persons."""

REMOVABLE = frozenset({Kind.TEXT, Kind.CAPITALS, Kind.NUMBER})
"""Kinds of fields with an empty value: a user who empties such a field removes its earlier value."""

MAX_PLACE_DIGITS = 9
"""Limit in digits of the place of an entry."""


class FormField(NamedTuple):
    """Field of the form of a command at a table."""

    name: str
    """Name in the contract; ``square`` for row and column."""
    label: str
    """Label, to be translated."""
    kind: Kind
    optional: bool
    hint: str
    """Hint, to be translated."""


def list_fields(request: type[Message]) -> list[FormField]:
    """Return the fields of the form of a command at a table, in the order of the contract."""
    method, found = request.DESCRIPTOR.name.removesuffix("Request"), []
    for field in request.DESCRIPTOR.fields:
        if field.name in SET_AT_TABLE or field.name == "column":
            continue
        name = "square" if field.name == "row" else field.name
        kind = Kind.CHOICE if name in CHOSEN else kind_of(field)
        has_presence = field.has_presence and field.message_type is None
        optional = has_presence or kind in (Kind.TEXT, Kind.PERSON, Kind.TICK) or name in OPTIONAL
        label, hint = (label_of(texts, method, name) for texts in (FIELD_LABELS, FIELD_HINTS))
        found.append(FormField(name, label, kind, optional, hint))
    return found


def fill(request: Message, given: Given, zone: str = "UTC") -> None:
    """Set the fields of a request that a form has. Times without an offset are in ``zone``.

    With the earlier value of a field, ``club.before``, the field is set only if it differs, so that concurrent changes
    are not overwritten. An emptied field is set to its empty value. Raises ``Invalid`` with the name of the field in
    the form.
    """
    for field in request.DESCRIPTOR.fields:
        if field.name not in SET_BY_PAGE:
            _set(request, field, given, field.name, zone)


def to_local_input(message: Any, field: str, zone: str) -> str:
    """Return a time of a message as an HTML field for times has it, in ``zone``; empty if it is not set."""
    if not message.HasField(field):
        return ""
    return to_datetime(getattr(message, field)).astimezone(ZoneInfo(zone or "UTC")).strftime("%Y-%m-%dT%H:%M")


def list_in(given: Given, field: str) -> list[str]:
    """Return the values of a list in a form, in the order of their places."""
    numbered = _keys_of(given, field)
    values = [given[f"{field}.{key}"] for key in numbered] or given.get(field, "").split(",")
    return [value.strip() for value in values if value.strip()]


def count_entries(given: Given, field: str) -> int:
    """Return the number of entries that a form has for a list."""
    return len(_keys_of(given, field))


def _keys_of(given: Given, field: str) -> list[str]:
    """Return the places of the entries of a list: their keys, numbers in order."""
    start = f"{field}."
    keys = dict.fromkeys(name[len(start) :].partition(".")[0] for name in given if name.startswith(start))
    return sorted(keys, key=lambda key: (int(key) if key.isdecimal() and len(key) <= MAX_PLACE_DIGITS else 0, key))


def _set(message: Any, field: Any, given: Given, key: str, zone: str) -> None:
    is_message = kind_of(field) is Kind.PARTS
    if field.is_repeated and is_message:
        for place in _keys_of(given, key):
            _add(getattr(message, field.name), field, given, f"{key}.{place}", zone)
    elif field.is_repeated:
        is_faces = kind_of(field) is Kind.TILES and field.message_type is None
        values = given.get(key, "").split() if is_faces else list_in(given, key)
        getattr(message, field.name).extend(parse_value(field, value, key) for value in values)
    elif is_message:
        for part in field.message_type.fields:
            if f"{key}.{part.name}" in given:
                _set(getattr(message, field.name), part, given, f"{key}.{part.name}", zone)
    elif key in given and _is_told(field, given, key):
        is_removed = not given[key].strip() and kind_of(field) in REMOVABLE
        which = given.get(f"{key}.which", "")
        value = field.default_value if is_removed else parse_value(field, given[key], key, zone, which)
        if field.message_type is not None:
            getattr(message, field.name).CopyFrom(value)
        else:
            setattr(message, field.name, value)


def _is_told(field: Any, given: Given, key: str) -> bool:
    """Check whether a form gives a value to a field: a changed one, if the form has the earlier value."""
    text, before, kind = given[key].strip(), given.get(f"{key}.before"), kind_of(field)
    if before is not None and kind in REMOVABLE:
        return text != before.strip()
    return (bool(text) and text != before) or kind is Kind.TICK


def _add(entries: Any, field: Any, given: Given, key: str, zone: str) -> None:
    """Add an entry of a list of messages, unless the form leaves its fields empty except choices."""
    parts = field.message_type.fields
    if len(parts) == 2 and key in given:
        name = key.rpartition(".")[2]
        if given[key].strip():
            entry = entries.add()
            _set(entry, parts[0], {"": name}, "", zone)
            _set(entry, parts[1], given, key, zone)
        return
    if any(given.get(f"{key}.{part.name}", "").strip() for part in parts if kind_of(part) is not Kind.CHOICE):
        entry = entries.add()
        for part in parts:
            _set(entry, part, given, f"{key}.{part.name}", zone)
