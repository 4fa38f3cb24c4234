"""Automatic events of a clock: it starts, stops and resumes as the events of the table require. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules.clockwork import MINUTE_MS, stops_both_clocks, thinking_ms, turn_ms
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import Neutraliser
from faristol.table.clock import ARBITER_STOP_NUMBER, Clock
from faristol.table.deadlines import deadline_in, set_turn_end
from faristol.table.game.signals import Signal, SignalKind, Stoppage
from faristol.table.game.state import Game

REASONS: Mapping[Neutraliser, events.NeutralisationReason.ValueType] = MappingProxyType(
    {
        "challenge": events.NEUTRALISATION_REASON_CHALLENGE,
        "count-dispute": events.NEUTRALISATION_REASON_COUNT_DISPUTE,
        "arbiter-call": events.NEUTRALISATION_REASON_ARBITER_CALL,
        "force-majeure": events.NEUTRALISATION_REASON_FORCE_MAJEURE,
        "overdraw": events.NEUTRALISATION_REASON_OVERDRAW,
        "correction": events.NEUTRALISATION_REASON_CORRECTION,
    }
)
"""The reasons of the rules as values of the contract."""


def missing(clock: Clock, game: Game, ruleset: Ruleset) -> tuple[Message, ...]:
    """Return the first event that the clock lacks, if any.

    The clock opens and runs after the game has started. It is neutralised only for the reasons of the book (UF 20, FISC
    I.11, FISE 34, PES Δ.δ.i), and stops with the game. Events that were due before come first. In a game without a
    clock no event is missing.
    """
    if clock.stopped or not game.started or ruleset.clock.model == "none":
        return ()
    if not clock.game_id:
        return (_open(game, ruleset),)
    if not clock.started and not clock.absent.keys() - game.gone.keys() and not clock.forfeited:
        at = max(game.started_at, clock.last_at, *(game.gone[player_id] for player_id in clock.absent))
        return (set_turn_end(clock, events.ClockStarted(player_id=game.starter, occurred_at=timestamp(at))),)
    for place, signal in _to_follow(clock, game):
        event = _effect(_SignalContext(clock, game, ruleset, signal, place))
        if event is None:
            continue
        deadline = deadline_in(clock, game, ruleset, signal.turn)
        return (
            set_turn_end(
                clock, deadline.new_events[0] if deadline is not None and deadline.due <= signal.at else event
            ),
        )
    return ()


def _to_follow(clock: Clock, game: Game) -> Iterator[tuple[int, Signal]]:
    """Yield the signals of the clock's current turn and later ones, each with its index."""
    first = len(game.signals.given)
    while first and game.signals.given[first - 1].turn >= clock.turn:
        first -= 1
    return ((place, game.signals.given[place]) for place in range(first, len(game.signals.given)))


class _SignalContext(NamedTuple):
    """A signal of the game, with the state that decides its effect on the clock."""

    clock: Clock
    game: Game
    ruleset: Ruleset
    signal: Signal
    place: int
    """Index of the signal."""

    @property
    def is_of_turn(self) -> bool:
        """True if the signal belongs to the clock's turn."""
        return self.signal.turn == self.clock.turn

    @property
    def is_clock_over(self) -> bool:
        """True if the clock no longer follows the turns: it has not started, or time or forfeit decided the game."""
        return bool(self.clock.exceeded or self.clock.forfeited or not self.clock.started)

    @property
    def are_interruptions_over(self) -> bool:
        """True if all interruptions that stop the clock are over with the signal."""
        return _all_over(self.clock, self.game, self.place)


def _effect(context: _SignalContext) -> Message | None:
    """Return the event of the clock for a signal; None if no event follows or it was written already."""
    return _EFFECTS[context.signal.kind](context)


def _on_game_over(context: _SignalContext) -> Message | None:
    return _stop(context.clock, context.signal.at)


