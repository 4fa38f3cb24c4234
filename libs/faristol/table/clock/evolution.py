"""How the facts of a clock change it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.times import instant
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.table.clock.state import ARBITER, Absence, Clock


def evolve(clock: Clock, message: Message) -> Clock:
    """``clock`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    change = _CHANGES.get(type(message))
    if change is None:
        raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a clock: expected one of faristol.clock.v1")
    after = change(clock, message)
    fact: Any = message
    at = instant(fact.occurred_at)
    until = after.turn_until
    if isinstance(message, TIMED):
        until = instant(fact.turn_until) if fact.HasField("turn_until") else None
    elif isinstance(message, _STANDS):
        until = None
    return replace(after, turn_until=until, last_at=max(clock.last_at, at))


def fold(clock: Clock, facts: Iterable[Message]) -> Clock:
    """``clock`` after ``facts``."""
    return reduce(evolve, facts, clock)


TIMED = (
    events.ClockStarted,
    events.ClockPressed,
    events.ClockResumed,
    events.ClockSwitched,
    events.ClockCorrected,
    events.RoundTimeExpired,
)
"""Facts after which the time of a turn runs, or is another."""

_STANDS = (events.ClockHeldByMover, events.ClockNeutralised, events.TurnTimedOut)
"""Facts after which it does not run."""


def _opened(_: Clock, fact: events.ClockOpened) -> Clock:
    return Clock(
        game_id=fact.game_id,
        tournament_id=fact.tournament_id,
        player_ids=tuple(fact.player_ids),
        allowance_ms=fact.allowance_ms,
        overtime_cap_ms=fact.overtime_cap_ms,
        turn_ms=fact.turn_ms,
        used_ms=(0,) * len(fact.player_ids),
    )


def _started(clock: Clock, fact: events.ClockStarted) -> Clock:
    started = replace(clock, started=True, turn=1, mover=fact.player_id, absent=MappingProxyType({}))
    return _run(started, fact.player_id, fact.occurred_at)


def _pressed(clock: Clock, fact: events.ClockPressed) -> Clock:
    at, missed = instant(fact.occurred_at), clock.missed
    if clock.away:
        missed = MappingProxyType({**missed, **dict.fromkeys(clock.away, fact.turn)})
    accounted = _accounted(clock, fact.player_id, fact.used_ms)
    pressed = replace(accounted, pressed_turn=fact.turn, pressed_at=at, missed=missed)
    next_player = fact.next_player_id or clock.after(fact.player_id)
    return _run(_on_turn(pressed, fact.turn + 1, next_player), next_player, fact.occurred_at)


def _held(clock: Clock, fact: events.ClockHeldByMover) -> Clock:
    accounted = _accounted(clock, fact.player_id, fact.used_ms)
    held = replace(accounted, held=True, held_turn=fact.turn, held_at=instant(fact.occurred_at))
    return _halt(held, fact.occurred_at)


def _neutralised(clock: Clock, fact: events.ClockNeutralised) -> Clock:
    # Before there were other reasons than challenges, a challenge was the only number that an interruption had.
    interruption = ARBITER if fact.arbiter_id else fact.interruption or fact.challenge
    halted = _halt(_accounted(clock, fact.player_id, fact.used_ms), fact.occurred_at)
    return replace(
        halted,
        reason=fact.reason,
        challenge=fact.challenge or clock.challenge,
        interruption=max(interruption, clock.interruption),
        open=clock.open | {interruption},
    )


def _resumed(clock: Clock, fact: events.ClockResumed) -> Clock:
    clock = _unneutralised(clock)
    if not fact.player_id:
        return _halt(clock, fact.occurred_at)
    if fact.player_id != clock.mover:
        clock = _on_turn(clock, fact.turn or clock.turn + 1, fact.player_id)
    return _run(replace(clock, held=False), fact.player_id, fact.occurred_at)


def _switched(clock: Clock, fact: events.ClockSwitched) -> Clock:
    switched = _on_turn(_accounted(clock, fact.player_id, fact.used_ms), fact.turn + 1, fact.next_player_id)
    if clock.neutralised:
        return _halt(switched, fact.occurred_at)
    return _run(switched, fact.next_player_id, fact.occurred_at)


def _timed_out(clock: Clock, fact: events.TurnTimedOut) -> Clock:
    accounted = _accounted(clock, fact.player_id, fact.used_ms)
    over = replace(accounted, timed_out_turn=fact.turn, timed_out_at=instant(fact.occurred_at))
    return _halt(over, fact.occurred_at)


def _exceeded(clock: Clock, fact: events.OvertimeCapExceeded) -> Clock:
    accounted = _accounted(clock, fact.player_id, clock.allowance_ms + fact.overtime_ms)
    halted = _halt(accounted, fact.occurred_at)
    return replace(halted, exceeded=fact.player_id, exceeded_at=instant(fact.occurred_at))


def _corrected(clock: Clock, fact: events.ClockCorrected) -> Clock:
    at = instant(fact.occurred_at)
    if clock.running:
        clock = _accounted(clock, clock.running, clock.used_at(clock.running, at))
        clock = _run(clock, clock.running, fact.occurred_at)
    return _accounted(clock, fact.player_id, clock.used(fact.player_id) + fact.used_ms - fact.before_ms)


def _round_over(clock: Clock, fact: events.RoundTimeExpired) -> Clock:
    at = instant(fact.occurred_at)
    return replace(
        clock,
        last_turn=fact.last_turn,
        last_turn_ms=fact.last_turn_ms,
        round_over_at=at,
        expired_turn=clock.turn,
        expired_turn_used_ms=clock.turn_used_at(at),
    )


def _absent(clock: Clock, fact: events.PlayerAbsent) -> Clock:
    """Nobody's time runs but that of those who are absent; what ran since the signal has not been used."""
    if clock.started:
        clock = replace(clock, used_ms=(0,) * len(clock.player_ids), started=False, turn=0, mover="", turn_used_ms=0)
    since = instant(fact.clock_starts_at) if fact.HasField("clock_starts_at") else None
    absent = MappingProxyType({**clock.absent, fact.player_id: Absence(instant(fact.signal_at), since)})
    return _halt(replace(clock, absent=absent), fact.occurred_at)


def _arrived(clock: Clock, fact: events.PlayerArrived) -> Clock:
    others = {player: absence for player, absence in clock.absent.items() if player != fact.player_id}
    arrived = replace(clock, absent=MappingProxyType(others))
    return _halt(_accounted(arrived, fact.player_id, fact.used_ms), fact.occurred_at)


def _left(clock: Clock, fact: events.PlayerLeft) -> Clock:
    return replace(clock, away=clock.away | {fact.player_id})


def _returned(clock: Clock, fact: events.PlayerReturned) -> Clock:
    return replace(clock, away=clock.away - {fact.player_id})


def _forfeited(clock: Clock, fact: events.TimeForfeited) -> Clock:
    return replace(clock, forfeited=(*clock.forfeited, fact.player_id), forfeited_at=instant(fact.occurred_at))


def _stopped(clock: Clock, fact: events.ClockStopped) -> Clock:
    used = {side.player_id: side.used_ms for side in fact.times}
    halted = _halt(_unneutralised(clock), fact.occurred_at)
    return replace(
        halted,
        stopped=True,
        held=False,
        absent=MappingProxyType({}),
        used_ms=tuple(used[player_id] for player_id in clock.player_ids),
        overtime_ms=MappingProxyType({side.player_id: side.overtime_ms for side in fact.times}),
    )


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
    return replace(clock, running=player_id, running_since=instant(occurred_at))


def _halt(clock: Clock, occurred_at: Timestamp) -> Clock:
    return replace(clock, running="", running_since=instant(occurred_at))


_CHANGES: Mapping[type[Message], Callable[[Clock, Any], Clock]] = {
    events.ClockOpened: _opened,
    events.ClockStarted: _started,
    events.ClockPressed: _pressed,
    events.ClockHeldByMover: _held,
    events.ClockNeutralised: _neutralised,
    events.ClockResumed: _resumed,
    events.ClockSwitched: _switched,
    events.TurnTimedOut: _timed_out,
    events.OvertimeCapExceeded: _exceeded,
    events.ClockCorrected: _corrected,
    events.RoundTimeExpired: _round_over,
    events.PlayerAbsent: _absent,
    events.PlayerArrived: _arrived,
    events.PlayerLeft: _left,
    events.PlayerReturned: _returned,
    events.TimeForfeited: _forfeited,
    events.ClockStopped: _stopped,
}
"""What each fact does to a clock, but for the time of the table and the end of the turn's."""

FACTS = frozenset(_CHANGES)
"""The facts of a clock."""
