from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf.message import Message
from tests.support.table_games import (
    FISC,
    NOTHING,
    SECOND_NS,
    after,
    kinds_of,
    names,
    settle,
    start_game,
    tiles,
    to_placements,
    words,
)

from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, TurnKind
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.decide import decide
from faristol.table.game.evolution import fold
from faristol.table.game.state import Game, Phase
from faristol.table.views import Ruling


def follow(game: Game, clock: Clock, ruling: Ruling | None = None) -> tuple[Game, list[Message]]:
    new_events = settle(game, clock, ruling, FISC)
    settled = fold(game, new_events)
    assert settle(settled, clock, ruling, FISC) == []
    return settled, new_events


def press(game: Game, seconds: int) -> tuple[Game, list[Message]]:
    """Press the clock as the mover, and return the table that has the press."""
    return follow(game, Clock(pressed_turn=game.turn, pressed_at=after(seconds)))


def play(game: Game, text: str, seconds: int = 30) -> Game:
    return fold(
        game,
        decide(
            Table(FISC, game),
            game_pb2.PlacePlayRequest(player_id=game.mover, placements=to_placements(tiles(text, game.board))),
            after(seconds),
        ),
    )


def challenge(game: Game, word: Sequence[str], seconds: int) -> Game:
    return fold(
        game,
        decide(
            Table(FISC, game),
            game_pb2.ChallengeRequest(player_id=game.next_player(game.mover), words=words(*[word])),
            after(seconds),
        ),
    )


def take(game: Game, kinds: str) -> tuple[Game, list[Message]]:
    """Take turns in a row: P is a pass, X an exchange, W a phony withdrawn, laid beside CASA."""
    new_events: list[Message] = []
    for kind in kinds:
        seconds = (game.last_at - after(0)) // SECOND_NS + 60
        rack = game.racks[game.mover]
        match kind:
            case "W":
                tiles_laid = " ".join("(A)" if face == "?" else face for face in rack[:2])
                game = play(game, f"12H {tiles_laid}", seconds)
                assert game.pending is not None
                game = challenge(game, game.pending.words[0].word.faces, seconds)
                ruling = Ruling(valid=False, at=after(seconds))
                game, new_events = follow(game, Clock(challenge=game.challenges), ruling)
            case "P":
                game, new_events = press(
                    fold(game, decide(Table(FISC, game), game_pb2.PassRequest(player_id=game.mover), after(seconds))),
                    seconds,
                )
            case "X":
                decided = decide(
                    Table(FISC, game), game_pb2.ExchangeRequest(player_id=game.mover, faces=rack[:1]), after(seconds)
                )
                game, new_events = press(fold(game, decided), seconds)
    return game, new_events


def test_nothing_follows_from_a_clock_that_says_nothing() -> None:
    assert settle(start_game(), NOTHING, None, FISC) == []
    assert settle(play(start_game(), "H8 C A S A"), NOTHING, None, FISC) == []
    assert settle(Game(), Clock(pressed_turn=1), None, FISC) == []


def test_a_press_completes_the_play_and_the_turn_passes() -> None:
    game, new_events = press(play(start_game(), "H8 C A S A"), 60)
    assert new_events == [
        events.PlayCompleted(turn=1, player_id="anna", score=10, total=10, occurred_at=timestamp(after(60)))
    ]
    assert (game.mover, game.turn, game.phase, kinds_of(game)) == ("biel", 2, Phase.TURN, (TurnKind.PLAY,))
    assert game.scores == {"anna": 10, "biel": 0}


def test_a_press_of_an_earlier_turn_completes_nothing() -> None:
    game, _ = press(play(start_game(), "H8 C A S A"), 60)
    passed = fold(game, decide(Table(FISC, game), game_pb2.PassRequest(player_id="biel"), after(70)))
    assert settle(passed, Clock(pressed_turn=1, pressed_at=after(60)), None, FISC) == []


@pytest.mark.parametrize("kind", ["P", "X"])
def test_an_exchange_and_a_pass_are_completed_with_no_points(kind: str) -> None:
    game, new_events = take(start_game(), kind)
    (event,) = new_events
    assert isinstance(event, events.PlayCompleted)
    assert (event.score, event.total, game.mover) == (0, 0, "biel")


def test_a_ruling_that_the_play_is_valid_lets_it_stand_and_nothing_else() -> None:
    game = challenge(play(start_game(), "H8 C A S A"), "CASA", 40)
    game, new_events = follow(game, Clock(challenge=1), Ruling(valid=True, at=after(40)))
    assert new_events == [events.ChallengeRuled(turn=1, challenge=1, valid=True, occurred_at=timestamp(after(40)))]
    assert (game.phase, game.mover, game.ruled) == (Phase.PLACED, "anna", True)


def test_a_ruling_that_it_is_not_takes_it_off_the_board_and_costs_the_turn() -> None:
    game = challenge(play(start_game(), "H8 C A S A"), "CASA", 40)
    game, new_events = follow(game, Clock(challenge=1), Ruling(valid=False, at=after(40)))
    assert new_events == [
        events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=timestamp(after(40))),
        events.PlayWithdrawn(
            turn=1,
            player_id="anna",
            reason=events.WITHDRAWAL_REASON_CHALLENGED,
            occurred_at=timestamp(after(40)),
        ),
    ]
    assert (game.board, game.mover, game.scores["anna"]) == (Board(), "biel", 0)


def test_a_ruling_waits_until_the_clock_has_heard_of_the_challenge() -> None:
    game = challenge(play(start_game(), "H8 C A S A"), "CASA", 40)
    assert settle(game, NOTHING, Ruling(valid=False, at=after(40)), FISC) == []
    assert settle(game, Clock(challenge=1), None, FISC) == []


