"""What a clock knows of its game. Pure."""

from faristol.clock.views.table import Interruption, Kind, Phase, Signal, Table
from faristol.clock.views.watching import (
    ENDS,
    ENDS_TURN,
    INTERRUPTS,
    LEAVES,
    RETAKES,
    SETTLES,
    TAKES,
    WRITES,
    watch_game,
)

__all__ = [
    "ENDS",
    "ENDS_TURN",
    "INTERRUPTS",
    "LEAVES",
    "RETAKES",
    "SETTLES",
    "TAKES",
    "WRITES",
    "Interruption",
    "Kind",
    "Phase",
    "Signal",
    "Table",
    "watch_game",
]
