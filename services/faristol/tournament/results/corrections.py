"""The correction of results. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.corrections import check_result_correction
from faristol.tournament.conditions import build_game_refusal, build_not_in_game_error, check_arbiter, found_game
from faristol.tournament.results.results import (
    Scores,
    after_sanctions,
    check_standing,
    final_scores,
    forfeit_scores,
    given_scores,
    leaders,
    scores_swapped,
    winner_by,
)
from faristol.tournament.situation import PairingCommand, Situation, of_game
from faristol.tournament.state import GameDecision, Pairing, Phase, RoundState, Unsanctioned


def correct_result(situation: Situation, request: pb.CorrectResultRequest) -> list[Message]:
    """Correct a recorded result, in any phase of its round.

    The scores are those of the game before sanctions; the result after sanctions follows in a separate event.
    ``unplayed`` makes it a forfeit, which is not a game for pairing, tie-breaks and ratings. Its default scores are
    those of the book. A player who left the game, or lost it by decision, still loses it unless ``winner_id`` is that
    player.

    FISC I.8 and PES Ε.α forbid corrections. Under FISE 44 all players must ask for them; under other books the arbiter
    decides. Only the sheet is final: an arbiter can correct a wrong entry under every book.

    Raises ``Invalid`` without an arbiter, and unless the scores are those of both players. Raises ``Refusal`` if the
    scores make a player other than ``winner_id`` win. Forfeits and games that all had lost are exempt. Raises
    ``Refusal`` if the recorded scores are not ``scores_before``.
    """
    _, pairing = found_game(situation.state, request.game_id)
    check_arbiter(request.arbiter_id, pairing.player_ids)
    return _correct(situation, request)


def correct_unconfirmed(situation: Situation, game: str, player_id: str, scores: Scores) -> list[Message]:
    """Correct the result that a player of the game entered, before another person confirms it.

    Raises ``Refusal`` as ``correct_result`` does.
    """
    return _correct(
        situation, pb.CorrectResultRequest(game_id=game, scores=final_scores(scores), player_ids=[player_id])
    )


def _correct(situation: Situation, request: pb.CorrectResultRequest) -> list[Message]:
    ruleset, game = situation.ruleset, request.game_id
    played, pairing = found_game(situation.state, game)
    _check_result(played, pairing, request)
    scores = _scores(situation, pairing, request)
    _check_asked(situation, played, pairing, request)
    unsanctioned = played.without_sanctions(game)
    before, points = unsanctioned.decided, tuple(score for _, score in scores)
    winner_id = _winner(before, request, scores)
    known = (unsanctioned.scores, before.winner_id, before.lost_by_all, before.unplayed)
    if known == (points, winner_id, request.lost_by_all, request.unplayed):
        raise Refusal("SAME_RESULT", N_("{game} already has this result."), {"game": game})
    corrected = situation.event(
        events.ResultCorrected,
        request,
        round=played.number,
        scores=final_scores(scores),
        winner_id=winner_id,
        unplayed=request.unplayed,
        condition=_condition(before, unplayed=request.unplayed),
        loser_ids=_losers(before, pairing.player_ids, winner_id, unplayed=request.unplayed),
        before_confirmation=_waits_for_confirmation(situation, played, pairing),
    )
    result = Unsanctioned(points, before.apply_correction(corrected))
    return [corrected, *after_sanctions(played, pairing, ruleset, result, corrected.occurred_at)]


def _waits_for_confirmation(situation: Situation, played: RoundState, pairing: Pairing) -> bool:
    """Check whether a result still waits for the confirmation of another person, in a round that is being played."""
    is_open = played.phase is Phase.STARTED and situation.state.result_check.wanted
    return is_open and played.is_unconfirmed(pairing)


def correct_own_result(situation: Situation, request: pb.CorrectOwnResultRequest) -> list[Message]:
    """Correct a result that the caller entered with a typing error.

    Raises as ``correct_result`` does. Raises ``Refusal`` if another person entered it, if it is confirmed, or if its
    round is closed.
    """
    game = request.game_id
    played, pairing = found_game(situation.state, game)
    check_arbiter(request.arbiter_id, pairing.player_ids)
    _check_own(played, game, request.arbiter_id)
    return correct_result(situation, like(pb.CorrectResultRequest, request))


def _check_own(played: RoundState, game: str, person: str) -> None:
    """Raise ``Refusal`` if the person did not enter the result, or if it is confirmed or its round closed."""
    if game in played.results and (game not in played.entered or played.entered_by.get(game) != person):
        raise Refusal(
            "NOT_OWN_RESULT",
            N_("{person} did not enter the result of {game}: an arbiter must correct it."),
            {"person": person, "game": game},
            subject=f"games/{game}",
        )
    if played.confirmed_by.get(game) or played.phase is not Phase.STARTED:
        raise build_game_refusal(
            "CONFIRMED_ALREADY",
            "",
            N_("The result of {game} is confirmed, or its round is closed: an arbiter must correct it."),
            game,
        )


def _check_result(played: RoundState, pairing: Pairing, request: pb.CorrectResultRequest) -> None:
    """Raise ``Refusal`` if there is no result, or if it differs from ``scores_before``."""
    game = request.game_id
    if game not in played.results:
        raise build_game_refusal("NO_RESULT", "", N_("{game} has no result yet that could be corrected."), game)
    if request.scores_before:
        check_standing(played, pairing, request.scores_before)


def _scores(situation: Situation, pairing: Pairing, request: pb.CorrectResultRequest) -> Scores:
    """Return the scores of a request. A forfeit without scores has those of the book."""
    names, winner_id = pairing.player_ids, request.winner_id
    if request.unplayed and not request.scores and (winner_id in names or request.lost_by_all):
        return forfeit_scores(names, [name for name in names if name != winner_id], situation.ruleset)
    return given_scores(pairing, request.scores)


def _check_asked(situation: Situation, played: RoundState, pairing: Pairing, request: pb.CorrectResultRequest) -> None:
    """Validate the winner and the players who ask, and check that the rules allow the correction."""
    if request.winner_id and (request.winner_id not in pairing.player_ids or request.lost_by_all):
        raise Invalid("winner_id", N_("expected one of the players, or none if all lost"))
    if strangers := set(request.player_ids) - set(pairing.player_ids):
        raise build_not_in_game_error("player_ids", ", ".join(sorted(strangers)), request.game_id)
    if request.game_id not in played.entered:
        check_result_correction(request.player_ids, pairing.player_ids, situation.ruleset)


def _winner(before: GameDecision, request: pb.CorrectResultRequest, scores: Scores) -> str:
    """Return the winner by the corrected scores; empty for a draw and if all lost.

    Raises ``Invalid`` for a forfeit without a winner or a loss of all. Raises ``Refusal`` if a player other than
    ``winner_id`` has the best score, with and without the losers by decision. Raises ``Refusal`` if all left or lost by
    decision and the request names no winner.
    """
    lost = () if before.unplayed else before.losers
    stayed = {player_id: score for player_id, score in scores if player_id not in lost}
    winner_id = request.winner_id
    if winner_id or request.lost_by_all:
        by_scores = (leaders(stayed), leaders(dict(scores)))
        if winner_id and not request.unplayed and stayed and [winner_id] not in by_scores:
            raise scores_swapped(winner_id, scores)
        return winner_id
    if not stayed:
        raise build_game_refusal(
            "WINNER_NOT_SAID",
            "",
            N_("All players of {game} left it or lost it by decision: give winner_id or lost_by_all."),
            request.game_id,
        )
    winner_id = winner_by(stayed)
    if request.unplayed and not winner_id:
        raise Invalid("unplayed", N_("expected a winner, or that all lost: an unplayed game cannot be a draw"))
    return winner_id


def _condition(before: GameDecision, *, unplayed: bool) -> game_events.EndCondition.ValueType:
    """Return the end condition of the game; unspecified if a forfeit becomes a game."""
    if unplayed:
        return game_events.END_CONDITION_FORFEIT
    return game_events.END_CONDITION_UNSPECIFIED if before.unplayed else before.condition


def _losers(before: GameDecision, players: Sequence[str], winner_id: str, *, unplayed: bool) -> list[str]:
    """Return the losers by forfeit, or of a game those who left or lost by decision; empty if one of these wins."""
    if unplayed:
        return [player_id for player_id in players if player_id != winner_id]
    return [] if before.unplayed or winner_id in before.losers else list(before.losers)


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.CorrectResultRequest: PairingCommand(
        correct_result, of_tables=True, tells=events.ResultCorrected, concerned=of_game
    ),
    pb.CorrectOwnResultRequest: PairingCommand(
        correct_own_result, of_tables=True, tells=events.ResultCorrected, concerned=of_game
    ),
}
