"""Events of the clock of a hall's table, before they are copied. Pure.

Each event states times that follow from the earlier ones: which clock runs, since when, and how much was used. A used
time is not believed, but compared with the clock, up to ``ROUNDING_MS``. Only an arbiter's correction sets another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import Instant, instant
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules.clockwork import MINUTE_MS, thinking_ms, turn_ms
from faristol.table import Table
from faristol.table.clock import ARBITER_STOP_NUMBER, Clock, elapsed_ms
from faristol.table.decide.arbitration import MOST_MS
from faristol.table.game.signals import SignalKind
from faristol.table.settlement.clock import REASONS

ROUNDING_MS = 2
"""Milliseconds by which a used time may differ: times are truncated to milliseconds."""

Find = Callable[[Table, Any], str]
"""Returns why an event cannot follow on the clock of a table; empty if it can."""

OTHER_USED_TIME = "the clock has another used time"


def find_clock_problem(table: Table, event: Message) -> str:
    """Return why an event cannot be the next one of a table's clock; empty if it can, or if it is of no clock."""
    find = _CLOCK_PROBLEMS.get(type(event))
    if find is None:
        return ""
    clock = table.clock
    if isinstance(event, events.ClockOpened):
        return _find_opened(table, event)
    if not clock.game_id or clock.stopped:
        return "the clock is not open, or has stopped"
    return find(table, event)


def _find_opened(table: Table, event: events.ClockOpened) -> str:
    law = table.ruleset.clock
    if table.clock.game_id or event.game_id != table.game.game_id or law.model == "none":
        return "a clock opens once"
    allowance = thinking_ms(table.ruleset) if law.model == "chess" else 0
    times = allowance, (law.overtime_cap_minutes or 0) * MINUTE_MS, turn_ms(table.ruleset) or 0
    if (event.allowance_ms, event.overtime_cap_ms, event.turn_ms) != times:
        return "the rules give other times"
    return "" if list(event.player_ids) == list(table.game.player_ids) else "expected the players of the table"


def _find_started(table: Table, event: events.ClockStarted) -> str:
    if table.clock.started or event.player_id != table.game.starter:
        return "the clock of the first player starts once"
    return ""


def _find_pressed(table: Table, event: events.ClockPressed) -> str:
    clock = table.clock
    if clock.neutralised or (event.player_id, event.turn) != (clock.mover, clock.turn):
        return "only the clock of the player on turn is pressed, while it is not neutralised"
    if event.next_player_id and event.next_player_id != clock.after(event.player_id):
        return "another player is next"
    return _find_used_problem(table, event)


def _find_held(table: Table, event: events.ClockHeldByMover) -> str:
    clock = table.clock
    if clock.held or (event.player_id, event.turn) != (clock.mover, clock.turn):
        return "only the player on turn stops the clock, once"
    return _find_used_problem(table, event)


def _find_neutralised(table: Table, event: events.ClockNeutralised) -> str:
    clock, signals = table.clock, table.game.signals
    # The end of an expired time is written first. It stops the clock, so that the arbiter stops none that runs.
    if event.player_id != clock.running and (clock.running or event.player_id != clock.mover):
        return "the clock of another player runs"
    reason = next((name for name, value in REASONS.items() if value == event.reason), None)
    if reason is None:
        return f"the reason {event.reason} is unknown"
    if event.arbiter_id:
        if ARBITER_STOP_NUMBER in clock.open or reason not in table.ruleset.clock.neutralised_by:
            return "an arbiter stops the clocks once, for a reason of the rules"
    elif not 1 <= event.interruption <= len(signals.interruptions) or event.interruption <= clock.interruption:
        return "no interruption of the game stops the clocks"
    elif signals.interruption(event.interruption).reason != reason:
        return "the game is interrupted for another reason"
    return _find_used_problem(table, event) if event.player_id else ""


def _find_resumed(table: Table, event: events.ClockResumed) -> str:
    clock = table.clock
    if not (clock.neutralised or clock.held):
        return "the clock runs already"
    if event.arbiter_id and ARBITER_STOP_NUMBER not in clock.open:
        return "an arbiter resumes only the clocks that an arbiter has stopped"
    if not event.arbiter_id and ARBITER_STOP_NUMBER in clock.open:
        return "the arbiter has stopped the clocks"
    if event.player_id and event.player_id not in (clock.mover, clock.after(clock.mover)):
        return "another player is on turn"
    return "" if event.turn in (0, clock.turn, clock.turn + 1) else "the clock is in another turn"


def _find_switched(table: Table, event: events.ClockSwitched) -> str:
    clock = table.clock
    signals = table.game.signals.given
    is_over = any(signal.kind is SignalKind.TURN_OVER and signal.turn == clock.turn for signal in signals)
    if (event.player_id, event.turn) != (clock.mover, clock.turn) or not is_over:
        return "the turn is not over"
    if event.next_player_id != clock.after(clock.mover):
        return "another player is next"
    return _find_used_problem(table, event)


