"""A table: its game, its clock, what is decided there and what follows. Pure; two services offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import Instant
from faristol.rules.ruleset import Ruleset
from faristol.table import clock as clocks
from faristol.table.clock import Clock
from faristol.table.game import evolution as games
from faristol.table.game.state import Game


@dataclass(frozen=True, slots=True)
class Table:
    """A table, played under a ruleset: the game and the clock that stands beside it."""

    ruleset: Ruleset
    game: Game = field(default_factory=Game)
    clock: Clock = field(default_factory=Clock)
    asked_elsewhere: frozenset[str] = frozenset()
    """Who of those that it is asked of asked about a word in another game, or answered, as the game noted it."""
    strangers: frozenset[str] = frozenset()
    """Who of those that it is asked of is not registered in the tournament."""
    overheld_elsewhere: int = 0
    """Racks that a player held too full on purpose in other games of the tournament, where that is asked."""

    @property
    def last_at(self) -> Instant:
        """The latest moment that any fact of the table names."""
        return max(self.game.last_at, self.clock.last_at)

    def after(self, facts: Iterable[Message]) -> Table:
        """The table after ``facts`` of its game and of its clock. Raises ``TypeError`` for any others."""
        game, clock = reduce(evolve, facts, (self.game, self.clock))
        return replace(self, game=game, clock=clock)


Decide = Callable[[Table, Any, Instant], list[Message]]
"""Decides a command at a settled table at a moment: its facts, or ``Refusal``. The second argument is its request."""


def evolve(halves: tuple[Game, Clock], fact: Message) -> tuple[Game, Clock]:
    """Game and clock after a fact of either. Raises ``TypeError`` for any other."""
    game, clock = halves
    if of_clock(fact):
        return game, clocks.evolve(clock, fact)
    return games.evolve(game, fact), clock


def of_clock(fact: Message) -> bool:
    """Whether a fact of a table is one of its clock."""
    return type(fact) in clocks.FACTS
