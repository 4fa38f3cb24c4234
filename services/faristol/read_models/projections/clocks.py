"""The public clocks of a game: how an event changes the seats and the sheet of its table. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.event_types import folds_in
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.read_models.projections.championship import Broken
from faristol.read_models.projections.changes import Change, sets
from faristol.read_models.storage.rows import Game, Seat, Sheet

ClockHandler = Callable[[Game, Sheet, Any], None]


def _apply_clock_opened(game: Game, sheet: Sheet, event: clock.ClockOpened) -> None:
    sheet.clocked, sheet.allowance_ms, sheet.turn_ms = True, event.allowance_ms, event.turn_ms


def _apply_clock_started(game: Game, sheet: Sheet, event: clock.ClockStarted) -> None:
    _run(game, event.player_id, event.occurred_at)


def _apply_clock_pressed(game: Game, sheet: Sheet, event: clock.ClockPressed) -> None:
    _stop(_side(game, event.player_id), event.used_ms)
    _pass(game, event.player_id, event.next_player_id, event.occurred_at)


def _apply_clock_held(game: Game, sheet: Sheet, event: clock.ClockHeldByMover | clock.TurnTimedOut) -> None:
    _stop(_side(game, event.player_id), event.used_ms)


def _apply_clock_neutralised(game: Game, sheet: Sheet, event: clock.ClockNeutralised) -> None:
    sheet.neutralised_for = event.reason
    if event.player_id:
        _stop(_side(game, event.player_id), event.used_ms)


def _apply_clock_resumed(game: Game, sheet: Sheet, event: clock.ClockResumed) -> None:
    sheet.neutralised_for = clock.NEUTRALISATION_REASON_UNSPECIFIED
    if event.player_id:
        _run(game, event.player_id, event.occurred_at)


def _apply_clock_switched(game: Game, sheet: Sheet, event: clock.ClockSwitched) -> None:
    _stop(_side(game, event.player_id), event.used_ms)
    if not sheet.neutralised_for:
        _pass(game, event.player_id, event.next_player_id, event.occurred_at)


def _apply_overtime_cap_exceeded(game: Game, sheet: Sheet, event: clock.OvertimeCapExceeded) -> None:
    _stop(_side(game, event.player_id), sheet.allowance_ms + event.overtime_ms)


def _apply_clock_corrected(game: Game, sheet: Sheet, event: clock.ClockCorrected) -> None:
    side = _side(game, event.player_id)
    change = event.used_ms - (side.turn_used_ms if sheet.turn_ms else side.used_ms)
    side.used_ms += change
    if side.running_since is not None:
        side.turn_used_ms += change
        side.running_since = event.occurred_at.ToNanoseconds()


def _apply_round_time_expired(game: Game, sheet: Sheet, event: clock.RoundTimeExpired) -> None:
    sheet.round_time_over, sheet.last_turn = True, event.last_turn


def _apply_player_absent(game: Game, sheet: Sheet, event: clock.PlayerAbsent) -> None:
    """Run only the clocks of absent players. Time that ran since the signal is not used."""
    if not any(seat.absent for seat in game.seats):
        for seat in game.seats:
            _stop(seat, 0)
    side = _side(game, event.player_id)
    side.absent = True
    if event.HasField("clock_starts_at"):
        side.running_since = event.clock_starts_at.ToNanoseconds()


def _apply_player_arrived(game: Game, sheet: Sheet, event: clock.PlayerArrived) -> None:
    side = _side(game, event.player_id)
    side.absent = False
    _stop(side, event.used_ms)


def _apply_clock_stopped(game: Game, sheet: Sheet, event: clock.ClockStopped) -> None:
    sheet.neutralised_for = clock.NEUTRALISATION_REASON_UNSPECIFIED
    for time in event.times:
        _stop(_side(game, time.player_id), time.used_ms)


def _change_seat(change: Change, game: Game, sheet: Sheet, event: Any) -> None:
    change(_side(game, event.player_id), event)


CLOCK_HANDLERS: Mapping[type[Message], ClockHandler] = {
    **folds_in(__name__),
    clock.PlayerLeft: partial(_change_seat, sets(absent=True)),
    clock.PlayerReturned: partial(_change_seat, sets(absent=False)),
}
"""The effect of an event on the clocks of its table; none of them touches the lines of the sheet."""


def _pass(game: Game, player_id: str, next_player_id: str, since: Timestamp) -> None:
    """Start the clock of the next player.

    Events from before tables of more than two players do not name the next player.
    """
    following = next_player_id or next(seat.player_id for seat in game.seats if seat.player_id != player_id)
    _run(game, following, since)


def _run(game: Game, player_id: str, since: Timestamp) -> None:
    for seat in game.seats:
        if seat.player_id != player_id:
            seat.turn_used_ms = 0
    _side(game, player_id).running_since = since.ToNanoseconds()


def _stop(side: Seat, used_ms: int) -> None:
    side.turn_used_ms += used_ms - side.used_ms
    side.used_ms = used_ms
    side.running_since = None


def _side(game: Game, player_id: str) -> Seat:
    """Return the seat of a player. Raises ``Broken`` if the player has no clock there."""
    seat = game.seat(player_id)
    if seat is None or game.sheet is None or not game.sheet.clocked:
        raise Broken(f"player {player_id!r} has no clock at {game.game_id}")
    return seat
