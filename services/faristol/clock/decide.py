"""What a clock does: follow its game, and be pressed (FISC I.11). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import reduce

from google.protobuf.message import Message

from faristol.clock.model import NANOSECONDS, Clock, Instant, evolve, timestamp
from faristol.clock.views import Challenge, Phase, Table
from faristol.host.errors import Invalid
from faristol.pb.clock.v1 import events_pb2
from faristol.rules.clockwork import MINUTE_MS, thinking_ms
from faristol.rules.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset


def fold(clock: Clock, facts: Iterable[Message]) -> Clock:
    """``clock`` after ``facts``."""
    return reduce(evolve, facts, clock)


def settle(clock: Clock, table: Table, ruleset: Ruleset) -> list[Message]:
    """The facts that follow from what the game says and the clock does not say yet, in order.

    The clock opens and runs when the game has started (FISC I.5), is neutralised by a challenge and resumes
    at the ruling (FISC I.11.A), and stops with the game. When nothing is missing the list is empty, so it
    does not matter who settles a clock, when, and how often.
    """
    facts = []
    while (fact := _missing(clock, table, ruleset)) is not None:
        facts.append(fact)
        clock = evolve(clock, fact)
    return facts


def press(clock: Clock, table: Table, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """``player_id`` presses at ``at``; ``clock`` is settled.

    Completes the turn and starts the opponent's time. Where the running time is over the cap, the press of
    either player records that instead: counting a player's time is up to the opponent (FISC I.11). That waits
    until the game has taken up the press before, which may have ended it.

    Raises ``Refusal`` when the press is against the rules, ``Invalid`` when ``at`` is before the last fact of
    the table.
    """
    _check_press(clock, table, ruleset, player_id)
    _check_time(clock, table, at)
    if clock.pressed_turn < table.turn and (exceeded := _cap_exceeded(clock, at)) is not None:
        return [exceeded]
    _check_turn(clock, table, ruleset, player_id)
    return [
        events_pb2.ClockPressed(
            player_id=player_id,
            turn=table.turn,
            used_ms=clock.used_at(player_id, at),
            occurred_at=timestamp(at),
        )
    ]


def _missing(clock: Clock, table: Table, ruleset: Ruleset) -> Message | None:
    """The first fact that the clock lacks, if any."""
    if clock.stopped or not table.started:
        return None
    if not clock.game_id:
        return _opened(table, ruleset)
    if not clock.started:
        return events_pb2.ClockStarted(player_id=table.first_player, occurred_at=timestamp(table.started_at))
    following = None if clock.exceeded else _challenge_to_follow(clock, table)
    if following is not None:
        return _resumed(clock, following) if clock.neutralised else _neutralised(clock, following)
    if table.phase is Phase.ENDED:
        return _cap_exceeded(clock, table.ended_at) or _stopped(clock, table.ended_at)
    return None


def _challenge_to_follow(clock: Clock, table: Table) -> Challenge | None:
    """The challenge that changes the clock next: one that was ruled on, or one that it does not know."""
    if clock.neutralised:
        return next((c for c in table.challenges if c.number == clock.challenge and c.ruled_at is not None), None)
    return next((c for c in table.challenges if c.number > clock.challenge), None)


def _opened(table: Table, ruleset: Ruleset) -> events_pb2.ClockOpened:
    cap_minutes = ruleset.clock.overtime_cap_minutes or 0
    return events_pb2.ClockOpened(
        game_id=table.game_id,
        tournament_id=table.tournament_id,
        player_ids=table.player_ids,
        allowance_ms=thinking_ms(ruleset),
        overtime_cap_ms=cap_minutes * MINUTE_MS,
        occurred_at=timestamp(table.started_at),
    )


def _neutralised(clock: Clock, challenge: Challenge) -> Message:
    """Neither clock runs from the challenge on, unless there was no time left to be challenged in."""
    at = max(challenge.raised_at, clock.running_since)
    return _cap_exceeded(clock, at) or events_pb2.ClockNeutralised(
        player_id=clock.running,
        reason=events_pb2.NEUTRALISATION_REASON_CHALLENGE,
        used_ms=clock.used_at(clock.running, at),
        occurred_at=timestamp(at),
        challenge=challenge.number,
    )


def _resumed(clock: Clock, challenge: Challenge) -> events_pb2.ClockResumed:
    """The mover goes on when the play stands; a play withdrawn has cost the turn (FISC I.10)."""
    player_id = challenge.mover if challenge.valid else clock.opponent(challenge.mover)
    at = max(challenge.ruled_at or 0, clock.running_since)
    return events_pb2.ClockResumed(player_id=player_id, occurred_at=timestamp(at))


def _stopped(clock: Clock, ended_at: Instant) -> events_pb2.ClockStopped:
    at = max(ended_at, clock.running_since)
    times = clock.times()
    for side in times:
        side.used_ms = clock.used_at(side.player_id, at)
        side.overtime_ms = clock.overtime(side.used_ms)
    return events_pb2.ClockStopped(times=times, occurred_at=timestamp(at))


def _cap_exceeded(clock: Clock, at: Instant) -> events_pb2.OvertimeCapExceeded | None:
    """The end that overtime beyond the cap brings (FISC I.8.D), if the running clock is there at ``at``.

    The cap itself may be used up to its last millisecond.
    """
    limit = clock.allowance_ms + clock.overtime_cap_ms
    if not clock.overtime_cap_ms or not clock.running or clock.used_at(clock.running, at) <= limit:
        return None
    left_ms = limit - clock.used(clock.running)
    reached = (clock.running_since // NANOSECONDS + left_ms) * NANOSECONDS
    return events_pb2.OvertimeCapExceeded(
        player_id=clock.running,
        overtime_ms=clock.overtime_cap_ms,
        occurred_at=timestamp(max(reached, clock.running_since)),
    )


def _check_press(clock: Clock, table: Table, ruleset: Ruleset, player_id: str) -> None:
    if player_id not in table.player_ids:
        raise Refusal(
            "NOT_AT_TABLE",
            ruleset.law.turn,
            N_("{player} does not play at this table; only {first} and {second} press its clock."),
            {"player": player_id, "first": table.player_ids[0], "second": table.player_ids[1]},
        )
    if clock.stopped or clock.exceeded or table.phase is Phase.ENDED:
        raise Refusal("GAME_OVER", ruleset.law.game_over, N_("The game is over: its clock is not pressed any more."))
    if not clock.started:
        raise Refusal(
            "NOT_STARTED",
            ruleset.article("start.method"),
            N_("The game has not started: its clock runs once both racks are filled."),
        )
    if clock.neutralised:
        raise Refusal(
            "CLOCK_NEUTRALISED",
            ruleset.article("clock.neutralised_by"),
            N_("A challenge is being ruled on, and neither clock runs: wait for the ruling."),
        )


def _check_turn(clock: Clock, table: Table, ruleset: Ruleset, player_id: str) -> None:
    if clock.running != player_id:
        raise Refusal(
            "NOT_YOUR_CLOCK",
            ruleset.article("clock.model"),
            N_("The clock of {running} is running: that of {player} cannot be pressed."),
            {"running": clock.running, "player": player_id},
        )
    if table.mover != player_id or table.phase is Phase.TURN:
        raise Refusal(
            "TURN_NOT_TAKEN",
            ruleset.law.play_complete,
            N_("{player} has to place a play, exchange or pass before pressing the clock."),
            {"player": player_id},
        )
    if table.phase is Phase.PLACED and table.bag_left > 0:
        raise Refusal(
            "RACK_NOT_REFILLED",
            ruleset.law.play_complete,
            N_("The bag holds {left} tiles: {player} has to refill the rack before pressing the clock."),
            {"left": table.bag_left, "player": player_id},
        )


def _check_time(clock: Clock, table: Table, at: Instant) -> None:
    last = max(clock.last_at, table.last_at)
    if at < last:
        raise Invalid(
            "occurred_at",
            N_("is {at}, before the last thing at this table, which was at {last}"),
            {"at": _written(at), "last": _written(last)},
        )


def _written(at: Instant) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at // NANOSECONDS)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
