"""What a clock is, and how its facts change it. Pure."""

from faristol.kernel.times import Instant, instant, timestamp
from faristol.table.clock.evolution import FACTS, TIMED, evolve, fold
from faristol.table.clock.state import (
    ARBITER,
    NANOSECONDS,
    Absence,
    Clock,
    elapsed_ms,
)

__all__ = [
    "ARBITER",
    "FACTS",
    "NANOSECONDS",
    "TIMED",
    "Absence",
    "Clock",
    "Instant",
    "elapsed_ms",
    "evolve",
    "fold",
    "instant",
    "timestamp",
]
