"""Names of the contract as people write them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import EnumDescriptor

from faristol.pb.text.v1 import text_pb2


def kebab(name: str) -> str:
    """Convert ``END_CONDITION`` or ``EndCondition`` to kebab case: ``end-condition``."""
    if name.isupper() or "_" in name:
        return name.lower().replace("_", "-")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


def names_of(enum: EnumDescriptor) -> Mapping[str, int]:
    """Return the values of an enumeration by their names in kebab case: ``recorded`` for ``KEEPING_RECORDED``."""
    prefix = "".join(f"{part}_" for part in kebab(enum.name).upper().split("-"))
    return {kebab(value.name.removeprefix(prefix)): value.number for value in enum.values}


def name_of(enum: EnumDescriptor, number: int) -> str:
    """Return the name of a value in kebab case; empty for an unknown value."""
    return next((name for name, value in names_of(enum).items() if value == number), "")


@cache
def labels_of(enum: EnumDescriptor) -> Mapping[int, str]:
    """Return the labels of an enumeration by value, English texts; a value without a label is left out."""
    return _texts_of(enum, text_pb2.label)


@cache
def sentences_of(enum: EnumDescriptor) -> Mapping[int, str]:
    """Return the sentences about the values of an enumeration, English texts; one without a sentence is left out."""
    return _texts_of(enum, text_pb2.sentence)


def _texts_of(enum: EnumDescriptor, option: Any) -> Mapping[int, str]:
    found = {value.number: value.GetOptions().Extensions[option] for value in enum.values}
    return {number: text for number, text in found.items() if text}
