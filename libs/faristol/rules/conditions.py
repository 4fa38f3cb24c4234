"""End conditions of a game (UF 27, FISC I.8, FM 7 and 9, FISE 45, PES Ε)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.turns import TAKEN_AWAY, TurnKind


class EndCondition(StrEnum):
    """The reason for the end of a game."""

    OUT = "out"
    """A player has no tile left and the bag is empty (FISC I.8.A)."""
    LOST_TURNS = "lost-turns"
    """Each player lost a number of consecutive turns (FISC I.8.B)."""
    SCORELESS_TURNS = "scoreless-turns"
    """A number of consecutive turns without a play that stood (FISC I.8.B)."""
    ROUND_TIME = "round-time"
    """The round ran out of time (FISC I.8.C)."""
    OVERTIME = "overtime"
    """A player went over the cap on overtime (FISC I.8.D)."""
    AGREEMENT = "agreement"
    """The players agree that no player can lay a tile (UF 27.1, FM 9, FISE 45.1), or each declares so in turn (FM
    9)."""
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
    """Return the condition by which the last turns end a game, or None (UF 27.2, FISC I.8.B, FM 7, FISE 45, PES Ε.γ).

    ``turns`` are all turns of all players, in order. ``scores`` are the running totals, one for each player. ``points``
    are the scores of the turns, required if turns with 0 points count. An exchange interrupts lost turns, but not turns
    without a play. A turn lost by a penalty or the timer is a pass in no book. Both counts apply; the first one reached
    decides. With a ``bag_size`` of 0, one turn is enough in which each player declares that no play is possible, if the
    rules have that declaration (FM 9).
    """
    end, players = ruleset.end, len(scores)
    at_zero = not any(scores)
    if bag_size == 0 and end.agreement and ruleset.passing.cannot_play:
        cannot_play = [turn is TurnKind.CANNOT_PLAY for turn in turns[-players:]]
        if len(cannot_play) == players and all(cannot_play):
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
    """Raise ``Refusal`` if the book has no end by agreement (UF 27.1, FM 9 and FISE 45.1 have it)."""
    if not ruleset.end.agreement:
        raise Refusal(
            "NO_AGREEMENT",
            N_("Under these rules no game ends by agreement: a player who cannot lay a tile must pass."),
            article=ruleset.article("end.agreement") or ruleset.law.game_over,
        )


def is_out(rack: Sequence[str], bag_size: int) -> bool:
    """Check whether a player with ``rack`` has gone out (FISC I.8.A)."""
    return not rack and bag_size == 0


def turns_after_time_up(turns_taken: int, players: int, ruleset: Ruleset) -> int:
    """Return the number of turns after the end of the round's time (UF 27.4, FISC I.8.C and I.11, FISE 30).

    ``turns_taken`` is the number of completed turns. A round of turns is one turn of each player. FISC: the current
    round of turns is finished and one more is played. FISE: each player with fewer turns has one more; otherwise no
    turn is played. UF: none. Raises ``ValueError`` if the book has no round time.
    """
    match ruleset.round_time.rule:
        case "scores-stand":
            return 0
        case "equal-turns":
            return -turns_taken % players
        case "hand-and-one-more":
            return players - turns_taken % players + players
        case "none":
            raise ValueError(f"{ruleset.name} has no round time")
