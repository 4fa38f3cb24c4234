"""The plays that are tried to find what can be done: tiles of the rack, where one may lay them."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.unit.table.hall import Hall, rules

from faristol.pb.game.v1 import game_pb2
from faristol.rules import Square, Tile
from faristol.table.game.state import UNKNOWN
from faristol.table.offers.examples import EXAMPLES
from faristol.table.offers.tiles import plays_of, rack_of, racks_of_a_kind


def plays(hall: Hall) -> list[dict[Square, Tile]]:
    return [dict(play) for play in plays_of(hall.table, hall.game.mover)]


def uf(rack: str) -> Hall:
    """A table where tiles are laid one after another before the play is said."""
    return Hall(rules("uf-2007"), racks=[rack, "M E N T S O L"])


def test_a_first_play_goes_through_the_centre_with_as_many_tiles_as_the_book_asks() -> None:
    found = plays(uf("C A S A R T I"))
    assert {frozenset(play) for play in found} == {
        frozenset({Square(7, 7), Square(7, 8)}),
        frozenset({Square(7, 7), Square(8, 7)}),
    }
    assert {tile for play in found for tile in play.values()} <= {Tile(face) for face in "CASARTI"}


def test_later_plays_are_of_a_tile_beside_another_and_lie_on_the_board() -> None:
    hall = Hall(rules("box"), recorded=True)
    for text in ("H8 C A S A", "8H C A S E S O A R"):
        hall.turn(text)
    found = plays(hall)
    board = hall.game.board
    assert {len(play) for play in found} == {1}
    squares = {square for play in found for square in play}
    assert all(square.on_board and square not in board for square in squares)
    assert Square(7, 6) in squares
    assert Square(6, 7) in squares
    assert Square(7, 11) in squares
    assert not [square for square in squares if square.row > 14]


def test_blanks_are_laid_as_blanks_and_after_the_other_tiles() -> None:
    first, last, *_ = plays(uf("? ? E E E E E"))
    assert set(first.values()) == {Tile("E")}
    assert {tile.blank for tile in last.values()} == {True}


def test_a_blank_is_laid_as_the_letter_that_was_said_of_it_in_the_turn() -> None:
    hall = Hall(rules("box"), racks=["? C S A R T I", "M E N T S O L"])
    hall.do(game_pb2.LayTilesRequest(player_id="anna", placements=hall.tiles("H8 C (O)")))
    hall.do(game_pb2.TakeBackTilesRequest(player_id="anna"))
    assert {tile for play in plays(hall) for tile in play.values() if tile.blank} == {Tile("O", blank=True)}


@pytest.mark.parametrize("text", ["H8 C A", "8H C A"])
def test_what_was_laid_is_completed_in_its_line_where_it_lies(text: str) -> None:
    hall = uf("C A S A R T I")
    hall.do(game_pb2.LayTilesRequest(player_id=hall.game.mover, placements=hall.tiles(text)))
    laid = dict(hall.game.course.laid)
    found = [play for play in plays(hall) if laid.keys() <= play.keys() and len(play) > 2]
    assert found
    for play in found:
        assert laid.items() <= play.items()
        assert len({square.row for square in play}) == 1 or len({square.col for square in play}) == 1
        assert Counter(tile.face for tile in play.values()) <= Counter("CASARTI")
    assert {len(play) for play in found} == {3, 4, 5, 6, 7}
    assert laid in plays(hall)


def test_a_single_tile_that_was_laid_is_completed_in_both_directions() -> None:
    hall = uf("C A S A R T I")
    hall.do(game_pb2.LayTilesRequest(player_id=hall.game.mover, placements=hall.tiles("H8 C")))
    found = {frozenset(play) for play in plays(hall) if len(play) == 2 and play.get(Square(7, 7)) == Tile("C")}
    beside = {Square(6, 7), Square(8, 7), Square(7, 6), Square(7, 8)}
    assert {next(iter(play - {Square(7, 7)})) for play in found} == beside


def test_a_rack_that_nobody_entered_is_of_tiles_that_are_unseen() -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    hall.do(game_pb2.StateRackRequest(player_id="anna", faces=["C", "A", "S", "A", "R", "T", "I"]))
    hall.turn("H8 C A S A")
    assert hall.game.racks["anna"].count(UNKNOWN) == 4
    rack = rack_of(hall.table, "anna")
    assert len(rack) == 7
    assert UNKNOWN not in rack
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
    tried = [(len(each.faces), each.done) for each in EXAMPLES[game_pb2.ExchangeRequest](hall.table, hall.at, "")]  # type: ignore[attr-defined]
    assert tried == [(count, done) for count in range(1, 8) for done in (False, True)]


def test_every_turn_that_began_is_tried_to_be_taken_back_by_an_arbiter_alone() -> None:
    hall = Hall(rules("box"), recorded=True)
    hall.turn("H8 C A T")
    turns = [each.turn for each in EXAMPLES[game_pb2.TakeBackEntriesRequest](hall.table, hall.at, "eleni")]  # type: ignore[attr-defined]
    assert turns == [1, 2]
    assert not list(EXAMPLES[game_pb2.TakeBackEntriesRequest](hall.table, hall.at, ""))
