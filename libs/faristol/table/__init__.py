"""A table: its game, its clock, the decisions on commands, and automatic events. Pure; two services offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import Instant
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.table import clock as clocks
from faristol.table.clock import Clock
from faristol.table.game import evolution as games
from faristol.table.game.state import Game


@dataclass(frozen=True, slots=True)
class Table:
    """A table under a ruleset: its game and its clock."""

    ruleset: Ruleset
    game: Game = field(default_factory=Game)
    clock: Clock = field(default_factory=Clock)
    cell_key: bytes = b""
    """Public key of the hall cell in which this program runs; empty in the championship."""
    loss: str = ""
    """Why this hall cell no longer decides at the table, if its stream here does not say so (``ownership``)."""
    asked_elsewhere: frozenset[str] = frozenset()
    """Of the players in question, those with a ``WordAsked`` in another game, as asker or answerer."""
    strangers: frozenset[str] = frozenset()
    """Of the players in question, those not registered in the tournament."""
    overheld_elsewhere: int = 0
    """Racks that the player in question overheld on purpose in other games of the tournament."""

    @property
    def last_at(self) -> Instant:
        """The latest time in the events of the table."""
        return max(self.game.last_at, self.clock.last_at)

    @property
    def is_own(self) -> bool:
        """Whether this cell decides at the table (``ownership``)."""
        return self.game.owner_key == self.cell_key and not self.loss

    def after(self, events: Iterable[Message]) -> Table:
        """Return the table after ``events`` of its game and its clock. Raises ``TypeError`` for other events."""
        game, clock = reduce(evolve, events, (self.game, self.clock))
        return replace(self, game=game, clock=clock)


Decide = Callable[[Table, Any, Instant], list[Message]]
"""A decision on a command at a settled table at a time: its events, or ``Refusal``. The second argument is its request.
"""


def evolve(halves: tuple[Game, Clock], event: Message) -> tuple[Game, Clock]:
    """Return game and clock after an event of either. Raises ``TypeError`` for any other event."""
    game, clock = halves
    if of_clock(event):
        return game, clocks.evolve(clock, event)
    return games.evolve(game, event), clock


def of_clock(event: Message) -> bool:
    """Check whether an event of a table is one of its clock."""
    return type(event) in clocks.EVENT_KINDS
