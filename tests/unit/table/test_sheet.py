"""Notes and corrections of officials are recorded, and no other data changes."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.table_games import kinds_of, points_of
from tests.unit.table.hall import Hall, rules

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Square, TurnKind
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Phase


def box(players: int = 3) -> Hall:
    """Return a table over the board without a clock: entries of any turn can be taken back."""
    return Hall(rules("box"), players, recorded=True)


def note_event(hall: Hall, event: Message) -> None:
    """Record an event of this moment at the table."""
    event.occurred_at.FromNanoseconds(hall.at)  # type: ignore[attr-defined] # every event has it
    hall.tell(event)


def take_back(hall: Hall, turn: int) -> None:
    hall.do(game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=turn))


def blank(hall: Hall, row: int, column: int, face: str, arbiter: str = "eleni") -> None:
    note_event(hall, events.BlankSettled(row=row, column=column, face=face, arbiter_id=arbiter))


def read_face(hall: Hall, row: int, column: int) -> str:
    tile = hall.game.board.get(Square(row, column))
    return tile.face if tile else ""


@pytest.mark.parametrize(("arbiter", "face"), [("eleni", "R"), ("", "T")])
def test_what_an_arbiter_settled_of_a_blank_stands_when_a_later_turn_is_taken_back(arbiter: str, face: str) -> None:
    hall = box()
    hall.turn("H8 C A (T)")
    hall.turn("-")
    blank(hall, 7, 9, "R", arbiter)
    assert read_face(hall, 7, 9) == "R"
    take_back(hall, 2)
    assert read_face(hall, 7, 9) == face
    take_back(hall, 1)
    assert not hall.game.board


def test_a_blank_is_settled_only_where_it_lies_and_not_where_another_tile_lay_before() -> None:
    hall = box()
    hall.turn("H8 C A (T)")
    hall.turn("-")
    before = [dict(earlier.board.items()) for earlier in hall.game.begun]
    blank(hall, 7, 8, "E")  # an A that is not a blank
    assert [dict(earlier.board.items()) for earlier in hall.game.begun] == before


@pytest.mark.parametrize(
    ("first", "second", "place", "words"),
    [
        ("H8 C A S A", "I8 (L) O S", (8, 7), ["R O S", "C R", "A O", "S S"]),
        ("H8 C A S A", "I8 L (O) S", (8, 8), ["L R S", "C L", "A R", "S S"]),
        ("H8 C A S A", "I8 L O (S)", (8, 9), ["L O R", "C L", "A O", "S R"]),
        ("8H C A S A", "9H (L) O S", (7, 8), ["R O S", "C R", "A O", "S S"]),
        ("8H C A S A", "9H L O (S)", (9, 8), ["L O R", "C L", "A O", "S R"]),
    ],
)
@pytest.mark.parametrize("complete", [False, True], ids=["pending", "complete"])
def test_every_word_of_a_play_reads_as_its_blank_is_settled(
    first: str, second: str, place: tuple[int, int], words: list[str], complete: bool
) -> None:
    hall = box()
    hall.turn(first)
    hall.turn(second) if complete else hall.play(second)
    blank(hall, *place, "R")
    assert (hall.game.pending is None) is complete
    play = hall.game.in_question
    assert play is not None
    assert sorted(" ".join(word.word.faces) for word in play.words) == sorted(words)
    assert [(tile.row, tile.column) for tile in play.placements if tile.face == "R"] == [place]


def test_an_earlier_blank_in_the_line_of_a_play_is_no_letter_of_its_word() -> None:
    hall = box()
    for play in ("H8 C A S A", "11H A R T", "8H C A (N)"):
        hall.turn(play)
    hall.play("J10 O T")
    blank(hall, 9, 7, "R")  # on J8, two squares before the word
    assert hall.game.pending is not None
    assert [" ".join(word.word.faces) for word in hall.game.pending.words] == ["O T"]


def test_a_settled_count_is_that_of_the_play_on_the_board_and_of_no_other() -> None:
    hall = box()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.DisputeCountRequest(player_id="biel"))
    hall.do(game_pb2.SettleCountRequest(arbiter_id="eleni"))
    assert (hall.game.interruption, hall.game.course.settled_score) == (None, None)
    hall.play("I8 A T")
    hall.do(game_pb2.DisputeCountRequest(player_id="anna"))
    hall.do(game_pb2.SettleCountRequest(arbiter_id="eleni", score=0))
    assert (hall.game.interruption, hall.game.counted) == (None, 0)


def test_a_count_that_was_set_without_a_play_on_the_board_is_refused() -> None:
    hall = box()
    hall.turn("H8 C A S A")
    hall.do(game_pb2.DisputeCountRequest(player_id="biel"))
    with pytest.raises(Refusal) as refused:
        hall.do(game_pb2.SettleCountRequest(arbiter_id="eleni", score=9))
    assert refused.value.reason == "PLAY_COUNT_FIXED"


@pytest.mark.parametrize(("turn", "total"), [(1, 0), (2, 15)])
def test_a_corrected_play_goes_with_its_entry_and_stands_when_later_ones_are_taken_back(turn: int, total: int) -> None:
    hall = box()
    hall.turn("H8 C A T")
    hall.turn("-")
    note_event(hall, events.PlayCorrected(turn=1, player_id="anna", score=15, total=15))
    assert (hall.game.scores["anna"], points_of(hall.game)) == (15, (15, 0))
    assert kinds_of(hall.game) == (TurnKind.PLAY, TurnKind.PASS)
    take_back(hall, turn)
    assert (hall.game.scores["anna"], points_of(hall.game)) == (total, (15, 0)[: turn - 1])


@pytest.mark.parametrize(("turn", "total"), [(1, 3), (2, 13)])
def test_a_corrected_total_stands_whatever_is_taken_back(turn: int, total: int) -> None:
    hall = box()
    hall.turn("H8 C A T")
    hall.turn("-")
    assert hall.game.scores["anna"] == 10
    note_event(hall, events.TotalCorrected(player_id="anna", total=13))
    take_back(hall, turn)
    assert hall.game.scores["anna"] == total


@pytest.mark.parametrize(("change", "signed"), [(0, ("anna",)), (1, ()), (-1, ())])
def test_who_signed_a_total_has_not_signed_another(change: int, signed: tuple[str, ...]) -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    game = hall.game.but(phase=Phase.ENDED, signed=("anna",))
    total = game.scores["biel"] + change
    assert evolve(game, events.TotalCorrected(player_id="biel", total=total)).signed == signed


@pytest.mark.parametrize(
    ("players", "kind", "out"),
    [
        (3, "GAME", ("anna",)),
        (4, "GAME", ("anna",)),
        (3, "WARNING", ()),
        (3, "TURN", ()),
        (2, "GAME", ()),
    ],
)
def test_who_loses_the_game_as_a_sanction_is_out_where_the_others_play_on(
    players: int, kind: str, out: tuple[str, ...]
) -> None:
    hall = box(players)
    hall.turn("H8 C A T")
    value = events.SanctionKind.Value(f"SANCTION_KIND_{kind}")
    hall.do(game_pb2.ImposeSanctionRequest(arbiter_id="eleni", player_id="anna", kind=value))
    assert hall.game.out_of_play == out
    assert hall.game.over is (players == 2)


def test_a_score_written_of_a_play_that_is_over_says_nothing_of_the_one_on_the_board() -> None:
    hall = box()
    hall.turn("H8 C A T")
    hall.play("I8 A T")
    for turn, written in ((1, False), (2, True)):
        note_event(hall, events.ScoreWritten(turn=turn, player_id="carla", score=99, total=99, blanks=["E"]))
        assert ("carla" in hall.game.course.written) is written


@pytest.mark.parametrize("noted_as", [["E"], ["E", "O"], ["E", "O", "A"]])
def test_each_blank_of_a_play_is_noted_in_its_order_as_far_as_letters_were_written(noted_as: list[str]) -> None:
    hall = box()
    hall.play("H8 (A) T (A)")
    note_event(hall, events.ScoreWritten(turn=1, player_id="biel", score=1, total=1, blanks=noted_as))
    found = [notes["biel"] for _, notes in sorted(hall.game.noted.items())]
    assert found == noted_as[:2]
    note_event(hall, events.ScoreWritten(turn=1, player_id="carla", score=1, total=1, blanks=["I"]))
    assert hall.game.noted[Square(7, 7)] == {"biel": "E", "carla": "I"}


def test_racks_held_too_full_on_purpose_are_counted_and_other_warnings_are_not() -> None:
    hall = box()
    warned = events.SanctionImposed(player_id="anna", kind=events.SANCTION_KIND_WARNING)
    assert evolve(hall.game, warned).overholding == {}
    warned.overholding = 2
    assert evolve(hall.game, warned).overholding == {"anna": 2}


@pytest.mark.parametrize(("answerer", "who"), [("", {"anna"}), ("biel", {"anna", "biel"})])
def test_a_word_asked_binds_who_asked_and_who_answered(answerer: str, who: set[str]) -> None:
    asked = events.WordAsked(player_id="anna", answerer_id=answerer, word=events.Word(faces=["C", "A", "T"]))
    assert evolve(box().game, asked).asked == {(player, ("C", "A", "T")) for player in who}


def test_points_are_added_and_taken_off_on_lines_of_their_own() -> None:
    game = box().game
    new_events: list[Any] = [
        events.OutBonus(player_id="anna", points=9),
        events.RackPenalty(player_id="biel", points=4),
        events.TimePenalty(player_id="biel", points=10),
        events.ScoreAdjusted(player_id="carla", points=-5, reason=events.ADJUSTMENT_REASON_SANCTION),
    ]
    for event in new_events:
        game = evolve(game, event)
    assert game.scores == {"anna": 9, "biel": -14, "carla": -5}
    assert game.adjusted == {
        ("anna", "OutBonus"),
        ("biel", "RackPenalty"),
        ("biel", "TimePenalty"),
        ("carla", "ADJUSTMENT_REASON_SANCTION"),
    }


def test_a_result_that_is_opened_again_is_another_version_and_is_signed_again() -> None:
    game = box().game.but(phase=Phase.FINAL, signed=("anna", "biel"), revision=1)
    again = evolve(game, events.GameReopened())
    assert (again.phase, again.signed, again.revision) == (Phase.ENDED, (), 2)
