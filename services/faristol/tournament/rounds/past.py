"""The rounds so far of each player, as input of the next pairing. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from faristol.rules import Bye, Result, RoundOutcome, Ruleset
from faristol.rules.standings import is_rest
from faristol.tournament.state import Pairing, RoundState, TournamentState


@dataclass(frozen=True, slots=True)
class Past:
    """One round of one player."""

    half_points: int = 0
    """Half points of the championship."""
    opponent: str = ""
    """The opponent in a played game; empty without a game."""
    first: bool = False
    """Whether the player was first in the pairing."""
    paired: bool = False
    """Whether the pairing had the player in it: with an opponent, even an absent one, or with its bye."""
    allocated: bool = False
    """Whether the player had the bye of the pairing."""
    unplayed_win: bool = False
    """Whether the player won without a game: a full-point bye, or an absent opponent."""

    @property
    def played(self) -> bool:
        """Whether a game was played."""
        return bool(self.opponent)

    @property
    def as_bye(self) -> bool:
        """Whether it excludes the player from the next bye (FIDE C.04.1), regardless of its points."""
        return self.allocated or self.unplayed_win


def past_of(state: TournamentState, ruleset: Ruleset, player_id: str, before: int) -> tuple[Past, ...]:
    """Return the rounds of a player before round ``before``. A game without a result has no points yet."""
    pasts = ((played, _past(state, played, ruleset, player_id)) for played in state.played[: before - 1])
    # Some rounds have separate points.
    return tuple(
        replace(past, half_points=played.half_points.get(player_id, past.half_points)) for played, past in pasts
    )


def _past(state: TournamentState, played: RoundState, ruleset: Ruleset, player_id: str) -> Past:
    law = ruleset.championship
    if played.bye == player_id:
        entered = sum(not player.never_came for player in state.players)
        worth = 0.0 if is_rest(Bye.ALLOCATED, ruleset, entered) else law.bye
        return Past(half_points=round(2 * worth), paired=True, allocated=True)
    pairing = next((pairing for pairing in played.pairings if player_id in pairing.player_ids), None)
    if pairing is None:
        bye = played.requested.get(player_id)
        return Past(half_points=round(2 * _worth(bye, ruleset)), unplayed_win=bye is Bye.FULL_POINT)
    if len(pairing.player_ids) > 2:
        # No points of the championship, and the lot may bring the same players together again.
        return Past(paired=True)
    first = pairing.player_ids[0] == player_id
    opponent = pairing.pair[1 if first else 0]
    result = result_of(played, pairing)
    if result is None:
        return Past(opponent=opponent, first=first, paired=True)
    of = {RoundOutcome.WIN: law.win, RoundOutcome.DRAW: law.draw, RoundOutcome.LOSS: law.loss}
    outcome = result.outcomes[0 if first else 1]
    half_points = round(2 * of[outcome])
    if result.played:
        return Past(half_points, opponent, first, paired=True)
    return Past(half_points, first=first, paired=True, unplayed_win=outcome is RoundOutcome.WIN)


def _worth(bye: Bye | None, ruleset: Ruleset) -> float:
    match bye:
        case Bye.HALF_POINT:
            return ruleset.championship.draw
        case Bye.FULL_POINT:
            return ruleset.championship.win
        case _:
            return 0.0


def result_of(played: RoundState, pairing: Pairing) -> Result | None:
    """Return the result of a table of two, or None if it has none."""
    if pairing.game_id not in played.results:
        return None
    first, second = played.results[pairing.game_id]
    decided = played.decided[pairing.game_id]
    return Result.of_table(
        played.number,
        *pairing.pair,
        first,
        second,
        winner=decided.winner_id,
        lost_by_all=decided.lost_by_all,
        played=not decided.unplayed,
    )
