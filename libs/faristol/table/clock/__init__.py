"""What a clock is, and how its facts change it. Pure."""

from faristol.kernel.times import Instant, instant, timestamp
from faristol.table.clock.evolution import evolve
from faristol.table.clock.state import (
    ARBITER,
    NANOSECONDS,
    Absence,
    Clock,
    elapsed_ms,
)

__all__ = [
    "ARBITER",
    "NANOSECONDS",
    "Absence",
    "Clock",
    "Instant",
    "elapsed_ms",
    "evolve",
    "instant",
    "timestamp",
]
