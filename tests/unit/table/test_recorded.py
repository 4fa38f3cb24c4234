"""Tables over the board: scorers enter events, and missing data is derived if possible."""

from __future__ import annotations

import pytest
from tests.unit.table.hall import Hall, rules

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1.events_pb2 import ClockPressed, ClockStopped
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.table import Table
from faristol.table.decide import decide
from faristol.table.decide.draws import unseen
from faristol.table.game.evolution import fold
from faristol.table.game.state import UNENTERED_TILE, Game, Phase


def fisc() -> Hall:
    return Hall(rules("fisc-2023"), recorded=True)


def near_the_end(bag_left: int = 0) -> Hall:
    """Return a table where nearly all tiles are out of the game, so that few are unseen."""
    hall = fisc()
    hall.turn("H8 C A S A")
    gone = unseen(hall.game, hall.ruleset)[: hall.game.bag_left - bag_left]
    found = events.TilesFound(turn=2, faces=gone, bag_left=bag_left)
    found.occurred_at.FromNanoseconds(hall.at)
    hall._write([found])
    return hall


def test_a_game_starts_when_it_is_entered_who_begins() -> None:
    hall = fisc()
    assert (hall.game.mover, hall.game.bag_left, hall.game.phase) == ("anna", 86, Phase.TURN)
    assert hall.game.racks["anna"] == (UNENTERED_TILE,) * 7
    with pytest.raises(Refusal, match="has started already"):
        hall.do(game_pb2.StartGameRequest(player_id="biel"))
    with pytest.raises(Refusal, match="system holds the bag"):
        Hall(rules("fisc-2023")).do(game_pb2.StartGameRequest(player_id="biel"))


def test_a_play_of_tiles_that_nobody_entered_is_taken_and_counted() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    assert hall.game.scores["anna"] == 10
    assert hall.game.racks["anna"] == (UNENTERED_TILE,) * 7
    assert hall.game.bag_left == 82
    hall.check_tiles()


def test_a_tile_of_which_all_are_seen_elsewhere_cannot_be_played() -> None:
    hall = fisc()
    hall.do(game_pb2.StateRackRequest(player_id="biel", faces=["Z", "A", "E", "I", "O", "U", "L"]))
    with pytest.raises(Refusal) as refused:
        hall.play("H8 Z Z")
    assert str(refused.value) == (
        "The play has more Z Z than are left: all others are on the board or known to be elsewhere."
    )
    assert (refused.value.reason, refused.value.article) == ("NOT_IN_RACK", "FISC I.6")


def test_a_rack_that_was_stated_binds_its_player() -> None:
    hall = fisc()
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["C", "A", "S", "A", "R", "T", "I"]))
    with pytest.raises(Refusal, match="does not hold M"):
        hall.play("H8 C A M A")
    hall.turn("H8 C A S A")
    assert sorted(hall.game.racks["anna"]) == sorted(["R", "T", "I", *[UNENTERED_TILE] * 4])
    with pytest.raises(Invalid, match="expected 7 tiles, R T I among them"):
        hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["R", "T", "A", "A", "E", "E", "E"]))


def test_a_rack_of_the_wrong_number_is_told_without_tiles_that_nobody_knows() -> None:
    with pytest.raises(Invalid) as refused:
        fisc().do(game_pb2.StateRackRequest(player_id="anna", faces=["A", "E"]))
    assert "expected 7 tiles, got A E" in str(refused.value)
    assert "among" not in str(refused.value)


def test_a_draw_that_was_seen_is_entered_and_checked() -> None:
    hall = fisc()
    hall.play("H8 C A S A")
    with pytest.raises(Invalid, match="X X are not possible"):
        hall.do(game_pb2.DrawTilesRequest(player_id="anna", faces=["X", "X", "X", "E"]))
    for number in (["M", "E", "N"], ["M", "E", "N", "T", "A"]):
        with pytest.raises(Invalid, match="expected the number drawn"):
            hall.do(game_pb2.DrawTilesRequest(player_id="anna", faces=number, count=4))
    left = hall.game.bag_left
    (event,) = hall.do(game_pb2.DrawTilesRequest(player_id="anna", faces=["M", "E", "N", "T"]))
    assert hall.game.racks["anna"][3:] == ("M", "E", "N", "T")
    assert isinstance(event, events.TilesDrawn)
    assert event.bag_left == hall.game.bag_left == left - 4
    hosted = Hall(rules("fisc-2023"), racks=["C A S A R T I", "M E N T S O L"])
    hosted.play("H8 C A S A")
    with pytest.raises(Invalid, match="the system draws at this table"):
        hosted.do(game_pb2.DrawTilesRequest(player_id="anna", faces=["E"]))


