"""The plays that are tried to find possible commands: tiles of the rack, on allowed squares."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.unit.table.hall import Hall, rules

from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Direction, Placement, Square, Tile
from faristol.rules.board import BOARD_SIZE
from faristol.table.game.state import UNENTERED_TILE
from faristol.table.offers.examples import make_examples, plays_of, rack_of, racks_of_a_kind

SQUARES = [Square(row, column) for row in range(BOARD_SIZE) for column in range(BOARD_SIZE)]


def distance(square: Square, other: Square) -> int:
    return abs(square.row - other.row) + abs(square.col - other.col)


def plays(hall: Hall) -> list[dict[Square, Tile]]:
    return [dict(play) for play in plays_of(hall.table, hall.game.mover)]


def list_examples(kind: type[Message], hall: Hall, arbiter_id: str = "") -> list[Any]:
    return list(make_examples(kind, hall.table, hall.at, arbiter_id))


def uf(rack: str) -> Hall:
    """Return a table where tiles are laid one by one before the play is announced."""
    return Hall(rules("uf-2007"), racks=[rack, "M E N T S O L"])


def test_a_first_play_goes_through_the_centre_with_as_many_tiles_as_the_book_asks() -> None:
    found = plays(uf("C A S A R T I"))
    assert {frozenset(play) for play in found} == {
        frozenset({Square(7, 7), Square(7, 8)}),
        frozenset({Square(7, 7), Square(8, 7)}),
    }
    assert {tile for play in found for tile in play.values()} <= {Tile(face) for face in "CASARTI"}


def test_later_plays_are_of_a_tile_on_every_free_square_beside_another() -> None:
    hall = Hall(rules("box"), recorded=True)
    for text in ("H8 C A S A", "8H C A S E S O A R"):  # down to the edge of the board
        hall.turn(text)
    board = hall.game.board
    near = {square for square in SQUARES for lies in board if distance(square, lies) == 1}
    found = plays(hall)
    assert {square for play in found for square in play} == {square for square in near if square not in board}
    assert {len(play) for play in found} == {1}


@pytest.mark.parametrize(("rack", "tried"), [("", set()), ("A", {1}), ("A E", {1})])
def test_as_many_tiles_are_tried_as_the_rack_holds(rack: str, tried: set[int]) -> None:
    hall = uf("C A S A R T I")
    hall.turn("H8 C A")
    table = replace(hall.table, game=hall.game.but(racks={**hall.game.racks, "biel": tuple(rack.split())}))
    assert {len(play) for play in plays_of(table, "biel")} == tried
    empty = replace(table, game=table.game.but(board=Board()))
    assert {len(play) for play in plays_of(empty, "biel")} == ({2} if len(rack.split()) == 2 else set())


def test_blanks_are_laid_as_blanks_and_after_the_other_tiles() -> None:
    first, last, *_ = plays(uf("? ? E E E E E"))
    assert set(first.values()) == {Tile("E")}
    assert {tile.blank for tile in last.values()} == {True}


def test_a_blank_is_laid_as_the_letter_that_was_said_of_it_in_the_turn() -> None:
    hall = Hall(rules("box"), racks=["? C S A R T I", "M E N T S O L"])
    hall.do(game_pb2.LayTilesRequest(player_id="anna", placements=hall.tiles("H8 C (O)")))
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    assert {tile for play in plays(hall) for tile in play.values() if tile.blank} == {Tile("O", blank=True)}


@pytest.mark.parametrize(
    "laid", [[(7, 7)], [(7, 7), (7, 8)], [(7, 7), (9, 7)], [(0, 0)], [(14, 14)], [(0, 13), (0, 14)], [(13, 0), (14, 0)]]
)
def test_what_was_laid_is_completed_in_its_line_wherever_the_rack_reaches(laid: list[tuple[int, int]]) -> None:
    hall = uf("C A S A R T I")
    tiles_there = {Square(*square): Tile(face) for square, face in zip(laid, "AI", strict=False)}
    course = replace(hall.game.course, laid=tuple(Placement(*each) for each in tiles_there.items()))
    table = replace(hall.table, game=hall.game.but(course=course))
    found = [dict(play) for play in plays_of(table, "anna")]
    lines = {
        frozenset(start.step(direction, place) for place in range(size))
        for start in SQUARES
        for direction in Direction
        for size in range(len(laid), 8)
    }
    possible = {line for line in lines if tiles_there.keys() <= line and all(square.on_board for square in line)}
    whole = [play for play in found if tiles_there.items() <= play.items()]
    assert {frozenset(play) for play in whole} >= possible
    assert {frozenset(play) for play in whole if len(play) != 2} == {line for line in possible if len(line) != 2}
    assert max(Counter(frozenset(play) for play in whole if len(play) > 2).values()) == 1
    for play in whole:
        assert Counter(tile.face for tile in play.values()) <= Counter("CASARTI")


def test_tiles_that_the_rack_does_not_hold_are_not_completed() -> None:
    hall = uf("C A S A R T I")
    course = replace(hall.game.course, laid=(Placement(Square(0, 0), Tile("Z")),))
    table = replace(hall.table, game=hall.game.but(course=course))
    assert not [play for play in plays_of(table, "anna") if Square(0, 0) in dict(play)]


def test_a_rack_that_nobody_entered_is_of_tiles_that_are_unseen() -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["C", "A", "S", "A", "R", "T", "I"]))
    hall.turn("H8 C A S A")
    assert hall.game.racks["anna"].count(UNENTERED_TILE) == 4
    rack = rack_of(hall.table, "anna")
    assert len(rack) == 7
    assert UNENTERED_TILE not in rack
    assert {"R", "T", "I"} <= set(rack)


def test_racks_of_vowels_and_of_consonants_are_tried_where_the_rack_is_not_known() -> None:
    hall = Hall(rules("festa-major"), recorded=True)
    vowels = hall.ruleset.tile_set.vowels
    of_vowels, of_consonants, any_rack = racks_of_a_kind(hall.table, "anna")
    assert [len(rack) for rack in (of_vowels, of_consonants, any_rack)] == [7, 7, 7]
    assert set(of_vowels) <= set(vowels)
    assert not set(of_consonants) & {*vowels, "?"}
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["C", "A", "S", "A", "R", "T", "I"]))
    assert [sorted(rack) for rack in racks_of_a_kind(hall.table, "anna")] == [sorted("CASARTI")]


def test_every_number_of_tiles_of_the_rack_is_tried_in_an_exchange() -> None:
    hall = Hall(rules("fisc-2023"), racks=["C A S A R T I", "M E N T S O L"])
    exchanges = [(len(each.faces), each.done) for each in list_examples(game_pb2.ExchangeRequest, hall)]
    assert exchanges == [(count, done) for count in range(1, 8) for done in (False, True)]


def test_every_turn_that_began_is_tried_to_be_taken_back_by_an_arbiter_alone() -> None:
    hall = Hall(rules("box"), recorded=True)
    hall.turn("H8 C A T")
    turns = [each.turn for each in list_examples(game_pb2.TakeBackEntriesRequest, hall, "eleni")]
    assert turns == [1, 2]
    assert not list_examples(game_pb2.TakeBackEntriesRequest, hall)


def test_an_appeal_is_tried_to_be_ruled_either_way_by_an_arbiter_alone() -> None:
    hall = Hall(rules("fisc-2023"))
    assert [each.valid for each in list_examples(game_pb2.RuleAppealRequest, hall, "eleni")] == [True, False]
    assert not list_examples(game_pb2.RuleAppealRequest, hall)


def test_every_word_of_a_play_is_tried_to_be_challenged_with_the_others_and_alone() -> None:
    hall = Hall(rules("box"), recorded=True)
    hall.turn("H8 C A T")
    hall.play("I7 A N")
    assert hall.game.pending is not None
    formed = [scored.word for scored in hall.game.pending.words]
    assert len(formed) == 2
    challenged = [list(each.words) for each in list_examples(game_pb2.ChallengeRequest, hall)]
    assert challenged == [formed, *([word] for word in formed)] * len(hall.game.player_ids)
