"""What a clock is, and how its facts change it. Pure."""

from faristol.clock.model.clock import (
    ARBITER,
    NANOSECONDS,
    Absence,
    Clock,
    elapsed_ms,
)
from faristol.clock.model.evolution import evolve
from faristol.kernel.times import Instant, instant, timestamp

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