def test_the_last_rack_that_nobody_entered_is_deduced() -> None:
    hall = near_the_end()
    rest = unseen(hall.game, hall.ruleset)
    assert len(rest) == 14
    hall.do(game_pb2.StateRackRequest(player_id="biel", faces=rest[:7]))
    assert sorted(hall.game.racks["anna"]) == sorted(rest[7:])
    assert isinstance(hall.events[-1], events.RackDeduced)


def test_a_rack_that_counts_and_was_not_entered_is_waited_for() -> None:
    hall = near_the_end(bag_left=1)
    for _ in range(6):
        hall.turn("-")
    assert hall.game.phase is Phase.ENDED
    with pytest.raises(Refusal) as refused:
        hall.do(game_pb2.SignSheetRequest(player_id="anna"))
    assert refused.value.reason == "RACKS_UNKNOWN"
    rest = unseen(hall.game, hall.ruleset)
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=rest[:7]))
    hall.do(game_pb2.StateRackRequest(player_id="biel", faces=rest[7:14]))
    values = hall.ruleset.tile_set.values
    assert hall.game.scores["biel"] == -sum(values[face] for face in rest[7:14])
    hall.do(game_pb2.SignSheetRequest(player_id="anna"))
    hall.do(game_pb2.SignSheetRequest(player_id="biel"))
    assert isinstance(hall.events[-1], events.ResultFinal)


def test_a_letter_turned_over_costs_the_turn_until_the_score_is_written() -> None:
    hall = Hall(rules("pes-2024"), recorded=True)
    hall.play("H8 Ψ (Ω)")
    hall.stop()
    new_events = hall.do(game_pb2.ClaimFakeBlankRequest(player_id="biel", row=7, column=8, face="Ω"))
    assert isinstance(new_events[0], events.PlayWithdrawn)
    assert new_events[0].reason == events.WITHDRAWAL_REASON_FAKE_BLANK
    assert "Ω" in hall.game.racks["anna"]
    assert "?" not in hall.game.racks["anna"]
    assert hall.game.mover == "biel"
    hall.play("H8 Μ (Α)")
    hall.stop()
    hall.do(game_pb2.WriteScoreRequest(player_id="anna"))
    with pytest.raises(Refusal) as refused:
        hall.do(game_pb2.ClaimFakeBlankRequest(player_id="anna", row=7, column=8, face="Ω"))
    assert (refused.value.reason, refused.value.article) == ("FAKE_BLANK_LATE", "PES Δ.β")


def test_a_blank_of_an_earlier_play_is_not_turned_over_any_more() -> None:
    hall = Hall(rules("pes-2024"), recorded=True)
    hall.turn("H8 Μ (Α)")
    hall.do(game_pb2.PlacePlayRequest(player_id="biel", placements=[events.Placement(row=8, column=7, face="Ε")]))
    hall.stop()
    with pytest.raises(Invalid, match="there is no blank on H9"):
        hall.do(game_pb2.ClaimFakeBlankRequest(player_id="anna", row=7, column=8, face="Ω"))


def test_an_arbiter_takes_entries_of_the_turn_back_and_they_stay_told() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    before = hall.game
    hall.play("I8 A L")
    told = len(hall.events)
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2, note="una altra casella"))
    assert (hall.game.board, hall.game.racks, hall.game.scores) == (before.board, before.racks, before.scores)
    assert (hall.game.phase, hall.game.mover, hall.game.turn) == (Phase.TURN, "biel", 2)
    (taken_back,) = hall.events[told:]
    assert isinstance(taken_back, events.EntriesTakenBack)
    assert (taken_back.player_id, taken_back.bag_left) == ("biel", before.bag_left)
    hall.turn("I8 A L")
    assert hall.game.turn == 3
    with pytest.raises(Refusal, match="Turn 1 is over on the clock"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    with pytest.raises(Invalid, match="expected 1 to 3"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=4))


