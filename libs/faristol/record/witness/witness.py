"""What a witness does, and how it can fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from faristol.record.errors import RecordError, Wrong
from faristol.record.seals import NO_SEAL, Seal, from_json

LARGEST = 16 * 1024
"""Bytes of one seal as JSON; one has about 700."""


class WitnessAway(RecordError):
    """The witness cannot be reached or does not do what is asked; the message says why, and holds no secret."""


class Fork(Exception):
    """The witness has another seal in the place of one of the record's."""

    def __init__(self, seal: Seal) -> None:
        super().__init__(f"it has another seal in the place of {seal}")


class Witness(Protocol):
    """A place that keeps seals. Every method raises ``WitnessAway``."""

    kind: str
    """One word: what it is."""
    shown: str
    """Where it is, as people may see it."""

    async def newest(self) -> Seal | None:
        """The last seal that it has; None when it has none. Raises ``Wrong`` for what is no seal."""

    async def deliver(self, seals: Sequence[Seal]) -> None:
        """Have it keep these, each after the one before. One that it has already is left as it is.

        Raises ``Fork`` when it has another in the place of one of them, and keeps nothing from there on.
        """

    async def seals(self) -> list[Seal]:
        """Every seal that it has, in order. Raises ``Wrong`` where its own history shows that one was changed."""

    async def close(self) -> None:
        """Give back what it holds."""


def gap(seals: Sequence[Seal]) -> str:
    """Where the seals of a witness are no chain from the first position on; empty when they are one."""
    position, previous = 0, None
    for seal in seals:
        if seal.from_position != position + 1:
            return f"position {position + 1}: the witness lacks a seal; its next one is {seal}"
        if previous is not None and seal.previous != previous.digest:
            return f"position {seal.from_position}: the seals of the witness are not one chain here"
        position, previous = seal.to_position, seal
    return ""


def parsed(members: object, where: str) -> Seal:
    """A seal out of JSON. Raises ``Wrong`` for what is none."""
    try:
        return from_json(members)  # type: ignore[arg-type] # what is no mapping raises
    except NO_SEAL:
        raise Wrong(f"the witness has something at {where} that is no seal") from None
