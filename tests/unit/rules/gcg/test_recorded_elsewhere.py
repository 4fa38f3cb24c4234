"""Games recorded elsewhere replay exactly, and broken files are refused with the error."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import SHARED_DATA
from tests.unit.rules.gcg.games import BOX

from faristol.rules.gcg import GcgError, GcgProblem, adapt_ruleset, decode_gcg, read_gcg, replay, write_gcg

pytestmark = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the files from outside are not beside this checkout")

RIGHT = sorted(file for folder in ("gcg", "gcg-valid-edge") for file in (SHARED_DATA / folder).glob("*.gcg"))

WRONG = {
    "empty": (1, "EMPTY", "#player1"),
    "end_game_event_before_game_end": (18, "BEFORE_END", "a player is out"),
    "end_rack_points_incorrect": (36, "SCORE", "+24"),
    "exchange_malformed": (6, "MALFORMED_EXCHANGE", "- and the tiles"),
    "exchange_not_in_rack": (6, "NOT_IN_RACK", ""),
    "first_rack_not_in_bag": (13, "NOT_IN_BAG", "1 at most: the set has 1, and 0 of them on the board"),
    "game_event_off_turn": (15, "OFF_TURN", "a turn of RightBehindYou"),
    "invalid_tile_placement": (27, "MALFORMED_PLACE", "8H for across"),
    "last_rack_penalty_incorrect": (17, "SCORE", "-16"),
    "malformed_play": (11, "MALFORMED_PLAY", "small letters for a blank"),
    "midgame_rack_not_in_bag": (35, "NOT_IN_BAG", "0 at most: the set has 1, and 1 of them on the board"),
    "move_before_player": (3, "PLAYER_MISSING", "#player2"),
    "phony_tiles_returned_mismatch": (22, "RACK_CHANGED", "ADGKOSV"),
    "play_out_of_bounds": (18, "OFF_BOARD", "7 at most from H9"),
    "played_tile_not_in_rack": (9, "NOT_IN_RACK", ""),
    "standard_cumulative_scoring_error": (15, "TOTAL", "99"),
    "time_penalty_duplicate": (47, "TWICE", "one (time) line"),
}
"""The line, the reason, and a part of the expectation for each broken file."""


def problems(data: bytes) -> tuple[GcgProblem, ...]:
    try:
        game = read_gcg(decode_gcg(data))
        return replay(game, adapt_ruleset(BOX, game)).problems
    except GcgError as error:
        return (error.problem,)


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_game_replays_exactly_and_survives_writing(file: Path) -> None:
    game = read_gcg(decode_gcg(file.read_bytes()))
    found = replay(game, adapt_ruleset(BOX, game))
    assert [str(problem) for problem in found.problems] == []
    assert found.end is not None
    assert len(found.steps) == len(game.events) > 9
    for step in found.steps:
        assert (step.score, step.total) == (step.event.score, step.event.total)
    again = read_gcg(decode_gcg(write_gcg(game).encode()))
    assert again == game
    assert replay(again, adapt_ruleset(BOX, again)).totals == found.totals


def test_all_games_are_here() -> None:
    assert sum(file.parent.name == "gcg" for file in RIGHT) == 24


@pytest.mark.parametrize("name", WRONG)
def test_a_broken_file_is_refused_for_what_is_broken(name: str) -> None:
    line, reason, expected = WRONG[name]
    (problem,) = problems((SHARED_DATA / "gcg-malformed" / f"{name}.gcg").read_bytes())
    assert (problem.line, problem.reason) == (line, reason)
    assert expected in problem.expected


def test_every_broken_file_is_spoken_for() -> None:
    assert {file.stem for file in (SHARED_DATA / "gcg-malformed").glob("*.gcg")} == set(WRONG)