def _on_interrupted(context: _SignalContext) -> Message | None:
    clock, signal = context.clock, context.signal
    if context.is_clock_over or signal.interruption <= clock.interruption:
        return None
    interruption = context.game.signals.interruption(signal.interruption)
    return (
        _neutralise(clock, interruption, signal.at) if stops_both_clocks(interruption.reason, context.ruleset) else None
    )


def _on_settled(context: _SignalContext) -> Message | None:
    clock, signal = context.clock, context.signal
    if context.is_clock_over or signal.interruption not in clock.open or not context.are_interruptions_over:
        return None
    return (
        None if waits_for_score(clock, context.game, context.ruleset, context.place) else resume_turn(clock, signal.at)
    )


def _on_taken(context: _SignalContext) -> Message | None:
    clock, signal = context.clock, context.signal
    stops = clock.running and context.is_of_turn and _stops(signal, clock, context.ruleset)
    return hold_clock(clock, signal.at) if stops else None


def _on_written(context: _SignalContext) -> Message | None:
    clock, signal, ruleset = context.clock, context.signal, context.ruleset
    if clock.running and context.is_of_turn:
        return _on_taken(context)
    if not context.is_clock_over and clock.open and waits_for_score(clock, context.game, ruleset, context.place):
        by_mover = context.is_of_turn and signal.player_id == clock.mover
        return resume_turn(clock, signal.at) if by_mover else None
    if _is_verified(signal, clock, ruleset):
        return _resume_after_challenge(clock, clock.mover, clock.turn, signal.at)
    return None


def _on_taken_back(context: _SignalContext) -> Message | None:
    clock, signal = context.clock, context.signal
    is_held = not context.is_clock_over and clock.held and not clock.neutralised
    if is_held and _goes_on(signal, clock, context.game):
        return _resume_after_challenge(clock, clock.mover, clock.turn, signal.at)
    return None


def _on_turn_over(context: _SignalContext) -> Message | None:
    clock, game, signal = context.clock, context.game, context.signal
    if context.is_clock_over or not context.is_of_turn:
        return None
    if clock.neutralised and context.are_interruptions_over:
        return _resume_after_challenge(clock, game.next_player(clock.mover), clock.turn + 1, signal.at)
    return _switch(clock, game, signal.at)


_EFFECTS: Mapping[SignalKind, Callable[[_SignalContext], Message | None]] = MappingProxyType(
    {
        SignalKind.INTERRUPTED: _on_interrupted,
        SignalKind.SETTLED: _on_settled,
        SignalKind.TAKEN: _on_taken,
        SignalKind.TAKEN_BACK: _on_taken_back,
        SignalKind.WRITTEN: _on_written,
        SignalKind.TURN_OVER: _on_turn_over,
        SignalKind.GAME_OVER: _on_game_over,
    }
)
"""The effect of each kind of signal on the clock."""


def waits_for_score(clock: Clock, game: Game, ruleset: Ruleset, place: int | None = None) -> bool:
    """Check whether the clocks only wait for the score of a challenged play that stands (FISC I.10).

    ``place`` is the index of the signal to check at, now if None. A play written before the challenge is on the sheet.
    """
    until = len(game.signals.given) if place is None else place
    if ruleset.clock.resumed_on != "written" or not clock.open or not _all_over(clock, game, until):
        return False
    if all(game.signals.interruption(number).reason != "challenge" for number in clock.open):
        return False
    before = [signal for signal in game.signals.given[:until] if signal.turn == clock.turn]
    written = any(signal.kind is SignalKind.WRITTEN and signal.player_id == clock.mover for signal in before)
    return not written and any(signal.kind is SignalKind.TAKEN for signal in before)


