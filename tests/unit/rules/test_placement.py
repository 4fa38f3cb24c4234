from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.positions import FACES, positions

from faristol.rules import (
    BLANK,
    CENTRE,
    Board,
    Direction,
    Placement,
    Refusal,
    Square,
    Tile,
    check_play,
    load_ruleset,
    words_formed,
)

FISC = load_ruleset("fisc-2023")
EVERYTHING = (*FACES, BLANK) * 7


@given(positions(), st.randoms(use_true_random=False))
def test_the_order_in_which_tiles_are_named_does_not_matter(
    position: tuple[Board, tuple[Placement, ...]], shuffle: Random
) -> None:
    board, play = position
    shuffled = list(play)
    shuffle.shuffle(shuffled)
    assert words_formed(board, shuffled) == words_formed(board, play)


@given(positions())
def test_every_new_tile_is_in_the_main_word_and_every_word_holds_a_new_tile(
    position: tuple[Board, tuple[Placement, ...]],
) -> None:
    board, play = position
    new = {square for square, _ in play}
    words = words_formed(board, play)
    assert all(new & set(word.squares) and len(word.tiles) > 1 for word in words)
    if len(play) > 1:
        assert new <= set(words[0].squares)
        assert all(len(new & set(word.squares)) == 1 for word in words[1:])
    after = board.place(play)
    assert all(after[square] == tile for word in words for square, tile in zip(word.squares, word.tiles, strict=True))


@given(positions())
def test_a_play_is_allowed_exactly_when_it_touches_the_tiles_on_the_board(
    position: tuple[Board, tuple[Placement, ...]],
) -> None:
    board, play = position
    touching = any(abs(a.row - b.row) + abs(a.col - b.col) == 1 for a, _ in play for b in board)
    if touching:
        assert check_play(board, play, rack=EVERYTHING, ruleset=FISC) == words_formed(board, play)
    else:
        with pytest.raises(Refusal) as caught:
            check_play(board, play, rack=EVERYTHING, ruleset=FISC)
        assert caught.value.reason == "NO_CONTACT"


def test_a_single_tile_makes_its_longer_word_the_main_word() -> None:
    board = Board({Square(7, 7): Tile("A"), Square(8, 8): Tile("B"), Square(9, 8): Tile("C")})
    words = words_formed(board, [Placement(Square(7, 8), Tile("S"))])
    assert [word.start.direction for word in words] == [Direction.DOWN, Direction.ACROSS]
    assert str(words[0]) == "9H SBC"


def test_a_play_of_no_tile_forms_no_word_and_is_refused() -> None:
    assert words_formed(Board(), []) == ()
    with pytest.raises(Refusal) as caught:
        check_play(Board(), [], rack=["A"], ruleset=FISC)
    assert caught.value.reason == "NO_TILES"


def test_two_tiles_on_one_square_are_refused() -> None:
    play = [Placement(CENTRE, Tile("A")), Placement(CENTRE, Tile("B"))]
    with pytest.raises(Refusal) as caught:
        check_play(Board(), play, rack=["A", "B"], ruleset=FISC)
    assert (caught.value.reason, str(caught.value)) == (
        "SQUARE_TWICE",
        "Two tiles were laid on H8. A square holds one tile.",
    )


def test_a_second_tile_of_a_kind_needs_a_second_in_the_rack() -> None:
    play = [Placement(CENTRE, Tile("A")), Placement(CENTRE.step(Direction.ACROSS), Tile("A"))]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_IN_RACK"):
        check_play(Board(), play, rack=["A", "B"], ruleset=FISC)
    assert check_play(Board(), play, rack=["A", "B", "A"], ruleset=FISC)


def test_a_first_play_must_run_across_where_the_rules_say_so() -> None:
    across = dataclasses.replace(FISC, first_move=dataclasses.replace(FISC.first_move, direction="across"))
    down = [Placement(CENTRE, Tile("A")), Placement(CENTRE.step(Direction.DOWN), Tile("S"))]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FIRST_PLAY_NOT_ACROSS"):
        check_play(Board(), down, rack=["A", "S"], ruleset=across)
