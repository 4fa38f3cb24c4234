"""Corrections of a player's slip for a scored turn, by the judge or after a claim of a player (FISC II.9)."""

from __future__ import annotations

from copy import deepcopy

from faristol.duplicate_game.decide.slips import check_seated_in_hall
from faristol.duplicate_game.decide.turn_scores import Judging
from faristol.duplicate_game.hall import Hall, HallTurn, written_slip
from faristol.duplicate_game.situation import Situation, StreamEvent, reason_given
from faristol.kernel.errors import Invalid, NotFound
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
    corrected = deepcopy(slip)
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
            N_("Round {turn} is not scored in this hall."),
            {"turn": number},
            article=situation.ruleset.law.correction,
        )
    return of_turn


MAX_CLAIM_CHARACTERS = 1000
"""Characters of a claim's text."""


def raise_claim(situation: Situation, request: pb.RaiseClaimRequest) -> list[StreamEvent]:
    """Raise a claim of a player about a scored turn; one at a time, and not under an embargo.

    It concerns the player's own slip, or that of another player of the hall (FISC II.9).
    """
    situation.not_final()
    situation.check_not_embargoed()
    hall = situation.hall(request.hall)
    check_seated_in_hall(hall, request.player_id)
    about = request.about_player_id or request.player_id
    if about not in hall.seats:
        raise Invalid(
            "about_player_id",
            N_("{player} does not play in this hall: the judge corrects the slips of other halls"),
            {"player": repr(about)},
        )
    find_scored_turn(situation, hall, request.turn)
    if len(request.words) > MAX_CLAIM_CHARACTERS:
        raise Invalid(
            "words",
            N_("has {count} characters; at most {most} are allowed"),
            {"count": len(request.words), "most": MAX_CLAIM_CHARACTERS},
        )
    of_turn = [claim for claim in hall.claims.values() if claim.turn == request.turn]
    if any(claim.player_id == request.player_id and not claim.decided for claim in of_turn):
        raise Refusal(
            "CLAIM_OPEN",
            N_("A claim of {player} on round {turn} is already waiting for the judge."),
            {"player": request.player_id, "turn": request.turn},
            article=situation.ruleset.law.correction,
        )
    raised = events.ClaimRaised(
        claim_id=f"t{request.turn}-{len(of_turn) + 1}",
        turn=request.turn,
        player_id=request.player_id,
        words=request.words.strip(),
        about_player_id=request.about_player_id,
    )
    return [(hall.number, raised)]


def decide_claim(situation: Situation, request: pb.DecideClaimRequest) -> list[StreamEvent]:
    """Decide a claim as the judge; a corrected slip is scored with its correction."""
    situation.not_final()
    hall = situation.hall(request.hall)
    claim = hall.claims.get(request.claim_id)
    if claim is None:
        raise NotFound("claim", request.claim_id)
    if claim.decided:
        raise Refusal(
            "CLAIM_DECIDED",
            N_("The claim {claim} is already decided."),
            {"claim": claim.claim_id},
            article=situation.ruleset.law.correction,
        )
    reason = reason_given(request.reason)
    new_events: list[StreamEvent] = []
    accepted = request.HasField("corrected")
    if accepted:
        if request.corrected.player_id != claim.about:
            raise Invalid(
                "corrected", N_("is for a player other than that of the claim, {player}"), {"player": claim.about}
            )
        correction = build_correction(
            situation, hall, claim.turn, request.corrected, reason, request.arbiter_id, claim.claim_id
        )
        new_events.append((hall.number, correction))
    decided = events.ClaimDecided(
        claim_id=claim.claim_id,
        accepted=accepted,
        reason=reason,
        arbiter_id=request.arbiter_id,
    )
    return [*new_events, (hall.number, decided)]
