"""What a decision about a duplicate game is made on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from google.protobuf.message import Message

from faristol.duplicate import game as games
from faristol.duplicate import hall as halls
from faristol.duplicate.game import Duplicate, Turn
from faristol.duplicate.hall import Hall
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.rules import Board, Ruleset
from faristol.rules.duplicate.finish import DuplicateEndReason, end_article
from faristol.rules.duplicate.plays import Play

GAME = 0
"""In place of the number of a hall: the stream of the game itself."""

Fact = tuple[int, Message]
"""A fact, and the number of the hall on whose stream it goes; ``GAME`` for that of the game."""


class Words(Protocol):
    """The lexicon of a game."""

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """Whether it has a word."""

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """The plays of the highest score, the one first that is proposed as master play; none where nothing fits."""

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """The best ``count`` plays and all that score as much as the last, in the order in which they are proposed."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A game, settled up to ``at``, with the halls that a decision asks for."""

    game: Duplicate
    halls: Mapping[int, Hall]
    ruleset: Ruleset
    words: Words
    at: Instant
    missing: Sequence[Message] = field(default_factory=tuple)
    """Facts of the game that follow by themselves and are not on the record yet."""

    def after(self, facts: Sequence[Fact]) -> Situation:
        """The situation once ``facts`` are on the record."""
        game, by_number = self.game, dict(self.halls)
        for number, fact in facts:
            if number == GAME:
                game = games.evolve(game, fact)
            else:
                by_number[number] = halls.evolve(by_number[number], fact)
        return replace(self, game=game, halls=by_number)

    def hall(self, name: str) -> Hall:
        """A hall by its name. Raises ``Invalid`` when there is none of that name."""
        found = self.game.hall_named(name)
        if found is None:
            known = ", ".join(hall.name or "–" for hall in self.game.halls)
            raise Invalid(
                "hall", N_("there is no hall {name}; there are: {known}"), {"name": repr(name), "known": known}
            )
        return self.halls[found.number]

    def turn(self, number: int) -> Turn:
        """A turn whose rack was called. Raises ``Invalid`` when that is none."""
        found = self.game.turn(number)
        if found is None:
            raise Invalid(
                "turn",
                N_("the rack of round {turn} was not called; {last} were"),
                {"turn": number, "last": len(self.game.turns)},
            )
        return found

    def running(self) -> None:
        """Refuse where the game is over."""
        if self.game.end:
            reason = END_REASONS[self.game.end]
            raise Refusal("GAME_OVER", end_article(reason, self.ruleset), N_("The game is over."))

    def not_final(self) -> None:
        """Refuse where the results are final."""
        if self.game.validated:
            raise Refusal(
                "RESULTS_FINAL", self.ruleset.law.result_final, N_("The results are validated, and so they are final.")
            )


Decide = Callable[[Situation, Any], list[Fact]]
Commands = Mapping[type[Message], Decide]
"""Decisions by the request that they are for."""

END_REASONS: Mapping[int, DuplicateEndReason] = {
    1: DuplicateEndReason.EXHAUSTED,
    2: DuplicateEndReason.NO_RACK,
    3: DuplicateEndReason.NO_PLAY,
    4: DuplicateEndReason.TURNS,
    5: DuplicateEndReason.AGREEMENT,
}
"""The reason of each ``DuplicateEnd``, by its number."""
END_NUMBERS = {reason: number for number, reason in END_REASONS.items()}


def reason_given(reason: str) -> str:
    """The reason. Raises ``Invalid`` where there is none."""
    if not reason.strip():
        raise Invalid("reason", N_("is empty; expected why"))
    return reason.strip()
