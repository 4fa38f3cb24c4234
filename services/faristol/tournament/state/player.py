"""A player of a tournament, round by round. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from faristol.rules import Bye

T = TypeVar("T")
V = TypeVar("V")


def with_item(items: tuple[V, ...], number: int, **changed: Any) -> tuple[V, ...]:
    """Return items with other values of fields of the one with a number, from 1."""
    item: Any = items[number - 1]
    return (*items[: number - 1], replace(item, **changed), *items[number:])


def with_key(known: Mapping[T, V], key: T, value: V) -> Mapping[T, V]:
    """Return a mapping with another value of a key."""
    return MappingProxyType({**known, key: value})


def without_key(known: Mapping[T, V], key: T) -> Mapping[T, V]:
    """Return a mapping without a key."""
    return MappingProxyType({other: value for other, value in known.items() if other != key})


@dataclass(frozen=True, slots=True)
class PlayerState:
    """A registered player, or a team as a player of the tournament between teams."""

    player_id: str
    rating: int
    unrated: bool
    entered: int = 1
    """The first round that the player can be paired in; more than 1 for a late entry."""
    fictitious: int = 0
    """Half points that count for pairing only (FISC I.4)."""
    checked_in: bool = False
    withdrawn: int | None = None
    """The first round that the player is not paired in; None if the player has not withdrawn."""
    gave_up: str = ""
    """Id of the game that the player gave up by withdrawing."""
    missed: frozenset[int] = frozenset()
    """Rounds between a withdrawal and the reinstatement."""
    byes: Mapping[int, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Byes on request, by round."""
    table: int | None = None
    """The fixed table of the player."""
    warnings: int = 0
    """Number of warnings for conduct."""
    excluded: frozenset[int] = frozenset()
    """Rounds that a sanction excludes the player from."""
    let_back: frozenset[int] = frozenset()
    """Rounds paired without the player because of a sanction or an expulsion that was lifted later."""
    expelled: bool = False
    expelled_under: str = ""
    """The article of the expulsion."""
    category: str = ""
    """Category of the player, such as ``U18``; empty for none."""
    seed_number: int = 0
    """Seed in a stage of a championship, from 1; 0 without seeds."""
    carried_half_points: int = 0
    """Half points of the championship that the player carries over from an earlier stage."""
    carried_spread: int = 0
    """Spread that the player carries over."""
    displaced: bool = False
    """Whether the player left a stage because they no longer qualified for it."""
    left_before: bool = False
    """Whether the player had already withdrawn before the expulsion."""

    def takes_part(self, number: int) -> bool:
        """Check whether the player plays or has a bye in a round."""
        here = self.entered <= number and number not in self.missed | self.excluded
        return here and (self.withdrawn is None or number < self.withdrawn)

    def let_back_into(self, number: int) -> bool:
        """Check whether only a sanction or expulsion that was lifted later kept the player out of a paired round."""
        return number in self.let_back and number not in self.excluded and self.withdrawn is None

    @property
    def never_came(self) -> bool:
        """Whether the player withdrew before their first round."""
        return self.withdrawn is not None and self.withdrawn <= self.entered
