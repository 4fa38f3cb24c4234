"""What players do to a clock: they stop the own one and start the next. Pure; the clock is settled."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import check_not_before
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import TurnKind
from faristol.rules.officials import check_not_concerned
from faristol.rules.ruleset import Ruleset
from faristol.table.clock import Clock, Instant, evolve, fold, timestamp
from faristol.table.deadlines import due, timed
from faristol.table.game import Game, Phase
from faristol.table.settlement.clock import held, resumed, waits_for_score


def press(clock: Clock, game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """``player_id`` presses at ``at``: the turn is complete, and the next player's time runs (FISC I.11).

    Where the clocks stand until the score of a play is written, the press says that it was (FISC I.10). Where a time
    was over before, that is recorded instead, whichever player presses: counting a player's time is up to
    the opponent (FISC I.11). Raises ``Refusal`` when the press is against the rules, ``Invalid`` when ``at`` is before
    the last fact of the table.
    """
    _check_pressable(clock, game, ruleset, player_id)
    check_time(clock, game, at)
    late, after = overtaken(clock, game, ruleset, at)
    if after.played_out or _waits_for_the_turn(after, game):
        return late
    _check_turn(clock, game, ruleset, player_id)
    if waits_for_score(after, game, ruleset):
        late.append(timed(after, resumed(after, at)))
        after = evolve(after, late[-1])
    pressed = clock_events.ClockPressed(
        player_id=player_id,
        turn=game.turn,
        used_ms=clock.used_at(player_id, at),
        occurred_at=timestamp(at),
        next_player_id=clock.after(player_id),
    )
    return [*late, timed(after, pressed)]


def claim_time(clock: Clock, game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """``player_id`` says that a time is over: what was due by ``at`` goes on the record.

    Raises ``Refusal`` while nothing is due, ``Invalid`` when ``at`` is before the last fact of the table.
    """
    check_seated(game, ruleset, player_id)
    check_time(clock, game, at)
    late, _ = overtaken(clock, game, ruleset, at)
    if not late:
        raise Refusal("NO_TIME_OVER", ruleset.article("clock.model"), N_("No time is over at this table."))
    return late


def stop(clock: Clock, game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """``player_id`` stops the own clock after the move (FISE 32.2, PES Δ.β.i): time is dead until the press.

    In running time it may be paused while the count is checked for longer than the book allows (FISE 32.1), until the
    score is written. Where a time was over before, that is recorded instead. Raises as ``press`` does.
    """
    check_seated(game, ruleset, player_id)
    _check_stoppable(ruleset)
    _check_going(clock, game, ruleset)
    check_time(clock, game, at)
    late, after = overtaken(clock, game, ruleset, at)
    if after.played_out or _waits_for_the_turn(after, game):
        return late
    if clock.held:
        raise Refusal(
            "STOPPED_ALREADY",
            ruleset.article("clock.stopped_by_mover"),
            N_("{mover} has stopped the clock: it goes on with the press."),
            {"mover": clock.mover},
        )
    _check_taken(clock, game, ruleset, player_id)
    _check_verification(game, ruleset, at)
    return [*late, held(clock, at)]


def check_time(clock: Clock, game: Game, at: Instant) -> None:
    """Time never runs back. Raises ``Invalid`` when ``at`` is before the last fact of clock or table."""
    check_not_before(at, max(clock.last_at, game.last_at))


def overtaken(clock: Clock, game: Game, ruleset: Ruleset, at: Instant) -> tuple[list[Message], Clock]:
    """What was due before ``at``, and the clock after that."""
    facts = due(clock, game, ruleset, at)
    return facts, fold(clock, facts)


def check_seated(game: Game, ruleset: Ruleset, player_id: str) -> None:
    """Refuse somebody who does not play at the table."""
    if player_id not in game.player_ids:
        raise Refusal(
            "NOT_AT_TABLE",
            ruleset.law.turn,
            N_("{player} does not play at this table; only {players} press its clock."),
            {"player": player_id, "players": ", ".join(game.player_ids)},
        )


def check_arbiter(game: Game, arbiter_id: str) -> None:
    """Refuse an arbiter who plays at the table. Raises ``Invalid`` for none."""
    if not arbiter_id:
        raise Invalid("arbiter_id", N_("expected the id of the arbiter"))
    check_not_concerned("arbiter_id", [arbiter_id], game.player_ids)


def _check_stoppable(ruleset: Ruleset) -> None:
    if not ruleset.clock.stopped_by_mover and ruleset.clock.verification_pause_seconds is None:
        raise Refusal(
            "RUNS_UNTIL_PRESSED",
            ruleset.article("clock.stopped_by_mover"),
            N_("The clock runs until it is pressed: nobody stops it after laying tiles."),
        )


def _check_verification(game: Game, ruleset: Ruleset, at: Instant) -> None:
    """That a check of the count has taken long enough to pause a clock that runs meanwhile."""
    seconds = ruleset.clock.verification_pause_seconds
    if (
        not ruleset.clock.stopped_by_mover
        and seconds is not None
        and at - (game.signals.taken_at(game.turn) or 0) <= seconds * 1_000_000_000
    ):
        raise Refusal(
            "VERIFICATION_TOO_SHORT",
            ruleset.article("clock.verification_pause_seconds"),
            N_("The clock runs while the score is checked, and may be paused when that takes over {seconds} seconds."),
            {"seconds": seconds},
        )


def _check_pressable(clock: Clock, game: Game, ruleset: Ruleset, player_id: str) -> None:
    check_seated(game, ruleset, player_id)
    if "press" not in ruleset.turn.steps:
        raise Refusal(
            "NO_PRESS",
            ruleset.article("turn.steps"),
            N_("No clock is pressed under these rules: a turn is over when it has been taken."),
        )
    _check_going(clock, game, ruleset)


def check_playing(clock: Clock, game: Game, ruleset: Ruleset) -> None:
    """Refuse a game that has not started, or is over, or is played without a clock."""
    if ruleset.clock.model == "none":
        raise Refusal("NO_CLOCK", ruleset.article("clock.model"), N_("No clock stands at this table."))
    if clock.stopped or clock.played_out or game.over:
        raise Refusal("GAME_OVER", ruleset.law.game_over, N_("The game is over: its clock is not pressed any more."))
    if clock.absent:
        raise Refusal(
            "PLAYER_ABSENT",
            ruleset.article("lateness.clock_starts_after_minutes"),
            N_("The game begins when {players} has come."),
            {"players": ", ".join(clock.absent)},
        )
    if not clock.started:
        raise Refusal(
            "NOT_STARTED",
            ruleset.article("start.method"),
            N_("The game has not started: its clock runs once both racks are filled."),
        )


def _check_going(clock: Clock, game: Game, ruleset: Ruleset) -> None:
    check_playing(clock, game, ruleset)
    if clock.neutralised and not waits_for_score(clock, game, ruleset):
        raise Refusal(
            "CLOCK_NEUTRALISED",
            ruleset.article("clock.neutralised_by"),
            N_("The clock is neutralised, and nobody's time runs: wait until it goes on."),
        )
    if _waits_for_the_turn(clock, game):
        raise Refusal(
            "TURN_TIMED_OUT",
            ruleset.article("clock.turn_seconds"),
            N_("The time of {mover}'s turn is over: the clock goes on with the next turn."),
            {"mover": clock.mover},
        )


def _waits_for_the_turn(clock: Clock, game: Game) -> bool:
    """Whether the time of a turn is over in which nothing was played: the game has to say what becomes of it."""
    return clock.timed_out_turn == clock.turn and game.phase is Phase.TURN


def _check_turn(clock: Clock, game: Game, ruleset: Ruleset, player_id: str) -> None:
    _check_taken(clock, game, ruleset, player_id)
    if game.taken is TurnKind.EXCHANGE:
        _check_exchange_over(clock, game, ruleset)
    if game.placed and ruleset.turn.complete_on == "both-written":
        _check_written(clock, game, ruleset)
    undrawn = player_id in clock.away or (clock.away and not ruleset.absence.opponent_may_draw)
    if game.placed and game.bag_left > 0 and not undrawn:
        raise Refusal(
            "RACK_NOT_REFILLED",
            ruleset.law.play_complete,
            N_("The bag holds {left} {left:tile|tiles}: {player} has to refill the rack before pressing the clock."),
            {"left": game.bag_left, "player": player_id},
        )


def _check_exchange_over(clock: Clock, game: Game, ruleset: Ruleset) -> None:
    """That nothing of an exchange is left to do: the clock was stopped for it, and what it took is not in question."""
    if ruleset.exchange.stops_clock and not clock.held:
        raise Refusal(
            "STOP_FIRST",
            ruleset.article("exchange.stops_clock"),
            N_("{mover} stops the clock for the exchange, and presses it when that is over."),
            {"mover": game.mover},
        )
    if isinstance(game.interruption, events.IllegalExchangeFound):
        raise Refusal(
            "EXCHANGE_OPEN",
            ruleset.article("exchange.illegal"),
            N_("{player} exchanged more tiles than allowed: first the opponent chooses what is kept."),
            {"player": game.interruption.player_id},
        )


def _check_written(clock: Clock, game: Game, ruleset: Ruleset) -> None:
    """That all have written the score of a play, which they accept by that; for who has left the table it waits."""
    missing = [player for player in game.player_ids if player not in {*game.course.written, *clock.away}]
    if missing:
        raise Refusal(
            "SCORE_NOT_WRITTEN",
            ruleset.article("turn.steps"),
            N_("The clock is pressed when both players have written the score; {missing} has not."),
            {"missing": ", ".join(missing)},
        )


def _check_taken(clock: Clock, game: Game, ruleset: Ruleset, player_id: str) -> None:
    """That it is ``player_id`` whose time runs or stands, and that the turn has been taken."""
    if clock.mover != player_id:
        raise Refusal(
            "NOT_YOUR_CLOCK",
            ruleset.article("clock.model"),
            N_("The clock of {running} is running: that of {player} cannot be pressed."),
            {"running": clock.mover, "player": player_id},
        )
    if game.mover != player_id or game.phase is Phase.TURN:
        raise Refusal(
            "TURN_NOT_TAKEN",
            ruleset.law.play_complete,
            N_("{player} has to place a play, exchange or pass before pressing the clock."),
            {"player": player_id},
        )
