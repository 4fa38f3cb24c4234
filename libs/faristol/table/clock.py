"""A table's clock, and how its events change it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.event_types import find_fold, folds_in, on_streams
from faristol.kernel.likeness import read_shared_fields
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, instant
from faristol.pb.clock.v1 import events_pb2 as events

ARBITER_STOP_NUMBER = 0
"""The interruption number of a stop by the arbiter, which the game does not use."""


def elapsed_ms(since: Instant, until: Instant) -> int:
    """Return the whole milliseconds from ``since`` to ``until``, never negative.

    Both are truncated to milliseconds before subtraction. A fraction lost in one turn is counted in the next, so the
    times of a game add up to its duration.
    """
    return max(0, until // NANOSECONDS_PER_MS - since // NANOSECONDS_PER_MS)


@dataclass(frozen=True, slots=True)
class Absence:
    """The absence of a player at the signal."""

    signal_at: Instant
    clock_since: Instant | None
    """The time from which the player's clock runs; None if it does not run."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A table's clock, folded from ``clock-<game_id>``. The default is a clock that is not set up yet."""

    game_id: str = ""
    player_ids: tuple[str, ...] = ()
    """In the order of their turns."""
    allowance_ms: int = 0
    """The time of each player for the game; 0 if turns are timed."""
    overtime_cap_ms: int = 0
    """Overtime beyond which the game ends; 0 without a limit."""
    turn_ms: int = 0
    """The limit of each turn; 0 if turns are not timed."""
    used_ms: tuple[int, ...] = ()
    """The time that each player has used up to ``running_since``, in the order of ``player_ids``."""
    started: bool = False
    turn: int = 0
    """The current turn of the clock, from 1."""
    mover: str = ""
    """The player on turn; empty before the start."""
    turn_used_ms: int = 0
    """The time that the mover has used in this turn up to ``running_since``."""
    running: str = ""
    """The player with the running clock; empty if no clock runs."""
    running_since: Instant = 0
    held: bool = False
    """Whether the turn was taken and its time is stopped until the press."""
    turn_until: Instant | None = None
    """The end of the time of this turn; None if it is unlimited or does not run."""
    pressed_turn: int = 0
    """The last turn that a press completed."""
    pressed_at: Instant = 0
    held_turn: int = 0
    """The last turn in which the mover stopped the clock before pressing it."""
    held_at: Instant = 0
    challenge: int = 0
    """Number of the last challenge that neutralised this clock."""
    interruption: int = 0
    """Number of the last interruption of the game that neutralised this clock."""
    open: frozenset[int] = frozenset()
    """Numbers of the interruptions that keep it neutralised."""
    reason: events.NeutralisationReason.ValueType = events.NEUTRALISATION_REASON_UNSPECIFIED
    """The last reason for neutralisation, while it lasts."""
    timed_out_turn: int = 0
    """The last turn that timed out before it was taken."""
    timed_out_at: Instant = 0
    exceeded: str = ""
    """The player who exceeded the overtime cap; empty if no player did."""
    exceeded_at: Instant | None = None
    last_turn: int | None = None
    """The last turn that is played after the end of the time of the round; None before that end."""
    round_over_at: Instant = 0
    last_turn_ms: int = 0
    """The limit of each turn since then; 0 if unlimited."""
    expired_turn: int = 0
    """The turn in which the time of the round ended."""
    expired_turn_used_ms: int = 0
    """The time that the mover had used in it by then."""
    absent: Mapping[str, Absence] = field(default_factory=dict)
    """Players absent at the signal that have not arrived."""
    away: frozenset[str] = frozenset()
    """Players who left the table and have not returned."""
    missed: Mapping[str, int] = field(default_factory=dict)
    """The last turn completed during the absence of each player."""
    forfeited: tuple[str, ...] = ()
    """Players that lost by absence."""
    forfeited_at: Instant = 0
    stopped: bool = False
    overtime_ms: Mapping[str, int] = field(default_factory=dict)
    """The overtime of each player, after the clock has stopped."""
    last_at: Instant = 0
    """The latest time in the events of this clock."""

    @property
    def neutralised(self) -> bool:
        """Whether all clocks are stopped for a reason of the rules."""
        return self.reason != events.NEUTRALISATION_REASON_UNSPECIFIED

    def has_stopped(self, turn: int) -> bool:
        """Check whether the mover of ``turn`` has stopped or pressed their clock in it."""
        return turn in (self.held_turn, self.pressed_turn)

    @property
    def round_time_over(self) -> bool:
        """Whether the time of the round is over."""
        return self.last_turn is not None

    @property
    def played_out(self) -> bool:
        """Whether an event of this clock has ended the game, even if the game does not reflect it yet."""
        last_turn_over = self.last_turn is not None and self.last_turn < max(1, self.turn)
        return bool(self.exceeded or self.forfeited or last_turn_over)

    @property
    def turn_limit_ms(self) -> int:
        """The time that the mover may use in this turn; 0 if unlimited."""
        if not self.last_turn_ms:
            return self.turn_ms
        used_before = self.expired_turn_used_ms if self.turn == self.expired_turn else 0
        return min(self.turn_ms or used_before + self.last_turn_ms, used_before + self.last_turn_ms)

    def compute_used_ms(self, player_id: str) -> int:
        """Return the milliseconds that ``player_id`` has used up to ``running_since``."""
        return self.used_ms[self.player_ids.index(player_id)]

    def used_at(self, player_id: str, at: Instant) -> int:
        """Return the milliseconds that ``player_id`` has used at ``at``."""
        used = self.compute_used_ms(player_id)
        if player_id == self.running:
            return used + elapsed_ms(self.running_since, at)
        absence = self.absent.get(player_id)
        if absence is not None and absence.clock_since is not None:
            return used + elapsed_ms(absence.clock_since, at)
        return used

    def running_at(self, at: Instant) -> tuple[tuple[str, Instant], ...]:
        """Return the players with running clocks at ``at`` and their start times: the mover, or absent players."""
        if self.running:
            return ((self.running, self.running_since),)
        waited_for = ((player_id, absence.clock_since) for player_id, absence in self.absent.items())
        running = [(player_id, since) for player_id, since in waited_for if since is not None and since <= at]
        return tuple(sorted(running, key=lambda clock: self.player_ids.index(clock[0])))

    def turn_used_at(self, at: Instant) -> int:
        """Return the milliseconds that the mover has used in this turn at ``at``."""
        return self.turn_used_ms + (elapsed_ms(self.running_since, at) if self.running == self.mover else 0)

    @property
    def next_to_run(self) -> str:
        """The player whose time runs after neutralisation; empty if the mover's time is stopped or over."""
        return "" if self.held or self.timed_out_turn == self.turn else self.mover

    def overtime(self, used_ms: int) -> int:
        """Return the milliseconds of ``used_ms`` beyond the allowance, 0 or more; 0 if turns are timed."""
        return max(0, used_ms - self.allowance_ms) if self.allowance_ms else 0

    def after(self, player_id: str) -> str:
        """Return the player who is on turn after ``player_id``."""
        return self.player_ids[(self.player_ids.index(player_id) + 1) % len(self.player_ids)]

    def times(self) -> list[events.SideTime]:
        """Return the times of all players up to ``running_since``, in the order of ``player_ids``."""
        return [
            events.SideTime(player_id=player_id, used_ms=used, overtime_ms=self.overtime(used))
            for player_id, used in zip(self.player_ids, self.used_ms, strict=True)
        ]


