"""Outcomes of forfeited and abandoned games: winner and absent players, which scores need not show. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.text import join_list, number, say

BY_FORFEIT = N_("by forfeit: {outcome}")
FORFEIT = N_("{winner} wins, {losers} did not arrive")
FORFEIT_BY_ALL = N_("no player arrived, and all lose")
ABANDONED = N_("abandoned by {players}")
ABANDONED_WON = N_("abandoned by {players}: {winner} wins")
ABANDONED_BY_ALL = N_("abandoned by {players}: all lose")
LOST_BY_ALL = N_("all lost")

WON_MARK, LOST_MARK = "+", "–"
"""Marks instead of the scores of a forfeit without points."""


def outcome(
    names: Sequence[str],
    language: str,
    *,
    winner: str = "",
    unplayed: bool = False,
    left: Collection[str] = (),
    lost_by_all: bool = False,
) -> str:
    """Return how a game was decided, as a part of a sentence; empty if its scores decide it.

    ``names`` are the players at the table; ``winner`` and ``left`` are among them. No winner is named if several
    players stayed. ``by_forfeit`` adds that the game is a forfeit.
    """
    if unplayed:
        if not winner:
            return say(FORFEIT_BY_ALL, {}, language)
        losers = join_list([name for name in names if name != winner], language)
        return say(FORFEIT, {"winner": winner, "losers": losers}, language)
    if left:
        stayed = [name for name in names if name not in left]
        winner = winner or (stayed[0] if len(stayed) == 1 and not lost_by_all else "")
        text = ABANDONED_WON if winner else ABANDONED if stayed and not lost_by_all else ABANDONED_BY_ALL
        players = join_list([name for name in names if name in left], language)
        return say(text, {"players": players, "winner": winner}, language)
    return say(LOST_BY_ALL, {}, language) if lost_by_all else ""


def by_forfeit(outcome: str, language: str) -> str:
    """Add to an outcome that it is a forfeit, for texts that do not say so otherwise."""
    return say(BY_FORFEIT, {"outcome": outcome}, language)


def has_points(scores: Iterable[int], *, unplayed: bool) -> bool:
    """Check whether the scores of a result are points: a forfeit has none unless the rules award them (PES ΣΤ)."""
    return not unplayed or any(scores)


def format_score(
    result: results.Table | results.GetGameResponse, seat: results.Seat, language: str, *, counted: bool = False
) -> str:
    """Format the score of a seat; ``+`` for the winner and ``–`` for the others of a forfeit without points.

    ``counted`` is for a seat of the scores that count in the tournament.
    """
    seats = result.counted if counted and isinstance(result, results.GetGameResponse) else result.seats
    if has_points((each.score for each in seats), unplayed=result.unplayed):
        return number(seat.score, language)
    return WON_MARK if seat.player_id == result.winner_id else LOST_MARK
