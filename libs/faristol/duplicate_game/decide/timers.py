"""The timer of a turn: started, stopped, resumed, restarted by the judge; its automatic events (FISC II.5)."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.duplicate_game.game import Duplicate, Timer, Turn, evolve
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent, reason_given
from faristol.kernel.refusal import N_
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.clock.v1 import turns_pb2 as pb
from faristol.rules import Ruleset


def start_turn(situation: Situation, request: pb.StartTurnRequest) -> list[StreamEvent]:
    """Start or restart the time of the called turn: "Temps!"."""
    turn = _current(situation, request.turn)
    if turn.timer is not None and not request.again:
        raise situation.refuse_turn("TURN_STARTED", N_("The time of round {turn} has already started."), turn.number)
    if turn.timer is None and request.again:
        raise situation.refuse_turn("TURN_NOT_STARTED", N_("The time of round {turn} has not started."), turn.number)
    reason = reason_given(request.reason) if request.again else ""
    started = ticks.TurnTimerStarted(
        turn=turn.number,
        milliseconds=situation.ruleset.turns.seconds * 1000,
        again=request.again,
        reason=reason,
        arbiter_id=request.arbiter_id,
    )
    return [(GAME_STREAM_NUMBER, started)]


def stop_turn(situation: Situation, request: pb.StopTurnRequest) -> list[StreamEvent]:
    """Stop the time and store the rest."""
    turn = _current(situation, request.turn)
    timer = _timer(situation, turn)
    if timer.ends_at is None:
        raise situation.refuse_turn("TURN_STOPPED", N_("The time of round {turn} is already stopped."), turn.number)
    stopped = ticks.TurnTimerStopped(
        turn=turn.number,
        milliseconds_left=(timer.ends_at - situation.at) // NANOSECONDS_PER_MS,
        reason=reason_given(request.reason),
        arbiter_id=request.arbiter_id,
    )
    return [(GAME_STREAM_NUMBER, stopped)]


def resume_turn(situation: Situation, request: pb.ResumeTurnRequest) -> list[StreamEvent]:
    """Resume the time with the stored remainder."""
    turn = _current(situation, request.turn)
    timer = _timer(situation, turn)
    if timer.ends_at is not None:
        raise situation.refuse_turn("TURN_RUNS", N_("The time of round {turn} is already running."), turn.number)
    resumed = ticks.TurnTimerResumed(
        turn=turn.number,
        milliseconds_left=timer.left_ms,
        arbiter_id=request.arbiter_id,
    )
    return [(GAME_STREAM_NUMBER, resumed)]


def _current(situation: Situation, number: int) -> Turn:
    """Return the open turn. Raises ``Refusal`` for a scored one, ``Invalid`` for one that is not called."""
    situation.running()
    turn = situation.turn(number)
    if turn.completed:
        raise situation.refuse_turn("TURN_SCORED", N_("Round {turn} is scored."), turn.number)
    return turn


def _timer(situation: Situation, turn: Turn) -> Timer:
    """Return the timer of a turn. Raises ``Refusal`` if it has not begun or is over."""
    if turn.timer is None:
        raise situation.refuse_turn("TURN_NOT_STARTED", N_("The time of round {turn} has not started."), turn.number)
    if turn.timer.called_at is not None:
        raise situation.refuse_turn("TIME_OVER", N_("The time of round {turn} is over."), turn.number)
    return turn.timer


def next_tick(game: Duplicate, ruleset: Ruleset) -> tuple[Instant, Message] | None:
    """Return the time and the event of the next tick of the running turn; None without a running turn."""
    turn = game.current
    timer = turn.timer if turn else None
    if turn is None or timer is None or timer.called_at is not None or timer.ends_at is None or game.end:
        return None
    turns = ruleset.turns
    warnings = [(turns.may_warn_seconds, False), (turns.must_warn_seconds, True)]
    for seconds, mandatory in sorted(((left, must) for left, must in warnings if left), reverse=True):
        at = timer.ends_at - seconds * 1000 * NANOSECONDS_PER_MS
        if seconds not in timer.warned and at >= (timer.started_at or 0):
            warning = ticks.TimeWarned(
                turn=turn.number, seconds_left=seconds, mandatory=mandatory, occurred_at=timestamp(at)
            )
            return at, warning
    return timer.ends_at, ticks.TimeCalled(turn=turn.number, occurred_at=timestamp(timer.ends_at))


def settle(game: Duplicate, ruleset: Ruleset, at: Instant) -> list[Message]:
    """Return all ticks due by ``at``, in order; the end itself still belongs to the turn."""
    found: list[Message] = []
    while (tick := next_tick(game, ruleset)) and tick[0] <= at:
        found.append(tick[1])
        game = evolve(game, tick[1])
    return found
