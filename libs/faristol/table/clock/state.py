"""What a clock is. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import events_pb2 as events

NANOSECONDS = 1_000_000
"""In a millisecond."""

ARBITER = 0
"""The number of an interruption that is none of the game: the arbiter stopped the clocks."""


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
    turn_until: Instant | None = None
    """When the time of this turn is over; None where it is not limited or does not run."""
    pressed_turn: int = 0
    """The last turn that a press completed."""
    pressed_at: Instant = 0
    held_turn: int = 0
    """The last turn in which the mover stopped the own clock before pressing it."""
    held_at: Instant = 0
    challenge: int = 0
    """Number of the last challenge that this clock was neutralised for."""
    interruption: int = 0
    """Number of the last interruption of the game that this clock was neutralised for."""
    open: frozenset[int] = frozenset()
    """Numbers of the interruptions that it is neutralised for."""
    reason: events.NeutralisationReason.ValueType = events.NEUTRALISATION_REASON_UNSPECIFIED
    """What it was neutralised for last, while it is."""
    timed_out_turn: int = 0
    """The last turn whose time was over before it was taken."""
    timed_out_at: Instant = 0
    exceeded: str = ""
    """Who went over the overtime cap; empty while nobody has."""
    exceeded_at: Instant | None = None
    last_turn: int | None = None
    """The last turn that is played since the time of the round is over; None while it is not."""
    round_over_at: Instant = 0
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
    missed: Mapping[str, int] = field(default_factory=dict)
    """The last turn that was completed while each player was away."""
    forfeited: tuple[str, ...] = ()
    """Who has lost by not being there."""
    forfeited_at: Instant = 0
    stopped: bool = False
    overtime_ms: Mapping[str, int] = field(default_factory=dict)
    """Each player's overtime, once the clock has stopped."""
    last_at: Instant = 0
    """The latest moment that any fact of this clock names."""

    @property
    def neutralised(self) -> bool:
        """No clock runs, for a reason that the rules name."""
        return self.reason != events.NEUTRALISATION_REASON_UNSPECIFIED

    def stood(self, turn: int) -> bool:
        """Whether the mover of ``turn`` has stopped the own clock in it, or pressed it."""
        return turn in (self.held_turn, self.pressed_turn)

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

    def running_at(self, at: Instant) -> tuple[tuple[str, Instant], ...]:
        """Whose clocks run at ``at``, each with since when: of who is on turn, or of those who are absent."""
        if self.running:
            return ((self.running, self.running_since),)
        waited_for = ((player_id, absence.clock_since) for player_id, absence in self.absent.items())
        running = [(player_id, since) for player_id, since in waited_for if since is not None and since <= at]
        return tuple(sorted(running, key=lambda clock: self.player_ids.index(clock[0])))

    def turn_used_at(self, at: Instant) -> int:
        """Milliseconds that the mover has used in this turn at ``at``."""
        return self.turn_used_ms + (elapsed_ms(self.running_since, at) if self.running == self.mover else 0)

    @property
    def next_to_run(self) -> str:
        """Whose time goes on after neutralisation; empty where the mover's stands or is over."""
        return "" if self.held or self.timed_out_turn == self.turn else self.mover

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
