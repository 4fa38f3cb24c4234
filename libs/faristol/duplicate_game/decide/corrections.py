"""Corrections of a player's slip for a scored turn, until the results are validated (FISC II.9)."""

from __future__ import annotations

from faristol.duplicate_game.decide.slips import check_seated_in_hall
from faristol.duplicate_game.decide.turn_scores import Judging
from faristol.duplicate_game.hall import Hall, HallTurn, written_slip
from faristol.duplicate_game.situation import Commands, Situation, StreamEvent, reason_given
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb


def amend_slip(situation: Situation, request: pb.AmendSlipRequest) -> list[StreamEvent]:
    """Correct the content of a slip and its score."""
    situation.not_final()
    hall = situation.hall(request.hall)
    reason = reason_given(request.reason)
    return [(hall.number, build_correction(situation, hall, request.turn, request.slip, reason, request.arbiter_id))]


def build_correction(
    situation: Situation,
    hall: Hall,
    number: int,
    slip: events.Slip,
    reason: str,
    arbiter_id: str,
    claim_id: str = "",
) -> events.SlipCorrected:
    """Return the event of a corrected slip. Raises ``Refusal`` before its turn is scored."""
    check_seated_in_hall(hall, slip.player_id)
    of_turn = find_scored_turn(situation, hall, number)
    if slip.handed == events.HANDED_TWICE:
        raise Invalid("slip", N_("says that two slips were handed in; expected the one that is scored, or none"))
    corrected = events.Slip()
    corrected.CopyFrom(slip)
    corrected.handed = slip.handed or events.HANDED_IN_TIME
    corrected.ClearField("written_at")
    score = Judging(situation, situation.turn(number)).score(slip.player_id, written_slip(corrected))
    return events.SlipCorrected(
        turn=number,
        slip=corrected,
        score=score,
        points_before=of_turn.scores[slip.player_id].points,
        reason=reason,
        claim_id=claim_id,
        arbiter_id=arbiter_id,
    )


def find_scored_turn(situation: Situation, hall: Hall, number: int) -> HallTurn:
    """Return a scored turn of a hall. Raises ``Refusal`` if it is not scored yet."""
    situation.turn(number)
    of_turn = hall.turn(number)
    if not of_turn.scores:
        raise Refusal(
            "TURN_NOT_YET_SCORED",
            situation.ruleset.law.correction,
            N_("Round {turn} is not scored in this hall."),
            {"turn": number},
        )
    return of_turn


COMMANDS: Commands = {pb.AmendSlipRequest: amend_slip}
