"""A second official confirms changes after a round was closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1.events_pb2 import FinalScore, ResultFinal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.tournament.command_handling.proposals import build_proposal, needs_second_official
from faristol.tournament.results.results import record_result
from faristol.tournament.situation import Situation
from faristol.tournament.state import GameDecision

GAME = "open-r1-t1"
ON = pb.SetSecondOfficialRequest(required=True)


@pytest.fixture
def hall() -> Hall:
    """Return a tournament with the rule, one round closed and another started."""
    hall = hall_of(players=6, ruleset=load_ruleset("fise"))
    hall.carry_out(ON)
    hall.play(1)
    hall.pair(2)
    hall.start(2)
    return hall


def correction(hall: Hall, first: int, second: int, **more: Any) -> pb.CorrectResultRequest:
    found = hall.state.find_game(GAME)
    assert found is not None
    players = found[1].player_ids
    scores = [FinalScore(player_id=player, score=score) for player, score in zip(players, (first, second), strict=True)]
    return pb.CorrectResultRequest(game_id=GAME, scores=scores, player_ids=players, arbiter_id="eva", **more)


def confirm(number: int = 1) -> pb.AnswerProposalRequest:
    return pb.AnswerProposalRequest(proposal=number, confirmed=True)


def names(new_events: Sequence[Message]) -> list[str]:
    return [event.DESCRIPTOR.name for event in new_events]


def refusal(hall: Hall, request: Message, caller: str) -> str:
    with pytest.raises(Refusal) as refused:
        hall.carry_out(request, caller=caller)
    return refused.value.reason


def test_a_correction_of_a_closed_round_has_no_effect_until_another_official_confirms_it(hall: Hall) -> None:
    before = hall.state.played[0].results[GAME]
    (proposed,) = hall.carry_out(correction(hall, 310, 400, note="slip"), caller="eva")

    assert isinstance(proposed, events.ChangeProposed)
    assert (proposed.proposer_id, proposed.round, proposed.game_id) == ("eva", 1, GAME)
    assert b"slip" not in proposed.request
    assert hall.state.played[0].results[GAME] == before

    answered, corrected = hall.carry_out(confirm(), caller="ona")
    assert isinstance(answered, events.ProposalAnswered)
    assert (answered.proposer_id, answered.official_id) == ("eva", "ona")
    assert isinstance(corrected, events.ResultCorrected)
    assert corrected.arbiter_id == "eva"
    assert hall.state.played[0].results[GAME] == (310, 400)


def test_a_proposer_cannot_confirm_nor_another_withdraw(hall: Hall) -> None:
    hall.carry_out(correction(hall, 310, 400), caller="eva")

    assert refusal(hall, confirm(), "eva") == "SAME_PERSON"
    assert refusal(hall, pb.AnswerProposalRequest(proposal=1, refused=True), "eva") == "SAME_PERSON"
    assert refusal(hall, confirm(), "") == "PROPOSER_UNKNOWN"
    assert refusal(hall, confirm(), hall.state.played[0].pairings[0].player_ids[0]) == "OWN_GAME"
    assert refusal(hall, pb.WithdrawProposalRequest(proposal=1), "ona") == "OTHER_PROPOSER"
    assert names(hall.carry_out(pb.WithdrawProposalRequest(proposal=1), caller="eva")) == ["ProposalAnswered"]
    assert refusal(hall, confirm(), "ona") == "PROPOSAL_ANSWERED"


def test_a_proposal_is_answered_once_by_one_answer(hall: Hall) -> None:
    hall.carry_out(correction(hall, 310, 400), caller="eva")

    assert refusal(hall, confirm(2), "ona") == "NO_PROPOSAL"
    with pytest.raises(Invalid):
        hall.carry_out(pb.AnswerProposalRequest(proposal=1), caller="ona")
    assert names(hall.carry_out(pb.AnswerProposalRequest(proposal=1, refused=True), caller="ona")) == [
        "ProposalAnswered"
    ]
    assert refusal(hall, confirm(), "ona") == "PROPOSAL_ANSWERED"
    assert hall.state.played[0].results[GAME] == (400, 300)


def test_a_proposal_is_outdated_when_the_result_of_its_game_has_changed(hall: Hall) -> None:
    hall.carry_out(correction(hall, 310, 400), caller="eva")
    hall.carry_out(correction(hall, 320, 400), caller="eva")
    hall.carry_out(confirm(2), caller="ona")

    assert refusal(hall, confirm(1), "ona") == "PROPOSAL_OUTDATED"


def test_a_proposal_survives_changes_elsewhere(hall: Hall) -> None:
    hall.carry_out(correction(hall, 310, 400), caller="eva")
    for pairing in hall.state.played[1].pairings:
        hall.report(pairing.game_id, 400, 300)
    hall.close(2)

    assert "ResultCorrected" in names(hall.carry_out(confirm(), caller="ona"))


def test_the_same_change_is_proposed_once(hall: Hall) -> None:
    hall.carry_out(correction(hall, 310, 400), caller="eva")

    assert refusal(hall, correction(hall, 310, 400), "eva") == "PROPOSAL_WAITS"
    assert refusal(hall, correction(hall, 310, 390), "") == "PROPOSER_UNKNOWN"


def test_the_rule_is_switched_off_by_two_persons_after_a_closed_round(hall: Hall) -> None:
    off = pb.SetSecondOfficialRequest(required=False)

    assert names(hall.carry_out(off, caller="eva")) == ["ChangeProposed"]
    version = next(place for place, event in enumerate(hall.events, 1) if isinstance(event, events.SecondOfficialSet))
    assert names(hall.carry_out(pb.UndoActRequest(version=version), caller="eva")) == ["ChangeProposed"]
    assert hall.state.second_official
    assert names(hall.carry_out(confirm(), caller="ona")) == ["ProposalAnswered", "SecondOfficialSet"]
    assert not hall.state.second_official
    assert names(hall.carry_out(correction(hall, 310, 400), caller="eva")) == ["ResultCorrected"]


def test_before_the_first_closed_round_and_in_a_running_one_a_single_official_suffices(hall: Hall) -> None:
    game = hall.state.played[1].pairings[0]
    hall.report(game.game_id, 400, 300)
    scores = [FinalScore(player_id=player, score=350) for player in game.player_ids]
    request = pb.CorrectResultRequest(game_id=game.game_id, scores=scores, player_ids=game.player_ids, arbiter_id="eva")
    assert names(hall.carry_out(request, caller="eva")) == ["ResultCorrected"]

    early = hall_of()
    early.carry_out(ON)
    assert names(early.carry_out(pb.SetSecondOfficialRequest(required=False), caller="eva")) == ["SecondOfficialSet"]


def test_a_sanction_on_a_game_of_a_closed_round_and_reopened_standings_need_a_second_official(hall: Hall) -> None:
    loser = hall.state.played[0].pairings[0].player_ids[0]
    sanction = pb.SanctionPlayerRequest(
        player_id=loser, game_id=GAME, kind=events.SANCTION_KIND_GAME, arbiter_id="eva", decided_by=["iris"]
    )
    assert names(hall.carry_out(sanction, caller="eva")) == ["ChangeProposed"]
    _answered, sanctioned, corrected = hall.carry_out(confirm(), caller="ona")
    assert isinstance(sanctioned, events.PlayerSanctioned)
    assert isinstance(corrected, events.ResultCorrected)

    short = hall_of(players=6, rounds=5)
    short.carry_out(ON)
    for number in range(1, 6):
        short.play(number)
    short.carry_out(pb.PublishStandingsRequest())
    assert names(short.carry_out(pb.ReopenStandingsRequest(), caller="eva")) == ["ChangeProposed"]
    assert short.state.over
    assert names(short.carry_out(confirm(), caller="ona")) == ["ProposalAnswered", "StandingsReopened"]


def test_standings_are_not_published_while_a_proposal_is_pending() -> None:
    hall = hall_of(players=6, rounds=5, ruleset=load_ruleset("fise"))
    hall.carry_out(ON)
    for number in range(1, 6):
        hall.play(number)
    hall.carry_out(correction(hall, 310, 400), caller="eva")

    assert refusal(hall, pb.PublishStandingsRequest(), "eva") == "PROPOSAL_OPEN"


def test_the_result_of_a_table_that_was_reopened_after_its_round_is_a_proposal(hall: Hall) -> None:
    players = hall.state.played[0].pairings[0].player_ids
    scores = [FinalScore(player_id=player, score=score) for player, score in zip(players, (300, 410), strict=True)]
    final = ResultFinal(scores=scores, winner_id=players[1], revision=1)
    recorded = record_result(
        hall.state,
        hall.ruleset,
        game=GAME,
        scores=[(score.player_id, score.score) for score in scores],
        occurred_at=final.occurred_at,
        decided=GameDecision.by(final),
    )
    assert needs_second_official(hall.state, recorded)
    situation = Situation(hall.state, now=hall.now, rules=hall.ruleset)
    hall.do([build_proposal(situation, final, recorded, "eva", GAME)])
    assert hall.state.played[0].results[GAME] == (400, 300)

    hall.carry_out(confirm(), caller="ona")
    assert hall.state.played[0].results[GAME] == (300, 410)
