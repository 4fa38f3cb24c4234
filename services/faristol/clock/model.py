"""What a clock is, and how its facts change it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as events

Instant = int
"""A moment in nanoseconds since 1970-01-01T00:00Z: all that a ``Timestamp`` says, in order, without rounding."""

NANOSECONDS = 1_000_000
"""In a millisecond."""

ARBITER = 0
"""The number of an interruption that is none of the game: the arbiter stopped the clocks."""


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
class Absence:
    """A player who was not there at the signal."""

    signal_at: Instant
    clock_since: Instant | None
    """From when on the own time runs; None where it does not."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A table's clock, folded from ``clock-<game_id>``. The default is a clock that nobody set up yet."""

    game_id: str = ""
    tournament_id: str = ""
    player_ids: tuple[str, ...] = ()
    """In the order of their turns."""
    allowance_ms: int = 0
    """What each player has for the game; 0 where turns are timed."""
    overtime_cap_ms: int = 0
    """Overtime beyond which the game ends; 0 when there is no such limit."""
    turn_ms: int = 0
    """What each turn may take; 0 where turns are not timed."""
    used_ms: tuple[int, ...] = ()
    """What each player has used up to ``running_since``, in the order of ``player_ids``."""
    started: bool = False
    turn: int = 0
    """The turn that the clock is at, from 1."""
    mover: str = ""
    """Whose turn that is; empty before the start."""
    turn_used_ms: int = 0
    """What the mover has used in this turn up to ``running_since``."""
    running: str = ""
    """Whose clock runs; empty when none does."""
    running_since: Instant = 0
    held: bool = False
    """The turn was taken, and its time stands until the press."""
    pressed_turn: int = 0
    """The last turn that a press completed."""
    challenge: int = 0
    """Number of the last challenge that this clock was neutralised for."""
    interruption: int = 0
    """Number of the last interruption of the game that this clock was neutralised for."""
    open: frozenset[int] = frozenset()
    """Numbers of the interruptions that it is neutralised for."""
    reason: events.NeutralisationReason.ValueType = events.NEUTRALISATION_REASON_UNSPECIFIED
    """What it was neutralised for last, while it is."""
    timed_out: int = 0
    """The last turn whose time was over."""
    exceeded: str = ""
    """Who went over the overtime cap; empty while nobody has."""
    last_turn: int | None = None
    """The last turn that is played since the time of the round is over; None while it is not."""
    last_turn_ms: int = 0
    """What each turn may take since then; 0 where it may take any time."""
    expired_turn: int = 0
    """The turn in which the time of the round was over."""
    expired_turn_used_ms: int = 0
    """What the mover had used in it by then."""
    absent: Mapping[str, Absence] = field(default_factory=dict)
    """Who was not there at the signal and has not come."""
    away: frozenset[str] = frozenset()
    """Who left the table and has not come back."""
    forfeited: tuple[str, ...] = ()
    """Who has lost by not being there."""
    stopped: bool = False
    last_at: Instant = 0
    """The latest moment that any fact of this clock names."""

    @property
    def neutralised(self) -> bool:
        """No clock runs, for a reason that the rules name."""
        return self.reason != events.NEUTRALISATION_REASON_UNSPECIFIED

    @property
    def round_time_over(self) -> bool:
        """The time of the round is over."""
        return self.last_turn is not None

    @property
    def played_out(self) -> bool:
        """Something on this clock has ended the game, whether the game has heard of it or not."""
        last_turn_over = self.last_turn is not None and self.last_turn < max(1, self.turn)
        return bool(self.exceeded or self.forfeited or last_turn_over)

    @property
    def turn_limit_ms(self) -> int:
        """What the mover may use in this turn; 0 where it may take any time."""
        if not self.last_turn_ms:
            return self.turn_ms
        used_before = self.expired_turn_used_ms if self.turn == self.expired_turn else 0
        return min(self.turn_ms or used_before + self.last_turn_ms, used_before + self.last_turn_ms)

    def used(self, player_id: str) -> int:
        """Milliseconds that ``player_id`` has used up to ``running_since``."""
        return self.used_ms[self.player_ids.index(player_id)]

    def used_at(self, player_id: str, at: Instant) -> int:
        """Milliseconds that ``player_id`` has used at ``at``."""
        used = self.used(player_id)
        if player_id == self.running:
            return used + elapsed_ms(self.running_since, at)
        absence = self.absent.get(player_id)
        if absence is not None and absence.clock_since is not None:
            return used + elapsed_ms(absence.clock_since, at)
        return used

    def turn_used_at(self, at: Instant) -> int:
        """Milliseconds that the mover has used in this turn at ``at``."""
        return self.turn_used_ms + (elapsed_ms(self.running_since, at) if self.running == self.mover else 0)

    @property
    def next_to_run(self) -> str:
        """Whose time goes on after neutralisation; empty where the mover's stands or is over."""
        return "" if self.held or self.timed_out == self.turn else self.mover

    def overtime(self, used_ms: int) -> int:
        """Milliseconds of ``used_ms`` beyond the allowance, 0 or more; 0 where turns are timed."""
        return max(0, used_ms - self.allowance_ms) if self.allowance_ms else 0

    def after(self, player_id: str) -> str:
        """Who is on turn after ``player_id``."""
        return self.player_ids[(self.player_ids.index(player_id) + 1) % len(self.player_ids)]

    def times(self) -> list[events.SideTime]:
        """The times of all players up to ``running_since``, in the order of ``player_ids``."""
        return [
            events.SideTime(player_id=player_id, used_ms=used, overtime_ms=self.overtime(used))
            for player_id, used in zip(self.player_ids, self.used_ms, strict=True)
        ]


def evolve(clock: Clock, message: Message) -> Clock:
    """``clock`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    match message:
        case events.ClockOpened():
            clock = _opened(message)
        case events.ClockStarted():
            started = replace(clock, started=True, turn=1, mover=message.player_id)
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
