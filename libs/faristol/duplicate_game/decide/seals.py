"""The end of a sealed game: void from a turn on, or opened after the game (FISC II.1, II.3)."""

from __future__ import annotations

from faristol.duplicate_game.end_reasons import END_NUMBERS
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.finish import DuplicateEndReason


def end_and_open_seal(situation: Situation, reason: DuplicateEndReason) -> list[StreamEvent]:
    """End the game, and open its sealed game."""
    ended = events.DuplicateEnded(
        end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
        turns=len(situation.game.turns),
    )
    return [(GAME_STREAM_NUMBER, ended), *publish_seal_key(situation)]


def publish_seal_key(situation: Situation) -> list[StreamEvent]:
    """Publish the key of the sealed game; return an empty list if it does not exist or its key is unavailable."""
    if situation.sealed is None:
        return []
    return [(GAME_STREAM_NUMBER, events.SealOpened(key=situation.sealed.key))]
