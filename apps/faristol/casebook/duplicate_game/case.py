"""A case of a duplicate game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from faristol.casebook.case import Case, Word
from faristol.casebook.document import Value
from faristol.casebook.tournament.names import Names
from faristol.duplicate_game.preparation import duplicate_id

TOURNAMENT_ID = "case"
CASE_ROUND_NUMBER = 1
DUPLICATE_GAME_ID = duplicate_id(TOURNAMENT_ID, CASE_ROUND_NUMBER)
EARLIER_ID = duplicate_id("earlier", 1)
"""The game that is played again, if a case has one."""


@dataclass(frozen=True, slots=True)
class DuplicateCase(Case):
    """A duplicate game at the start of a case."""

    halls: Mapping[str, tuple[str, ...]]
    """The players of each hall, by name; one hall without a name by default."""
    words: frozenset[Word]
    """The words of the lexicon."""
    names: Names
    board: tuple[Value, ...]
    """Plays on the board."""
    bag: tuple[str, ...] | None
    """The tiles of the bag; None for all that are nowhere else."""
    leftover: tuple[str, ...]
    """The tiles left from the previous turn."""
    turn: int
    """The first turn that is played."""
    rerun: tuple[Value, ...] = ()
    """Racks and master plays of an earlier game that is played again, sealed."""

    @property
    def players(self) -> tuple[str, ...]:
        """All players by name, hall by hall."""
        return tuple(player for players in self.halls.values() for player in players)

    def hall_of(self, player: str) -> str:
        """Return the hall of a player; the first one for a person who is not in the game."""
        return next((hall for hall, players in self.halls.items() if player in players), next(iter(self.halls)))
