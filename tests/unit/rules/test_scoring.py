from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.positions import positions

from faristol.rules import (
    Board,
    Direction,
    Notation,
    Placement,
    Square,
    Tile,
    check_play,
    load_ruleset,
    read_tiles,
    score_play,
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


def test_a_score_explains_itself() -> None:
    placements = [
        Placement(Square(7, 7).step(Direction.ACROSS, place), tile)
        for place, tile in enumerate(read_tiles("C A S (A) R I A"))
    ]
    assert str(score_play(Board(), placements, FISC)) == (
        "H8 CAS(A)RIA: (C2 + A1 + S1 + (A)0 + R1×2 + I1 + A1)×2 = 16\nbingo: 50\n66 points"
    )


def plays_of(text: str) -> Iterator[tuple[int, Board, list[Placement], list[str], int]]:
    """Each play of a GCG file: line, the board before it, its tiles, its rack, and the score that the file gives."""
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
