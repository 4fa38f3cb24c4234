"""The clocks of a game as the public sees them."""

from __future__ import annotations

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown


def tick(state: results.GetGameResponse, event: Message) -> None:
    """Bring the clocks to what they show after ``event``. Raises ``Broken`` for an event that cannot follow."""
    match event:
        case clock.ClockOpened():
            state.allowance_ms = event.allowance_ms
            state.turn_ms = event.turn_ms
            state.clocks.extend(results.ClockSide(player_id=seat.player_id) for seat in state.seats)
        case clock.ClockStarted():
            _run(state, event.player_id, event.occurred_at)
        case clock.ClockPressed():
            _stop(state, event.player_id, event.used_ms)
            _pass(state, event.player_id, event.next_player_id, event.occurred_at)
        case clock.ClockHeldByMover() | clock.TurnTimedOut():
            _stop(state, event.player_id, event.used_ms)
        case clock.ClockNeutralised():
            state.neutralised_for = event.reason
            if event.player_id:
                _stop(state, event.player_id, event.used_ms)
        case clock.ClockResumed():
            state.neutralised_for = clock.NEUTRALISATION_REASON_UNSPECIFIED
            if event.player_id:
                _run(state, event.player_id, event.occurred_at)
        case clock.ClockSwitched():
            _stop(state, event.player_id, event.used_ms)
            if not state.neutralised_for:
                _pass(state, event.player_id, event.next_player_id, event.occurred_at)
        case clock.OvertimeCapExceeded():
            _stop(state, event.player_id, state.allowance_ms + event.overtime_ms)
        case clock.ClockCorrected():
            _correct(state, event)
        case clock.RoundTimeExpired():
            state.round_time_over = True
            state.last_turn = event.last_turn
        case clock.PlayerAbsent():
            _leave_waiting(state, event)
        case clock.PlayerArrived():
            _side(state, event.player_id).absent = False
            _stop(state, event.player_id, event.used_ms)
        case clock.PlayerLeft():
            _side(state, event.player_id).absent = True
        case clock.PlayerReturned():
            _side(state, event.player_id).absent = False
        case clock.ClockStopped():
            state.neutralised_for = clock.NEUTRALISATION_REASON_UNSPECIFIED
            for time in event.times:
                _stop(state, time.player_id, time.used_ms)
        case _:
            raise Unknown("the clocks", event)


def _pass(state: results.GetGameResponse, player_id: str, next_player_id: str, since: Timestamp) -> None:
    """The time of the next player runs; before tables had more than two, the event did not name the other."""
    following = next_player_id or next(side.player_id for side in state.clocks if side.player_id != player_id)
    _run(state, following, since)


def _run(state: results.GetGameResponse, player_id: str, since: Timestamp) -> None:
    for other in state.clocks:
        if other.player_id != player_id:
            other.turn_used_ms = 0
    side = _side(state, player_id)
    side.running = True
    side.running_since.CopyFrom(since)


def _stop(state: results.GetGameResponse, player_id: str, used_ms: int) -> None:
    side = _side(state, player_id)
    side.turn_used_ms += used_ms - side.used_ms
    side.used_ms = used_ms
    side.running = False
    side.ClearField("running_since")


def _leave_waiting(state: results.GetGameResponse, event: clock.PlayerAbsent) -> None:
    """Only the time of those who are absent runs; what ran since the signal has not been used."""
    for side in state.clocks:
        if not side.absent and not any(other.absent for other in state.clocks):
            _stop(state, side.player_id, 0)
    side = _side(state, event.player_id)
    side.absent = True
    if event.HasField("clock_starts_at"):
        side.running = True
        side.running_since.CopyFrom(event.clock_starts_at)


def _correct(state: results.GetGameResponse, event: clock.ClockCorrected) -> None:
    side = _side(state, event.player_id)
    change = event.used_ms - (side.turn_used_ms if state.turn_ms else side.used_ms)
    side.used_ms += change
    if side.running:
        side.turn_used_ms += change
        side.running_since.CopyFrom(event.occurred_at)


def _side(state: results.GetGameResponse, player_id: str) -> results.ClockSide:
    for side in state.clocks:
        if side.player_id == player_id:
            return side
    raise Broken(f"player {player_id!r} has no clock at {state.game_id}")