def _find_timed_out(table: Table, event: events.TurnTimedOut) -> str:
    clock = table.clock
    limit = clock.turn_limit_ms
    if not limit or (event.player_id, event.turn) != (clock.running, clock.turn):
        return "no limited turn of this player runs"
    if clock.turn_used_at(instant(event.occurred_at)) < limit - ROUNDING_MS:
        return "the time of the turn is not over"
    return _find_used_problem(table, event)


def _find_exceeded(table: Table, event: events.OvertimeCapExceeded) -> str:
    clock = table.clock
    if not clock.overtime_cap_ms or event.player_id != clock.running or event.overtime_ms != clock.overtime_cap_ms:
        return "no overtime of this player runs up to its limit"
    used = clock.used_at(event.player_id, instant(event.occurred_at))
    return "" if clock.overtime(used) >= clock.overtime_cap_ms - ROUNDING_MS else "the overtime is not over"


def _find_corrected(table: Table, event: events.ClockCorrected) -> str:
    clock, at = table.clock, instant(event.occurred_at)
    if not event.arbiter_id or event.reason not in events.CorrectionReason.values()[1:]:
        return "an arbiter corrects a clock for a reason of the rules"
    before = clock.turn_used_at(at) if clock.turn_ms else clock.used_at(event.player_id, at)
    if not _is_used(clock, event.player_id, before, event.before_ms, at):
        return OTHER_USED_TIME
    return "" if 0 <= event.used_ms <= MOST_MS else f"a correction sets 0 to {MOST_MS} ms"


def _find_round_over(table: Table, event: events.RoundTimeExpired) -> str:
    if table.ruleset.round_time.rule == "none" or table.clock.round_time_over:
        return "the time of the round ends once, if the rules have one"
    taken = max(0, table.clock.turn - 1)
    if event.turns_taken != taken or not taken <= event.last_turn <= taken + 2 * len(table.game.player_ids):
        return "another number of turns is complete, or left"
    return ""


def _find_absent(table: Table, event: events.PlayerAbsent) -> str:
    if not event.arbiter_id or event.player_id in table.clock.absent or table.clock.turn > 1:
        return "an arbiter notes an absence once, before the first turn is over"
    return ""


def _find_arrived(table: Table, event: events.PlayerArrived) -> str:
    if event.player_id not in table.clock.absent:
        return "the player is not noted as absent"
    return _find_used_problem(table, event)


def _find_left(table: Table, event: events.PlayerLeft) -> str:
    return "the player has left already" if event.player_id in table.clock.away else ""


def _find_returned(table: Table, event: events.PlayerReturned) -> str:
    return "" if event.player_id in table.clock.away else "the player has not left"


def _find_forfeited(table: Table, event: events.TimeForfeited) -> str:
    clock = table.clock
    away = clock.absent if event.reason == events.FORFEIT_REASON_LATE else clock.away
    if event.player_id not in away or event.player_id in clock.forfeited:
        return "the player is not absent"
    return ""


def _find_stopped(table: Table, event: events.ClockStopped) -> str:
    clock, at = table.clock, instant(event.occurred_at)
    if not table.game.over:
        return "the game is not over"
    for side in event.times:
        used = clock.used_at(side.player_id, at)
        if abs(used - side.used_ms) > ROUNDING_MS or abs(clock.overtime(used) - side.overtime_ms) > ROUNDING_MS:
            return OTHER_USED_TIME
    return ""


def _find_used_problem(table: Table, event: Any) -> str:
    """Compare the used time that an event states with that of the clock at its time."""
    clock = table.clock
    at = max(instant(event.occurred_at), clock.running_since)
    used = clock.used_at(event.player_id, at)
    return "" if _is_used(clock, event.player_id, used, event.used_ms, at) else OTHER_USED_TIME


def _is_used(clock: Clock, player_id: str, used_ms: int, stated_ms: int, at: Instant) -> bool:
    """Check whether a player may have used the stated time at an instant, when the clock says ``used_ms``.

    A deadline that was due before is written with its own time, before an event that counts on from the earlier state:
    on a clock that has stopped since then, up to the time of the event may be stated.
    """
    waits = clock.absent.get(player_id)
    runs = player_id == clock.running or (waits is not None and waits.clock_since is not None)
    latest = used_ms if runs else used_ms + elapsed_ms(clock.running_since, at)
    return used_ms - ROUNDING_MS <= stated_ms <= latest + ROUNDING_MS


_CLOCK_PROBLEMS: Mapping[type[Message], Find] = {
    events.ClockOpened: _find_opened,
    events.ClockStarted: _find_started,
    events.ClockPressed: _find_pressed,
    events.ClockHeldByMover: _find_held,
    events.ClockNeutralised: _find_neutralised,
    events.ClockResumed: _find_resumed,
    events.ClockSwitched: _find_switched,
    events.TurnTimedOut: _find_timed_out,
    events.OvertimeCapExceeded: _find_exceeded,
    events.ClockCorrected: _find_corrected,
    events.RoundTimeExpired: _find_round_over,
    events.PlayerAbsent: _find_absent,
    events.PlayerArrived: _find_arrived,
    events.PlayerLeft: _find_left,
    events.PlayerReturned: _find_returned,
    events.TimeForfeited: _find_forfeited,
    events.ClockStopped: _find_stopped,
}