def evolve(clock: Clock, message: Message) -> Clock:
    """Return ``clock`` after ``message``, an event of its stream. Raises ``TypeError`` for any other message."""
    change = find_fold(_CLOCK_CHANGES, message, "a clock: expected one of faristol.clock.v1")
    after = change(clock, message)
    event: Any = message
    at = instant(event.occurred_at)
    until = after.turn_until
    if isinstance(message, TIMED):
        until = instant(event.turn_until) if event.HasField("turn_until") else None
    elif isinstance(message, _STOPPING_EVENTS):
        until = None
    return replace(after, turn_until=until, last_at=max(clock.last_at, at))


def fold(clock: Clock, past_events: Iterable[Message]) -> Clock:
    """Return ``clock`` after ``past_events``."""
    return reduce(evolve, past_events, clock)


EVENT_KINDS = on_streams("clock")
"""The events of a clock."""

TIMED = tuple(kind for kind in EVENT_KINDS if "turn_until" in kind.DESCRIPTOR.fields_by_name)
"""Events after which the time of a turn runs or changes."""

_STOPPING_EVENTS = (events.ClockHeldByMover, events.ClockNeutralised, events.TurnTimedOut)
"""Events after which it is stopped."""


def _apply_clock_opened(_: Clock, event: events.ClockOpened) -> Clock:
    return Clock(**read_shared_fields(event, Clock), used_ms=(0,) * len(event.player_ids))