def test_who_goes_out_gets_what_the_other_holds() -> None:
    game = play(start_game(biel="M E N T S H J", bag_left=0), "8H C A S A R T I")
    game, new_events = press(game, 60)
    assert names(new_events) == ["PlayCompleted", "GameEnded", "RackPenalty", "OutBonus"]
    assert new_events[1] == events.GameEnded(condition=events.END_CONDITION_OUT, occurred_at=timestamp(after(60)))
    assert new_events[2:] == [
        events.RackPenalty(player_id="biel", faces="MENTSHJ", points=22),
        events.OutBonus(player_id="anna", points=22),
    ]
    assert (game.phase, game.mover, game.scores) == (Phase.ENDED, "", {"anna": 90, "biel": -22})


def test_an_empty_rack_does_not_end_a_game_while_the_bag_holds_tiles() -> None:
    game = play(start_game(), "8H C A S A R T I")
    game = fold(game, decide(Table(FISC, game), game_pb2.DrawTilesRequest(player_id="anna"), after(40)))
    _, new_events = press(game, 60)
    assert names(new_events) == ["PlayCompleted"]


def test_a_last_play_that_is_challenged_and_refused_gives_the_rack_back_and_the_game_goes_on() -> None:
    game = challenge(play(start_game(bag_left=0), "8H C A S A R T I"), "CASARTI", 40)
    game, new_events = follow(game, Clock(challenge=1), Ruling(valid=False, at=after(40)))
    assert names(new_events) == ["ChallengeRuled", "PlayWithdrawn"]
    assert (game.phase, len(game.racks["anna"])) == (Phase.TURN, 7)


def with_a_score() -> Game:
    """Return a table with CASA on the board, anna with ten points, biel on turn."""
    game = play(start_game(), "H8 C A S A")
    game = fold(game, decide(Table(FISC, game), game_pb2.DrawTilesRequest(player_id="anna"), after(40)))
    return press(game, 60)[0]


def test_three_lost_turns_each_end_the_game() -> None:
    game, new_events = take(with_a_score(), "PPPPPP")
    assert names(new_events) == ["PlayCompleted", "GameEnded", "RackPenalty", "RackPenalty"]
    assert game.condition == events.END_CONDITION_LOST_TURNS
    value = FISC.tile_set.values
    assert game.scores == {
        "anna": 10 - sum(value[face] for face in game.racks["anna"]),
        "biel": -sum(value[face] for face in game.racks["biel"]),
    }


def test_a_phony_withdrawn_is_a_lost_turn_and_can_be_the_last() -> None:
    game, new_events = take(with_a_score(), "WPPWPW")
    assert names(new_events) == ["ChallengeRuled", "PlayWithdrawn", "GameEnded", "RackPenalty", "RackPenalty"]
    assert game.condition == events.END_CONDITION_LOST_TURNS
    assert len(game.board) == 4


def test_an_exchange_breaks_the_row_of_lost_turns_but_not_the_row_of_twelve() -> None:
    game, new_events = take(with_a_score(), "PPPPXPPPPPX")
    assert names(new_events) == ["PlayCompleted"]
    game, new_events = take(game, "P")
    assert names(new_events) == ["PlayCompleted", "GameEnded", "RackPenalty", "RackPenalty"]
    assert game.condition == events.END_CONDITION_SCORELESS_TURNS


def test_while_nobody_has_a_point_no_row_of_turns_ends_the_game() -> None:
    game, _ = take(start_game(), "PPPPPPPPPPPPPP")
    assert game.phase is Phase.TURN


def test_over_the_cap_the_game_ends_and_a_play_that_was_not_completed_does_not_count() -> None:
    game = play(start_game(), "H8 C A S A", 2200)
    clock = Clock(exceeded_at=after(2100))
    game, new_events = follow(game, clock)
    assert new_events == [
        events.GameEnded(condition=events.END_CONDITION_OVERTIME, occurred_at=timestamp(after(2200))),
    ]
    assert (game.scores, game.pending, game.phase) == ({"anna": 0, "biel": 0}, None, Phase.ENDED)
    game, new_events = follow(
        game, Clock(exceeded_at=after(2100), stopped=True, overtime_ms={"anna": 600_000, "biel": 0})
    )
    assert new_events == [events.TimePenalty(player_id="anna", overtime_ms=600_000, points=100)]
    assert game.scores == {"anna": -100, "biel": 0}


def test_over_the_cap_the_game_ends_though_a_ruling_is_awaited() -> None:
    game = challenge(play(start_game(), "H8 C A S A", 2200), "CASA", 2200)
    for ruling in (None, Ruling(valid=False, at=after(2200))):
        _, new_events = follow(game, Clock(exceeded_at=after(2100)), ruling)
        assert names(new_events) == ["GameEnded"]


def test_a_turn_that_was_pressed_in_time_counts_though_the_cap_was_exceeded_later() -> None:
    game = play(start_game(), "H8 C A S A")
    game, new_events = follow(game, Clock(pressed_turn=1, pressed_at=after(60), exceeded_at=after(2200)))
    assert names(new_events) == ["PlayCompleted", "GameEnded"]
    assert game.scores["anna"] == 10


def test_overtime_is_taken_off_once_the_clock_has_stopped_and_only_once() -> None:
    game, _ = press(play(start_game(biel="M E N T S H J", bag_left=0), "8H C A S A R T I"), 60)
    clock = Clock(pressed_turn=1, pressed_at=after(60), stopped=True, overtime_ms={"anna": 60_001, "biel": 1})
    game, new_events = follow(game, clock)
    assert new_events == [
        events.TimePenalty(player_id="anna", overtime_ms=60_001, points=20),
        events.TimePenalty(player_id="biel", overtime_ms=1, points=10),
    ]
    assert game.scores == {"anna": 70, "biel": -32}
