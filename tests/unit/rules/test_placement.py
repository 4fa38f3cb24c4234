from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.positions import FACES, positions

from faristol.kernel.refusal import Refusal
from faristol.rules import (
    BLANK,
    CENTRE,
    Board,
    Direction,
    Placement,
    Square,
    Tile,
    check_play,
    load_ruleset,
    off_centre,
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


@pytest.mark.parametrize("square", [Square(7, 6), Square(7, 8), Square(6, 7), Square(8, 7)])
def test_a_tile_touches_on_any_of_its_four_sides(square: Square) -> None:
    assert check_play(Board({CENTRE: Tile("A")}), [Placement(square, Tile("A"))], rack=["A"], ruleset=FISC)


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


def test_whoever_has_drawn_too_many_tiles_lays_no_more_than_a_rack() -> None:
    word = [Placement(Square(7, 4 + place), Tile("A")) for place in range(8)]
    assert check_play(Board(), word[:7], rack=["A"] * 8, ruleset=FISC)
    with pytest.raises(Refusal) as caught:
        check_play(Board(), word, rack=["A"] * 8, ruleset=FISC)
    assert (caught.value.reason, caught.value.article) == ("MORE_THAN_A_RACK", "FISC I.7")


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


def test_a_first_play_off_the_centre_is_the_opponents_to_judge_under_fise_alone() -> None:
    play = [Placement(Square(7, 8), Tile("S")), Placement(Square(7, 9), Tile("O"))]
    for book in ("uf-2007", "fisc-2023", "festa-major"):
        with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FIRST_PLAY_OFF_CENTRE"):
            check_play(Board(), play, rack=["S", "O"], ruleset=load_ruleset(book))
        assert not off_centre(Board(), play, load_ruleset(book))
    fise = load_ruleset("fise")
    assert check_play(Board(), play, rack=["S", "O"], ruleset=fise)
    assert off_centre(Board(), play, fise)
    assert not off_centre(Board(), [Placement(CENTRE, Tile("S")), play[0]], fise)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FIRST_PLAY_TOO_SHORT"):
        check_play(Board(), play[:1], rack=["S"], ruleset=fise)


@given(st.sampled_from(["uf-2007", "fisc-2023", "fise", "pes-2024", "box", "festa-major"]), st.data())
def test_a_blank_stands_for_the_faces_of_its_set_and_for_nothing_else(book: str, data: st.DataObject) -> None:
    ruleset = load_ruleset(book)
    faces = ruleset.tile_set.faces
    face = data.draw(st.sampled_from(sorted({*faces, *"ABCKWYÇÑ", "CH", "LL", "RR", "NY", "L·L", "QU", "?"})))
    play = [Placement(CENTRE, Tile(face, blank=True)), Placement(Square(7, 8), Tile(faces[0]))]
    if face in faces:
        check_play(Board(), play, rack=[BLANK, faces[0]], ruleset=ruleset)
    else:
        with pytest.raises(Refusal) as refused:
            check_play(Board(), play, rack=[BLANK, faces[0]], ruleset=ruleset)
        assert (refused.value.reason, refused.value.article) == ("BLANK_FACE_UNKNOWN", ruleset.law.blank_face)


def test_a_first_play_must_run_across_where_the_rules_say_so() -> None:
    across = load_ruleset("festa-major")
    assert check_play(
        Board(), [Placement(CENTRE, Tile("A")), Placement(Square(7, 8), Tile("S"))], rack=["A", "S"], ruleset=across
    )
    down = [Placement(CENTRE, Tile("A")), Placement(CENTRE.step(Direction.DOWN), Tile("S"))]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FIRST_PLAY_NOT_ACROSS"):
        check_play(Board(), down, rack=["A", "S"], ruleset=across)
