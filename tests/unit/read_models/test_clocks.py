"""The public view of clocks: the running one, the used time, and the reason if none runs."""

from __future__ import annotations

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation import labels
from faristol.read_models.api.answers import game_by_itself


class Clocks:
    """The clocks of a table, with their public view."""

    def __init__(self, *told: Message, players: tuple[str, ...] = ("anna", "biel"), turn_ms: int = 0) -> None:
        opened = game.GameOpened(game_id="cup-r1-t1", player_ids=players)
        self._told = [opened, clock.ClockOpened(player_ids=players, turn_ms=turn_ms), *told]

    def tick(self, event: Message) -> None:
        """Add an event of the clock."""
        self._told.append(event)

    @property
    def shown(self) -> results.GetGameResponse:
        """The page of the table."""
        found = game_by_itself(self._told)
        assert found is not None
        return found


def running(state: Clocks) -> list[str]:
    return [side.player_id for side in state.shown.clocks if side.running]


def at(second: int) -> Timestamp:
    return Timestamp(seconds=second)


STARTED = clock.ClockStarted(player_id="anna", occurred_at=at(1))


def test_a_turn_of_its_own_time_begins_at_nothing() -> None:
    state = Clocks(
        STARTED,
        clock.ClockHeldByMover(player_id="anna", turn=1, used_ms=90_000),
        clock.ClockPressed(player_id="anna", turn=1, used_ms=90_000, next_player_id="biel", occurred_at=at(100)),
        clock.TurnTimedOut(player_id="biel", turn=2, used_ms=120_000),
        turn_ms=120_000,
    )
    assert running(state) == []
    assert [(side.used_ms, side.turn_used_ms) for side in state.shown.clocks] == [(90_000, 0), (120_000, 120_000)]
    switched = clock.ClockSwitched(
        player_id="biel", turn=2, used_ms=120_000, next_player_id="anna", occurred_at=at(221)
    )
    state.tick(switched)
    assert running(state) == ["anna"]
    assert [side.turn_used_ms for side in state.shown.clocks] == [0, 0]


def test_the_clock_goes_round_a_table_of_three() -> None:
    state = Clocks(
        STARTED,
        clock.ClockSwitched(player_id="anna", turn=1, used_ms=5, next_player_id="biel", occurred_at=at(2)),
        clock.ClockSwitched(player_id="biel", turn=2, used_ms=6, next_player_id="carla", occurred_at=at(3)),
        players=("anna", "biel", "carla"),
    )
    assert running(state) == ["carla"]


def test_what_nobody_s_time_runs_for_is_shown_until_it_goes_on_even_if_the_turn_passes() -> None:
    state = Clocks(
        STARTED,
        clock.ClockNeutralised(player_id="anna", used_ms=5, reason=clock.NEUTRALISATION_REASON_ARBITER_CALL),
        clock.ClockSwitched(player_id="anna", turn=1, used_ms=5, next_player_id="biel", occurred_at=at(2)),
    )
    assert (running(state), state.shown.neutralised_for) == ([], clock.NEUTRALISATION_REASON_ARBITER_CALL)
    state.tick(clock.ClockResumed(player_id="biel", turn=2, occurred_at=at(9)))
    assert (running(state), state.shown.neutralised_for) == (["biel"], clock.NEUTRALISATION_REASON_UNSPECIFIED)


def test_every_reason_has_words_on_the_page() -> None:
    reasons = set(clock.NeutralisationReason.values()) - {clock.NEUTRALISATION_REASON_UNSPECIFIED}
    assert set(labels.NEUTRALISED) == reasons


def test_a_correction_counts_from_its_moment_for_the_game_or_for_the_turn() -> None:
    corrected = clock.ClockCorrected(player_id="anna", before_ms=9_000, used_ms=2_000, occurred_at=at(10))
    for turn_ms, used in ((0, 2_000), (120_000, 2_000)):
        (side, _) = Clocks(STARTED, corrected, turn_ms=turn_ms).shown.clocks
        assert (side.used_ms, side.turn_used_ms, side.running, side.running_since) == (used, 2_000, True, at(10))


def test_while_somebody_is_absent_only_their_time_runs_and_the_page_says_so() -> None:
    absent = clock.PlayerAbsent(player_id="biel", signal_at=at(1), clock_starts_at=at(1), occurred_at=at(60))
    state = Clocks(STARTED, absent)
    assert (running(state), [side.absent for side in state.shown.clocks]) == (["biel"], [False, True])
    state.tick(clock.PlayerAbsent(player_id="anna", signal_at=at(1), clock_starts_at=at(1), occurred_at=at(70)))
    assert running(state) == ["anna", "biel"]
    state.tick(clock.PlayerArrived(player_id="biel", used_ms=99_000, occurred_at=at(100)))
    state.tick(clock.PlayerArrived(player_id="anna", used_ms=109_000, occurred_at=at(110)))
    state.tick(clock.ClockStarted(player_id="anna", occurred_at=at(110)))
    assert running(state) == ["anna"]
    assert [(side.used_ms, side.absent) for side in state.shown.clocks] == [(109_000, False), (99_000, False)]


def test_who_leaves_the_table_is_shown_as_absent_until_the_return() -> None:
    state = Clocks(STARTED, clock.PlayerLeft(player_id="anna", turn=1, told=True))
    assert [side.absent for side in state.shown.clocks] == [True, False]
    state.tick(clock.PlayerReturned(player_id="anna"))
    assert not any(side.absent for side in state.shown.clocks)


def test_the_last_turn_is_shown_when_the_time_of_the_round_is_over() -> None:
    state = Clocks(STARTED, clock.RoundTimeExpired(turns_taken=3, last_turn=6))
    assert (state.shown.round_time_over, state.shown.last_turn) == (True, 6)