@pytest.mark.parametrize("book", ["fisc-2023", "fise", "pes-2024"])
@pytest.mark.parametrize("called", [False, True])
def test_the_last_turn_is_entered_again_as_it_was_played_and_its_press_stands(book: str, called: bool) -> None:
    first, wrong, right = ("H8 Μ Α", "I8 Σ Ε", "I8 Α") if book == "pes-2024" else ("H8 C A", "I8 T E", "I8 A")
    hall = Hall(rules(book), recorded=True)
    hall.turn(first)
    before, ticks = hall.game, len(hall.ticks)
    hall.turn(wrong)
    pressed = hall.ticks[ticks:]
    if called:
        hall.do(game_pb2.CallArbiterRequest(player_id="anna"))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2, note="una altra casella"))
    assert (hall.game.board, hall.game.racks, hall.game.scores) == (before.board, before.racks, before.scores)
    assert (hall.game.phase, hall.game.mover, hall.game.turn) == (Phase.TURN, "biel", 2)
    if called:
        hall.do(game_pb2.DismissArbiterRequest(arbiter_id="eleni"))
    hall.play(right)
    word = hall.game.pending.words[0].word if hall.game.pending else events.Word()
    with pytest.raises(Refusal, match="pressed for turn 2, which is being re-entered"):
        hall.do(game_pb2.ChallengeRequest(player_id="anna", words=[word]))
    if hall.ruleset.turn.complete_on == "both-written":
        hall.write()
    hall.do(game_pb2.DrawTilesRequest(player_id="biel"))
    assert (hall.game.turn, hall.game.mover, hall.game.phase) == (3, "anna", Phase.TURN)
    assert hall.game.bag_left == before.bag_left - 1
    assert [tick for tick in hall.ticks[ticks:] if isinstance(tick, ClockPressed)] == [
        tick for tick in pressed if isinstance(tick, ClockPressed)
    ]
    assert hall.clock.turn == 3
    hall.check_tiles()
    hall.turn("-")
    assert (hall.game.turn, hall.game.mover) == (4, "biel")


def test_a_pass_that_was_entered_for_a_play_is_entered_again_and_the_other_way_round() -> None:
    hall = Hall(rules("pes-2024"), recorded=True)
    hall.turn("H8 Μ Α")
    bag = hall.game.bag_left
    hall.turn("-")
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    hall.play("I8 Α")
    hall.write()
    hall.do(game_pb2.DrawTilesRequest(player_id="biel"))
    assert hall.game.turn == 3
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    hall.play("I8 Σ Α")
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))  # a mistake in the second entry
    hall.do(game_pb2.PassRequest(player_id="biel"))
    assert (hall.game.turn, hall.game.mover, hall.game.bag_left) == (3, "anna", bag)
    hall.check_tiles()
    hall.turn("-")
    assert hall.game.turn == 4


def test_a_turn_that_was_ruled_on_or_after_which_the_next_has_begun_is_not_entered_again() -> None:
    hall = fisc()
    hall.play("H8 C A S A")
    hall.challenge("C A S A", good=True)
    hall.finish()
    with pytest.raises(Refusal, match="turn 1 has a ruling"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.turn("I8 A L")
    hall.play("J8 S A")
    with pytest.raises(Refusal, match="Turn 3 has begun"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=3))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    assert (hall.game.turn, hall.game.mover) == (2, "biel")


def test_entries_taken_back_leave_no_challenge_and_no_call_that_the_clock_stands_for() -> None:
    hall = fisc()
    hall.play("H8 C A S A")
    word = events.Word(faces=["C", "A", "S", "A"])
    hall.do(game_pb2.ChallengeRequest(player_id="biel", words=[word]))
    hall.do(game_pb2.CallArbiterRequest(player_id="biel"))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.play("H8 C A S A")
    (raised,) = hall.do(game_pb2.ChallengeRequest(player_id="biel", words=[word]))
    assert isinstance(raised, events.ChallengeRaised)
    assert raised.challenge == 2
    hall.rule([True])
    hall.finish()
    assert hall.game.turn == 2


def test_what_the_clock_stands_for_in_a_turn_that_is_entered_again_is_settled_before_it_is_taken_back() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.play("H8 C A S A")
    hall.do(game_pb2.CallArbiterRequest(player_id="biel"))
    with pytest.raises(Refusal, match="The clocks are stopped in turn 1"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.do(game_pb2.DismissArbiterRequest(arbiter_id="eleni"))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.play("H8 C A S A")
    hall.do(game_pb2.DrawTilesRequest(player_id="anna"))
    hall.turn("-")
    assert (hall.game.turn, hall.clock.turn) == (3, 3)


def test_a_turn_after_which_something_was_decided_is_not_entered_again() -> None:
    hall = Hall(rules("fise"), recorded=True)
    hall.play("H8 S O L")
    hall.write()
    hall.do(game_pb2.DrawTilesRequest(player_id="anna", count=4))
    hall.press()
    hall.do(game_pb2.ClaimOverdrawRequest(player_id="biel", drawer_id="anna", racked=True))
    hall.do(game_pb2.ChooseSurplusRequest(player_id="biel", faces=["E"]))
    assert hall.game.forfeited
    with pytest.raises(Refusal, match="Turn 2 has begun"):
        hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))


