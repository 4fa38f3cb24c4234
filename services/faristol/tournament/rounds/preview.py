"""The preview of a pairing while results of the current round are missing. Pure.

The preview folds the assumed results and the end of the round into a copy of the state, and pairs the next round in
it. It writes no event, and the pairing of the same results later is the same: its lots derive from the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, check_none
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import build_not_in_game_error
from faristol.tournament.results.results import given_scores, record_result, scores_swapped, winner_by
from faristol.tournament.rounds.pairing import compute_pairing
from faristol.tournament.rounds.readiness import against_next, check_next
from faristol.tournament.state import (
    GameDecision,
    Pairing,
    Phase,
    RoundState,
    TournamentState,
    evolve,
)

ASSUMED_WIN_POINTS = 1
"""Spread of an assumed win without scores, in points."""


def preview_round(
    state: TournamentState, ruleset: Ruleset, results: Sequence[pb.AssumedResult], system: str = ""
) -> tuple[TournamentState, RoundState]:
    """Pair the next round as if the missing results were ``results``.

    Return the tournament after these results, and the round. Raises ``Invalid`` for a game that is unknown, has a
    result or is given twice. Raises ``Refusal`` for a game that still has none, and as ``pairing.pair`` does.
    """
    after = _assume(state, ruleset, results)
    number = len(after.played) + 1
    check_next(after, number)
    check_none(against_next(after, ruleset, number))
    event, bye = compute_pairing(after, ruleset, number, system, after.latest)
    return after, replace(RoundState.of(event), bye=bye or None)


def _assume(state: TournamentState, ruleset: Ruleset, results: Sequence[pb.AssumedResult]) -> TournamentState:
    current = state.open_round
    missing = {pairing.game_id: pairing for pairing in current.missing} if current else {}
    after, at = replace(state, draft=None), to_timestamp(state.latest)
    for place, result in enumerate(results):
        pairing = missing.pop(result.game_id, None)
        if pairing is None:
            raise Invalid(
                f"results[{place}].game_id",
                N_("is {game}; expected a game of the current round without a result, once"),
                {"game": result.game_id[:200] or "–"},
            )
        scores = _scores_of(pairing, result)
        decided = GameDecision(winner_id=winner_by(dict(scores)))
        recorded = record_result(after, ruleset, game=pairing.game_id, scores=scores, occurred_at=at, decided=decided)
        after = reduce(evolve, recorded, after)
    if current is not None and not missing and current.phase is Phase.STARTED:
        after = evolve(after, events.RoundClosed(round=current.number, occurred_at=at))
    return after


def _scores_of(pairing: Pairing, result: pb.AssumedResult) -> tuple[tuple[str, int], ...]:
    """Return the scores of an assumed result. Raises ``Invalid``, ``Refusal`` if another player has the higher one."""
    if result.winner_id and result.winner_id not in pairing.player_ids:
        raise build_not_in_game_error("winner_id", result.winner_id, pairing.game_id)
    if not result.scores:
        return tuple(
            (player_id, ASSUMED_WIN_POINTS if player_id == result.winner_id else 0) for player_id in pairing.player_ids
        )
    scores = given_scores(pairing, result.scores)
    if result.winner_id and winner_by(dict(scores)) != result.winner_id:
        raise scores_swapped(result.winner_id, scores)
    return scores
