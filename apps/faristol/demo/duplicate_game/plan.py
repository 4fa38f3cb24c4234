"""The plan of a demonstration of duplicate games: everything that follows from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from faristol.demo.plan import ROUND_EVERY, Plan

TURN_EVERY = timedelta(minutes=5)
"""Interval of turns: three minutes of time, and two for slips and scores."""
HALL_NAMES = ("Nord", "Sud", "Est", "Oest", "Centre", "Port", "Horta", "Raval")


@dataclass(frozen=True)
class DuplicatePlan(Plan):
    """The plan of a demonstration of duplicate games. Equal plans lead to equal standings."""

    halls: int = 4
    turns: int = 4
    """Number of turns of each game; 0 for complete games."""

    @property
    def tournament_id(self) -> str:
        """An id that identifies the plan."""
        seed = str(self.seed).replace("-", "n")
        ruleset = self.ruleset.removesuffix("-duplicate")
        name = f"demo-{ruleset}-{self.players}-{self.halls}-{self.rounds}-{self.turns}-{seed}"
        return name[:40].rstrip("-")

    @property
    def title(self) -> str:
        """Name of the tournament."""
        return f"Duplicada Faristol {self.seed}" if self.pace else super().title

    @cached_property
    def hall_names(self) -> tuple[str, ...]:
        """Names of the halls: given names for the first ones, numbers for all others."""
        return tuple(
            HALL_NAMES[place] if place < len(HALL_NAMES) else f"Sala {place + 1}" for place in range(self.halls)
        )

    @property
    def seats(self) -> int:
        """Number of seats of a hall; the last hall takes the players left."""
        return -(-self.players // self.halls)

    @cached_property
    def round_every(self) -> timedelta:
        """Interval of rounds, longer than a complete game: a hundred tiles last for less than fifty turns."""
        return ROUND_EVERY

    def turn_start(self, round_: int, turn: int, now: datetime) -> datetime:
        """Return the start of a turn's time; with a pace, the first turn begins a minute after its round."""
        if self.pace:
            return self.round_start(round_, now) + timedelta(minutes=1) + (turn - 1) * TURN_EVERY
        return self.round_start(round_, now) + turn * TURN_EVERY

    def cut_off(self, turn: int) -> str:
        """Return the hall that is cut off in a turn: the last one in the second turn; else an empty string."""
        return self.hall_names[-1] if turn == 2 and self.halls > 1 else ""

    def is_live(self, round_: int, turn: int) -> bool:
        """Check whether a turn is live, dated now: the last one, if it is known to be the last.

        Requests from phones have no separate time, so that phones can only play a live turn. All earlier turns are
        dated in the past, because each would otherwise take three minutes.
        """
        return not self.pace and round_ == self.rounds and turn == self.turns > 1
