"""The score of Keizer's system, which depends on the rank of each opponent. Pure.

Problem. A win against a leader should be worth more than one against the last, in a club whose players miss many
rounds. Idea. Each player has a value by their rank: the last about a third of the first, one point less from rank to
rank. A win is worth the value of the opponent, a draw half of it. The values follow from the ranks, and the ranks from
the scores, so that all games are counted again after each round, by the values of now. The system is J. H. Keizer's;
clubs differ in the details, and these are taken here: the value of the first is one and a half times the number of
players; a bye of the pairing and a full-point bye are worth two thirds of the player's own value, any other granted bye
a third, without fractions; an unannounced absence is worth 0; a player's own value is no part of the score.

Invariant. The score does not depend on the order of the players or on ratings: equal scores share a rank and a value.
Ranks are repeated until they no longer change, at most ``MAX_PASSES_COUNT`` times; the first are by points.

Cost. A pass is linear in the games; five are rarely exceeded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from faristol.kernel.byes import Bye
from faristol.rules.standings.arithmetic import Arithmetic, Term
from faristol.rules.standings.history import PlayerRound
from faristol.rules.standings.opponents import PlayerRounds, make_term
from faristol.rules.standings.results import RoundOutcome

MAX_PASSES_COUNT = 20
"""Limit of the passes in which ranks and scores are computed from each other."""

_SHARES = {RoundOutcome.WIN: 1.0, RoundOutcome.DRAW: 0.5, RoundOutcome.LOSS: 0.0}


def compute_values(scores: Mapping[str, float]) -> dict[str, int]:
    """Return the value of each player by the rank of their score: that of the first is 3/2 of the number of players."""
    ascending = sorted(-score for score in scores.values())
    top = len(scores) + len(scores) // 2
    return {player: top - bisect_left(ascending, -score) for player, score in scores.items()}


def compute_scores(field: PlayerRounds) -> dict[str, Arithmetic]:
    """Return the score of each player after the rounds of a field, with the arithmetic."""
    values = compute_values(field.points)
    found: dict[str, Arithmetic] = {}
    for _ in range(MAX_PASSES_COUNT):
        found = {player: _add_up(field, player, values) for player in field.rounds}
        before, values = values, compute_values({player: score.value for player, score in found.items()})
        if values == before:
            break
    return found


def _add_up(field: PlayerRounds, player: str, values: Mapping[str, int]) -> Arithmetic:
    return Arithmetic(tuple(_make_term(seen, values, player) for seen in field.rounds[player] if not seen.pending))


def _make_term(seen: PlayerRound, values: Mapping[str, int], player: str) -> Term:
    if seen.opponent is not None:
        worth = values[seen.opponent]
        return make_term(seen, _SHARES[seen.outcome] * worth, outcome=seen.outcome, worth=worth)
    own = values[player]
    if seen.sat_out in (Bye.ALLOCATED, Bye.FULL_POINT):
        return make_term(seen, float(2 * own // 3))
    return make_term(seen, float(own // 3) if seen.sat_out is not None else 0.0)
