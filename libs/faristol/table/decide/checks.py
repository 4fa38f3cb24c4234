"""Preconditions of commands at a table. Every check raises ``Refusal`` with the article that forbids the command."""

from __future__ import annotations

from collections.abc import Collection

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, format_instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset, Square, Tile
from faristol.rules.conditions import is_out
from faristol.rules.officials import check_not_concerned
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.game.state import Game, Phase

MOST_POINTS = 100_000
"""A limit far above any score or fine of a game."""


def check_seated(table: Table, player_id: str) -> None:
    """Check that ``player_id`` plays here."""
    game = table.game
    if player_id not in game.player_ids:
        raise Refusal(
            "NOT_AT_TABLE",
            N_("{player} does not play at this table; {players} do."),
            {"player": player_id, "players": ", ".join(game.player_ids)},
            article=table.ruleset.law.turn,
        )


def check_not_over(table: Table) -> None:
    """Check that the last turn has not been taken."""
    if table.game.over:
        raise Refusal("GAME_OVER", N_("The game is over: no turn can be taken."), article=table.ruleset.law.game_over)


def check_not_final(table: Table) -> None:
    """Check that the result can still change."""
    if table.game.phase is Phase.FINAL:
        raise Refusal("RESULT_FINAL", N_("The result is final."), article=table.ruleset.law.result_final)


def checked_blank(square: Square, tile: Tile | None) -> Tile:
    """Return the ``tile`` found on ``square``. Raises ``Invalid`` if it is not a blank."""
    if tile is None or not tile.blank:
        raise Invalid("row", N_("there is no blank on {square}"), {"square": str(square)})
    return tile


def check_running(table: Table) -> None:
    """Check that the game has started and is not over."""
    game, ruleset = table.game, table.ruleset
    check_not_over(table)
    if game.phase is Phase.UNSPECIFIED and not game.hosted and (game.arbiter or not ruleset.arbiter.required):
        raise Refusal(
            "NOT_STARTED",
            N_("The game has not started: the first player has not been entered."),
            article=ruleset.article("start.method"),
        )
    if game.phase is Phase.UNSPECIFIED:
        raise no_arbiter(ruleset)


def no_arbiter(ruleset: Ruleset) -> Refusal:
    """Return the refusal for a game that cannot start before its table has an arbiter."""
    return Refusal(
        "NO_ARBITER",
        N_("The game cannot start: it requires an arbiter, and this table has none yet."),
        article=ruleset.article("arbiter.required"),
    )


def check_player(table: Table, player_id: str) -> None:
    """Check that ``player_id`` plays here, in a game that has started and is not over."""
    check_seated(table, player_id)
    check_running(table)


def check_no_arbiter_awaited(table: Table) -> None:
    """Check that every arbiter called has left the table."""
    game = table.game
    if game.arbiter_called:
        raise Refusal(
            "ARBITER_AWAITED",
            N_("{player} has called an arbiter: the game continues when the arbiter has left the table."),
            {"player": game.arbiter_called},
            article=table.ruleset.article("clock.neutralised_by"),
        )


def in_doubt(game: Game, clock: Clock, ruleset: Ruleset) -> events.PlayPlaced | None:
    """Return the play that can still be questioned: the pending one, or the previous one while its window is open.

    The window is open until the next player begins (FM 4), or for a player who was away at its completion (FISE 37).
    """
    if game.pending is not None or game.open_play is None:
        return game.pending
    until_next = ruleset.challenge.closes_on == "next-turn"
    return game.open_play if until_next or has_missed_play(game, clock, ruleset) else None


