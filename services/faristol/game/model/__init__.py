"""What a table is, and how events change it. Pure."""

from __future__ import annotations

from faristol.game.model.evolution import evolve, fold
from faristol.game.model.table import (
    Course,
    Drawn,
    Game,
    Instant,
    Interruption,
    Phase,
    Pin,
    Taken,
    instant,
    tiles_of,
    timestamp,
)

__all__ = [
    "Course",
    "Drawn",
    "Game",
    "Instant",
    "Interruption",
    "Phase",
    "Pin",
    "Taken",
    "evolve",
    "fold",
    "instant",
    "tiles_of",
    "timestamp",
]
