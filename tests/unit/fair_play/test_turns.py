"""Each play that stands is compared with the best plays of its own rack and board; time is that of its clock."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf.message import Message
from tests.support.table_games import GAME, after, open_game, tiles, to_placements

from faristol.fair_play.figures import measure, measure_all
from faristol.fair_play.turns import AnalysedTurn, Phase, analyse_game, list_seconds
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, Notation
from faristol.rules.duplicate_game.plays import Play

CASA = to_placements(tiles("H8 C A S A"))
MAIN = events.ScoredWord(word=events.Word(faces=["C", "A", "S", "A"]), row=7, column=7, across=True, score=12)
ANNA = {"turn": 1, "player_id": "anna"}


def build_play(score: int = 12) -> events.PlayPlaced:
    return events.PlayPlaced(turn=1, player_id="anna", placements=CASA, words=[MAIN], score=score)


def find_best(board: Board, rack: Sequence[str]) -> Sequence[Play]:
    """Find CASARTI for 76 points on an empty board, and CASA for as many."""
    assert len(board) == 0
    assert tuple(rack) == tuple("AACIRST")
    start = Notation.FISC.read("H8")
    longest, shorter = tiles("H8 C A S A R T I"), tiles("H8 C A S A")
    return [
        Play(start, tuple(tile for _, tile in longest), longest, 76),
        Play(start, tuple(tile for _, tile in shorter), shorter, 76),
    ]


def test_a_play_has_the_points_that_the_best_play_exceeds_it_by() -> None:
    analysis = analyse_game(GAME, [*open_game(), build_play()], [], find_best)
    (turn,) = analysis.turns
    assert (turn.game_id, turn.round, turn.table, turn.turn, turn.player_id) == (GAME, 1, 1, 1, "anna")
    assert (turn.score, turn.best_score, turn.loss, turn.is_best) == (12, 76, 64, False)
    assert ("".join(turn.word), turn.coordinates, "".join(turn.best_word)) == ("CASA", "H8", "CASARTI")
    assert (turn.best_count, turn.difficulty, turn.bag_left, turn.phase) == (2, 4, 86, Phase.OPENING)
    assert turn.seconds is None
    assert analysis.unknown_count == 0


def test_an_invalid_word_that_stood_for_more_points_is_no_best_play_and_loses_no_points() -> None:
    (turn,) = analyse_game(GAME, [*open_game(), build_play(90)], [], find_best).turns
    assert (turn.is_best, turn.loss) == (False, 0)


@pytest.mark.parametrize(
    "then",
    [
        [events.PlayWithdrawn(turn=1, player_id="anna"), events.TurnLost(turn=1, player_id="anna")],
        [events.TilesTakenBack(turn=1, player_id="anna"), events.Passed(turn=1, player_id="anna")],
    ],
    ids=["challenged", "taken back"],
)
def test_a_play_that_was_taken_back_is_left_out(then: list[Message]) -> None:
    assert analyse_game(GAME, [*open_game(), build_play(), *then], [], find_best).turns == ()


def test_a_play_without_a_known_rack_is_counted_and_not_analysed() -> None:
    entered = open_game(anna="C A S A")
    unentered = events.TilesDrawn(player_id="anna", faces=[""] * 3, draw=4, bag_left=86)
    analysis = analyse_game(GAME, [*entered, unentered, build_play()], [], find_best)
    assert (analysis.turns, analysis.unknown_count) == ((), 1)


def test_a_turn_without_a_possible_play_is_left_out() -> None:
    analysis = analyse_game(GAME, [*open_game(), build_play()], [], lambda board, rack: [])
    assert (analysis.turns, analysis.unknown_count) == ((), 0)


def build_clock(*more: Message) -> list[Message]:
    at = timestamp(after(0))
    opened = clock.ClockOpened(
        game_id=GAME, tournament_id="cup", player_ids=["anna", "biel"], allowance_ms=1_500_000, occurred_at=at
    )
    return [opened, clock.ClockStarted(player_id="anna", occurred_at=at), *more]


def press(player_id: str, turn: int, used_ms: int, seconds: int) -> clock.ClockPressed:
    at = timestamp(after(seconds))
    return clock.ClockPressed(player_id=player_id, turn=turn, used_ms=used_ms, occurred_at=at)


def test_the_time_of_a_turn_is_that_of_its_mover_without_corrections() -> None:
    corrected = clock.ClockCorrected(
        player_id="anna", before_ms=20_000, used_ms=90_000, arbiter_id="eleni", occurred_at=timestamp(after(60))
    )
    pressed = build_clock(press("anna", 1, 20_000, 20), press("biel", 2, 35_000, 55), corrected)
    assert list_seconds(pressed) == {(1, "anna"): 20.0, (2, "biel"): 35.0}
    (turn,) = analyse_game(GAME, [*open_game(), build_play()], pressed, find_best).turns
    assert turn.seconds == 20.0


def test_a_neutralised_clock_adds_its_parts_to_one_turn() -> None:
    stopped = clock.ClockNeutralised(
        player_id="anna",
        reason=clock.NEUTRALISATION_REASON_ARBITER_CALL,
        used_ms=8_000,
        arbiter_id="eleni",
        occurred_at=timestamp(after(8)),
    )
    resumed = clock.ClockResumed(player_id="anna", occurred_at=timestamp(after(100)))
    assert list_seconds(build_clock(stopped, resumed, press("anna", 1, 13_000, 105))) == {(1, "anna"): 13.0}


def build_turn(game: int, score: int, *, bag_left: int = 86, difficulty: int = 4, seconds: float = 20) -> AnalysedTurn:
    (turn,) = analyse_game(GAME, [*open_game(), build_play()], [], find_best).turns
    return turn._replace(
        game_id=f"cup-r{game}-t1", score=score, bag_left=bag_left, difficulty=difficulty, seconds=seconds
    )


def test_figures_of_a_player_are_sums_over_games_and_phases() -> None:
    turns = [
        build_turn(1, 76, seconds=10, difficulty=2),
        build_turn(1, 66, bag_left=30),
        build_turn(2, 46, bag_left=0, seconds=90, difficulty=7),
        build_turn(3, 76, bag_left=59, seconds=30, difficulty=6),
        build_turn(3, 1)._replace(player_id="biel"),
    ]
    own = measure("anna", turns)
    assert (own.games, own.turns, own.best, own.loss, own.mean_loss) == (3, 4, 2, 40, 10)
    assert {phase: (each.turns, each.best, each.loss) for phase, each in own.phases.items()} == {
        Phase.OPENING: (1, 1, 0),
        Phase.MIDDLE: (2, 1, 10),
        Phase.END: (1, 0, 30),
    }
    assert (own.easy_seconds, own.hard_seconds, own.timed) == (10, 60, 4)
    assert own.time_correlation is not None
    assert own.time_correlation > 0.9
    assert own.loss_interval is not None
    assert own.loss_interval.low <= 10 <= own.loss_interval.high
    assert set(measure_all(turns)) == {"anna", "biel"}
    assert measure("carla", turns).turns == 0
