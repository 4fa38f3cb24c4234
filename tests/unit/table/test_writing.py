"""Scores that players write, dispute and settle, with an absent player or a final result."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from tests.unit.table.hall import Hall, rules

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.table.game.state import Phase

RACKS = ["C A S A L E S", "B O N A T E R"]


def missed_play() -> Hall:
    """Return a hall in which Anna has left the table, and Biel has completed a play since (FISE 37)."""
    hall = Hall(rules("fise"), racks=RACKS)
    hall.play("H8 C A S A")
    hall.write()
    hall.do(clock_pb2.LeaveTableRequest(player_id="anna", told=True))
    hall.press()
    hall.play("G9 B O")
    hall.do(pb.WriteScoreRequest(player_id="biel"))
    hall.press(player="biel")
    assert (hall.game.mover, hall.game.turn, hall.game.pending) == ("anna", 3, None)
    return hall


def refusal(hall: Hall, request: Message) -> str:
    with pytest.raises(Refusal) as refused:
        hall.decide(request)
    return refused.value.reason


def test_who_is_away_writes_nothing_and_accepts_the_play_by_writing_it_after_the_return() -> None:
    hall = missed_play()
    write = pb.WriteScoreRequest(player_id="anna")
    assert refusal(hall, write) == "PLAYER_AWAY"
    points, total = hall.game.turns_taken[1].points, hall.game.scores["biel"]
    assert 0 < points == total
    hall.do(clock_pb2.ReturnToTableRequest(player_id="anna"))
    written, accepted = hall.do(write)
    assert isinstance(written, events.ScoreWritten)
    assert (written.turn, written.score, written.total) == (2, points, total), "both are what they came to"
    assert isinstance(accepted, events.PlayAccepted)
    assert (accepted.turn, accepted.player_id) == (2, "anna")
    assert refusal(hall, write) == "NOTHING_TO_WRITE"


def test_a_score_that_only_one_of_them_wrote_so_is_disputed() -> None:
    hall = Hall(rules("fise"), racks=RACKS)
    hall.play("H8 C A S A")
    assert refusal(hall, pb.WriteScoreRequest(player_id="carla")) == "NOT_AT_TABLE"
    counted = hall.game.counted
    hall.do(pb.WriteScoreRequest(player_id="anna"))
    assert refusal(hall, pb.WriteScoreRequest(player_id="anna")) == "WRITTEN_ALREADY"
    agreed = hall.decide(pb.WriteScoreRequest(player_id="biel", score=counted, total=counted))
    assert [type(event).__name__ for event in agreed] == ["ScoreWritten"]
    for score, total in ((counted + 1, counted), (counted, counted + 1)):
        found = hall.decide(pb.WriteScoreRequest(player_id="biel", score=score, total=total))
        assert [type(event).__name__ for event in found] == ["ScoreWritten", "CountDisputed"]
    for wrong in (
        pb.WriteScoreRequest(player_id="biel", score=-1),
        pb.WriteScoreRequest(player_id="biel", total=10**6),
    ):
        with pytest.raises(Invalid):
            hall.decide(wrong)
    assert hall.decide(pb.WriteScoreRequest(player_id="biel", score=0))


def test_a_dispute_is_settled_by_all_players_or_by_an_arbiter_and_once() -> None:
    hall = Hall(rules("fise"), racks=RACKS)
    hall.play("H8 C A S A")
    counted = hall.game.counted
    assert refusal(hall, pb.SettleCountRequest(arbiter_id="eleni")) == "NOT_DISPUTED"
    hall.do(pb.DisputeCountRequest(player_id="biel"))
    assert refusal(hall, pb.SettleCountRequest(player_ids=["anna"])) == "NOT_AGREED"
    (event,) = hall.decide(pb.SettleCountRequest(player_ids=["anna", "biel"]))
    assert isinstance(event, events.CountSettled)
    assert (event.turn, event.score, event.arbiter_id) == (1, counted, "")
    for score in (0, 17):
        (event,) = hall.decide(pb.SettleCountRequest(arbiter_id="eleni", score=score))
        assert isinstance(event, events.CountSettled)
        assert (event.score, event.arbiter_id) == (score, "eleni")
    with pytest.raises(Invalid):
        hall.decide(pb.SettleCountRequest(arbiter_id="eleni", score=-1))
    hall.do(pb.SettleCountRequest(arbiter_id="eleni"))
    assert refusal(hall, pb.SettleCountRequest(arbiter_id="eleni")) == "NOT_DISPUTED"


@pytest.mark.parametrize("turn", [-1, 0, 2, 3])
def test_only_the_play_of_a_turn_that_was_taken_is_corrected(turn: int) -> None:
    hall = Hall(rules("fise"), racks=RACKS)
    hall.turn("H8 C A S A")
    hall.turn("-")
    with pytest.raises(Invalid, match="a turn with a valid play"):
        hall.decide(pb.CorrectPlayRequest(arbiter_id="eleni", turn=turn, score=1))
    before = hall.game.scores["anna"]
    (event,) = hall.decide(pb.CorrectPlayRequest(arbiter_id="eleni", turn=1, score=before + 4))
    assert isinstance(event, events.PlayCorrected)
    assert (event.turn, event.player_id, event.before, event.score, event.total) == (
        1,
        "anna",
        before,
        before + 4,
        before + 4,
    )


def final(name: str) -> Hall:
    """Return a game whose result is final: anna laid a blank, and no player played after that."""
    hall = Hall(rules(name), racks=["C ? S A L E S", "B O N A T E R"])
    hall.turn("H8 C (A) S A")
    while not hall.game.over:
        hall.turn("-")
    for player in hall.players:
        if hall.game.phase is not Phase.FINAL:
            hall.do(pb.SignSheetRequest(player_id=player))
    if hall.game.phase is not Phase.FINAL:
        hall.do(pb.AssignArbiterRequest(arbiter_id="eleni"))
    return hall


@pytest.mark.parametrize("name", ["fisc-2023", "fise"])
def test_nothing_is_settled_or_corrected_of_a_final_result(name: str) -> None:
    hall = final(name)
    assert hall.game.phase is Phase.FINAL
    reasons = {
        refusal(hall, request)
        for request in (
            pb.SettleBlankRequest(row=7, column=8, arbiter_id="eleni", face="E"),
            pb.CorrectPlayRequest(arbiter_id="eleni", turn=1, score=1),
            pb.CorrectTotalRequest(arbiter_id="eleni", player_id="anna", total=1),
        )
    }
    assert reasons <= {"RESULT_FINAL", "PLAY_COUNT_FIXED", "TOTAL_FIXED"}
    assert refusal(hall, pb.SettleBlankRequest(row=7, column=8, arbiter_id="eleni", face="E")) == "RESULT_FINAL"
