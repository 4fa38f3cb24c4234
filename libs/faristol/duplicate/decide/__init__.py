"""The decisions of duplicate games: a request on a situation gives facts, or is refused. Pure; one act, one file."""

from __future__ import annotations

from faristol.duplicate.decide import (
    call_names,
    claims,
    corrections,
    embargoes,
    ends,
    halls,
    masters,
    racks,
    slips,
    timers,
    turn_scores,
)
from faristol.duplicate.situation import Commands

GAME: Commands = {
    **racks.COMMANDS,
    **slips.COMMANDS,
    **halls.COMMANDS,
    **masters.COMMANDS,
    **turn_scores.COMMANDS,
    **corrections.COMMANDS,
    **claims.COMMANDS,
    **ends.COMMANDS,
    **embargoes.COMMANDS,
    **call_names.COMMANDS,
}
"""The commands of ``DuplicateService``."""

CLOCK: Commands = timers.COMMANDS
"""The commands of ``TurnClockService``."""
