"""What becomes of a sealed game: it is void from a turn on, or opened when the game is over (FISC II.1, II.3)."""

from __future__ import annotations

from faristol.duplicate.end_reasons import END_NUMBERS
from faristol.duplicate.situation import GAME, Fact, Situation
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate.finish import DuplicateEndReason


def ended(situation: Situation, reason: DuplicateEndReason) -> list[Fact]:
    """The game is over by itself, and its sealed game is opened for everybody."""
    said = events.DuplicateEnded(
        end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
        turns=len(situation.game.turns),
    )
    return [(GAME, said), *opened(situation)]


def opened(situation: Situation) -> list[Fact]:
    """The key of the sealed game goes on the record; nothing where there is none, or it is away."""
    if situation.sealed is None:
        return []
    return [(GAME, events.SealOpened(key=situation.sealed.key))]
