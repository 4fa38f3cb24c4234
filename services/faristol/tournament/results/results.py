"""Results of games: from tables, and after sanctions. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.endgame import forfeit_adjustments
from faristol.tournament.conditions import paired_game
from faristol.tournament.state import (
    GameDecision,
    GameSanction,
    Pairing,
    Phase,
    RoundState,
    TournamentState,
    Unsanctioned,
)

Scores = Sequence[tuple[str, int]]
"""The points of each player of a table."""

MOST_POINTS = 100_000
"""Limit of points in a game, far above real scores."""


def record_result(
    state: TournamentState,
    ruleset: Ruleset,
    *,
    game: str,
    scores: Scores,
    occurred_at: Timestamp,
    decided: GameDecision | None = None,
) -> list[Message]:
    """Record a table's final result, with ``scores`` in the order of the pairing. Returns [] if it is known.

    ``decided`` has the winner if it is not the highest score, and the revision of a reopened result (FISE 44). Such a
    result replaces the one before, in any phase of the round; sanctions are applied to it again. Raises ``Refusal`` if
    the game is not paired, or if it has other players or another result. Raises ``Refusal`` if its round is not
    started.
    """
    played, pairing = paired_game(state, game)
    _check_players(pairing, scores)
    result = _give_back(played, pairing, Unsanctioned(tuple(points for _, points in scores), decided or GameDecision()))
    before = played.without_sanctions(game) if game in played.results else None
    kind = _classify(before, result)
    if kind is ResultKind.KNOWN or game in played.entered:  # entered: by an arbiter, before the end at the table
        return []
    if kind is ResultKind.FIRST:
        _check_started(played, game)
    if kind is ResultKind.CONTRADICTION:
        raise _refuse_contradiction(ruleset, game, played.without_sanctions(game), result)
    recorded = events.ResultRecorded(
        round=played.number,
        game_id=game,
        scores=final_scores(zip(pairing.player_ids, result.scores, strict=True)),
        occurred_at=occurred_at,
        revision=result.decided.revision,
        **result.decided.fields(),
    )
    return [recorded, *after_sanctions(played, pairing, ruleset, result, occurred_at)]


class ResultKind(Enum):
    """A result that arrives, compared with the result of its game in the record."""

    FIRST = auto()
    """The game has no result."""
    KNOWN = auto()
    """The same result, or one from before the game was reopened."""
    CORRECTION = auto()
    """The result of a game that was reopened."""
    CONTRADICTION = auto()
    """Other scores, and the game was not reopened."""


def _classify(before: Unsanctioned | None, result: Unsanctioned) -> ResultKind:
    """Classify a result by the one ``before``, None without one. Both are without sanctions."""
    if before is None:
        return ResultKind.FIRST
    if result.decided.revision > before.decided.revision:
        return ResultKind.CORRECTION
    if result.decided.revision < before.decided.revision or result.scores == before.scores:
        return ResultKind.KNOWN
    return ResultKind.CONTRADICTION


def _check_players(pairing: Pairing, scores: Scores) -> None:
    """Raise ``Refusal`` unless the scores are of the players of the pairing, in its order."""
    names = tuple(player_id for player_id, _ in scores)
    if names != pairing.player_ids:
        raise Refusal(
            "WRONG_PLAYERS",
            N_("The result of {game} has the players {found}; the pairing has {expected}, in this order."),
            {"game": pairing.game_id, "found": ", ".join(names), "expected": ", ".join(pairing.player_ids)},
        )


def _give_back(played: RoundState, pairing: Pairing, result: Unsanctioned) -> Unsanctioned:
    """Return a result with the points of sanctions at its table that were lifted since."""
    if pairing.game_id in played.results:
        for player_id, points in played.given_back.get(pairing.game_id, ()):
            result = result.give_back(pairing, player_id, points)
    return result


def _check_started(played: RoundState, game: str) -> None:
    """Raise ``Refusal`` if the round of a first result is not in progress."""
    if played.phase is not Phase.STARTED:
        raise Refusal(
            "ROUND_NOT_STARTED",
            N_("A result of {game} was received, but round {round} is not in progress."),
            {"game": game, "round": played.number},
        )


def _refuse_contradiction(ruleset: Ruleset, game: str, known: Unsanctioned, result: Unsanctioned) -> Refusal:
    """Return the refusal of a result that differs from the ``known`` one (FISC I.8, FISE 44, PES Ε.α)."""
    return Refusal(
        "RESULT_KNOWN",
        N_("{game} ended {known} in the record; {found} was received after that."),
        {"game": game, "known": format_scores(known.scores), "found": format_scores(result.scores)},
        article=ruleset.law.result_final,
    )


def final_scores(scores: Iterable[tuple[str, int]]) -> list[game_events.FinalScore]:
    """Convert scores to messages."""
    return [game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores]


def list_scores(state: TournamentState, game: str) -> list[game_events.FinalScore]:
    """Return the scores of a game in the order of the pairing; an empty list without a result."""
    found = state.find_game(game)
    return final_scores(zip(found[1].player_ids, found[0].results.get(game, ()), strict=False)) if found else []


def given_scores(pairing: Pairing, given: Sequence[game_events.FinalScore]) -> tuple[tuple[str, int], ...]:
    """Return the scores of a request in the order of the table. Raises ``Invalid`` unless each player has one."""
    names = [score.player_id for score in given]
    if not names:
        raise Invalid(
            "scores",
            N_("are missing; expected those of {expected}, each once"),
            {"expected": ", ".join(pairing.player_ids)},
        )
    if sorted(names) != sorted(pairing.player_ids):
        raise Invalid(
            "scores",
            N_("are of {found}; expected those of {expected}, each once"),
            {"found": ", ".join(names)[:200], "expected": ", ".join(pairing.player_ids)},
        )
    if any(abs(score.score) > MOST_POINTS for score in given):
        raise Invalid("scores", N_("expected at most {most} points"), {"most": MOST_POINTS})
    points = {score.player_id: score.score for score in given}
    return tuple((player_id, points[player_id]) for player_id in pairing.player_ids)


def check_standing(played: RoundState, pairing: Pairing, given: Sequence[game_events.FinalScore]) -> None:
    """Raise ``Refusal`` if the scores that the caller saw are outdated. Raises ``Invalid`` as ``given_scores`` does."""
    game, seen = pairing.game_id, tuple(score for _, score in given_scores(pairing, given))
    if played.results[game] != seen:
        raise Refusal(
            "RESULT_CHANGED",
            N_("{game} now has the result {standing}, not {seen}: another person has corrected it."),
            {"game": game, "standing": format_scores(played.results[game]), "seen": format_scores(seen)},
            subject=f"games/{game}",
        )


def format_scores(scores: Iterable[int]) -> str:
    """Format the scores of a table for a sentence."""
    return "–".join(map(str, scores))


def forfeit_scores(player_ids: Sequence[str], losers: Collection[str], ruleset: Ruleset) -> tuple[tuple[str, int], ...]:
    """Return the scores of an unplayed game by the book (PES ΣΤ: 150–0), in the order of ``player_ids``."""
    return tuple(_with_forfeit(dict.fromkeys(player_ids, 0), losers, ruleset).items())


def leaders(scores: Mapping[str, int]) -> list[str]:
    """Return the players with the highest score, in order; an empty list without scores."""
    return [player_id for player_id, score in scores.items() if score == max(scores.values())]


def winner_by(scores: Mapping[str, int]) -> str:
    """Return the only player with the highest score; empty for a draw and without scores."""
    best = leaders(scores)
    return best[0] if len(best) == 1 else ""


def scores_swapped(winner_id: str, scores: Scores) -> Refusal:
    """Return the refusal for scores that make a player other than the named winner win."""
    return Refusal(
        "SCORES_SWAPPED",
        N_("{winner} did not win with {scores}: are the scores swapped?"),
        {"winner": winner_id, "scores": ", ".join(f"{player_id} {score}" for player_id, score in scores)},
    )


def build_correction(
    ruleset: Ruleset,
    number: int,
    pairing: Pairing,
    result: Unsanctioned,
    sanctions: Sequence[GameSanction],
    *,
    arbiter_id: str,
    occurred_at: Timestamp,
) -> events.ResultCorrected:
    """Return the correction that applies ``sanctions`` to the ``result`` of a game of round ``number``."""
    scores = dict(zip(pairing.player_ids, result.scores, strict=True))
    decided = result.decided
    for sanction in sanctions:
        scores, decided = _apply_sanction(ruleset, scores, decided, sanction)
    return events.ResultCorrected(
        round=number,
        game_id=pairing.game_id,
        scores=final_scores(scores.items()),
        arbiter_id=arbiter_id,
        occurred_at=occurred_at,
        by_sanction=True,
        **decided.fields(),
    )


def after_sanctions(
    played: RoundState, pairing: Pairing, ruleset: Ruleset, result: Unsanctioned, occurred_at: Timestamp
) -> list[Message]:
    """Return the result after sanctions as a list of one event; an empty list without sanctions."""
    sanctions = played.game_sanctions.get(pairing.game_id)
    if not sanctions:
        return []
    arbiter_id = sanctions[-1].arbiter_id
    return [
        build_correction(
            ruleset, played.number, pairing, result, sanctions, arbiter_id=arbiter_id, occurred_at=occurred_at
        )
    ]


def _apply_sanction(
    ruleset: Ruleset, scores: dict[str, int], decided: GameDecision, sanction: GameSanction
) -> tuple[dict[str, int], GameDecision]:
    """Apply a sanction to scores and decision: a deduction from the score, or the loss of the game as by decision."""
    if sanction.kind == events.SANCTION_KIND_POINTS:
        left = {**scores, sanction.player_id: scores[sanction.player_id] - sanction.points}
        if decided.losers or decided.lost_by_all or decided.unplayed:
            return left, decided
        return left, GameDecision(winner_id=winner_by(left), condition=decided.condition)
    losers = tuple(name for name in scores if name == sanction.player_id or name in decided.losers)
    points = _with_forfeit(scores, losers, ruleset)
    stayed = {player_id: score for player_id, score in points.items() if player_id not in losers}
    lost = GameDecision(
        winner_id=winner_by(stayed),
        lost_by_all=not stayed,
        condition=game_events.END_CONDITION_FORFEIT,
        losers=losers,
    )
    # A played game remains played.
    return points, replace(lost, unplayed=decided.unplayed)


def _with_forfeit(scores: Mapping[str, int], losers: Collection[str], ruleset: Ruleset) -> dict[str, int]:
    points = dict(scores)
    for line in forfeit_adjustments(points, losers, ruleset):
        points[line.player] += line.points
    return points
