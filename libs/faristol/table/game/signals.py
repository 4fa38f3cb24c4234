"""Signals of a game to its clock: turns taken and over, interruptions begun and settled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from faristol.kernel.times import Instant
from faristol.rules.ruleset.sections import Neutraliser


class SignalKind(Enum):
    """The meaning of a signal for the clock."""

    INTERRUPTED = auto()
    """An interruption began that may stop the clocks."""
    SETTLED = auto()
    """An interruption is over, and the turn continues."""
    TAKEN = auto()
    """The mover placed a play, exchanged or passed."""
    TAKEN_BACK = auto()
    """The mover took that back: the turn continues."""
    WRITTEN = auto()
    """The score of the play was written, or tiles were drawn: it is no longer in doubt."""
    TURN_OVER = auto()
    """The turn is over; so may be an interruption."""
    GAME_OVER = auto()


@dataclass(frozen=True, slots=True)
class Signal:
    """A change in the game that its clock may have to follow."""

    kind: SignalKind
    at: Instant
    turn: int
    """The turn of the signal."""
    interruption: int = 0
    """The interruption that begins or ends, if any."""
    player_id: str = ""
    """The player who wrote the score or drew, if any."""
    last: bool = False
    """Whether bag and mover's rack are empty: it is the last play of the game if it stands."""


@dataclass(frozen=True, slots=True)
class Stoppage:
    """An interruption during which the clocks may be stopped."""

    number: int
    """Among the interruptions of the game, from 1."""
    reason: Neutraliser
    challenge: int = 0
    """The number of the challenge in the game, for that reason."""
    ended_by: int | None = None
    """Index of the signal that ended it; None while it lasts."""


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of a game and its interruptions so far, each in order."""

    given: tuple[Signal, ...] = ()
    interruptions: tuple[Stoppage, ...] = ()

    def interruption(self, number: int) -> Stoppage:
        """Return the interruption of that number, from 1."""
        return self.interruptions[number - 1]

    def taken_at(self, turn: int) -> Instant | None:
        """Return the time at which the mover took ``turn``; None before that."""
        for signal in reversed(self.given):
            if signal.turn < turn:
                break
            if signal.kind is SignalKind.TAKEN and signal.turn == turn:
                return signal.at
        return None

    def challenged_for(self) -> Instant | None:
        """Return the nanoseconds that challenges have taken so far; None during one."""
        begun = {signal.interruption: signal.at for signal in self.given if signal.kind is SignalKind.INTERRUPTED}
        taken = 0
        for interruption in self.interruptions:
            if interruption.reason != "challenge":
                continue
            if interruption.ended_by is None:
                return None
            taken += max(0, self.given[interruption.ended_by].at - begun[interruption.number])
        return taken

    def add_signal(self, signal: Signal) -> Signals:
        """Return the signals with one more."""
        return replace(self, given=(*self.given, signal))

    def add_interruption(self, reason: Neutraliser, at: Instant, turn: int, challenge: int = 0) -> Signals:
        """Return the signals with a new interruption, unless one for this reason lasts, as for an appeal."""
        if self._lasting(reason):
            return self
        begun = Stoppage(len(self.interruptions) + 1, reason, challenge)
        signal = Signal(SignalKind.INTERRUPTED, at, turn, begun.number)
        return Signals((*self.given, signal), (*self.interruptions, begun))

    def end_interruption(self, kind: SignalKind, reason: Neutraliser, at: Instant, turn: int) -> Signals:
        """Return the signals with one of this kind that also ends the interruption for ``reason``, if one lasts."""
        lasting = self._lasting(reason)
        signal = Signal(kind, at, turn, lasting.number if lasting else 0)
        ended = (replace(each, ended_by=len(self.given)) if each is lasting else each for each in self.interruptions)
        return Signals((*self.given, signal), tuple(ended))

    def take_back_turn(self, at: Instant, turn: int) -> Signals:
        """Return the signals with ``turn`` not taken, and all interruptions ended."""
        back = Signal(SignalKind.TAKEN_BACK, at, turn)
        done = (SignalKind.TAKEN, SignalKind.WRITTEN)
        given = tuple(back if signal.turn == turn and signal.kind in done else signal for signal in self.given)
        signals = replace(self, given=given)
        for lasting in [each for each in self.interruptions if each.ended_by is None]:
            signals = signals.end_interruption(SignalKind.SETTLED, lasting.reason, at, turn)
        return signals

    def _lasting(self, reason: Neutraliser) -> Stoppage | None:
        """Return the interruption for ``reason`` that is not over."""
        return next(
            (each for each in reversed(self.interruptions) if each.reason == reason and each.ended_by is None), None
        )
