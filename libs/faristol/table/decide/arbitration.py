"""Commands of an arbiter on a clock: stop, resume and correct it. Pure; the clock is settled."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.table import Table
from faristol.table.clock import ARBITER_STOP_NUMBER
from faristol.table.deadlines import lost_with_the_round, round_time_over, set_turn_end
from faristol.table.decide.checks import check_arbiter, check_seated
from faristol.table.decide.presses import apply_due, check_playing
from faristol.table.settlement.clock import REASONS

MOST_MS = 24 * 60 * 60 * 1_000
"""A day: the largest time of a correction. Far larger times and penalties would overflow."""


def neutralise(table: Table, request: clock_pb2.NeutraliseRequest, at: Instant) -> list[Message]:
    """Stop all clocks for a reason that the book lists (UF 20, FISC I.11, FISE 34, PES Δ.δ).

    If a deadline that ends the game was due before, only its events are returned. Raises ``Refusal`` for another reason
    and if the arbiter has stopped the clocks already. Raises ``Invalid`` for no reason, no arbiter, or a time before
    the last event.
    """
    clock, ruleset = table.clock, table.ruleset
    check_arbiter(table, request.arbiter_id)
    wanted = next((known for known, written in REASONS.items() if written == request.reason), None)
    if wanted is None:
        raise Invalid("reason", N_("expected the reason to stop the clocks"))
    check_playing(table)
    if wanted not in ruleset.clock.neutralised_by:
        raise Refusal(
            "NOT_A_REASON",
            N_("Under these rules the clocks are not stopped for {reason}, only for {reasons}."),
            {"reason": wanted, "reasons": ", ".join(ruleset.clock.neutralised_by)},
            article=ruleset.article("clock.neutralised_by"),
        )
    if ARBITER_STOP_NUMBER in clock.open:
        raise Refusal(
            "NEUTRALISED_ALREADY",
            N_("The arbiter has already stopped the clocks: they run again when the arbiter resumes them."),
            article=ruleset.article("clock.neutralised_by"),
        )
    late, after = apply_due(table, at)
    if after.played_out:
        return late
    return [
        *late,
        events.ClockNeutralised(
            player_id=clock.running,
            reason=request.reason,
            used_ms=clock.used_at(clock.running, at) if clock.running else 0,
            occurred_at=timestamp(at),
            arbiter_id=request.arbiter_id,
        ),
    ]


def resume(table: Table, request: clock_pb2.ResumeRequest, at: Instant) -> list[Message]:
    """Resume the time that the arbiter stopped: that of the player on turn, unless the mover has stopped it.

    Raises ``Refusal`` if the arbiter did not stop it, and during another interruption at the table. Raises ``Invalid``
    for no arbiter or a time before the last event.
    """
    clock = table.clock
    check_arbiter(table, request.arbiter_id)
    check_playing(table)
    article = table.ruleset.article("clock.neutralised_by")
    if ARBITER_STOP_NUMBER not in clock.open:
        raise Refusal(
            "NOT_NEUTRALISED", N_("The arbiter has not stopped the clocks: they cannot be resumed."), article=article
        )
    if any(table.game.signals.interruption(number).ended_by is None for number in clock.open - {ARBITER_STOP_NUMBER}):
        raise Refusal(
            "STILL_INTERRUPTED",
            N_("The clocks are stopped for an open matter at the table: they can be resumed when it is settled."),
            article=article,
        )
    resumed = events.ClockResumed(
        player_id=clock.next_to_run, turn=clock.turn, occurred_at=timestamp(at), arbiter_id=request.arbiter_id
    )
    return [set_turn_end(clock, resumed)]


def correct(table: Table, request: clock_pb2.CorrectClockRequest, at: Instant) -> list[Message]:
    """Set the time used by ``player_id`` to ``used_ms``: in the game, or in the turn if turns are timed.

    A forgotten press is not corrected if each player is responsible for their own clock (UF 21, FISC I.11, FISE 35);
    PES Δ.δ.ii allows it. If a deadline that ends the game was due before, only its events are returned. Raises
    ``Refusal`` for a forgotten press and after the end of the game. With timed turns, raises it also for a player other
    than the mover. Raises ``Invalid`` for no reason, no arbiter, or a time before the last event. Raises it also for a
    used time that is negative or over a day.
    """
    clock, ruleset = table.clock, table.ruleset
    player_id = request.player_id
    reason = request.reason
    check_arbiter(table, request.arbiter_id)
    if reason not in events.CorrectionReason.values() or not reason:
        raise Invalid("reason", N_("expected the reason to correct the clock"))
    if not 0 <= request.used_ms <= MOST_MS:
        raise Invalid(
            "used_ms", N_("expected 0 to {most} ms, not {given}"), {"most": MOST_MS, "given": request.used_ms}
        )
    check_seated(table, player_id)
    check_playing(table)
    if reason == events.CORRECTION_REASON_FORGOTTEN and not ruleset.clock.forgotten_heard:
        raise Refusal(
            "FORGOTTEN_NOT_HEARD",
            N_(
                "Players are responsible for their clocks: a press, stop or start that a player forgot is not "
                "corrected."
            ),
            article=ruleset.article("clock.forgotten_heard"),
        )
    if clock.turn_ms and player_id != clock.mover:
        raise Refusal(
            "NOT_ON_TURN",
            N_("Each turn has its own time here: only the time of {mover}, who is on turn, can be corrected."),
            {"mover": clock.mover},
            article=ruleset.article("clock.turn_seconds"),
        )
    late, after = apply_due(table, at)
    if after.played_out:
        return late
    corrected = events.ClockCorrected(
        player_id=player_id,
        before_ms=clock.turn_used_at(at) if clock.turn_ms else clock.used_at(player_id, at),
        used_ms=request.used_ms,
        reason=reason,
        arbiter_id=request.arbiter_id,
        occurred_at=timestamp(at),
    )
    return [*late, set_turn_end(after, corrected)]


def expire_round_time(table: Table, request: clock_pb2.ExpireRoundTimeRequest, at: Instant) -> list[Message]:
    """End the time of the round (UF 27.4, FISC I.8.C, FISE 30).

    A player who has not arrived by then loses if the book says so (FISE 37), and no turn remains. Other deadlines that
    were due before are recorded first, or instead if they ended the game. Raises ``Refusal`` if the book has no time of
    the round, and if it is over already. Raises it also during an absence that does not lose by it. Raises ``Invalid``
    for no arbiter or a time before the last event.
    """
    clock, ruleset = table.clock, table.ruleset
    check_arbiter(table, request.arbiter_id)
    article = ruleset.article("round_time.rule")
    if ruleset.round_time.rule == "none":
        raise Refusal(
            "NO_ROUND_TIME", N_("Under these rules a game does not end at the end of the round time."), article=article
        )
    lost = lost_with_the_round(clock, ruleset, at) if clock.absent else []
    if not lost:
        check_playing(table)
    if clock.round_time_over:
        raise Refusal("ROUND_TIME_OVER", N_("The time of the round is over already."), article=article)
    late, after = apply_due(table, at)
    if after.played_out or after.round_time_over:
        return late
    if lost:
        return [*late, *lost]
    return [*late, set_turn_end(after, round_time_over(after, table.game, ruleset, at, request.arbiter_id))]
