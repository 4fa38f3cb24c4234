"""What a table is, and how events change it. Pure."""

from __future__ import annotations

from faristol.game.model.evolution import evolve, fold
from faristol.game.model.table import (
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
from faristol.kernel.times import Instant, instant, timestamp

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
