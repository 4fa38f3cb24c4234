"""Somebody who takes part in a tournament: round by round. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from faristol.rules import Bye


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody registered."""

    player_id: str
    rating: int
    unrated: bool
    entered: int = 1
    """The first round that the player can be paired in; more than 1 for a late entry."""
    fictitious: int = 0
    """Points times two that count for pairing alone (FISC I.4)."""
    checked_in: bool = False
    withdrawn: int | None = None
    """The first round that the player is not paired in any more."""
    gave_up: str = ""
    """The game that the player gave up by withdrawing."""
    missed: frozenset[int] = frozenset()
    """Rounds between a withdrawal and the return."""
    byes: Mapping[int, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Rounds that the player will sit out, by number."""
    table: int | None = None
    """The table at which the player always sits."""
    warnings: int = 0
    """For conduct, so far."""
    excluded: frozenset[int] = frozenset()
    """Rounds that a sanction keeps the player out of."""
    let_back: frozenset[int] = frozenset()
    """Rounds paired without the player for a sanction or an expulsion that has been lifted since."""
    expelled: bool = False
    expelled_under: str = ""
    """The article by which that was done."""
    category: str = ""
    """Class of competition, as ``U18``; empty for none."""
    left_before: bool = False
    """Withdrawn already, by their own will, when they were expelled."""

    def takes_part(self, number: int) -> bool:
        """Whether a round is the player's to play or to sit out."""
        here = self.entered <= number and number not in self.missed | self.excluded
        return here and (self.withdrawn is None or number < self.withdrawn)

    def let_back_into(self, number: int) -> bool:
        """Whether a round would be the player's, had a sanction been lifted before it was paired."""
        return number in self.let_back and number not in self.excluded and self.withdrawn is None

    @property
    def never_came(self) -> bool:
        """Withdrawn before any round."""
        return self.withdrawn is not None and self.withdrawn <= self.entered