def _apply_clock_started(clock: Clock, event: events.ClockStarted) -> Clock:
    started = replace(clock, started=True, turn=1, mover=event.player_id, absent=MappingProxyType({}))
    return _run(started, event.player_id, event.occurred_at)


def _apply_clock_pressed(clock: Clock, event: events.ClockPressed) -> Clock:
    at, missed = instant(event.occurred_at), clock.missed
    if clock.away:
        missed = MappingProxyType({**missed, **dict.fromkeys(clock.away, event.turn)})
    accounted = _set_used_time(clock, event.player_id, event.used_ms)
    pressed = replace(accounted, pressed_turn=event.turn, pressed_at=at, missed=missed)
    next_player = event.next_player_id or clock.after(event.player_id)
    return _run(_begin_turn(pressed, event.turn + 1, next_player), next_player, event.occurred_at)


def _apply_clock_held_by_mover(clock: Clock, event: events.ClockHeldByMover) -> Clock:
    accounted = _set_used_time(clock, event.player_id, event.used_ms)
    held = replace(accounted, held=True, held_turn=event.turn, held_at=instant(event.occurred_at))
    return _halt(held, event.occurred_at)


def _apply_clock_neutralised(clock: Clock, event: events.ClockNeutralised) -> Clock:
    # Early events have only the number of a challenge, as challenges were then the only interruptions.
    interruption = ARBITER_STOP_NUMBER if event.arbiter_id else event.interruption or event.challenge
    halted = _halt(_set_used_time(clock, event.player_id, event.used_ms), event.occurred_at)
    return replace(
        halted,
        reason=event.reason,
        challenge=event.challenge or clock.challenge,
        interruption=max(interruption, clock.interruption),
        open=clock.open | {interruption},
    )


def _apply_clock_resumed(clock: Clock, event: events.ClockResumed) -> Clock:
    clock = _end_neutralisation(clock)
    if not event.player_id:
        return _halt(clock, event.occurred_at)
    if event.player_id != clock.mover:
        clock = _begin_turn(clock, event.turn or clock.turn + 1, event.player_id)
    return _run(replace(clock, held=False), event.player_id, event.occurred_at)


def _apply_clock_switched(clock: Clock, event: events.ClockSwitched) -> Clock:
    switched = _begin_turn(_set_used_time(clock, event.player_id, event.used_ms), event.turn + 1, event.next_player_id)
    if clock.neutralised:
        return _halt(switched, event.occurred_at)
    return _run(switched, event.next_player_id, event.occurred_at)


def _apply_turn_timed_out(clock: Clock, event: events.TurnTimedOut) -> Clock:
    accounted = _set_used_time(clock, event.player_id, event.used_ms)
    over = replace(accounted, timed_out_turn=event.turn, timed_out_at=instant(event.occurred_at))
    return _halt(over, event.occurred_at)


