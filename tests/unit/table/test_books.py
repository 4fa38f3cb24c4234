"""The differences between the rule books at a table, each by its article."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.support.table_games import kinds_of, points_of
from tests.unit.table.hall import Hall, rules

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import TurnKind
from faristol.table.final_score import result
from faristol.table.game.state import Phase

CATALAN = ("C A S A R T I", "M E N T S O L")
SPANISH = ("S O L A R C I", "P A R A S O L")
GREEK = ("Μ Α Ν Α Σ Ο Ι", "Τ Ο Ν Ε Ρ Ω Ι")


def fisc(**options: object) -> Hall:
    return Hall(rules("fisc-2023"), racks=CATALAN, **options)  # type: ignore[arg-type]


def uf(**options: object) -> Hall:
    return Hall(rules("uf-2007"), racks=CATALAN, **options)  # type: ignore[arg-type]


def fise(racks: Sequence[str] = SPANISH, **options: object) -> Hall:
    return Hall(rules("fise"), racks=racks, **options)  # type: ignore[arg-type]


def pes(racks: Sequence[str] = GREEK, **options: object) -> Hall:
    return Hall(rules("pes-2024"), racks=racks, **options)  # type: ignore[arg-type]


def festa(*racks: str, **options: object) -> Hall:
    return Hall(rules("festa-major"), len(racks), racks=racks, **options)  # type: ignore[arg-type]


def expect_refusal(reason: str, article: str, act: Callable[[], object]) -> None:
    with pytest.raises(Refusal) as caught:
        act()
    assert (caught.value.reason, caught.value.article) == (reason, article)


def names(past_events: Sequence[Message]) -> list[str]:
    return [event.DESCRIPTOR.name for event in past_events]


def build_challenge(hall: Hall, word: str) -> Callable[[], object]:
    player = hall.game.others(hall.game.mover)[0]
    return lambda: hall.do(game_pb2.ChallengeRequest(player_id=player, words=[events.Word(faces=word.split())]))


# The centre missed.


def test_fise_lets_the_opponent_accept_a_first_play_off_the_centre_and_keeps_the_premium() -> None:
    hall = fise()
    hall.play("H9 S O L")
    assert hall.game.phase is Phase.OFF_CENTRE
    expect_refusal("OFF_CENTRE_OPEN", "FISE 20", lambda: hall.do(game_pb2.DrawTilesRequest(player_id="anna")))
    expect_refusal(
        "OWN_PLAY", "FISE 20", lambda: hall.do(game_pb2.DecideOffCentreRequest(player_id="anna", accept=True))
    )
    hall.do(game_pb2.DecideOffCentreRequest(player_id="biel", accept=True))
    hall.finish()
    assert hall.game.scores["anna"] == 3
    hall.play("H5 P A R A")
    assert hall.game.pending is not None
    assert hall.game.pending.score == 18


def test_fise_lets_the_opponent_declare_it_invalid_and_the_next_play_is_a_first_one() -> None:
    hall = fise()
    hall.play("H9 S O L")
    new_events = hall.do(game_pb2.DecideOffCentreRequest(player_id="biel", accept=False))
    assert names(new_events) == ["OffCentreDecided", "PlayWithdrawn"]
    assert (hall.game.mover, len(hall.game.board), kinds_of(hall.game)) == ("biel", 0, (TurnKind.WITHDRAWN,))
    hall.play("H9 P A R")
    assert hall.game.phase is Phase.OFF_CENTRE


def test_the_other_books_refuse_a_first_play_off_the_centre() -> None:
    expect_refusal("FIRST_PLAY_OFF_CENTRE", "UF 3", lambda: uf().play("A1 C A S A"))
    expect_refusal("FIRST_PLAY_NOT_ACROSS", "FM 1", lambda: festa(*CATALAN).play("8H C A S A"))


# Tiles touched.


@pytest.mark.parametrize(("hall", "article"), [(uf, "UF 13"), (fisc, "FISC I.6"), (fise, "FISE 24")])
def test_tiles_that_were_seen_and_are_taken_back_cost_the_turn(hall: Callable[[], Hall], article: str) -> None:
    table = hall()
    table.do(game_pb2.LayTilesRequest(player_id="anna", placements=table.tiles("H8 S A")))
    expect_refusal(
        "TILES_LIE", table.ruleset.article("touch.rule"), lambda: table.do(game_pb2.PassRequest(player_id="anna"))
    )
    (lost,) = table.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    assert isinstance(lost, events.TurnLost)
    assert (lost.reason, lost.article) == (events.TURN_LOST_REASON_TOUCH, article)
    assert (table.game.mover, len(table.game.racks["anna"]), kinds_of(table.game)) == ("biel", 7, (TurnKind.LOST,))


def test_under_pes_tiles_move_freely_until_the_clock_is_stopped() -> None:
    hall = pes()
    hall.do(game_pb2.LayTilesRequest(player_id="anna", placements=hall.tiles("A1 Μ Α")))
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    hall.play("H8 Μ Α Ν Α")
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    assert (hall.game.mover, hall.game.phase, len(hall.game.board)) == ("anna", Phase.TURN, 0)
    hall.play("H8 Μ Α Ν Α")
    hall.stop()
    expect_refusal("PLAY_FIXED", "PES Δ.β", lambda: hall.do(game_pb2.TakeBackTilesRequest(player_id="anna")))


def test_a_single_tile_may_slide_along_its_line_and_a_word_may_not_change_it() -> None:
    hall = fise()
    hall.turn("H8 S O L")
    hall.do(game_pb2.LayTilesRequest(player_id="biel", placements=hall.tiles("A9 P")))
    new_events = hall.play("I9 P")
    assert names(new_events)[0] == "PlayPlaced"
    other = fise()
    other.do(game_pb2.LayTilesRequest(player_id="anna", placements=other.tiles("G8 S O L")))
    assert names(other.play("H8 S O L"))[0] == "TurnLost"


# When a challenge can be made.


def test_under_uf_a_challenge_after_the_draw_returns_what_was_drawn() -> None:
    hall = uf()
    hall.play("H8 C A S A")
    hall.do(game_pb2.DrawTilesRequest(player_id="anna"))
    new_events = hall.challenge("C A S A")
    withdrawn = next(event for event in new_events if isinstance(event, events.PlayWithdrawn))
    assert len(withdrawn.returned) == 4
    assert sorted(hall.game.racks["anna"]) == sorted(CATALAN[0].split())
    hall.check_tiles()


def test_under_uf_the_press_closes_the_window_and_under_fisc_the_draw() -> None:
    table = uf()
    table.turn("H8 C A S A")
    expect_refusal("NOTHING_TO_CHALLENGE", "UF 23", lambda: table.do(game_pb2.ChallengeRequest(player_id="biel")))
    other = fisc()
    other.play("H8 C A S A")
    other.do(game_pb2.DrawTilesRequest(player_id="anna"))
    expect_refusal("CHALLENGE_TOO_LATE", "FISC I.10", build_challenge(other, "C A S A"))


def test_under_fise_writing_the_score_accepts_the_play() -> None:
    hall = fise()
    hall.play("H8 S O L")
    hall.do(game_pb2.WriteScoreRequest(player_id="anna"))
    expect_refusal("SCORE_NOT_WRITTEN", "FISE 32", lambda: hall.do(game_pb2.DrawTilesRequest(player_id="anna")))
    hall.do(game_pb2.WriteScoreRequest(player_id="biel"))
    expect_refusal("CHALLENGE_TOO_LATE", "FISE 38", build_challenge(hall, "S O L"))


def test_under_pes_a_play_after_one_taken_back_stops_no_clock_unless_it_is_the_last() -> None:
    hall = pes(bag_left=0)
    rack = hall.game.racks["anna"]
    hall.play("H8 " + " ".join(rack[:5]))
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    hall.play("H8 " + " ".join(rack[:2]))
    assert hall.clock.held_turn == 0
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    hall.play("H8 " + " ".join(rack))
    assert hall.clock.held_turn == 1


def test_under_festa_major_the_time_of_a_turn_goes_on_when_its_play_is_taken_back() -> None:
    hall = Hall(rules("festa-major"), 3, racks=["C A S A R T I", "M E N T S O L", "E E A A I U O"])
    hall.play("H8 C A S A")
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    hall.after(130)
    expect_refusal("TURN_TIMED_OUT", "FM 2", lambda: hall.play("H8 C A S"))


def test_a_play_before_the_turn_of_one_who_left_is_questioned_in_the_turn_after_that() -> None:
    hall = Hall(rules("festa-major"), 3, racks=["C A S A R T I", "M E N T S O L", "E E A A I U O"])
    hall.do(game_pb2.AbandonRequest(player_ids=["biel"]))
    hall.turn("H8 C A S A")
    assert (hall.game.turn, hall.game.mover) == (3, "carla")
    hall.challenge("C A S A", player="carla", good=False)
    assert (hall.game.scores["anna"], len(hall.game.board), hall.game.mover) == (0, 0, "carla")
    assert len(hall.game.racks["anna"]) == 7


def test_nobody_waits_for_one_who_left_to_draw() -> None:
    hall = Hall(rules("festa-major"), 3, racks=["C A S A R T I", "M E N T S O L", "E E A A I U O"])
    hall.play("H8 C A S A")
    hall.do(game_pb2.AbandonRequest(player_ids=["anna"]))
    assert (hall.game.turn, hall.game.mover, hall.game.undrawn) == (2, "biel", ())


def test_under_pes_a_challenge_has_fifteen_seconds_from_the_stop() -> None:
    hall = pes()
    hall.play("H8 Μ Α Ν Α")
    expect_refusal("CHALLENGE_TOO_EARLY", "PES Δ.ε", build_challenge(hall, "Μ Α Ν Α"))
    expect_refusal("STOP_FIRST", "PES Δ.β.i", lambda: hall.do(game_pb2.WriteScoreRequest(player_id="anna")))
    hall.stop()
    hall.after(14.1)
    expect_refusal("CHALLENGE_TOO_LATE", "PES Δ.ε", build_challenge(hall, "Μ Α Ν Α"))
    hall.after(-0.1)
    assert names(hall.challenge("Μ Α Ν Α"))[0] == "ChallengeRaised"


def test_at_a_festa_major_table_any_other_player_challenges_until_the_next_has_begun() -> None:
    hall = festa("C A S A R T I", "M E N T S O L", "P E R A L T A")
    hall.turn("H8 C A S A")
    assert (hall.game.mover, hall.game.scores["anna"]) == ("biel", 10)
    hall.challenge("C A S A", player="carla")
    assert (hall.game.mover, hall.game.scores["anna"], len(hall.game.board)) == ("biel", 0, 0)
    hall.check_tiles()
    hall.turn("H8 M E N T")
    hall.turn("-")
    expect_refusal("NOTHING_TO_CHALLENGE", "", lambda: hall.do(game_pb2.ChallengeRequest(player_id="anna")))


def test_a_play_that_takes_its_player_out_is_accepted_before_the_game_ends() -> None:
    hall = festa("C A", "M E N", "P E", bag_left=0)
    hall.turn("H8 C A")
    assert hall.game.phase is Phase.TURN
    expect_refusal("PLAY_NOT_ACCEPTED", "", lambda: hall.do(game_pb2.DeclareCannotPlayRequest(player_id="biel")))
    hall.do(game_pb2.AcceptPlayRequest(player_id="carla"))
    assert hall.game.condition == events.END_CONDITION_OUT
    value = hall.ruleset.tile_set.values
    left = sum(value[face] for face in ("M", "E", "N", "P", "E"))
    assert hall.game.scores["anna"] == hall.game.turns_taken[0].points + left


# The information of a ruling, its cost, and the players who may contest it.


def test_rulings_tell_of_the_play_or_of_each_word_as_the_book_has_it() -> None:
    table = pes()
    table.play("H8 Μ Α Ν Α")
    table.stop()
    ruled = table.challenge("Μ Α Ν Α")[1]
    assert isinstance(ruled, events.ChallengeRuled)
    assert [word.valid for word in ruled.words] == [False]
    other = fisc()
    other.play("H8 C A S A")
    ruled = other.challenge("C A S A")[1]
    assert isinstance(ruled, events.ChallengeRuled)
    assert not ruled.words


def test_a_play_that_stands_is_challenged_again_only_where_once_is_not_all() -> None:
    book = rules("fisc-2023")
    for once in (True, False):
        hall = Hall(replace(book, challenge=replace(book.challenge, once=once)), racks=CATALAN)
        hall.play("H8 C A S A")
        hall.challenge("C A S A", good=True)
        if once:
            expect_refusal("CHALLENGED_ALREADY", "FISC I.10", build_challenge(hall, "C A S A"))
            continue
        expect_refusal("WORD_RULED_ALREADY", "FISC I.10", build_challenge(hall, "C A S A"))


def test_where_the_opponent_alone_challenges_the_others_of_a_table_do_not() -> None:
    book = rules("festa-major")
    hall = Hall(replace(book, challenge=replace(book.challenge, by="opponent")), 3, racks=(*CATALAN, "B D F G L M N"))
    hall.turn("H8 C A S A")
    words = [events.Word(faces="CASA")]
    expect_refusal("NOT_ENTITLED", "", lambda: hall.do(game_pb2.ChallengeRequest(player_id="carla", words=words)))
    hall.do(game_pb2.ChallengeRequest(player_id="biel", words=words))
    assert hall.game.phase is Phase.CHALLENGED


def test_under_pes_the_fourth_good_word_costs_its_challenger_ten_points() -> None:
    hall = pes()
    counts = []
    for play in ("H8 Μ Α", "I8 Α Ν", "J8 Σ"):
        hall.play(play)
        hall.stop()
        assert hall.game.pending is not None
        words = dict.fromkeys(" ".join(scored.word.faces) for scored in hall.game.pending.words)
        hall.challenge(*words, good=True)
        counts.append((hall.game.unfounded["biel"], hall.game.scores["biel"]))
        hall.finish()
        hall.turn("-")
    assert counts == [(1, 0), (3, 0), (4, -10)]
    assert hall.game.unfounded == {"biel": 4}


def test_under_fisc_the_challenger_may_contest_the_ruling_once() -> None:
    hall = fisc()
    hall.play("H8 C A S A")
    hall.challenge("C A S A", good=True)
    expect_refusal("NOT_ENTITLED", "FISC I.10", lambda: hall.do(game_pb2.AppealRequest(player_id="anna")))
    hall.do(game_pb2.AppealRequest(player_id="biel", arguments="no hi és"))
    expect_refusal("APPEALED_ALREADY", "FISC I.10", lambda: hall.do(game_pb2.AppealRequest(player_id="biel")))
    hall.do(game_pb2.RuleAppealRequest(arbiter_id="eleni", valid=True))
    expect_refusal("RULING_FINAL", "FISC I.10", lambda: hall.do(game_pb2.AppealRequest(player_id="biel")))


def test_under_fise_the_mover_accepts_the_ruling_or_appeals_with_hidden_arguments() -> None:
    hall = fise()
    hall.play("H8 S O L")
    hall.challenge("S O L")
    assert hall.game.mover == "anna"
    expect_refusal("RULING_OPEN", "FISE 42.4", lambda: hall.do(game_pb2.WriteScoreRequest(player_id="anna")))
    expect_refusal("NOT_ENTITLED", "FISE 42.4", lambda: hall.do(game_pb2.AppealRequest(player_id="biel")))
    hall.do(game_pb2.AppealRequest(player_id="anna", arguments="astro", arguments_hidden=True))
    hall.do(game_pb2.RuleAppealRequest(arbiter_id="eleni", valid=True))
    assert (hall.game.phase, hall.game.mover, len(hall.game.board)) == (Phase.PLACED, "anna", 3)
    other = fise()
    other.play("H8 S O L")
    other.challenge("S O L")
    other.do(game_pb2.AcceptRulingRequest(player_id="anna"))
    assert (other.game.mover, len(other.game.board)) == ("biel", 0)


def test_the_judges_of_a_case_rule_on_an_appeal_as_the_arbiter_at_the_table_can() -> None:
    hall = fise()
    hall.play("H8 S O L")
    hall.challenge("S O L")
    hall.do(game_pb2.AppealRequest(player_id="anna"))
    hall.rule([True])
    ruled = hall.events[-1]
    assert isinstance(ruled, events.AppealRuled)
    assert (ruled.valid, ruled.arbiter_id, hall.game.phase) == (True, "", Phase.PLACED)
    expect_refusal("RULING_FINAL", "FISE 42.4", lambda: hall.do(game_pb2.AppealRequest(player_id="anna")))


# Draws.


def overdrawn(hall: Hall, play: str) -> Hall:
    """Return a hall in which the mover has played, and drawn one tile too many."""
    hall.play(play)
    if "stop" in hall.ruleset.turn.steps:
        hall.stop()
    if hall.ruleset.turn.complete_on == "both-written":
        hall.write()
    laid = len(hall.game.board)
    hall.do(game_pb2.DrawTilesRequest(player_id="anna", count=laid + 1))
    return hall


def test_an_over_draw_goes_back_as_each_book_has_it() -> None:
    table = overdrawn(uf(), "H8 C A S A")
    new_events = table.do(game_pb2.ClaimOverdrawRequest(player_id="biel", drawer_id="anna"))
    assert names(new_events) == ["OverdrawFound", "OverdrawResolved"]
    other = overdrawn(fisc(), "H8 C A S A")
    (found,) = other.do(game_pb2.ClaimOverdrawRequest(player_id="biel", drawer_id="anna", racked=True))
    assert isinstance(found, events.OverdrawFound)
    assert (len(found.shown), found.choose, found.seen_by_opponent) == (3, 1, True)
    expect_refusal("OVERDRAW_OPEN", "FISC I.7.3", build_challenge(other, "C A S A"))
    expect_refusal(
        "OWN_SURPLUS", "FISC I.7.3", lambda: other.do(game_pb2.ChooseSurplusRequest(player_id="anna", faces=["A"]))
    )
    other.do(game_pb2.ChooseSurplusRequest(player_id="biel", faces=[found.shown[0]]))
    assert len(other.game.racks["anna"]) == 7
    other.check_tiles()


def test_under_fise_an_over_draw_found_by_the_opponent_costs_the_next_turn() -> None:
    hall = overdrawn(fise(), "H8 S O L")
    hall.press()
    (found,) = hall.do(game_pb2.ClaimOverdrawRequest(player_id="biel", drawer_id="anna", racked=True))
    assert isinstance(found, events.OverdrawFound)
    hall.do(game_pb2.ChooseSurplusRequest(player_id="biel", faces=[found.shown[0]]))
    hall.turn("-")
    assert [turn.kind for turn in hall.game.turns_taken] == [TurnKind.PLAY, TurnKind.PASS, TurnKind.FORFEITED]
    assert hall.game.mover == "biel"


def test_under_fise_missing_tiles_are_drawn_and_shown_once_racked() -> None:
    hall = fise()
    hall.play("H8 S O L")
    hall.write()
    hall.do(game_pb2.DrawTilesRequest(player_id="anna", count=1))
    new_events = hall.do(game_pb2.ClaimUnderdrawRequest(player_id="anna", drawer_id="anna", racked=True))
    assert names(new_events) == ["UnderdrawFound", "TilesDrawn", "UnderdrawResolved"]
    assert isinstance(new_events[2], events.UnderdrawResolved)
    assert len(new_events[2].shown) == 2


def test_tiles_are_missing_while_another_plays_and_not_before_they_are_drawn() -> None:
    hall = fise(recorded=True)
    hall.play("H8 S O L")
    hall.write()
    expect_refusal(
        "NOTHING_MISSING",
        "FISE 29.2",
        lambda: hall.do(game_pb2.ClaimUnderdrawRequest(player_id="biel", drawer_id="anna")),
    )
    hall.do(game_pb2.DrawTilesRequest(player_id="anna", count=1))
    hall.press()
    hall.play("I8 A")
    new_events = hall.do(game_pb2.ClaimUnderdrawRequest(player_id="biel", drawer_id="anna"))
    assert isinstance(new_events[0], events.UnderdrawFound)
    assert (new_events[0].player_id, new_events[0].missing) == ("anna", 2)


# Exchanges and passes.


def test_pes_penalises_an_exchange_that_took_of_the_last_seven() -> None:
    hall = pes(bag_left=10)
    expect_refusal(
        "EXCHANGE_TOO_LARGE",
        "PES Δ.β.iii",
        lambda: hall.do(game_pb2.ExchangeRequest(player_id="anna", faces=list("ΜΑΝΑΣ"))),
    )
    new_events = hall.do(game_pb2.ExchangeRequest(player_id="anna", faces=list("ΜΑΝΑΣ"), done=True))
    found = new_events[2]
    assert isinstance(found, events.IllegalExchangeFound)
    assert (len(found.from_rack), len(found.bag), found.keep) == (5, 10, 5)
    hall.do(game_pb2.KeepAfterExchangeRequest(player_id="biel", faces=list(found.bag)[:5]))
    assert sorted(hall.game.racks["anna"])[:0] == []
    assert len(hall.game.racks["anna"]) == 7
    hall.check_tiles()


def test_senyors_changes_the_rack_and_the_turn_goes_on() -> None:
    hall = Hall(rules("uf-2007"), racks=["A E I O U A E", CATALAN[1]], bag_left=1)
    new_events = hall.do(game_pb2.FreeExchangeRequest(player_id="anna"))
    assert names(new_events) == ["FreeExchangeShown", "FreeExchanged", "TilesDrawn"]
    assert isinstance(new_events[1], events.FreeExchanged)
    assert sorted(new_events[1].faces) == sorted("AEIOUAE")  # the whole rack, if no tile was named
    assert (hall.game.mover, hall.game.phase, kinds_of(hall.game), hall.game.bag_left) == ("anna", Phase.TURN, (), 1)
    hall.check_tiles()
    asked = game_pb2.FreeExchangeRequest(player_id="anna")
    expect_refusal("FREE_EXCHANGE_UNKNOWN", "FISC I.7", lambda: fisc().do(asked))
    (_, lost) = festa(*CATALAN).do(asked)
    assert isinstance(lost, events.TurnLost)
    assert (lost.reason, lost.article) == (events.TURN_LOST_REASON_FREE_EXCHANGE, "FM 6")


def test_at_festa_major_nobody_passes_with_few_tiles_but_says_that_nothing_can_be_played() -> None:
    hall = festa(*CATALAN, bag_left=6)
    expect_refusal("PASS_NOT_ALLOWED", "FM 7", lambda: hall.do(game_pb2.PassRequest(player_id="anna")))
    hall.do(game_pb2.DeclareCannotPlayRequest(player_id="anna"))
    assert (hall.game.mover, kinds_of(hall.game)) == ("biel", (TurnKind.CANNOT_PLAY,))


def test_an_exchange_that_was_announced_binds_the_turn() -> None:
    hall = fise()
    hall.do(game_pb2.AnnounceExchangeRequest(player_id="anna", count=2))
    expect_refusal("EXCHANGE_ANNOUNCED", "FISE 25", lambda: hall.do(game_pb2.PassRequest(player_id="anna")))
    hall.do(game_pb2.ExchangeRequest(player_id="anna", faces=["S", "O", "L"]))
    other = uf()
    other.do(game_pb2.AnnounceExchangeRequest(player_id="anna", count=2))
    expect_refusal(
        "EXCHANGE_NUMBER_FIXED",
        "UF 14.1",
        lambda: other.do(game_pb2.ExchangeRequest(player_id="anna", faces=["C", "A", "S"])),
    )


# Sanctions and ends.


def test_a_sanction_in_points_has_a_least_number_under_fise() -> None:
    hall = fise()
    ask = {"arbiter_id": "eleni", "player_id": "anna", "kind": events.SANCTION_KIND_POINTS}
    expect_refusal("SANCTION_TOO_SMALL", "FISE 49", lambda: hall.do(game_pb2.ImposeSanctionRequest(points=10, **ask)))  # type: ignore[arg-type]
    hall.do(game_pb2.ImposeSanctionRequest(points=25, **ask))  # type: ignore[arg-type]
    assert hall.game.scores["anna"] == -25


def test_a_second_rack_held_too_full_on_purpose_puts_expulsion_forward() -> None:
    hall = fise()
    kinds = []
    for _ in range(2):
        (event,) = hall.do(game_pb2.RecordOverholdingRequest(arbiter_id="eleni", player_id="anna"))
        assert isinstance(event, events.SanctionImposed)
        kinds.append(event.kind)
    assert kinds == [events.SANCTION_KIND_WARNING, events.SANCTION_KIND_EXPULSION]


def test_who_leaves_never_wins_and_gets_what_the_book_says() -> None:
    hall = fisc()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.AbandonRequest(player_ids=["anna"]))
    assert hall.game.scores == {"anna": -50, "biel": 0}
    hall.do(game_pb2.SignSheetRequest(player_id="biel"))
    final = hall.events[-1]
    assert isinstance(final, events.ResultFinal)
    assert (final.winner_id, final.lost_by_all) == ("biel", False)
    both = fisc()
    both.turn("H8 C A S A")
    both.do(game_pb2.AbandonRequest(player_ids=["anna", "biel"]))
    assert both.game.scores == {"anna": 0, "biel": 0}
    for player in both.players:
        both.do(game_pb2.SignSheetRequest(player_id=player))
    final = both.events[-1]
    assert isinstance(final, events.ResultFinal)
    assert (final.winner_id, final.lost_by_all) == ("", True)
    greek = pes()
    greek.do(game_pb2.AbandonRequest(player_ids=["anna"]))
    assert greek.game.scores == {"anna": 0, "biel": 150}


def test_a_table_of_three_goes_on_without_one_who_left_and_ends_by_the_turns_of_the_others() -> None:
    hall = festa("C A S A R T I", "M E N T S O L", "P E R A L T A")
    hall.turn("H8 C A S A")
    hall.do(game_pb2.AbandonRequest(player_ids=["biel"]))
    assert hall.game.mover == "carla"
    for _ in range(4):
        hall.turn("-")
    assert hall.game.condition == events.END_CONDITION_LOST_TURNS
    assert [turn.player_id for turn in hall.game.turns_taken if turn.kind is TurnKind.FORFEITED] == ["biel", "biel"]
    hall.do(game_pb2.SignSheetRequest(player_id="anna"))
    assert isinstance(hall.events[-1], events.ResultFinal)


def test_players_agree_that_the_game_is_over_where_the_book_knows_that() -> None:
    hall = fise()
    hall.do(game_pb2.AgreeEndRequest(player_id="anna"))
    hall.do(game_pb2.AgreeEndRequest(player_id="biel"))
    assert hall.game.condition == events.END_CONDITION_AGREEMENT
    expect_refusal("NO_AGREEMENT", "PES Ε", lambda: pes().do(game_pb2.AgreeEndRequest(player_id="anna")))


def test_four_opening_passes_end_a_fise_game_below_zero_and_not_a_fisc_one() -> None:
    hall, other = fise(), fisc()
    for _ in range(4):
        hall.turn("-")
        other.turn("-")
    assert hall.game.condition == events.END_CONDITION_LOST_TURNS
    assert all(score < 0 for score in hall.game.scores.values())
    assert other.game.phase is Phase.TURN


def test_the_time_of_a_turn_counts_what_lies_when_it_is_a_play() -> None:
    hall = festa(*CATALAN)
    hall.do(game_pb2.LayTilesRequest(player_id="anna", placements=hall.tiles("H8 C A S A")))
    at = hall.at + 120_000_000_000
    tick = clock_events.TurnTimedOut(player_id="anna", turn=1)
    tick.occurred_at.FromNanoseconds(at)
    hall.at = at
    hall.tell(tick)
    assert hall.game.pending is not None
    nothing = festa(*CATALAN)
    nothing.at = at
    nothing.tell(tick)
    assert (nothing.game.mover, kinds_of(nothing.game)) == ("biel", (TurnKind.TIMED_OUT,))


def test_a_final_fise_game_is_opened_again_by_both_and_signed_again() -> None:
    hall = fise()
    for _ in range(4):
        hall.turn("-")
    for player in hall.players:
        hall.do(game_pb2.SignSheetRequest(player_id=player))
    alone = game_pb2.ReopenGameRequest(player_ids=["anna"], arbiter_id="eleni")
    expect_refusal("REOPENING_NOT_AGREED", "FISE 44", lambda: hall.do(alone))
    hall.do(game_pb2.ReopenGameRequest(player_ids=["anna", "biel"], arbiter_id="eleni"))
    total = hall.game.scores["anna"] + 5
    hall.do(game_pb2.CorrectTotalRequest(arbiter_id="eleni", player_id="anna", total=total))
    for player in hall.players:
        hall.do(game_pb2.SignSheetRequest(player_id=player))
    final = hall.events[-1]
    assert isinstance(final, events.ResultFinal)
    assert (final.revision, final.scores[0].score) == (1, total)


@pytest.mark.parametrize(
    "command",
    [
        game_pb2.WriteScoreRequest(player_id="anna", score=2**31 - 1),
        game_pb2.WriteScoreRequest(player_id="anna", total=-(2**31)),
        game_pb2.SettleCountRequest(arbiter_id="eleni", score=2**31 - 1),
        game_pb2.CorrectPlayRequest(arbiter_id="eleni", turn=1, score=2**31 - 1),
        game_pb2.CorrectTotalRequest(arbiter_id="eleni", player_id="anna", total=-(2**31)),
        game_pb2.ImposeSanctionRequest(
            arbiter_id="eleni", player_id="anna", kind=events.SANCTION_KIND_POINTS, points=2**31 - 1
        ),
    ],
)
def test_points_that_no_game_comes_to_are_refused_so_that_totals_can_always_be_told(command: Message) -> None:
    hall = Hall(rules("fise"), racks=["C A S A R T I", "M E N T S O L"])
    hall.turn("H8 C A S A")
    if isinstance(command, game_pb2.WriteScoreRequest):
        hall.play("I8 M E")
    if isinstance(command, game_pb2.SettleCountRequest):
        hall.do(game_pb2.DisputeCountRequest(player_id="anna"))
    with pytest.raises(Invalid, match="100000"):
        hall.do(command)


def test_a_blank_is_noted_and_settled_as_a_tile_of_the_set_and_notes_go_with_their_play() -> None:
    hall = Hall(rules("fise"), racks=["S ? L E R T I", "? E N T S O L"])
    hall.play("H8 S (O) L")
    with pytest.raises(Refusal, match="cannot stand for W"):
        hall.do(game_pb2.WriteScoreRequest(player_id="anna", blanks=["W"]))
    hall.do(game_pb2.WriteScoreRequest(player_id="anna", blanks=["O"]))
    hall.challenge("S O L", good=False)
    hall.do(game_pb2.AcceptRulingRequest(player_id="anna"))
    hall.play("H8 S (E)")
    (settled,) = hall.do(game_pb2.SettleBlankRequest(row=7, column=8))
    assert isinstance(settled, events.BlankSettled)
    assert settled.face == "E"
    uf = Hall(rules("uf-2007"), racks=["S ? L E R T I", "M E N T S O L"])
    uf.play("H8 S (O) L")
    with pytest.raises(Refusal, match="cannot stand for W"):
        uf.do(game_pb2.SettleBlankRequest(row=7, column=8, arbiter_id="eleni", face="W"))
    (decided,) = uf.do(game_pb2.SettleBlankRequest(row=7, column=8, arbiter_id="eleni", face="E"))
    assert isinstance(decided, events.BlankSettled)
    assert (settled.arbiter_id, decided.arbiter_id) == ("", "eleni"), "where the book leaves it to somebody"


def test_a_play_is_challenged_as_its_blank_was_settled_and_an_arbiter_hears_what_is_stated() -> None:
    hall = Hall(rules("fise"), racks=["S ? L E R T I", "M E N T S O L"])
    hall.play("H8 S (O) L")
    expect_refusal(
        "ARBITER_DECIDES", "FISE 10.4", lambda: hall.do(game_pb2.SettleBlankRequest(row=7, column=8, stated="A"))
    )
    hall.do(game_pb2.SettleBlankRequest(row=7, column=8, stated="A", arbiter_id="eleni"))
    hall.challenge("S A L", good=False)
    hall.do(game_pb2.AcceptRulingRequest(player_id="anna"))
    assert (len(hall.game.board), hall.game.racks["anna"].count("?")) == (0, 1)


def test_sheets_that_differ_are_disputed_and_settled() -> None:
    hall = fise()
    hall.play("H8 S O L")
    hall.do(game_pb2.WriteScoreRequest(player_id="anna", score=8))
    new_events = hall.do(game_pb2.WriteScoreRequest(player_id="biel"))
    assert names(new_events) == ["ScoreWritten", "CountDisputed"]
    expect_refusal("COUNT_DISPUTED", "FISE 41", lambda: hall.do(game_pb2.DrawTilesRequest(player_id="anna")))
    hall.do(game_pb2.SettleCountRequest(player_ids=["anna", "biel"]))
    hall.finish()
    assert hall.game.scores["anna"] == 6


def test_a_miscount_that_both_wrote_is_put_right_under_fise_and_stands_under_fisc() -> None:
    hall = fise()
    hall.play("H8 S O L")
    for player in hall.players:
        hall.do(game_pb2.WriteScoreRequest(player_id=player, score=9))
    hall.finish()
    assert hall.game.scores["anna"] == 9
    hall.do(game_pb2.CorrectPlayRequest(player_ids=["anna", "biel"], turn=1, score=6))
    assert (hall.game.scores["anna"], points_of(hall.game)) == (6, (6,))
    other = fisc()
    other.turn("H8 C A S A")
    correct = game_pb2.CorrectPlayRequest(arbiter_id="eleni", turn=1, score=9)
    expect_refusal("PLAY_COUNT_FIXED", "FISC I.9", lambda: other.do(correct))


def test_the_blank_is_what_its_placer_noted_when_the_sheets_differ() -> None:
    hall = fise(racks=("S ? L A R C I", SPANISH[1]))
    hall.play("H8 S (O) L")
    hall.do(game_pb2.WriteScoreRequest(player_id="anna", blanks=["A"]))
    hall.do(game_pb2.WriteScoreRequest(player_id="biel", blanks=["O"]))
    (event,) = hall.do(game_pb2.SettleBlankRequest(row=7, column=8))
    assert isinstance(event, events.BlankSettled)
    assert event.face == "A"


def test_no_pes_game_starts_without_an_arbiter() -> None:
    hall = pes()
    assert names(hall.events).index("ArbiterAssigned") < names(hall.events).index("GameStarted")


def test_a_word_that_was_asked_about_cannot_be_played_and_asking_again_loses() -> None:
    hall = uf()
    asked = game_pb2.RecordWordAskedRequest(arbiter_id="eleni", player_id="anna", word=events.Word(faces="CASA"))
    hall.do(asked)
    expect_refusal("WORD_ASKED", "UF 28.1", lambda: hall.play("H8 C A S A"))
    hall.do(asked)
    assert (hall.game.condition, hall.game.losers) == (events.END_CONDITION_FORFEIT, ("anna",))


def test_a_game_lost_before_any_turn_was_over_was_not_played_and_after_one_it_was() -> None:
    found = []
    for turns in (0, 1):
        hall = uf()
        if turns:
            hall.turn("H8 C A S A")
        asked = game_pb2.RecordWordAskedRequest(arbiter_id="eleni", player_id="anna", word=events.Word(faces="CASA"))
        hall.do(asked)
        hall.do(asked)
        final = result(hall.game, 0)
        found.append((final.condition, list(final.loser_ids), final.unplayed))
    assert found == [
        (events.END_CONDITION_FORFEIT, ["anna"], True),
        (events.END_CONDITION_FORFEIT, ["anna"], False),
    ]


def test_a_word_that_a_play_makes_twice_is_asked_once_where_every_play_is_checked() -> None:
    hall = Hall(rules("festa-major", challenge="nobody"), racks=("L L A S E R I", "A A S E R N O"))
    hall.play("H8 L L")
    hall.rule([True])
    hall.finish()
    asked = [event for event in hall.play("I8 A A") if isinstance(event, events.ChallengeRaised)]
    assert [["".join(word.faces) for word in event.words] for event in asked] == [["AA", "LA"]]
