"""Names of the contract as people write them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.descriptor import EnumDescriptor


def kebab(name: str) -> str:
    """Convert ``END_CONDITION`` or ``EndCondition`` to kebab case: ``end-condition``."""
    if name.isupper() or "_" in name:
        return name.lower().replace("_", "-")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


def names_of(enum: EnumDescriptor) -> Mapping[str, int]:
    """Return the values of an enumeration by their names in kebab case: ``recorded`` for ``KEEPING_RECORDED``."""
    prefix = "".join(f"{part}_" for part in kebab(enum.name).upper().split("-"))
    return {kebab(value.name.removeprefix(prefix)): value.number for value in enum.values}
