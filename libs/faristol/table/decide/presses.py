"""Commands of players on a clock: stop their own clock and start the next one. Pure; the clock is settled."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import TurnKind
from faristol.table import Table
from faristol.table.clock import Clock, evolve, fold
from faristol.table.deadlines import due, set_turn_end
from faristol.table.decide.checks import check_seated
from faristol.table.game.state import Game, Phase
from faristol.table.settlement.clock import hold_clock, resume_turn, waits_for_score


def press(table: Table, request: clock_pb2.PressRequest, at: Instant) -> list[Message]:
    """Press the clock as ``player_id`` at ``at``: the turn is complete, and the next player's time runs (FISC I.11).

    If the clocks are stopped until the score of a play is written, the press implies that it was (FISC I.10). If a time
    was over before, only that is recorded, whichever player presses: observing a player's time is up to the opponent
    (FISC I.11). Raises ``Refusal`` if the rules forbid the press, ``Invalid`` if ``at`` is before the last event.
    """
    game, clock = table.game, table.clock
    player_id = request.player_id
    _check_pressable(table, player_id)
    late, after = apply_due(table, at)
    if after.played_out or _waits_for_the_turn(after, game):
        return late
    _check_turn(table, player_id)
    if waits_for_score(after, game, table.ruleset):
        late.append(set_turn_end(after, resume_turn(after, at)))
        after = evolve(after, late[-1])
    pressed = clock_events.ClockPressed(
        player_id=player_id,
        turn=game.turn,
        used_ms=clock.used_at(player_id, at),
        occurred_at=timestamp(at),
        next_player_id=clock.after(player_id),
    )
    return [*late, set_turn_end(after, pressed)]


def claim_time(table: Table, request: clock_pb2.ClaimTimeRequest, at: Instant) -> list[Message]:
    """Claim that a time is over: return the events that were due by ``at``.

    Raises ``Refusal`` if no deadline was due, ``Invalid`` if ``at`` is before the last event of the table.
    """
    check_seated(table, request.player_id)
    late, _ = apply_due(table, at)
    if not late:
        raise Refusal(
            "NO_TIME_OVER", N_("No time limit has passed at this table."), article=table.ruleset.article("clock.model")
        )
    return late


def stop(table: Table, request: clock_pb2.StopRequest, at: Instant) -> list[Message]:
    """Stop the player's clock after the move (FISE 32.2, PES Δ.β.i): no time runs until the press.

    If the check of the count takes longer than the book allows, a running clock may be paused until the score is
    written (FISE 32.1). If a time was over before, only that is recorded. Raises as ``press`` does.
    """
    clock = table.clock
    check_seated(table, request.player_id)
    _check_stoppable(table)
    _check_going(table)
    late, after = apply_due(table, at)
    if after.played_out or _waits_for_the_turn(after, table.game):
        return late
    if clock.held:
        raise Refusal(
            "STOPPED_ALREADY",
            N_("{mover} has stopped the clock: it continues with the press."),
            {"mover": clock.mover},
            article=table.ruleset.article("clock.stopped_by_mover"),
        )
    _check_taken(table, request.player_id)
    _check_verification(table, at)
    return [*late, hold_clock(clock, at)]


def apply_due(table: Table, at: Instant) -> tuple[list[Message], Clock]:
    """Return the events due before ``at``, and the clock after them."""
    clock = table.clock
    new_events = due(clock, table.game, table.ruleset, at)
    return new_events, fold(clock, new_events)


def _check_stoppable(table: Table) -> None:
    ruleset = table.ruleset
    if not ruleset.clock.stopped_by_mover and ruleset.clock.verification_pause_seconds is None:
        raise Refusal(
            "RUNS_UNTIL_PRESSED",
            N_("The clock runs until it is pressed: it cannot be stopped after laying tiles."),
            article=ruleset.article("clock.stopped_by_mover"),
        )


def _check_verification(table: Table, at: Instant) -> None:
    """Check that the check of the count has taken long enough to pause a running clock."""
    game, ruleset = table.game, table.ruleset
    seconds = ruleset.clock.verification_pause_seconds
    if (
        not ruleset.clock.stopped_by_mover
        and seconds is not None
        and at - (game.signals.taken_at(game.turn) or 0) <= seconds * 1_000_000_000
    ):
        raise Refusal(
            "VERIFICATION_TOO_SHORT",
            N_(
                "The clock runs while the score is checked; it can be stopped if the check takes over {seconds} "
                "seconds."
            ),
            {"seconds": seconds},
            article=ruleset.article("clock.verification_pause_seconds"),
        )


def _check_pressable(table: Table, player_id: str) -> None:
    ruleset = table.ruleset
    check_seated(table, player_id)
    if "press" not in ruleset.turn.steps:
        raise Refusal(
            "NO_PRESS",
            N_("Under these rules clocks are not pressed: a turn ends when it has been taken."),
            article=ruleset.article("turn.steps"),
        )
    _check_going(table)


def check_playing(table: Table) -> None:
    """Refuse a game that has not started, or is over, or is played without a clock."""
    clock, ruleset = table.clock, table.ruleset
    if ruleset.clock.model == "none":
        raise Refusal("NO_CLOCK", N_("This table has no clock."), article=ruleset.article("clock.model"))
    if clock.stopped or clock.played_out or table.game.over:
        raise Refusal(
            "GAME_OVER", N_("The game is over: its clock can no longer be pressed."), article=ruleset.law.game_over
        )
    if clock.absent:
        raise Refusal(
            "PLAYER_ABSENT",
            N_("The game begins when {players} has arrived."),
            {"players": ", ".join(clock.absent)},
            article=ruleset.article("lateness.clock_starts_after_minutes"),
        )
    if not clock.started:
        raise Refusal(
            "NOT_STARTED",
            N_("The game has not started: its clock starts when both racks are full."),
            article=ruleset.article("start.method"),
        )


def _check_going(table: Table) -> None:
    game, clock, ruleset = table.game, table.clock, table.ruleset
    check_playing(table)
    if clock.neutralised and not waits_for_score(clock, game, ruleset):
        raise Refusal(
            "CLOCK_NEUTRALISED",
            N_("The clock is stopped for both players: wait until it runs again."),
            article=ruleset.article("clock.neutralised_by"),
        )
    if _waits_for_the_turn(clock, game):
        raise Refusal(
            "TURN_TIMED_OUT",
            N_("The time of {mover}'s turn is over: the clock runs again with the next turn."),
            {"mover": clock.mover},
            article=ruleset.article("clock.turn_seconds"),
        )


def _waits_for_the_turn(clock: Clock, game: Game) -> bool:
    """Check whether a turn without a play has timed out: the game has to decide its outcome."""
    return clock.timed_out_turn == clock.turn and game.phase is Phase.TURN


def _check_turn(table: Table, player_id: str) -> None:
    game, clock, ruleset = table.game, table.clock, table.ruleset
    _check_taken(table, player_id)
    if game.taken is TurnKind.EXCHANGE:
        _check_exchange_over(table)
    if game.placed and ruleset.turn.complete_on == "both-written":
        _check_written(table)
    undrawn = player_id in clock.away or (clock.away and not ruleset.absence.opponent_may_draw)
    if game.placed and game.bag_left > 0 and not undrawn:
        raise Refusal(
            "RACK_NOT_REFILLED",
            N_("The bag holds {left} {left:tile|tiles}: {player} must refill the rack before pressing the clock."),
            {"left": game.bag_left, "player": player_id},
            article=ruleset.law.play_complete,
        )


def _check_exchange_over(table: Table) -> None:
    """Check that the exchange is complete: the clock was stopped for it, and it awaits no remedy."""
    game, ruleset = table.game, table.ruleset
    if ruleset.exchange.stops_clock and not table.clock.held:
        raise Refusal(
            "STOP_FIRST",
            N_("{mover} must stop the clock for the exchange and press it after the exchange."),
            {"mover": game.mover},
            article=ruleset.article("exchange.stops_clock"),
        )
    if isinstance(game.interruption, events.IllegalExchangeFound):
        raise Refusal(
            "EXCHANGE_OPEN",
            N_("{player} exchanged more tiles than allowed: first the opponent chooses the tiles to keep."),
            {"player": game.interruption.player_id},
            article=ruleset.article("exchange.illegal"),
        )


def _check_written(table: Table) -> None:
    """Check that all players at the table have written the score of a play, which accepts it."""
    game = table.game
    missing = [player for player in game.player_ids if player not in {*game.course.written, *table.clock.away}]
    if missing:
        raise Refusal(
            "SCORE_NOT_WRITTEN",
            N_("The clock can be pressed when both players have written the score; {missing} has not."),
            {"missing": ", ".join(missing)},
            article=table.ruleset.article("turn.steps"),
        )


def _check_taken(table: Table, player_id: str) -> None:
    """Check that ``player_id`` is the mover of the clock and has taken the turn."""
    game, clock, ruleset = table.game, table.clock, table.ruleset
    if clock.mover != player_id:
        raise Refusal(
            "NOT_YOUR_CLOCK",
            N_("The clock of {running} is running: that of {player} cannot be pressed."),
            {"running": clock.mover, "player": player_id},
            article=ruleset.article("clock.model"),
        )
    if game.mover != player_id or game.phase is Phase.TURN:
        raise Refusal(
            "TURN_NOT_TAKEN",
            N_("{player} must place a play, exchange or pass before pressing the clock."),
            {"player": player_id},
            article=ruleset.law.play_complete,
        )
