"""The input of a decision about a duplicate game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.duplicate_game import game as games
from faristol.duplicate_game import hall as halls
from faristol.duplicate_game.draws import END_REASONS, Words
from faristol.duplicate_game.game import Duplicate, Turn
from faristol.duplicate_game.hall import Counting, Hall, IsSame
from faristol.duplicate_game.sealed import SealedGame, SealedTurn
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.rules import Ruleset
from faristol.rules.duplicate_game import slips
from faristol.rules.duplicate_game.finish import end_article
from faristol.rules.duplicate_game.slips import is_same_play

GAME_STREAM_NUMBER = 0
"""In place of a hall number: the stream of the game itself."""

StreamEvent = tuple[int, Message]
"""An event and the number of the hall of its stream; ``GAME_STREAM_NUMBER`` for that of the game."""


@dataclass(frozen=True, slots=True)
class OpenedSeal:
    """A sealed game that was opened."""

    game: SealedGame
    key: bytes
    """The key of its content."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A game, settled up to ``at``, with the halls of a decision."""

    game: Duplicate
    halls: Mapping[int, Hall]
    ruleset: Ruleset
    words: Words
    at: Instant
    missing: Sequence[Message] = field(default_factory=tuple)
    """Automatic events of the game that are not on the record yet."""
    sealed: OpenedSeal | None = None
    """The sealed game; None if it does not exist or cannot be opened."""
    cell_key: bytes = b""
    """Public key of the hall cell that decides; empty for the championship."""
    lost: frozenset[int] = frozenset()
    """Numbers of halls whose slips the cell of the hall has lost to its championship, as it learned."""
    is_cut: bool = False
    """Whether the cell of a hall has not heard its championship for some time."""
    hidden_seed: bytes = b""
    """Seed of a game whose events do not have it yet; empty if they have it, or if it is unknown here."""

    @property
    def seed(self) -> bytes:
        """The seed of its draws."""
        return self.game.seed or self.hidden_seed

    def is_own(self, hall: Hall) -> bool:
        """Check whether this cell decides on the slips of a hall."""
        return hall.owner_key == self.cell_key and hall.number not in self.lost

    def after(self, events: Sequence[StreamEvent]) -> Situation:
        """Return the situation after ``events`` are on the record."""
        game, by_number = self.game, dict(self.halls)
        for number, event in events:
            if number == GAME_STREAM_NUMBER:
                game = games.evolve(game, event)
            else:
                by_number[number] = halls.evolve(by_number[number], event)
        return replace(self, game=game, halls=by_number)

    def hall(self, name: str) -> Hall:
        """Return a hall by its name. Raises ``Invalid`` for an unknown name."""
        found = self.game.hall_named(name)
        if found is None:
            known = ", ".join(hall.name or "–" for hall in self.game.halls)
            raise Invalid(
                "hall", N_("there is no hall {name}; there are: {known}"), {"name": repr(name), "known": known}
            )
        return self.halls[found.number]

    def turn(self, number: int) -> Turn:
        """Return a turn whose rack was called. Raises ``Invalid`` if it was not called."""
        found = self.game.turn(number)
        if found is None:
            raise Invalid(
                "turn",
                N_("the rack of round {turn} was not called; racks called so far: {last}"),
                {"turn": number, "last": len(self.game.turns)},
            )
        return found

    def refuse_turn(self, reason: str, message: str, number: int) -> Refusal:
        """Return a refusal by the article about the time of a turn."""
        return Refusal(reason, message, {"turn": number}, article=self.ruleset.article("turns.seconds"))

    def counting(self, hall: Hall, turn: Turn, player_id: str) -> Counting:
        """Return the slip of a player that counts in a turn whose time has begun."""
        timer = hall.apply_own_time(turn).timer
        assert timer is not None
        return hall.turn(turn.number).counting(player_id, timer, same_play_in(turn, self.ruleset))

    def sealed_turn(self, number: int) -> SealedTurn | None:
        """Return the sealed turn of that number; None if it does not exist or the seal is void by then.

        Raises ``Refusal`` if the seal is valid and the envelope cannot be opened.
        """
        if not self.game.seal_holds(number):
            return None
        if self.sealed is None:
            raise Refusal(
                "SEAL_CLOSED",
                N_(
                    "The sealed game cannot be opened here: its key is unavailable. To set another rack or play, "
                    "specify a reason."
                ),
            )
        return self.sealed.game.turn(number)

    def check_not_embargoed(self) -> None:
        """Refuse if the game is under embargo."""
        if self.game.is_embargoed:
            raise Refusal(
                "EMBARGO",
                N_("The game is under embargo until every group has played it: claims are accepted after that."),
                article=self.ruleset.law.correction,
            )

    def running(self) -> None:
        """Refuse if the game is over."""
        if self.game.end:
            reason = END_REASONS[self.game.end]
            raise Refusal("GAME_OVER", N_("The game is over."), article=end_article(reason, self.ruleset))

    def takes_slips(self, number: int) -> None:
        """Refuse slips of a turn if the game ended without it, or the results are final.

        A turn that was scored without a hall remains open for it after the end, too.
        """
        self.not_final()
        if not self.turn(number).completed:
            self.running()

    def not_final(self) -> None:
        """Refuse if the results are final."""
        if self.game.validated:
            raise Refusal(
                "RESULTS_FINAL",
                N_("The results are validated and therefore final."),
                article=self.ruleset.law.result_final,
            )


def same_play_in(turn: Turn, ruleset: Ruleset) -> IsSame:
    """Return a check whether two slips of a turn describe the same play, without a lexicon."""
    return partial(is_same_play, turn=slips.TurnData(turn.board, turn.rack, ruleset, lambda _: True))


Decide = Callable[[Situation, Any], list[StreamEvent]]
Commands = Mapping[type[Message], Decide]
"""Decisions by request."""


def reason_given(reason: str) -> str:
    """Return the reason. Raises ``Invalid`` if it is empty."""
    if not reason.strip():
        raise Invalid("reason", N_("is empty; expected a reason"))
    return reason.strip()
