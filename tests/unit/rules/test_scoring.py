from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import naive
from tests.unit.rules.positions import positions

from faristol.rules import (
    Board,
    Direction,
    Notation,
    Placement,
    Square,
    Tile,
    check_play,
    lay,
    load_ruleset,
    off_centre,
    read_tiles,
    score_play,
    words_formed,
)

FISC = load_ruleset("fisc-2023")
ENGLISH = dataclasses.replace(FISC, game=dataclasses.replace(FISC.game, tile_set="en-100"))
GAMES = Path(__file__).parents[4] / "shared" / "data" / "gcg"


@given(positions(), st.randoms(use_true_random=False))
def test_the_score_does_not_depend_on_the_order_of_the_tiles(
    position: tuple[Board, tuple[Placement, ...]], shuffle: Random
) -> None:
    board, play = position
    shuffled = list(play)
    shuffle.shuffle(shuffled)
    assert score_play(board, shuffled, FISC).points == score_play(board, play, FISC).points


@given(positions())
def test_a_play_scores_the_same_when_rows_and_columns_change_places(
    position: tuple[Board, tuple[Placement, ...]],
) -> None:
    board, play = position
    turned = Board({Square(square.col, square.row): tile for square, tile in board.items()})
    other = [Placement(Square(square.col, square.row), tile) for square, tile in play]
    assert score_play(turned, other, FISC).points == score_play(board, play, FISC).points


@pytest.mark.parametrize("book", ["fisc-2023", "fise", "pes-2024", "box"])
@given(data=st.data())
def test_every_set_is_scored_as_a_naive_scorer_scores_it(data: st.DataObject, book: str) -> None:
    ruleset = load_ruleset(book)
    board, play = data.draw(positions(ruleset.tile_set.faces))
    grid: naive.Grid = [[None] * 15 for _ in range(15)]
    for square, tile in board.items():
        grid[square.row][square.col] = (tile.face, tile.blank)
    laid = [(square.row, square.col, tile.face, tile.blank) for square, tile in play]
    points, words = naive.score(grid, laid, ruleset.tile_set.values)
    score = score_play(board, play, ruleset)
    assert score.points == points
    assert sorted(list(word.word.faces) for word in score.words) == sorted(words)
    assert score_play(board, play, ruleset, words_formed(board, play)) == score
    for word in score.words:
        assert word.points == sum(square.points for square in word.squares) * word.multiplier


@given(positions())
def test_the_explanation_adds_up_to_the_score(position: tuple[Board, tuple[Placement, ...]]) -> None:
    board, play = position
    score = score_play(board, play, FISC)
    assert score.bingo == (len(play) == 7)
    assert score.points == sum(word.points for word in score.words) + (50 if score.bingo else 0)
    for word in score.words:
        assert {square.square for square in word.squares if square.new} == {s for s, _ in play} & set(word.word.squares)
        assert all(square.value == 0 for square in word.squares if square.tile.blank)
        assert all(square.premium.letter == square.premium.word == 1 for square in word.squares if not square.new)


@pytest.mark.parametrize(
    ("there", "start", "word", "points"),
    [
        ("A5 A", "A1", "C A N T A R I A", 140),  # two triple words, and the T on a double letter
        ("", "E5", "A A A A A A C", 82),  # two double words, and a bingo
    ],
)
def test_word_premiums_multiply_each_other(there: str, start: str, word: str, points: int) -> None:
    board = Board()
    if there:
        board = board.place(lay(board, Notation.FISC.read(there.split()[0]), read_tiles(there.split()[1])))
    play = lay(board, Notation.FISC.read(start), read_tiles(word))
    score = score_play(board, play, FISC)
    assert score.points == points
    assert score.words[0].multiplier == (9 if there else 4)


def test_a_first_play_off_the_centre_is_not_doubled_and_the_centre_stays_alive() -> None:
    fise = load_ruleset("fise")
    sol = lay(Board(), Notation.FISC.read("H9"), read_tiles("S O L"))
    assert off_centre(Board(), sol, fise)
    words = check_play(Board(), sol, rack=["S", "O", "L"], ruleset=fise)
    assert score_play(Board(), sol, fise, words).points == 3
    board = Board().place(sol)
    parasol = lay(board, Notation.FISC.read("H5"), read_tiles("P A R A S O L"))
    assert len(parasol) == 4
    assert not off_centre(board, parasol, fise)
    assert score_play(board, parasol, fise).points == 18


def test_a_score_explains_itself() -> None:
    placements = [
        Placement(Square(7, 7).step(Direction.ACROSS, place), tile)
        for place, tile in enumerate(read_tiles("C A S (A) R I A"))
    ]
    assert str(score_play(Board(), placements, FISC)) == (
        "H8 CAS(A)RIA: (C2 + A1 + S1 + (A)0 + R1×2 + I1 + A1)×2 = 16\nbingo: 50\n66 points"
    )


def plays_of(text: str) -> Iterator[tuple[int, Board, list[Placement], list[str], int]]:
    """Yield each play of a GCG file: line, the board before it, its tiles, its rack, and the score in the file."""
    board, before = Board(), Board()
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r">\S+:\s+\S+\s+--", line):
            board = before
        found = re.match(r">\S+:\s+(\S+)\s+(\d+[A-O]|[A-O]\d+)\s+(\S+)\s+([+-]\d+)", line)
        if found is None:
            continue
        start = Notation.GCG.read(found[2])
        play = [
            Placement(start.square.step(start.direction, place), Tile(char.upper(), blank=char.islower()))
            for place, char in enumerate(found[3])
            if char != "."
        ]
        yield number, board, play, list(found[1]), int(found[4])
        before, board = board, board.place(play)


@pytest.mark.skipif(not GAMES.is_dir(), reason="the games recorded elsewhere are not beside this checkout")
def test_games_recorded_elsewhere_are_scored_as_they_were() -> None:
    scored = 0
    for file in sorted(GAMES.glob("*.gcg")):
        for number, board, play, rack, points in plays_of(file.read_text(encoding="utf-8")):
            check_play(board, play, rack=rack, ruleset=ENGLISH)
            assert score_play(board, play, ENGLISH).points == points, f"{file.name}:{number}"
            scored += 1
    assert scored > 400
