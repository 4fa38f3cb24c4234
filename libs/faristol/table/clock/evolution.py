"""How the facts of a clock change it. Pure."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.times import Instant, instant
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.table.clock.state import ARBITER, Absence, Clock


def evolve(clock: Clock, message: Message) -> Clock:
    """``clock`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    match message:
        case events.ClockOpened():
            clock = _opened(message)
        case events.ClockStarted():
            started = replace(clock, started=True, turn=1, mover=message.player_id, absent=MappingProxyType({}))
            clock = _run(started, message.player_id, message.occurred_at)
        case events.ClockPressed():
            pressed = replace(_accounted(clock, message.player_id, message.used_ms), pressed_turn=message.turn)
            following = message.next_player_id or clock.after(message.player_id)
            clock = _run(_on_turn(pressed, message.turn + 1, following), following, message.occurred_at)
        case events.ClockHeldByMover():
            held = replace(_accounted(clock, message.player_id, message.used_ms), held=True)
            clock = _halt(held, message.occurred_at)
        case events.ClockNeutralised():
            clock = _neutralised(_accounted(clock, message.player_id, message.used_ms), message)
        case events.ClockResumed():
            clock = _resumed(clock, message)
        case events.ClockSwitched():
            accounted = _accounted(clock, message.player_id, message.used_ms)
            switched = _on_turn(accounted, message.turn + 1, message.next_player_id)
            if clock.neutralised:
                clock = _halt(switched, message.occurred_at)
            else:
                clock = _run(switched, message.next_player_id, message.occurred_at)
        case events.TurnTimedOut():
            over = replace(_accounted(clock, message.player_id, message.used_ms), timed_out=message.turn)
            clock = _halt(over, message.occurred_at)
        case events.OvertimeCapExceeded():
            accounted = _accounted(clock, message.player_id, clock.allowance_ms + message.overtime_ms)
            clock = replace(_halt(accounted, message.occurred_at), exceeded=message.player_id)
        case events.ClockCorrected():
            clock = _corrected(clock, message)
        case events.RoundTimeExpired():
            at = instant(message.occurred_at)
            clock = replace(
                clock,
                last_turn=message.last_turn,
                last_turn_ms=message.last_turn_ms,
                expired_turn=clock.turn,
                expired_turn_used_ms=clock.turn_used_at(at),
                last_at=max(clock.last_at, at),
            )
        case events.PlayerAbsent():
            clock = _absent(clock, message)
        case events.PlayerArrived():
            others = {player: absence for player, absence in clock.absent.items() if player != message.player_id}
            arrived = replace(clock, absent=MappingProxyType(others))
            clock = _halt(_accounted(arrived, message.player_id, message.used_ms), message.occurred_at)
        case events.PlayerLeft():
            clock = replace(clock, away=clock.away | {message.player_id}, last_at=_latest(clock, message.occurred_at))
        case events.PlayerReturned():
            clock = replace(clock, away=clock.away - {message.player_id}, last_at=_latest(clock, message.occurred_at))
        case events.TimeForfeited():
            forfeited = (*clock.forfeited, message.player_id)
            clock = replace(clock, forfeited=forfeited, last_at=_latest(clock, message.occurred_at))
        case events.ClockStopped():
            used = {side.player_id: side.used_ms for side in message.times}
            halted = _halt(_unneutralised(clock), message.occurred_at)
            stopped = replace(halted, stopped=True, held=False, absent=MappingProxyType({}))
            clock = replace(stopped, used_ms=tuple(used[player_id] for player_id in clock.player_ids))
        case _:
            raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a clock: expected one of faristol.clock.v1")
    return clock


def _opened(opened: events.ClockOpened) -> Clock:
    return Clock(
        game_id=opened.game_id,
        tournament_id=opened.tournament_id,
        player_ids=tuple(opened.player_ids),
        allowance_ms=opened.allowance_ms,
        overtime_cap_ms=opened.overtime_cap_ms,
        turn_ms=opened.turn_ms,
        used_ms=(0,) * len(opened.player_ids),
        last_at=instant(opened.occurred_at),
    )


def _neutralised(clock: Clock, message: events.ClockNeutralised) -> Clock:
    # Before there were other reasons than challenges, a challenge was the only number that an interruption had.
    interruption = ARBITER if message.arbiter_id else message.interruption or message.challenge
    halted = _halt(clock, message.occurred_at)
    return replace(
        halted,
        reason=message.reason,
        challenge=message.challenge or clock.challenge,
        interruption=max(interruption, clock.interruption),
        open=clock.open | {interruption},
    )


def _resumed(clock: Clock, message: events.ClockResumed) -> Clock:
    clock = _unneutralised(clock)
    if not message.player_id:
        return _halt(clock, message.occurred_at)
    if message.player_id != clock.mover:
        clock = _on_turn(clock, message.turn or clock.turn + 1, message.player_id)
    return _run(replace(clock, held=False), message.player_id, message.occurred_at)


def _absent(clock: Clock, message: events.PlayerAbsent) -> Clock:
    """Nobody's time runs but that of those who are absent; what ran since the signal has not been used."""
    if clock.started:
        clock = replace(clock, used_ms=(0,) * len(clock.player_ids), started=False, turn=0, mover="", turn_used_ms=0)
    since = instant(message.clock_starts_at) if message.HasField("clock_starts_at") else None
    absence = Absence(instant(message.signal_at), since)
    absent = MappingProxyType({**clock.absent, message.player_id: absence})
    return _halt(replace(clock, absent=absent), message.occurred_at)


def _corrected(clock: Clock, message: events.ClockCorrected) -> Clock:
    at = instant(message.occurred_at)
    if clock.running:
        clock = _accounted(clock, clock.running, clock.used_at(clock.running, at))
        clock = _run(clock, clock.running, message.occurred_at)
    clock = _accounted(clock, message.player_id, clock.used(message.player_id) + message.used_ms - message.before_ms)
    return replace(clock, last_at=max(clock.last_at, at))


def _unneutralised(clock: Clock) -> Clock:
    return replace(clock, reason=events.NEUTRALISATION_REASON_UNSPECIFIED, open=frozenset())


def _on_turn(clock: Clock, turn: int, player_id: str) -> Clock:
    return replace(clock, turn=turn, mover=player_id, turn_used_ms=0, held=False)


def _accounted(clock: Clock, player_id: str, used_ms: int) -> Clock:
    """``player_id`` has used ``used_ms`` in the game; an empty one is nobody."""
    if not player_id:
        return clock
    in_turn = used_ms - clock.used(player_id) if player_id == clock.mover else 0
    used = zip(clock.player_ids, clock.used_ms, strict=True)
    return replace(
        clock,
        used_ms=tuple(used_ms if player == player_id else before for player, before in used),
        turn_used_ms=clock.turn_used_ms + in_turn,
    )


def _run(clock: Clock, player_id: str, occurred_at: Timestamp) -> Clock:
    at = instant(occurred_at)
    return replace(clock, running=player_id, running_since=at, last_at=max(clock.last_at, at))


def _latest(clock: Clock, occurred_at: Timestamp) -> Instant:
    return max(clock.last_at, instant(occurred_at))


def _halt(clock: Clock, occurred_at: Timestamp) -> Clock:
    at = instant(occurred_at)
    return replace(clock, running="", running_since=at, last_at=max(clock.last_at, at))