def has_missed_play(game: Game, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether the player on turn was away when the previous play was completed, and has not accepted it."""
    if ruleset.absence.played_meanwhile != "questioned-on-return" or game.open_play is None:
        return False
    return clock.missed.get(game.mover) == game.open_play.turn


def check_undisturbed(table: Table) -> None:
    """Check that no interruption has to be settled before play continues."""
    ruleset = table.ruleset
    check_no_arbiter_awaited(table)
    match table.game.interruption:
        case None:
            return
        case events.OverdrawFound() as found:
            text = N_("{player} has too many tiles: first settle which of them go back into the bag.")
            raise Refusal("OVERDRAW_OPEN", text, {"player": found.player_id}, article=found.article)
        case events.UnderdrawFound() as found:
            text = N_("{player} has too few tiles: an arbiter must decide first.")
            raise Refusal("UNDERDRAW_OPEN", text, {"player": found.player_id}, article=found.article)
        case events.IllegalExchangeFound() as found:
            text = N_("{player} exchanged more tiles than allowed: first the opponent chooses the tiles to keep.")
            raise Refusal(
                "EXCHANGE_OPEN", text, {"player": found.player_id}, article=ruleset.article("exchange.illegal")
            )
        case events.CountDisputed():
            raise Refusal(
                "COUNT_DISPUTED",
                N_("The score of a play is disputed: settle it first."),
                article=ruleset.law.correction,
            )


def check_board_unquestioned(table: Table) -> None:
    """Check that tiles on the board may change: as ``check_no_challenge``, by its own article (FISE 42.5)."""
    check_no_challenge(table, table.ruleset.law.challenged_board)


def check_no_challenge(table: Table, article: str = "") -> None:
    """Check that no ruling and no decision about the play on the board is pending.

    ``article`` is that of the refused command, if the book has one. The default is that of drawing (FISE 42.3), then
    that of the challenge.
    """
    game, ruleset = table.game, table.ruleset
    if game.phase is Phase.CHALLENGED:
        if awaits_mover(game, ruleset):
            raise Refusal(
                "RULING_OPEN",
                N_("The play was ruled invalid: {mover} must take it back or appeal."),
                {"mover": game.in_question.player_id if game.in_question else game.mover},
                article=ruleset.article("challenge.appeal_by"),
            )
        drawing = "" if ruleset.challenge.mover_may_draw else ruleset.article("challenge.mover_may_draw")
        raise Refusal(
            "CHALLENGE_PENDING",
            N_("The play is challenged: wait for the ruling."),
            article=article or drawing or ruleset.law.challenge_once,
        )
    if game.phase is Phase.OFF_CENTRE:
        raise Refusal(
            "OFF_CENTRE_OPEN",
            N_("The play misses the centre: the opponent must accept it or declare it invalid."),
            article=ruleset.article("first_move.centre"),
        )


def awaits_mover(game: Game, ruleset: Ruleset) -> bool:
    """Check whether the mover must still accept or appeal a ruling of invalid (FISE 42.4)."""
    law = ruleset.challenge
    return (
        game.phase is Phase.CHALLENGED
        and game.ruled is False
        and law.appeal_by == "mover"
        and game.course.rulings < law.rulings_max
    )


def check_in_turn(table: Table, player_id: str, at: Instant) -> None:
    """Check that ``player_id`` plays here, no player is awaited, and the time of the turn is not over."""
    check_present(table, player_id)
    check_in_time(table, at)
    check_player(table, player_id)


def check_on_turn(table: Table, player_id: str, at: Instant, *, on_board: bool = False) -> None:
    """Check that ``player_id`` is on turn and has not taken the turn yet.

    ``on_board`` marks a command with tiles on the board.
    """
    game, ruleset = table.game, table.ruleset
    check_in_turn(table, player_id, at)
    if player_id != game.mover:
        if ruleset.turn.next_waits_for_draw and game.phase in (Phase.PLACED, Phase.DRAWN):
            raise Refusal(
                "DRAW_AWAITED",
                N_("{mover} has not yet drawn and started the clock of {player}: no tile can be laid before that."),
                {"mover": game.mover, "player": player_id},
                article=ruleset.article("turn.next_waits_for_draw"),
            )
        raise Refusal(
            "NOT_YOUR_TURN",
            N_("{mover} is on turn, not {player}."),
            {"mover": game.mover, "player": player_id},
            article=ruleset.law.turn,
        )
    if on_board:
        check_board_unquestioned(table)
    check_no_challenge(table)
    check_undisturbed(table)
    if game.phase is not Phase.TURN:
        raise Refusal(
            "TURN_TAKEN",
            N_("{player} has taken this turn already."),
            {"player": player_id},
            article=ruleset.law.play_complete,
        )
    check_accepted(table)


def check_accepted(table: Table) -> None:
    """Check that no play that emptied a rack still waits to be accepted."""
    game = table.game
    if game.open_play is None or game.bag_left:
        return
    if any(is_out(rack, game.bag_left) for rack in game.racks.values()):
        raise Refusal(
            "PLAY_NOT_ACCEPTED",
            N_("{player} has laid the last tiles: the play must be accepted or challenged before the game ends."),
            {"player": game.open_play.player_id},
            article=table.ruleset.article("challenge.closes_on"),
        )


def check_nothing_begun(table: Table) -> None:
    """Check that no tile was laid in this turn and no exchange announced, as far as they bind the turn."""
    game, ruleset = table.game, table.ruleset
    if game.course.announced is not None and not ruleset.exchange.announced_can_be_dropped:
        raise Refusal(
            "EXCHANGE_ANNOUNCED",
            N_("An exchange was announced: this turn can be used only for the exchange."),
            article=ruleset.article("exchange.announced_can_be_dropped") or ruleset.article("exchange.number_fixed"),
        )
    if game.course.laid and ruleset.touch.rule == "strict":
        raise Refusal(
            "TILES_LIE",
            N_("Tiles of this turn are on the board: play them, or take them back and lose the turn."),
            article=ruleset.article("touch.rule"),
        )


def check_agreed(table: Table, player_ids: Collection[str], arbiter_id: str) -> None:
    """Check that an arbiter decides, or all players of the table agree."""
    if arbiter_id:
        check_arbiter(table, arbiter_id)
        return
    missing = [player for player in table.game.player_ids if player not in player_ids]
    if missing:
        raise Refusal(
            "NOT_AGREED",
            N_("All players must agree to this, or an arbiter decides; {missing} did not agree."),
            {"missing": ", ".join(missing)},
            article=table.ruleset.law.correction,
        )


def check_points(field: str, given: int, least: int = -MOST_POINTS) -> None:
    """Raise ``Invalid`` for impossible points: a total beyond the range of an event would stop the table."""
    check_range(field, given, least, MOST_POINTS)


def check_arbiter(table: Table, arbiter_id: str) -> None:
    """Refuse an arbiter who plays here. Raises ``Invalid`` if a command of an arbiter has no arbiter id."""
    if not arbiter_id:
        raise Invalid("arbiter_id", N_("is empty; expected the arbiter who decides"))
    check_not_concerned("arbiter_id", [arbiter_id], table.game.player_ids)


def check_present(table: Table, player_id: str) -> None:
    """Check that all players have arrived, and that ``player_id`` has not left the table."""
    absent = table.clock.absent
    if absent and (awaited := absent.keys() - table.game.gone.keys()):
        raise Refusal(
            "PLAYER_ABSENT",
            N_("{absent} has not arrived: no turn can be taken before that."),
            {"absent": ", ".join(sorted(awaited))},
            article=table.ruleset.article("lateness.clock_starts_after_minutes"),
        )
    check_back(table, player_id)


def check_back(table: Table, player_id: str) -> None:
    """Check that ``player_id`` is not away from the table."""
    if player_id in table.clock.away:
        raise Refusal(
            "PLAYER_AWAY",
            N_("{player} has left the table: wait for the return of the player."),
            {"player": player_id},
            article=table.ruleset.law.absence,
        )


def check_in_time(table: Table, at: Instant) -> None:
    """Check that the time of the turn is not over at ``at`` (UF 18.1, FM 2, FISE 33; FISC I.11 after the round).

    A play begun in time may be finished if the book allows it (FISE 33).
    """
    game, clock, ruleset = table.game, table.clock, table.ruleset
    if clock.turn_until is None or clock.turn != game.turn or at <= clock.turn_until:
        return
    if game.course.laid and ruleset.clock.turn_timeout == "begun-or-lost":
        return
    limited = ruleset.clock.turn_timeout != "none"
    raise Refusal(
        "TURN_TIMED_OUT",
        N_("The time of {mover}'s turn ended at {until}: the turn can no longer be played."),
        {"mover": game.mover, "until": format_instant(clock.turn_until)},
        article=ruleset.article("clock.turn_timeout" if limited else "round_time.last_turn_seconds"),
    )
