"""What ends a game, and when (UF 27, FISC I.8, FM 7 and 9, FISE 45, PES Ε)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset
from faristol.rules.turns import TAKEN_AWAY, TurnKind


class EndCondition(StrEnum):
    """What ended a game."""

    OUT = "out"
    """A player has no tile left and the bag is empty (FISC I.8.A)."""
    LOST_TURNS = "lost-turns"
    """Each player lost so many turns in a row (FISC I.8.B)."""
    SCORELESS_TURNS = "scoreless-turns"
    """So many turns in a row without a play that stood (FISC I.8.B)."""
    ROUND_TIME = "round-time"
    """The round ran out of time (FISC I.8.C)."""
    OVERTIME = "overtime"
    """A player went over the cap on overtime (FISC I.8.D)."""
    AGREEMENT = "agreement"
    """The players agree that nobody can lay a tile (UF 27.1, FM 9, FISE 45.1), or each has said so in turn (FM 9)."""
    ABANDONED = "abandoned"
    """One player left (FISC I.8.E)."""
    ALL_ABANDONED = "all-abandoned"
    """Both players left (FISC I.8.F)."""
    FORFEIT = "forfeit"
    """Not played, or lost by decision (PES Γ.β, ΣΤ)."""


def end_of_turns(
    turns: Sequence[TurnKind],
    scores: Collection[int],
    ruleset: Ruleset,
    points: Sequence[int] | None = None,
    *,
    bag_size: int | None = None,
) -> EndCondition | None:
    """Whether the last turns of a game end it, and by which count (UF 27.2, FISC I.8.B, FM 7, FISE 45, PES Ε.γ).

    ``turns`` are all turns of all players so far, in order; ``scores`` are the running totals, one for each
    player; ``points`` what each turn scored, which must be given where zeros are counted. An exchange breaks a row
    of lost turns, but not a row of turns without a play; a turn that a penalty or the timer took is a pass to no book.
    Both are counted; the shorter row decides. With a ``bag_size`` of 0 one turn of each player is enough in which all
    said that they can play nothing, where they say that (FM 9).
    """
    end, players = ruleset.end, len(scores)
    at_zero = not any(scores)
    if bag_size == 0 and end.agreement and ruleset.passing.cannot_play:
        said = [turn is TurnKind.CANNOT_PLAY for turn in turns[-players:]]
        if len(said) == players and all(said):
            return EndCondition.AGREEMENT
    if end.lost_turns is not None and not (at_zero and end.exempt_at_zero == "both"):
        lost = [turn.value in end.lost_turn_kinds for turn in turns[-end.lost_turns * players :]]
        if len(lost) == end.lost_turns * players and all(lost):
            return EndCondition.LOST_TURNS
    if end.scoreless_turns is not None and not (at_zero and end.exempt_at_zero != "none"):
        row = end.scoreless_turns * players
        if end.scoreless_unit == "zero-score":
            if points is None or len(points) != len(turns):
                raise ValueError(f"{ruleset.name} counts turns that scored 0: say what each of {len(turns)} scored")
            idle = [scored == 0 for scored in points[-row:]]
        else:
            breaks = {TurnKind.PLAY, *(TAKEN_AWAY if end.scoreless_unit == "own-turn" else ())}
            idle = [turn not in breaks for turn in turns[-row:]]
        if len(idle) == row and all(idle):
            return EndCondition.SCORELESS_TURNS
    return None


def check_agreement(ruleset: Ruleset) -> None:
    """Refuse to end a game by agreement where the book does not know it (UF 27.1, FM 9 and FISE 45.1 do)."""
    if not ruleset.end.agreement:
        raise Refusal(
            "NO_AGREEMENT",
            ruleset.article("end.agreement") or ruleset.law.game_over,
            N_("Under these rules no game ends by agreement: players who cannot lay a tile pass."),
        )


def is_out(rack: Sequence[str], bag_size: int) -> bool:
    """Whether a player who holds ``rack`` has gone out (FISC I.8.A)."""
    return not rack and bag_size == 0


def turns_after_time_up(turns_taken: int, players: int, ruleset: Ruleset) -> int:
    """How many turns are still played when the time of the round is over (UF 27.4, FISC I.8.C and I.11, FISE 30).

    ``turns_taken`` is how many have been completed. A hand is one turn of each player. FISC: the hand begun is
    finished and one more is played. FISE: whoever has had fewer turns has one more, and a turn that nobody is owed
    is not played. UF: none. Raises ``ValueError`` where the book knows no time of a round.
    """
    match ruleset.round_time.rule:
        case "scores-stand":
            return 0
        case "equal-turns":
            return -turns_taken % players
        case "hand-and-one-more":
            return players - turns_taken % players + players
        case "none":
            raise ValueError(f"{ruleset.name} has no time of a round")
