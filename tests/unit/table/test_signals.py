"""The effect of the game's events on the clock."""

from __future__ import annotations

from functools import reduce

import pytest
from google.protobuf.message import Message

from faristol.kernel.times import instant, timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.signals import Signal, SignalKind, Signals
from faristol.table.game.state import Game, Phase

START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000


def evolve_table(*messages: Message) -> Game:
    return reduce(evolve_game, messages, Game())


OPENED = game_events.GameOpened(
    game_id="cup-r1-t1",
    tournament_id="cup",
    player_ids=["anna", "biel"],
    ruleset=game_events.Pin(name="fisc-2023", digest="d" * 64),
    lexicon=game_events.Pin(name="catalan", digest="00"),
    occurred_at=timestamp(START_NS),
)
STARTED = game_events.GameStarted(first_player_id="biel", occurred_at=timestamp(START_NS))
PLACED = game_events.PlayPlaced(turn=1, player_id="biel", occurred_at=timestamp(START_NS + SECOND_NS))


def draw_tiles(player_id: str, bag_left: int) -> game_events.TilesDrawn:
    return game_events.TilesDrawn(
        player_id=player_id, bag_left=bag_left, occurred_at=timestamp(START_NS + 2 * SECOND_NS)
    )


def test_the_starting_draw_is_not_a_turn() -> None:
    game = evolve_table(OPENED, draw_tiles("biel", 93), draw_tiles("anna", 86))
    assert (game.phase, game.turn, game.started) == (Phase.UNSPECIFIED, 0, False)


def test_the_first_player_is_on_turn_when_the_game_starts() -> None:
    game = evolve_table(OPENED, draw_tiles("biel", 93), draw_tiles("anna", 86), STARTED)
    assert (game.phase, game.turn, game.mover, game.bag_left) == (Phase.TURN, 1, "biel", 86)


def test_drawing_after_a_play_leaves_only_the_press() -> None:
    game = evolve_table(OPENED, STARTED, PLACED, draw_tiles("biel", 81))
    assert (game.phase, game.bag_left, game.turn) == (Phase.DRAWN, 81, 1)


def test_the_turn_passes_when_the_play_is_complete() -> None:
    completed = game_events.PlayCompleted(turn=1, player_id="biel", occurred_at=timestamp(START_NS + 3 * SECOND_NS))
    game = evolve_table(OPENED, STARTED, PLACED, draw_tiles("biel", 81), completed)
    assert (game.phase, game.turn, game.mover) == (Phase.TURN, 2, "anna")


def test_the_turn_passes_without_a_press_when_the_play_is_withdrawn() -> None:
    later = timestamp(START_NS + 3 * SECOND_NS)
    game = evolve_table(
        OPENED,
        STARTED,
        PLACED,
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=later),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=later),
        game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=later),
    )
    assert (game.phase, game.turn, game.mover) == (Phase.TURN, 2, "anna")
    assert [(interruption.reason, interruption.challenge) for interruption in game.signals.interruptions] == [
        ("challenge", 1)
    ]
    last = game.signals.given[-1]
    assert (last.kind, last.turn, last.interruption, last.at) == (SignalKind.TURN_OVER, 1, 1, instant(later))


@pytest.mark.parametrize("taken", [game_events.Exchanged, game_events.Passed])
def test_an_exchange_and_a_pass_leave_only_the_press(
    taken: type[game_events.Exchanged] | type[game_events.Passed],
) -> None:
    game = evolve_table(OPENED, STARTED, taken(turn=1, player_id="biel", occurred_at=timestamp(START_NS + SECOND_NS)))
    assert game.phase is Phase.DRAWN


def test_penalties_do_not_turn_back_the_time_of_the_table() -> None:
    ended = game_events.GameEnded(condition=game_events.END_CONDITION_OUT, occurred_at=timestamp(START_NS + SECOND_NS))
    game = evolve_table(OPENED, STARTED, ended, game_events.RackPenalty(player_id="anna", points=3))
    assert (game.phase, game.mover, game.last_at) == (Phase.ENDED, "", START_NS + SECOND_NS)


def test_a_table_that_is_closed_has_no_time_to_run() -> None:
    game = evolve_table(OPENED, STARTED, game_events.TableClosed(occurred_at=timestamp(START_NS + SECOND_NS)))
    assert (game.phase, game.mover, game.signals.given[-1].kind) == (Phase.FINAL, "", SignalKind.GAME_OVER)


def test_an_appeal_of_a_ruling_that_waits_to_be_accepted_is_the_same_interruption() -> None:
    later = timestamp(START_NS + 3 * SECOND_NS)
    game = evolve_table(
        OPENED,
        STARTED,
        PLACED,
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=later),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=later),
        game_events.AppealRaised(turn=1, challenge=1, player_id="biel", occurred_at=later),
    )
    assert [interruption.ended_by for interruption in game.signals.interruptions] == [None]
    game = evolve_game(game, game_events.AppealRuled(turn=1, challenge=1, valid=True, occurred_at=later))
    assert game.signals.interruption(1).ended_by is not None
    assert (game.turn, game.mover) == (1, "biel")