def test_a_game_that_ends_while_a_turn_is_entered_again_stops_the_clock() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.do(game_pb2.AbandonRequest(player_ids=["anna"]))
    assert any(isinstance(tick, ClockStopped) for tick in hall.ticks)


def test_where_no_clock_is_kept_any_turn_can_begin_again() -> None:
    hall = Hall(rules("box"), 3, recorded=True)
    hall.turn("H8 C A T")
    before = hall.game
    hall.turn("I8 A T")
    hall.turn("-")
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    assert (hall.game.board, hall.game.scores, hall.game.mover) == (before.board, before.scores, "biel")
    assert (hall.game.bag_left, hall.game.turns_taken) == (before.bag_left, before.turns_taken)
    hall.turn("8I A R")
    hall.check_tiles()


@pytest.mark.parametrize("ruled", [True, False])
def test_a_challenge_after_entries_were_taken_back_is_another_one_and_the_clock_goes_on(ruled: bool) -> None:
    hall = fisc()
    hall.play("H8 C A S E")
    hall.do(game_pb2.ChallengeRequest(player_id="biel", words=[events.Word(faces=["C", "A", "S", "E"])]))
    if ruled:
        hall.rule([True])
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.play("H8 C A S A")
    hall.do(game_pb2.ChallengeRequest(player_id="biel", words=[events.Word(faces=["C", "A", "S", "A"])]))
    raised = [event.challenge for event in hall.events if isinstance(event, events.ChallengeRaised)]
    assert raised == [1, 2]
    assert hall.clock.challenge == 2
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=1))
    hall.turn("H8 C A S A")
    assert (hall.game.turn, hall.game.mover) == (2, "biel")


def test_what_an_arbiter_corrected_or_imposed_stands_when_entries_are_taken_back() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.CorrectTotalRequest(arbiter_id="eleni", player_ids=["anna", "biel"], player_id="anna", total=15))
    points = events.SANCTION_KIND_POINTS
    hall.do(game_pb2.ImposeSanctionRequest(arbiter_id="eleni", player_id="biel", kind=points, points=10, note="mòbil"))
    hall.do(game_pb2.PassRequest(player_id="biel"))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    assert hall.game.scores == {"anna": 15, "biel": -10}


def test_a_play_that_was_corrected_stays_so_when_a_later_turn_is_taken_back() -> None:
    hall = Hall(rules("festa-major"), recorded=True)
    hall.turn("H8 C A S A")
    hall.do(game_pb2.CorrectPlayRequest(arbiter_id="eleni", player_ids=["anna", "biel"], turn=1, score=12))
    laid = events.Placement(row=0, column=0, face="A")
    hall.do(game_pb2.LayTilesRequest(player_id="biel", placements=[laid]))
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    assert (hall.game.scores["anna"], hall.game.turns_taken[0].points) == (12, 12)


def test_a_table_whose_result_was_entered_is_not_started_or_opened_again() -> None:
    scores = [events.FinalScore(player_id="anna", score=400), events.FinalScore(player_id="biel", score=380)]
    opened = events.GameOpened(game_id="g", player_ids=["anna", "biel"], keeping=events.KEEPING_RECORDED)
    fise = rules("fise")
    closed = fold(Game(), [opened, events.TableClosed(scores=scores, winner_id="anna")])
    with pytest.raises(Refusal, match="The game is over"):
        decide(Table(fise, closed), game_pb2.StartGameRequest(player_id="anna"), 5)
    with pytest.raises(Refusal, match="An arbiter entered the result"):
        decide(Table(fise, closed), game_pb2.ReopenGameRequest(player_ids=["anna", "biel"], arbiter_id="eleni"), 5)
    forfeited = fold(Game(), [opened, events.GameEnded(condition=events.END_CONDITION_FORFEIT, loser_ids=["biel"])])
    with pytest.raises(Refusal, match="The game is over"):
        decide(Table(fise, forfeited), game_pb2.StartGameRequest(player_id="anna"), 5)


def test_a_play_is_withdrawn_after_a_draw_and_the_rack_entered_after_it_is_no_hindrance() -> None:
    hall = Hall(rules("uf-2007"), recorded=True)
    hall.play("H8 C A S A")
    hall.do(game_pb2.DrawTilesRequest(player_id="anna"))
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["E", "E", "I", "O", "R", "T", "L"]))
    hall.challenge("C A S A", good=False)
    assert any(isinstance(event, events.PlayWithdrawn) for event in hall.events)
    assert len(hall.game.racks["anna"]) == 7
    assert {"C", "A", "S"} <= set(hall.game.racks["anna"])
    hall.check_tiles()
