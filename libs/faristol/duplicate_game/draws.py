"""The next rack of a game, drawn from a seed, or the reason for its end (FISC II.3, II.6). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Ruleset
from faristol.rules.duplicate_game.finish import DuplicateEndReason, end_before
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.racks import DrawnAttempt, RackDrawn, draw_rack


class Words(Protocol):
    """The lexicon of a game."""

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """Check whether it has a word."""

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """Return the plays of the highest score, the proposed master play first; an empty tuple without a play."""

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """Return the best ``count`` plays and all with the score of the last, in the order of proposal."""


END_REASONS: Mapping[int, DuplicateEndReason] = {
    events.DuplicateEnd.Value(f"DUPLICATE_END_{reason.name}"): reason for reason in DuplicateEndReason
}
"""The reason of each ``DuplicateEnd``, by its number."""
END_NUMBERS = {reason: number for number, reason in END_REASONS.items()}


MAX_REDRAWN_RACKS = 1_000
"""Valid racks of one turn that go back without a play before the game has no play at all."""


@dataclass(frozen=True, slots=True)
class DrawState:
    """The state from which the next rack is drawn."""

    turn: int
    """The number of its turn, from 1."""
    board: Board
    leftover: tuple[str, ...]
    bag: tuple[str, ...]
    seed: bytes
    counter: int
    """The number of the next draw."""

    @property
    def left(self) -> tuple[str, ...]:
        """All tiles in bag and rack."""
        return (*self.leftover, *self.bag)


def end_of(table: DrawState, ruleset: Ruleset, words: Words) -> DuplicateEndReason | None:
    """Return the reason that no rack can follow; None if one can."""
    return end_before(table.turn, table.left, ruleset, lambda tiles: bool(words.tops(table.board, tiles)))


def draw_next_rack(table: DrawState, ruleset: Ruleset, words: Words) -> RackDrawn | DuplicateEndReason:
    """Return the rack that the seed determines, or the reason for the end of the game.

    A rack without a play goes back like an invalid one.
    """
    if end := end_of(table, ruleset, words):
        return end
    attempts: list[DrawnAttempt] = []
    leftover: Sequence[str] = table.leftover
    bag: Sequence[str] = table.bag
    counter = table.counter
    for _ in range(MAX_REDRAWN_RACKS):
        rack = draw_rack(table.turn, leftover, bag, table.seed, counter, ruleset)
        if rack is None:
            break
        attempts += rack.attempts
        if words.tops(table.board, rack.rack):
            return RackDrawn(tuple(attempts), rack.bag)
        leftover, bag, counter = (), (*rack.rack, *rack.bag), rack.next_counter
    return DuplicateEndReason.NO_PLAY