def _apply_overtime_cap_exceeded(clock: Clock, event: events.OvertimeCapExceeded) -> Clock:
    accounted = _set_used_time(clock, event.player_id, clock.allowance_ms + event.overtime_ms)
    halted = _halt(accounted, event.occurred_at)
    return replace(halted, exceeded=event.player_id, exceeded_at=instant(event.occurred_at))


def _apply_clock_corrected(clock: Clock, event: events.ClockCorrected) -> Clock:
    at = instant(event.occurred_at)
    if clock.running:
        clock = _set_used_time(clock, clock.running, clock.used_at(clock.running, at))
        clock = _run(clock, clock.running, event.occurred_at)
    return _set_used_time(
        clock, event.player_id, clock.compute_used_ms(event.player_id) + event.used_ms - event.before_ms
    )


def _apply_round_time_expired(clock: Clock, event: events.RoundTimeExpired) -> Clock:
    at = instant(event.occurred_at)
    return replace(
        clock,
        last_turn=event.last_turn,
        last_turn_ms=event.last_turn_ms,
        round_over_at=at,
        expired_turn=clock.turn,
        expired_turn_used_ms=clock.turn_used_at(at),
    )


def _apply_player_absent(clock: Clock, event: events.PlayerAbsent) -> Clock:
    """Stop all clocks but those of absent players. Time that ran since the signal is not used."""
    if clock.started:
        clock = replace(clock, used_ms=(0,) * len(clock.player_ids), started=False, turn=0, mover="", turn_used_ms=0)
    since = instant(event.clock_starts_at) if event.HasField("clock_starts_at") else None
    absent = MappingProxyType({**clock.absent, event.player_id: Absence(instant(event.signal_at), since)})
    return _halt(replace(clock, absent=absent), event.occurred_at)


def _apply_player_arrived(clock: Clock, event: events.PlayerArrived) -> Clock:
    others = {player: absence for player, absence in clock.absent.items() if player != event.player_id}
    arrived = replace(clock, absent=MappingProxyType(others))
    return _halt(_set_used_time(arrived, event.player_id, event.used_ms), event.occurred_at)


def _apply_player_left(clock: Clock, event: events.PlayerLeft) -> Clock:
    return replace(clock, away=clock.away | {event.player_id})


def _apply_player_returned(clock: Clock, event: events.PlayerReturned) -> Clock:
    return replace(clock, away=clock.away - {event.player_id})


def _apply_time_forfeited(clock: Clock, event: events.TimeForfeited) -> Clock:
    return replace(clock, forfeited=(*clock.forfeited, event.player_id), forfeited_at=instant(event.occurred_at))


def _apply_clock_stopped(clock: Clock, event: events.ClockStopped) -> Clock:
    used = {side.player_id: side.used_ms for side in event.times}
    halted = _halt(_end_neutralisation(clock), event.occurred_at)
    return replace(
        halted,
        stopped=True,
        held=False,
        absent=MappingProxyType({}),
        used_ms=tuple(used[player_id] for player_id in clock.player_ids),
        overtime_ms=MappingProxyType({side.player_id: side.overtime_ms for side in event.times}),
    )


def _end_neutralisation(clock: Clock) -> Clock:
    return replace(clock, reason=events.NEUTRALISATION_REASON_UNSPECIFIED, open=frozenset())


def _begin_turn(clock: Clock, turn: int, player_id: str) -> Clock:
    return replace(clock, turn=turn, mover=player_id, turn_used_ms=0, held=False)


def _set_used_time(clock: Clock, player_id: str, used_ms: int) -> Clock:
    """Set the used time of ``player_id`` in the game; without effect for an empty id."""
    if not player_id:
        return clock
    in_turn = used_ms - clock.compute_used_ms(player_id) if player_id == clock.mover else 0
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


_CLOCK_CHANGES: Mapping[type[Message], Callable[[Clock, Any], Clock]] = folds_in(__name__)
"""The effect of each event on a clock, except ``last_at`` and ``turn_until``."""
