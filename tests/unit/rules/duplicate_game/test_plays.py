from __future__ import annotations

import random

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import Board, Direction, Placement, Square, Start, Tile, load_ruleset, read_tiles
from faristol.rules.duplicate_game.plays import Play, check_master, make_play, sort_tops
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023-duplicate")


def play(at: tuple[int, int], word: str, score: int, direction: Direction = Direction.ACROSS) -> Play:
    tiles = read_tiles(word)
    start = Start(Square(*at), direction)
    laid = tuple(Placement(start.square.step(direction, place), tile) for place, tile in enumerate(tiles))
    return Play(start, tiles, laid, score)


def test_the_proposed_master_play_is_the_best_with_fewest_blanks_across_and_first_on_the_board() -> None:
    wanted = [
        play((7, 7), "C A S A", 20),
        play((6, 9), "C A S A", 18),
        play((7, 5), "C A S A", 18),
        play((7, 7), "C A S A", 18),
        play((2, 2), "C A S A", 18, Direction.DOWN),
        play((0, 0), "C A S (A)", 18),
        play((0, 0), "(C) A S (A)", 18),
    ]
    shuffled = wanted[:]
    random.Random(5).shuffle(shuffled)
    assert list(sort_tops(shuffled)) == wanted


def test_a_lower_master_play_is_free_or_needs_a_reason_or_is_not_allowed() -> None:
    lower = play((7, 7), "C A S A", 10)
    check_master(lower, 70, "", FISC)
    with_reason = with_options(FISC, {"lower_master": "with-reason"})
    check_master(lower, 10, "", with_reason)
    check_master(lower, 70, "the board has no room for the other", with_reason)
    with pytest.raises(Refusal) as refused:
        check_master(lower, 70, " ", with_reason)
    assert (refused.value.reason, refused.value.article) == ("REASON_NEEDED", "FISC II.1")
    with pytest.raises(Refusal) as refused:
        check_master(lower, 70, "whatever", with_options(load_ruleset("duplicate-house"), {"master": "never"}))
    assert refused.value.reason == "MASTER_PLAY_LOWER"


CASA = Board({Square(7, 7 + place): Tile(face) for place, face in enumerate("CASA")})


@pytest.mark.parametrize(
    ("start", "word", "reason"),
    [
        (Start(Square(7, 7), Direction.ACROSS), "C A S A S", ""),
        (Start(Square(7, 11), Direction.ACROSS), "S", "NO_PLAY"),
        (Start(Square(7, 7), Direction.ACROSS), "C A S E S", "NO_PLAY"),
        (Start(Square(0, 0), Direction.ACROSS), "A S", "NO_CONTACT"),
        (Start(Square(7, 7), Direction.ACROSS), "C A S A R", "NO_WORD"),
        (Start(Square(7, 7), Direction.ACROSS), "C A S A Ç", "NOT_IN_RACK"),
    ],
)
def test_a_master_play_must_be_a_play(start: Start, word: str, reason: str) -> None:
    def is_word(faces: tuple[str, ...]) -> bool:
        return "".join(faces) in {"CASAS", "AS"}

    if not reason:
        made = make_play(start, read_tiles(word), CASA, ["S", "A", "R"], FISC, is_word)
        assert (made.score, len(made.placements)) == (7, 1)
        return
    with pytest.raises(Refusal) as refused:
        make_play(start, read_tiles(word), CASA, ["S", "A", "R"], FISC, is_word)
    assert refused.value.reason == reason
