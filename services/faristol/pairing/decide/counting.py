"""The result that counts: that of a game, and what the sanctions that stand on it take. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pairing.model import Decided, GameSanction, Pairing, Round, Unsanctioned
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.endgame import forfeit_adjustments


def counting(
    ruleset: Ruleset,
    number: int,
    pairing: Pairing,
    result: Unsanctioned,
    sanctions: Sequence[GameSanction],
    *,
    arbiter_id: str,
    occurred_at: Timestamp,
) -> events.ResultCorrected:
    """What ``result`` of a game of round ``number`` comes to when the ``sanctions`` have taken theirs."""
    scores = dict(zip(pairing.player_ids, result.scores, strict=True))
    decided = result.decided
    for one in sanctions:
        scores, decided = _taken(ruleset, scores, decided, one)
    return events.ResultCorrected(
        round=number,
        game_id=pairing.game_id,
        scores=[game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores.items()],
        winner_id=decided.winner_id,
        lost_by_all=decided.lost_by_all,
        arbiter_id=arbiter_id,
        occurred_at=occurred_at,
        unplayed=decided.unplayed,
        condition=decided.condition,
        loser_ids=decided.losers,
    )


def after_sanctions(
    one: Round, pairing: Pairing, ruleset: Ruleset, result: Unsanctioned, occurred_at: Timestamp
) -> list[Message]:
    """What follows another ``result`` of a game: that which counts, where sanctions stand on it."""
    sanctions = one.game_sanctions.get(pairing.game_id)
    if not sanctions:
        return []
    arbiter_id = sanctions[-1].arbiter_id
    return [counting(ruleset, one.number, pairing, result, sanctions, arbiter_id=arbiter_id, occurred_at=occurred_at)]


def _taken(
    ruleset: Ruleset, scores: dict[str, int], decided: Decided, sanction: GameSanction
) -> tuple[dict[str, int], Decided]:
    """Scores and decision after one sanction: points off the score, or the game lost as by decision at its table."""
    if sanction.kind == events.SANCTION_KIND_POINTS:
        left = {**scores, sanction.player_id: scores[sanction.player_id] - sanction.points}
        if decided.losers or decided.lost_by_all or decided.unplayed:
            return left, decided
        return left, Decided(winner_id=_best(left), condition=decided.condition)
    losers = tuple(name for name in scores if name == sanction.player_id or name in decided.losers)
    points = dict(scores)
    for line in forfeit_adjustments(points, losers, ruleset):
        points[line.player] += line.points
    stayed = {player_id: score for player_id, score in points.items() if player_id not in losers}
    lost = Decided(
        winner_id=_best(stayed),
        lost_by_all=not stayed,
        condition=game_events.END_CONDITION_FORFEIT,
        losers=losers,
    )
    # Who played the game has played it.
    return points, replace(lost, unplayed=decided.unplayed)


def _best(scores: dict[str, int]) -> str:
    """Who has the highest score; empty when that is nobody alone."""
    best = [player_id for player_id, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 else ""