def test_a_play_withdrawn_after_its_turn_passes_nothing() -> None:
    later = timestamp(START_NS + 3 * SECOND_NS)
    game = evolve_table(
        OPENED,
        STARTED,
        PLACED,
        game_events.PlayCompleted(turn=1, player_id="biel", occurred_at=later),
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=later),
        game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=later),
    )
    assert (game.turn, game.mover) == (2, "anna")
    assert game.signals.interruption(1).ended_by is not None


@pytest.mark.parametrize(("events", "phase"), [((), Phase.PLACED), ((draw_tiles("biel", 80),), Phase.DRAWN)])
def test_a_play_that_stands_leaves_the_turn_where_it_was(events: tuple[Message, ...], phase: Phase) -> None:
    later = timestamp(START_NS + 3 * SECOND_NS)
    game = evolve_table(
        OPENED,
        STARTED,
        PLACED,
        *events,
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=later),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=True, occurred_at=later),
    )
    assert game.phase is phase


def test_the_time_of_challenges_is_that_of_all_that_are_over_and_of_nothing_else() -> None:
    signals = Signals()
    assert signals.challenged_for() == 0
    signals = signals.add_interruption("challenge", 10, 1, 1).end_interruption(SignalKind.SETTLED, "challenge", 17, 1)
    assert signals.challenged_for() == 7
    signals = signals.add_interruption("arbiter-call", 20, 1).end_interruption(
        SignalKind.SETTLED, "arbiter-call", 50, 1
    )
    assert signals.challenged_for() == 7
    signals = signals.add_interruption("challenge", 60, 2, 2)
    assert signals.challenged_for() is None
    signals = signals.end_interruption(SignalKind.SETTLED, "challenge", 60, 2)
    assert signals.challenged_for() == 7, "a ruling of the same moment takes no time"
    signals = signals.add_interruption("challenge", 70, 3, 3).end_interruption(SignalKind.SETTLED, "challenge", 69, 3)
    assert signals.challenged_for() == 7, "no ruling gives time back"
    assert [each.number for each in signals.interruptions] == [1, 2, 3, 4]
    assert [each.challenge for each in signals.interruptions] == [1, 0, 2, 3]


def test_an_interruption_ends_once_and_for_its_own_reason() -> None:
    signals = Signals().add_interruption("challenge", 10, 1, 1)
    assert signals.add_interruption("challenge", 11, 1, 1) == signals
    other = signals.end_interruption(SignalKind.SETTLED, "arbiter-call", 12, 1)
    assert (other.given[-1].interruption, other.interruption(1).ended_by) == (0, None)
    ended = signals.add_interruption("arbiter-call", 11, 1).end_interruption(SignalKind.SETTLED, "challenge", 13, 1)
    assert (ended.given[-1].interruption, ended.interruption(1).ended_by, ended.interruption(2).ended_by) == (
        1,
        2,
        None,
    )
    assert ended.end_interruption(SignalKind.SETTLED, "challenge", 14, 1).interruptions == ended.interruptions


def test_a_turn_was_taken_when_its_own_signal_says_so() -> None:
    signals = Signals().add_signal(Signal(SignalKind.TAKEN, 5, 1)).add_signal(Signal(SignalKind.TURN_OVER, 6, 1))
    assert [signals.taken_at(turn) for turn in (1, 2)] == [5, None]
    later = signals.add_signal(Signal(SignalKind.TAKEN, 8, 2)).add_signal(Signal(SignalKind.WRITTEN, 9, 2))
    assert [later.taken_at(turn) for turn in (1, 2, 3)] == [5, 8, None]


def test_what_was_taken_back_of_a_turn_was_not_taken_and_nothing_lasts() -> None:
    signals = (
        Signals()
        .add_signal(Signal(SignalKind.TAKEN, 3, 1))
        .add_signal(Signal(SignalKind.TAKEN, 5, 2))
        .add_signal(Signal(SignalKind.WRITTEN, 6, 2))
    )
    back = signals.add_interruption("challenge", 7, 2, 1).take_back_turn(9, 2)
    assert (back.taken_at(1), back.taken_at(2)) == (3, None)
    assert [signal.kind for signal in back.given[:3]] == [
        SignalKind.TAKEN,
        SignalKind.TAKEN_BACK,
        SignalKind.TAKEN_BACK,
    ]
    assert (back.given[-1].kind, back.given[-1].at, back.interruption(1).ended_by) == (SignalKind.SETTLED, 9, 4)
