"""Personal details, by the descriptor of ``PersonalDetails`` (`proto/faristol/people/v1/details.proto`). Pure.

Any message with fields of the same names carries details: a registration, an amendment, a player in an answer. A value
is a text or a whole number; an empty text and 0 mean that it is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name, tidy
from faristol.pb.people.v1 import details_pb2 as pb

Value = str | int


@dataclass(frozen=True, slots=True)
class Detail:
    """A personal detail with its properties in the contract."""

    name: str
    """Name of its field in each message that has it."""
    is_number: bool
    options: pb.Detail

    @property
    def empty(self) -> Value:
        """The value that means unknown."""
        return 0 if self.is_number else ""

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of its input in a form."""
        required = {"required": ""} if self.options.required else {}
        return {
            **required,
            **({"inputmode": "numeric"} if self.is_number else {}),
            "maxlength": str(self.options.longest),
        }

    def format(self, value: Value) -> str:
        """Return a value as text; empty if unknown."""
        return str(value or "")

    def parse(self, text: str, field: str = "") -> Value:
        """Return the value of a text as a person writes it. Raises ``Invalid`` for ``field``, see ``check``."""
        field, options, text = field or self.name, self.options, tidy(text)
        if text and options.pattern and not re.fullmatch(options.pattern, text, re.ASCII):
            raise Invalid(field, options.invalid, {"given": repr(text)})
        text = check_name(field, text, empty=not options.required, longest=options.longest)
        return int(text or 0) if self.is_number else text

    def check(self, value: Value, field: str = "") -> Value:
        """Return a value as it is stored. Raises ``Invalid`` if it is missing, too long or malformed."""
        return self.parse(self.format(value), field)

    def is_stored_form(self, value: object) -> bool:
        """Check whether a value can be stored unchanged."""
        if type(value) is not (int if self.is_number else str):
            return False
        text = self.format(value)
        try:
            return self.parse(text) == value
        except Invalid:
            return False


DETAILS: Mapping[str, Detail] = {
    field.name: Detail(field.name, field.type != FieldDescriptor.TYPE_STRING, field.GetOptions().Extensions[pb.detail])
    for field in pb.PersonalDetails.DESCRIPTOR.fields
}
"""All personal details by name, in the order of the contract."""

PUBLIC_DETAILS: Mapping[str, Detail] = {name: detail for name, detail in DETAILS.items() if detail.options.public}
"""The details that all readers see."""

RESTRICTED_DETAILS: Mapping[str, Detail] = {name: each for name, each in DETAILS.items() if each.options.restricted}
"""The details that only the director, the federation and the person see."""


def check_country(field: str, value: str) -> str:
    """Return the country code, which may be empty. Raises ``Invalid`` for ``field`` if it is malformed."""
    if value and not is_country(value):
        raise Invalid(field, DETAILS["country"].options.invalid, {"given": repr(value)})
    return value


def is_country(text: str) -> bool:
    """Check whether a text has the form of a country code."""
    return re.fullmatch(DETAILS["country"].options.pattern, text, re.ASCII) is not None


def read_details(message: Message) -> dict[str, Any]:
    """Return the details that a message has, by name.

    A field with presence is included if it is set, even to an empty value; another one if its value is known.
    """
    found: dict[str, Any] = {}
    for name in DETAILS:
        if (field := message.DESCRIPTOR.fields_by_name.get(name)) is None:
            continue
        value = getattr(message, name)
        if message.HasField(name) if field.has_presence else value:
            found[name] = value
    return found


def format_details(message: Message, *without: str) -> list[str]:
    """Return the known details of a message as texts, in the order of the contract, except the name and ``without``."""
    found = read_details(message)
    return [DETAILS[name].format(value) for name, value in found.items() if value and name not in ("name", *without)]


def normalize_details(message: Message) -> None:
    """Replace the details of a message by their stored form. Raises ``Invalid`` for a missing or malformed one."""
    given = read_details(message)
    for name, detail in DETAILS.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is not None and (name in given or (detail.options.required and not field.has_presence)):
            setattr(message, name, detail.check(given.get(name, detail.empty)))


class Person:
    """A player with their details; or an official, with only a name. A value that never changes."""

    __slots__ = ("details", "player_id")

    def __init__(self, player_id: str, name: str = "", club: str = "", country: str = "", **others: Any) -> None:
        """``others`` are further details by name. Raises ``ValueError`` for a name that is not a detail."""
        self.player_id = player_id
        self.details = pb.PersonalDetails(name=name, club=club, country=country, **others)

    @property
    def name(self) -> str:
        """The name; empty if unknown."""
        return self.details.name

    @property
    def club(self) -> str:
        """The club; empty if unknown."""
        return self.details.club

    @property
    def country(self) -> str:
        """The country code; empty if unknown."""
        return self.details.country

    @property
    def known(self) -> dict[str, Any]:
        """The known details by name."""
        return read_details(self.details)

    @property
    def public(self) -> dict[str, Any]:
        """The known public details by name."""
        return {name: value for name, value in self.known.items() if name in PUBLIC_DETAILS}

    @property
    def unrestricted(self) -> dict[str, Any]:
        """The known details that all officials see, by name."""
        return {name: value for name, value in self.known.items() if name not in RESTRICTED_DETAILS}

    @property
    def searched(self) -> list[str]:
        """The details in which a search looks for words, as texts."""
        return [DETAILS[name].format(value) for name, value in self.known.items() if DETAILS[name].options.searched]

    def replace(self, **details: Value) -> Person:
        """Return the person with other values of some details."""
        return Person(self.player_id, **{**self.known, **details})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Person) and (self.player_id, self.details) == (other.player_id, other.details)

    __hash__ = None  # type: ignore[assignment] # a message has no hash

    def __repr__(self) -> str:
        return f"Person({self.player_id!r}, {self.known})"


def read_person(message: Any) -> Person:
    """Return the person of a message with the field ``player_id`` and personal details."""
    return Person(message.player_id, **read_details(message))
