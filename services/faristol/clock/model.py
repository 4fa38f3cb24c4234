"""What a clock is, and how its facts change it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as events

Instant = int
"""A moment in nanoseconds since 1970-01-01T00:00Z: all that a ``Timestamp`` says, in order, without rounding."""

NANOSECONDS = 1_000_000
"""In a millisecond."""


def instant(timestamp: Timestamp) -> Instant:
    """``timestamp`` as a number."""
    return timestamp.ToNanoseconds()


def timestamp(at: Instant) -> Timestamp:
    """``at`` as protobuf writes it."""
    written = Timestamp()
    written.FromNanoseconds(at)
    return written


def elapsed_ms(since: Instant, until: Instant) -> int:
    """Whole milliseconds from ``since`` to ``until``, never negative.

    Both are cut to the millisecond before they are subtracted, so what is lost on one turn is counted on the
    next: the times of a game add up to the time that it took, however many turns it had.
    """
    return max(0, until // NANOSECONDS - since // NANOSECONDS)


@dataclass(frozen=True, slots=True)
class Clock:
    """A table's clock, folded from ``clock-<game_id>``. The default is a clock that nobody set up yet."""

    game_id: str = ""
    tournament_id: str = ""
    player_ids: tuple[str, ...] = ()
    allowance_ms: int = 0
    """What each player has."""
    overtime_cap_ms: int = 0
    """Overtime beyond which the game ends; 0 when there is no such limit."""
    used_ms: tuple[int, ...] = ()
    """What each player has used up to ``running_since``, in the order of ``player_ids``."""
    running: str = ""
    """Whose clock runs; empty when neither does."""
    running_since: Instant = 0
    started: bool = False
    pressed_turn: int = 0
    """The last turn that a press completed."""
    challenge: int = 0
    """Number of the last challenge that this clock was neutralised for."""
    neutralised: bool = False
    exceeded: str = ""
    """Who went over the overtime cap; empty while nobody has."""
    stopped: bool = False
    last_at: Instant = 0
    """The latest moment that any fact of this clock names."""

    def used(self, player_id: str) -> int:
        """Milliseconds that ``player_id`` has used up to ``running_since``."""
        return self.used_ms[self.player_ids.index(player_id)]

    def used_at(self, player_id: str, at: Instant) -> int:
        """Milliseconds that ``player_id`` has used at ``at``."""
        used = self.used(player_id)
        return used + elapsed_ms(self.running_since, at) if player_id == self.running else used

    def overtime(self, used_ms: int) -> int:
        """Milliseconds of ``used_ms`` beyond the allowance, 0 or more."""
        return max(0, used_ms - self.allowance_ms)

    def opponent(self, player_id: str) -> str:
        """Who sits opposite ``player_id``."""
        first, second = self.player_ids
        return second if player_id == first else first

    def times(self) -> list[events.SideTime]:
        """Both players' times up to ``running_since``, in the order of the pairing."""
        return [
            events.SideTime(player_id=player_id, used_ms=used, overtime_ms=self.overtime(used))
            for player_id, used in zip(self.player_ids, self.used_ms, strict=True)
        ]


def evolve(clock: Clock, message: Message) -> Clock:
    """``clock`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    match message:
        case events.ClockOpened():
            return Clock(
                game_id=message.game_id,
                tournament_id=message.tournament_id,
                player_ids=tuple(message.player_ids),
                allowance_ms=message.allowance_ms,
                overtime_cap_ms=message.overtime_cap_ms,
                used_ms=(0,) * len(message.player_ids),
                last_at=instant(message.occurred_at),
            )
        case events.ClockStarted():
            return replace(_run(clock, message.player_id, message.occurred_at), started=True)
        case events.ClockPressed():
            accounted = _account(clock, message.player_id, message.used_ms)
            running = _run(accounted, clock.opponent(message.player_id), message.occurred_at)
            return replace(running, pressed_turn=message.turn)
        case events.ClockNeutralised():
            accounted = _account(clock, message.player_id, message.used_ms)
            halted = _halt(accounted, message.occurred_at)
            return replace(halted, neutralised=True, challenge=message.challenge)
        case events.ClockResumed():
            return replace(_run(clock, message.player_id, message.occurred_at), neutralised=False)
        case events.OvertimeCapExceeded():
            accounted = _account(clock, message.player_id, clock.allowance_ms + message.overtime_ms)
            return replace(_halt(accounted, message.occurred_at), exceeded=message.player_id)
        case events.ClockStopped():
            used = {side.player_id: side.used_ms for side in message.times}
            stopped = replace(_halt(clock, message.occurred_at), stopped=True, neutralised=False)
            return replace(stopped, used_ms=tuple(used[player_id] for player_id in clock.player_ids))
    raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a clock: expected one of faristol.clock.v1")


def _account(clock: Clock, player_id: str, used_ms: int) -> Clock:
    used = zip(clock.player_ids, clock.used_ms, strict=True)
    return replace(clock, used_ms=tuple(used_ms if player == player_id else before for player, before in used))


def _run(clock: Clock, player_id: str, occurred_at: Timestamp) -> Clock:
    at = instant(occurred_at)
    return replace(clock, running=player_id, running_since=at, last_at=max(clock.last_at, at))


def _halt(clock: Clock, occurred_at: Timestamp) -> Clock:
    at = instant(occurred_at)
    return replace(clock, running="", running_since=at, last_at=max(clock.last_at, at))
