"""Publication at the end of a game: the key of its sealed game and its seed (FISC II.1, II.3)."""

from __future__ import annotations

from faristol.duplicate_game.end_reasons import END_NUMBERS
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.finish import DuplicateEndReason


def end_and_reveal(situation: Situation, reason: DuplicateEndReason) -> list[StreamEvent]:
    """End the game, and reveal its sealed game and its seed."""
    ended = events.DuplicateEnded(
        end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
        turns=len(situation.game.turns),
    )
    return [(GAME_STREAM_NUMBER, ended), *reveal_draws(situation)]


def reveal_draws(situation: Situation) -> list[StreamEvent]:
    """Return the key of the sealed game and the seed, as far as they exist and are not on the record."""
    revealed: list[StreamEvent] = []
    if situation.sealed is not None:
        revealed.append((GAME_STREAM_NUMBER, events.SealOpened(key=situation.sealed.key)))
    if situation.hidden_seed:
        revealed.append((GAME_STREAM_NUMBER, events.GameSeedRevealed(seed=situation.hidden_seed)))
    return revealed
