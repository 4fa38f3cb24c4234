"""The plan of a world by its seed: players, their slips, and faults."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Written = Literal["top", "other", "no-word", "nowhere", "nothing"]

TURN_SECONDS = 180


@dataclass(frozen=True, slots=True)
class Intended:
    """The action of a player in a turn."""

    written: Written
    at_ms: int
    """When, from the begin of the turn; more than the turn takes is late."""
    twice: bool
    """The collector types the same once more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A world."""

    seed: int
    turns: int
    halls: Mapping[str, Sequence[str]]
    sealed: bool
    """The game is played ahead by computer, and halls that are cut off play on."""
    voided_at: int
    """The turn at which the judge lays another master play than the sealed one; 0 for none."""

    def rng(self, *what: object) -> random.Random:
        """Return a separate random generator for a purpose: the same regardless of other ones."""
        return random.Random(repr((self.seed, *what)))

    def plan_slip(self, turn: int, player: str) -> Intended:
        """Return the action of a player in a turn."""
        chance = self.rng("slip", turn, player)
        written: Written = chance.choices(("top", "other", "no-word", "nowhere", "nothing"), weights=(4, 4, 1, 1, 1))[0]
        whole = TURN_SECONDS * 1000
        at = whole + chance.choice((1, 50, 5_000)) if chance.random() < 0.15 else chance.randrange(1, whole + 1)
        return Intended(written, at, chance.random() < 0.1)


def plan_of(seed: int) -> Plan:
    """Return the world of a seed."""
    chance = random.Random(f"world {seed}")
    turns = chance.randint(3, 5)
    names = ("Nord", "Sud", "Est")[: chance.randint(2, 3)]
    halls = {name: tuple(f"{name.lower()}{number}" for number in range(1, chance.randint(2, 4))) for name in names}
    sealed = chance.random() < 0.7
    voided_at = chance.randint(1, turns - 1) if sealed and chance.random() < 0.35 else 0
    return Plan(seed, turns, halls, sealed, voided_at)


class Faults:
    """The faults. Without ``on`` there are none."""

    def __init__(self, plan: Plan, *, on: bool) -> None:
        self.on = on
        self._chance = plan.rng("faults")
        self.counts: dict[str, int] = {}

    def happens(self, what: str, share: float) -> bool:
        """Return whether a fault occurs now."""
        if not self.on or self._chance.random() >= share:
            return False
        self.counts[what] = self.counts.get(what, 0) + 1
        return True

    def among(self, count: int) -> int:
        """Return a number below ``count``."""
        return self._chance.randrange(count)
