"""Why a game is over, as the contract and as the law name it."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.rules.duplicate.finish import DuplicateEndReason

END_REASONS: Mapping[int, DuplicateEndReason] = {
    1: DuplicateEndReason.EXHAUSTED,
    2: DuplicateEndReason.NO_RACK,
    3: DuplicateEndReason.NO_PLAY,
    4: DuplicateEndReason.TURNS,
    5: DuplicateEndReason.AGREEMENT,
}
"""The reason of each ``DuplicateEnd``, by its number."""
END_NUMBERS = {reason: number for number, reason in END_REASONS.items()}
