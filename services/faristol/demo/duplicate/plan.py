"""What is played in a demonstration of duplicate games: everything that follows from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from faristol.demo.plan import ROUND_EVERY, Plan

TURN_EVERY = timedelta(minutes=5)
"""From one rack to the next: three minutes of time, and two for slips and scores."""
NAMES = ("Nord", "Sud", "Est", "Oest", "Centre", "Port", "Horta", "Raval")


@dataclass(frozen=True)
class DuplicatePlan(Plan):
    """A demonstration of duplicate games. Two with the same values end in the same standings."""

    halls: int = 4
    turns: int = 4
    """Turns of each game; 0 for complete games."""

    @property
    def tournament_id(self) -> str:
        """An id that says which demonstration it is."""
        seed = str(self.seed).replace("-", "n")
        ruleset = self.ruleset.removesuffix("-duplicate")
        name = f"demo-{ruleset}-{self.players}-{self.halls}-{self.rounds}-{self.turns}-{seed}"
        return name[:40].rstrip("-")

    @cached_property
    def hall_names(self) -> tuple[str, ...]:
        """The halls, the first ones named, all others numbered."""
        return tuple(NAMES[place] if place < len(NAMES) else f"Sala {place + 1}" for place in range(self.halls))

    @property
    def seats(self) -> int:
        """Seats of a hall; in the last one sits whoever is left."""
        return -(-self.players // self.halls)

    @cached_property
    def round_every(self) -> timedelta:
        """Longer than a complete game: a hundred tiles last for less than fifty turns."""
        return ROUND_EVERY

    def turn_start(self, round_: int, turn: int, now: datetime) -> datetime:
        """When the time of a turn begins."""
        return self.round_start(round_, now) + turn * TURN_EVERY

    def cut_off(self, turn: int) -> str:
        """The hall that cannot be reached in a turn; empty where all can: the last one, in the second turn."""
        return self.hall_names[-1] if turn == 2 and self.halls > 1 else ""

    def is_live(self, round_: int, turn: int) -> bool:
        """Whether a turn is played at the present moment: the last one, where it is known to be the last.

        Players do not say when they act, so their phones can only take part in what happens now. All turns before it
        are dated in the past, or each would last for its three minutes.
        """
        return round_ == self.rounds and turn == self.turns > 1
