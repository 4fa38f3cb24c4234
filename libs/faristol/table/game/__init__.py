"""What a table is, and how events change it. Pure."""

from __future__ import annotations

from faristol.kernel.times import Instant, instant, timestamp
from faristol.table.game.evolution import evolve, fold
from faristol.table.game.state import (
    UNKNOWN,
    Course,
    Drawn,
    Game,
    Interruption,
    LastRuling,
    Phase,
    Taken,
    blanks_of,
    taken_out,
    tiles_of,
)

__all__ = [
    "UNKNOWN",
    "Course",
    "Drawn",
    "Game",
    "Instant",
    "Interruption",
    "LastRuling",
    "Phase",
    "Taken",
    "blanks_of",
    "evolve",
    "fold",
    "instant",
    "taken_out",
    "tiles_of",
    "timestamp",
]
