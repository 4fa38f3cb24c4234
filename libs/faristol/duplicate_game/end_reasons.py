"""The reasons for the end of a game, in the contract and in the rules."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.finish import DuplicateEndReason

END_REASONS: Mapping[int, DuplicateEndReason] = {
    events.DuplicateEnd.Value(f"DUPLICATE_END_{reason.name}"): reason for reason in DuplicateEndReason
}
"""The reason of each ``DuplicateEnd``, by its number."""
END_NUMBERS = {reason: number for number, reason in END_REASONS.items()}
