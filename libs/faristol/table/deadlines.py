"""Deadlines, and the events that they cause. Pure.

A deadline is data: its events carry the time of the deadline itself, however late they are written. Every decision on a
clock first writes the events that were due before. So the result does not depend on whether a timer has fired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules.clockwork import absence_loses_at_ms, round_ms
from faristol.rules.conditions import turns_after_time_up
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.table.clock import TIMED, Clock, evolve
from faristol.table.game.state import Game


@dataclass(frozen=True, slots=True)
class Deadline:
    """An event that occurs by itself unless another event occurs first."""

    due: Instant
    """The time from which it applies. An event one nanosecond earlier is still in time."""
    new_events: tuple[Message, ...]
    """The events to write then."""


def next_deadline(clock: Clock, game: Game, ruleset: Ruleset) -> Deadline | None:
    """Return the first deadline of ``clock`` if no other event occurs; None without a deadline.

    While a turn with a pressed clock is re-entered, deadlines wait until it is complete.
    """
    return None if game.over else deadline_in(clock, game, ruleset, game.turn)


def deadline_in(clock: Clock, game: Game, ruleset: Ruleset, turn: int) -> Deadline | None:
    """Return the first deadline while the game is in ``turn`` and not over; None without a deadline.

    After a press it is None until the game has applied the press, which may have ended it.
    """
    if not clock.game_id or clock.stopped or clock.played_out or clock.pressed_turn >= turn:
        return None
    return min(_deadlines(clock, game, ruleset), key=lambda deadline: deadline.due, default=None)


def due(clock: Clock, game: Game, ruleset: Ruleset, at: Instant) -> list[Message]:
    """Return the events of every deadline that was due at ``at``, in order."""
    new_events: list[Message] = []
    while (deadline := next_deadline(clock, game, ruleset)) is not None and deadline.due <= at:
        for event in deadline.new_events:
            new_events.append(set_turn_end(clock, event))
            clock = evolve(clock, event)
    return new_events


def turn_end(clock: Clock) -> Instant:
    """Return the end of the time of a running, limited turn."""
    return max(_after_ms(clock, max(0, clock.turn_limit_ms - clock.turn_used_ms)), clock.running_since)


def set_turn_end(clock: Clock, event: Message) -> Message:
    """Return ``event``, the next event of ``clock``, with the end of the turn's time that runs after it."""
    if isinstance(event, TIMED):
        after = evolve(clock, event)
        if after.running and after.turn_limit_ms:
            event.turn_until.CopyFrom(timestamp(turn_end(after)))  # type: ignore[attr-defined] # those of TIMED have it
    return event


def round_time_over(
    clock: Clock, game: Game, ruleset: Ruleset, at: Instant, arbiter_id: str = ""
) -> events.RoundTimeExpired:
    """End the time of the round at ``at``; the complete turns determine which turns are still played.

    UF 27.4: none. FISC I.8.C, I.11: the current round of turns and one more, two minutes a turn. FISE 30: the missing
    turn.
    """
    taken = max(0, clock.turn - 1)
    left = turns_after_time_up(taken, len(game.player_ids), ruleset)
    return events.RoundTimeExpired(
        turns_taken=taken,
        last_turn=taken + left,
        last_turn_ms=(ruleset.round_time.last_turn_seconds or 0) * 1_000 if left else 0,
        arbiter_id=arbiter_id,
        occurred_at=timestamp(at),
    )


def lost_with_the_round(clock: Clock, ruleset: Ruleset, at: Instant) -> list[events.TimeForfeited]:
    """Return the losses of absent players when the rest of their round is over at ``at`` (FISE 37)."""
    if clock.played_out or clock.stopped:
        return []
    late = sorted(clock.absent) if ruleset.lateness.loses_with == "own-time-or-round" else []
    away = sorted(clock.away) if ruleset.absence.loses_with == "own-time-or-round" else []
    reasons = {
        **dict.fromkeys(away, events.FORFEIT_REASON_ABSENT),
        **dict.fromkeys(late, events.FORFEIT_REASON_LATE),
    }
    return [_forfeit(player_id, reason, max(at, clock.last_at)) for player_id, reason in reasons.items()]


