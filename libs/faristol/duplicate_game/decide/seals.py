"""The end of a sealed game: void from a turn on, or opened after the game (FISC II.1, II.3)."""

from __future__ import annotations

from faristol.duplicate_game.end_reasons import END_NUMBERS
from faristol.duplicate_game.situation import GAME, Fact, Situation
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.finish import DuplicateEndReason


def ended(situation: Situation, reason: DuplicateEndReason) -> list[Fact]:
    """End the game, and open its sealed game."""
    said = events.DuplicateEnded(
        end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
        turns=len(situation.game.turns),
    )
    return [(GAME, said), *opened(situation)]


def opened(situation: Situation) -> list[Fact]:
    """Publish the key of the sealed game; return an empty list if it does not exist or its key is unavailable."""
    if situation.sealed is None:
        return []
    return [(GAME, events.SealOpened(key=situation.sealed.key))]
