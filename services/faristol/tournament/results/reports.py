"""Results that players report, and the decision on their disputes. Pure.

The first report of a game enters its result and is the confirmation of that player. A report of another player
confirms or disputes it. Every version stays on the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import build_game_refusal, build_not_in_game_error, check_arbiter, found_game
from faristol.tournament.results.confirmations import confirm_result
from faristol.tournament.results.corrections import correct_result, correct_unconfirmed
from faristol.tournament.results.entry import enter_reported
from faristol.tournament.results.results import final_scores, given_scores
from faristol.tournament.situation import PairingCommand, Situation, name_game, of_game
from faristol.tournament.state import Pairing


def report_result(situation: Situation, request: pb.ReportResultRequest) -> list[Message]:
    """Enter, confirm, dispute or correct the result of a game as one of its players.

    Raises ``Refusal`` if the organiser does not let players enter results, if the game has turns at its table, and for
    a confirmed result. Raises ``Invalid`` for a player of another game, and for scores of other players.
    """
    state = situation.state
    played, pairing = found_game(state, request.game_id)
    game = request.game_id
    _check_player(situation, pairing, request)
    scores = given_scores(pairing, request.scores)
    if game not in played.results:
        return enter_reported(situation, request)
    by = played.entered_by.get(game)
    # Players report the scores of their sheet, which has no sanctions.
    stored = tuple(score for _, score in scores) in (played.results[game], played.without_sanctions(game).scores)
    is_open = played.is_unconfirmed(pairing)
    if by == request.player_id and is_open and not stored and not played.confirmed_by.get(game):
        return correct_unconfirmed(situation, game, request.player_id, scores)
    standing = final_scores(zip(pairing.player_ids, played.results[game], strict=True))
    asked = pb.ConfirmResultRequest(
        game_id=game,
        scores=standing,
        player_id=request.player_id,
        disputed=not stored,
        scores_claimed=() if stored else final_scores(scores),
    )
    if not stored and by and not is_open:
        raise build_game_refusal(
            "CONFIRMED_ALREADY", "", N_("The result of {game} is confirmed: an arbiter must correct it."), game
        )
    return confirm_result(situation, asked)


def _check_player(situation: Situation, pairing: Pairing, request: pb.ReportResultRequest) -> None:
    """Raise ``Invalid`` for a player of another game, ``Refusal`` if players do not enter results."""
    if request.player_id not in pairing.player_ids:
        raise build_not_in_game_error("player_id", request.player_id, request.game_id)
    if not situation.state.result_check.players_enter:
        raise Refusal("PLAYERS_DO_NOT_ENTER", N_("Players do not enter results here: an official enters them."))


def decide_dispute(situation: Situation, request: pb.DecideDisputeRequest) -> list[Message]:
    """Decide a disputed result: record the right scores, unless they stand, and confirm them.

    Raises ``Refusal`` if the result is not disputed, and if the arbiter plays the game.
    """
    played, pairing = found_game(situation.state, request.game_id)
    check_arbiter(request.arbiter_id, pairing.player_ids)
    game = request.game_id
    if game not in played.disputed:
        raise build_game_refusal("NOT_DISPUTED", "", N_("The result of {game} is not disputed."), game)
    scores = given_scores(pairing, request.scores)
    corrected: list[Message] = []
    if tuple(score for _, score in scores) != played.without_sanctions(game).scores:
        corrected = correct_result(
            situation,
            pb.CorrectResultRequest(
                game_id=game, scores=final_scores(scores), arbiter_id=request.arbiter_id, note=request.note
            ),
        )
    last = next((event for event in reversed(corrected) if isinstance(event, events.ResultCorrected)), None)
    standing = zip(pairing.player_ids, played.results[game], strict=True)
    return [
        *corrected,
        situation.event(
            events.ResultConfirmed,
            round=played.number,
            game_id=game,
            scores=last.scores if last else final_scores(standing),
            person_id=request.arbiter_id,
        ),
    ]


def _effect(situation: Situation, request: pb.ReportResultRequest, new_events: Sequence[Message]) -> Mapping[str, Any]:
    effects = {
        events.ResultEntered: pb.REPORT_EFFECT_ENTERED,
        events.ResultConfirmed: pb.REPORT_EFFECT_CONFIRMED,
        events.ResultDisputed: pb.REPORT_EFFECT_DISPUTED,
        events.ResultCorrected: pb.REPORT_EFFECT_CORRECTED,
    }
    return {"effect": next((effects[type(event)] for event in new_events if type(event) in effects), 0)}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.ReportResultRequest: PairingCommand(report_result, of_tables=True, games=name_game, more=_effect),
    pb.DecideDisputeRequest: PairingCommand(decide_dispute, of_tables=True, concerned=of_game),
}