def _stops(signal: Signal, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether the signal stops the mover's time: a timed turn was taken, or the last play was made.

    The last play stops it when its tiles are laid (PES Ε.β) or its score is written (FISC I.11).
    """
    if signal.kind is SignalKind.TAKEN and clock.turn_ms:
        return True
    on = SignalKind.TAKEN if ruleset.clock.last_play_stops_on == "placed" else SignalKind.WRITTEN
    return signal.last and signal.kind is on


def _is_verified(signal: Signal, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether a check of the count, which paused a running clock, is over (FISE 32.1)."""
    pause = ruleset.clock.verification_pause_seconds is not None and clock.held and not clock.neutralised
    return pause and not signal.last and signal.turn == clock.turn and signal.at > clock.running_since


def _goes_on(signal: Signal, clock: Clock, game: Game) -> bool:
    """Check whether a turn with stopped time continues because its action was taken back."""
    taken_at = game.signals.taken_at(clock.turn)
    again = taken_at is None or taken_at > signal.at
    return again and signal.turn == clock.turn and signal.at >= clock.running_since


def _all_over(clock: Clock, game: Game, place: int) -> bool:
    """Check whether all interruptions that stop the clock are over with the signal at ``place``.

    One that the arbiter began is over when the arbiter ends it.
    """
    if ARBITER_STOP_NUMBER in clock.open:
        return False
    ends = [game.signals.interruption(number).ended_by for number in clock.open]
    return all(end is not None and end <= place for end in ends)


def _open(game: Game, ruleset: Ruleset) -> events.ClockOpened:
    chess = ruleset.clock.model == "chess"
    return events.ClockOpened(
        game_id=game.game_id,
        tournament_id=game.tournament_id,
        player_ids=game.player_ids,
        allowance_ms=thinking_ms(ruleset) if chess else 0,
        overtime_cap_ms=(ruleset.clock.overtime_cap_minutes or 0) * MINUTE_MS,
        turn_ms=turn_ms(ruleset) or 0,
        occurred_at=timestamp(game.started_at),
    )


def hold_clock(clock: Clock, at: Instant) -> events.ClockHeldByMover:
    """Stop the mover's time from ``at`` until the press."""
    at = max(at, clock.running_since)
    return events.ClockHeldByMover(
        player_id=clock.mover, turn=clock.turn, used_ms=clock.used_at(clock.mover, at), occurred_at=timestamp(at)
    )


def _neutralise(clock: Clock, interruption: Stoppage, at: Instant) -> events.ClockNeutralised:
    at = max(at, clock.running_since)
    return events.ClockNeutralised(
        player_id=clock.running,
        reason=REASONS[interruption.reason],
        used_ms=clock.used_at(clock.running, at) if clock.running else 0,
        occurred_at=timestamp(at),
        challenge=interruption.challenge,
        interruption=interruption.number,
    )


def resume_turn(clock: Clock, at: Instant) -> events.ClockResumed:
    """Resume the turn at ``at``."""
    return _resume_after_challenge(clock, clock.next_to_run, clock.turn, at)


def _resume_after_challenge(clock: Clock, player_id: str, turn: int, at: Instant) -> events.ClockResumed:
    """Resume the clock of ``player_id``: the mover if the play stands; a withdrawn play costs the turn (FISC I.10)."""
    return events.ClockResumed(player_id=player_id, turn=turn, occurred_at=timestamp(max(at, clock.running_since)))


def _switch(clock: Clock, game: Game, at: Instant) -> events.ClockSwitched:
    at = max(at, clock.running_since)
    return events.ClockSwitched(
        player_id=clock.mover,
        turn=clock.turn,
        used_ms=clock.used_at(clock.mover, at),
        next_player_id=game.next_player(clock.mover),
        occurred_at=timestamp(at),
    )


def _stop(clock: Clock, ended_at: Instant) -> events.ClockStopped:
    at = max(ended_at, clock.running_since)
    times = clock.times()
    for side in times:
        side.used_ms = clock.used_at(side.player_id, at)
        side.overtime_ms = clock.overtime(side.used_ms)
    return events.ClockStopped(times=times, occurred_at=timestamp(at))