def _deadlines(clock: Clock, game: Game, ruleset: Ruleset) -> Iterator[Deadline]:
    if clock.running and clock.overtime_cap_ms:
        yield _cap(clock)
    if clock.running and clock.turn_limit_ms:
        taken_at = game.signals.taken_at(clock.turn)
        if taken_at is None or taken_at > turn_end(clock):
            yield _turn(clock)
    if not clock.round_time_over and ruleset.round_time.rule != "none":
        length_ms = round_ms(ruleset)
        stood = 0 if ruleset.round_time.runs_while_challenged else game.signals.challenged_for()
        if length_ms is not None and stood is not None:
            at = max(game.opened_at + length_ms * NANOSECONDS_PER_MS + stood, clock.last_at)
            lost = lost_with_the_round(clock, ruleset, at) if clock.absent else []
            yield Deadline(at + 1, tuple(lost) or (round_time_over(clock, game, ruleset, at),))
    if clock.absent:
        yield from _late(clock, ruleset)
    if clock.running in clock.away and ruleset.absence.loses_with == "own-time-or-round":
        yield _away(clock)


def _cap(clock: Clock) -> Deadline:
    """Return the deadline of the overtime cap (FISC I.8.D). The last millisecond of the cap may still be used."""
    left_ms = clock.allowance_ms + clock.overtime_cap_ms - clock.compute_used_ms(clock.running)
    event = events.OvertimeCapExceeded(
        player_id=clock.running,
        overtime_ms=clock.overtime_cap_ms,
        occurred_at=timestamp(max(_after_ms(clock, left_ms), clock.running_since)),
    )
    return Deadline(_after_ms(clock, left_ms + 1), (event,))


def _turn(clock: Clock) -> Deadline:
    """Return the deadline of the turn (UF 18.1, FM 2, FISE 33). A play at its very end is in time."""
    at = turn_end(clock)
    event = events.TurnTimedOut(
        player_id=clock.running, turn=clock.turn, used_ms=clock.used_at(clock.running, at), occurred_at=timestamp(at)
    )
    return Deadline(at + 1, (event,))


def _late(clock: Clock, ruleset: Ruleset) -> Iterator[Deadline]:
    """Yield the deadlines at which late players lose (FISC I.5, FISE 37, PES Γ.β).

    If an arbiter decides when all players are absent, no deadline exists until the first arrives.
    """
    limit_ms = absence_loses_at_ms(ruleset)
    late = ruleset.lateness
    if limit_ms is None or (late.both == "arbiter" and set(clock.absent) == set(clock.player_ids)):
        return
    delay_ms = (late.clock_starts_after_minutes or 0) * 60_000
    losers: dict[Instant, list[str]] = {}
    for player_id, absence in clock.absent.items():
        at = absence.signal_at + limit_ms * NANOSECONDS_PER_MS
        if late.loses_counted == "on-clock" and absence.clock_since is not None:
            at = absence.clock_since + (limit_ms - delay_ms - clock.compute_used_ms(player_id)) * NANOSECONDS_PER_MS
        # A player must be present to win, and to have reported the absence of the other.
        losers.setdefault(max(at, clock.last_at), []).append(player_id)
    for at, player_ids in losers.items():
        yield Deadline(at, tuple(_forfeit(player_id, events.FORFEIT_REASON_LATE, at) for player_id in player_ids))


def _away(clock: Clock) -> Deadline:
    """Return the deadline at which a player who left the table loses: the end of their own time (FISE 37)."""
    at = max(_after_ms(clock, clock.allowance_ms - clock.compute_used_ms(clock.running)), clock.running_since)
    return Deadline(at, (_forfeit(clock.running, events.FORFEIT_REASON_ABSENT, at),))


def _forfeit(player_id: str, reason: events.ForfeitReason.ValueType, at: Instant) -> events.TimeForfeited:
    return events.TimeForfeited(player_id=player_id, reason=reason, occurred_at=timestamp(at))


def _after_ms(clock: Clock, ms: int) -> Instant:
    """Return the time at which the running clock has run for ``ms`` since its last start."""
    return (clock.running_since // NANOSECONDS_PER_MS + ms) * NANOSECONDS_PER_MS
