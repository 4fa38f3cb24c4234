from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import CENTRE, Direction, Placement, Square, Tile, load_ruleset
from faristol.rules.touch import check_change, check_touched, fixed_after

FREE = tuple(load_ruleset(name) for name in ("festa-major", "pes-2024", "box"))
FISE, PES = load_ruleset("fise"), FREE[1]

squares = st.builds(Square, st.integers(6, 7), st.integers(6, 7))
tiles = st.builds(Placement, squares, st.builds(Tile, st.sampled_from("AB"), st.just(False)))


@given(st.lists(tiles, min_size=1, max_size=3), st.lists(tiles, min_size=1, max_size=4))
def test_a_tile_laid_is_played_in_the_line_that_was_begun(laid: list[Placement], play: list[Placement]) -> None:
    faces = [tile.face for _, tile in play]
    kept = all(faces.count(face) >= [tile.face for _, tile in laid].count(face) for face in "AB")
    (row, col), rest = laid[0].square, laid[1:2]
    rows = [square.row for square, _ in (*play, *rest)]
    cols = [square.col for square, _ in (*play, *rest)]
    in_line = set(rows) == {row} or set(cols) == {col}
    if kept and in_line:
        check_touched(laid, play, FISE)
    else:
        with pytest.raises(Refusal) as refused:
            check_touched(laid, play, FISE)
        assert (refused.value.reason, refused.value.article) == (
            ("LINE_CHANGED", "FISE 21") if kept else ("TOUCHED_NOT_PLAYED", "FISE 23")
        )


def test_elsewhere_tiles_may_be_taken_back_and_moved_to_another_row() -> None:
    laid = [Placement(CENTRE, Tile("A")), Placement(CENTRE.step(Direction.ACROSS), Tile("B"))]
    for rules in FREE:
        check_touched(laid, [], rules)
        check_touched(laid, [Placement(Square(0, 0), Tile("A")), Placement(Square(1, 0), Tile("B"))], rules)


def test_a_play_of_one_tile_may_slide_along_its_row_or_its_column_and_three_may_not_change_line() -> None:
    laid = [Placement(Square(5, 5), Tile("A"))]
    for to in (Square(5, 9), Square(2, 5)):
        check_touched(laid, [Placement(to, Tile("A"))], FISE)
    with pytest.raises(Refusal, match="began at F6"):
        check_touched(laid, [Placement(Square(6, 6), Tile("A"))], FISE)
    three = [Placement(Square(5, col), Tile("A")) for col in (5, 6, 7)]
    check_touched(three, [Placement(Square(5, col), Tile("A")) for col in (8, 9, 10)], FISE)
    with pytest.raises(Refusal) as refused:
        check_touched(three, [Placement(Square(row, 5), Tile("A")) for row in (5, 6, 7)], FISE)
    assert (refused.value.reason, FISE.touch.sanction) == ("LINE_CHANGED", "turn-lost")


def test_the_second_tile_says_whether_it_is_the_row_or_the_column() -> None:
    begun = [Placement(Square(6, 6), Tile("A")), Placement(Square(7, 6), Tile("B"))]
    check_touched(begun, [Placement(Square(8, 6), Tile("A")), Placement(Square(9, 6), Tile("B"))], FISE)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "LINE_CHANGED"):
        check_touched(begun, [Placement(Square(6, 6), Tile("A")), Placement(Square(6, 7), Tile("B"))], FISE)


def test_a_play_is_fixed_by_counting_by_the_clock_or_by_writing() -> None:
    names = ("uf-2007", "fisc-2023", "festa-major", "fise", "pes-2024", "box")
    fixed = {name: fixed_after(load_ruleset(name)) for name in names}
    assert fixed == {
        "uf-2007": "announce",
        "fisc-2023": "announce",
        "festa-major": "write",
        "fise": "announce",
        "pes-2024": "stop",
        "box": "announce",
    }
    check_change(["place", "announce"], PES)
    with pytest.raises(Refusal) as refused:
        check_change(["place", "announce", "stop"], PES)
    assert (refused.value.reason, refused.value.article) == ("PLAY_FIXED", "PES Δ.β")
