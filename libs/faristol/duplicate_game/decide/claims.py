"""Claims: a player contests the score of a turn, and the judge corrects it or refuses (FISC II.9)."""

from __future__ import annotations

from faristol.duplicate_game.decide.corrections import build_correction, find_scored_turn
from faristol.duplicate_game.decide.slips import check_seated_in_hall
from faristol.duplicate_game.situation import Commands, Situation, StreamEvent, reason_given
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb

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
            situation.ruleset.law.correction,
            N_("A claim of {player} on round {turn} is already waiting for the judge."),
            {"player": request.player_id, "turn": request.turn},
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
            situation.ruleset.law.correction,
            N_("The claim {claim} is already decided."),
            {"claim": claim.claim_id},
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


COMMANDS: Commands = {pb.RaiseClaimRequest: raise_claim, pb.DecideClaimRequest: decide_claim}
