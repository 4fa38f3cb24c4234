"""Absence: players late at the signal, or away from the table. Pure; the clock is settled."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.decide.checks import check_arbiter, check_seated
from faristol.table.decide.presses import apply_due, check_playing
from faristol.table.game.signals import SignalKind
from faristol.table.game.state import Game

_MINUTE = 60_000 * NANOSECONDS_PER_MS


def report_absence(table: Table, request: clock_pb2.ReportAbsenceRequest, at: Instant) -> list[Message]:
    """Record that ``player_id`` was absent at the signal (FISC I.5, FISE 36, PES Γ.β).

    Only the time of absent players runs until they arrive, from the time that the book says. Raises ``Refusal`` after a
    turn has been taken, and for a player already recorded as absent. Raises ``Invalid`` for no arbiter or a time before
    the last event.
    """
    game, clock, ruleset = table.game, table.clock, table.ruleset
    player_id = request.player_id
    check_arbiter(table, request.arbiter_id)
    check_seated(table, player_id)
    if not clock.absent:
        check_playing(table)
    article = ruleset.article("lateness.loses_after_minutes")
    if player_id in clock.absent:
        raise Refusal(
            "ABSENT_ALREADY", N_("{player} is already noted as absent."), {"player": player_id}, article=article
        )
    if clock.turn > 1 or any(signal.kind is SignalKind.TAKEN for signal in game.signals.given):
        raise Refusal(
            "PLAY_BEGUN",
            N_("A turn has been taken, so {player} was present: record a later absence as leaving the table."),
            {"player": player_id},
            article=article,
        )
    new_events, after = apply_due(table, at)
    if after.played_out:
        return new_events
    starts_at = _clock_starts_at(clock, game, ruleset, at)
    return [
        *new_events,
        events.PlayerAbsent(
            player_id=player_id,
            signal_at=timestamp(game.opened_at),
            clock_starts_at=None if starts_at is None else timestamp(starts_at),
            arbiter_id=request.arbiter_id,
        ),
    ]


def _clock_starts_at(clock: Clock, game: Game, ruleset: Ruleset, at: Instant) -> Instant | None:
    """Return the time from which the clock of a player absent ``at`` runs; None if it does not run.

    FISE 36: from the signal. FISC I.5: from when the judge presses. PES Γ.β: ten minutes after the draw, or after the
    official start if a long break lies between.
    """
    late = ruleset.lateness
    if late.clock_starts_after_minutes is None or clock.turn_ms:
        return None
    counted_from = game.opened_at
    if late.counted_from == "draw" and late.long_break_minutes is not None and game.drawn_at is not None:
        long_break = game.opened_at - game.drawn_at >= late.long_break_minutes * _MINUTE
        counted_from = game.opened_at if long_break else game.drawn_at
    starts_at = max(counted_from + late.clock_starts_after_minutes * _MINUTE, game.opened_at)
    return max(starts_at, at) if late.clock_starts_on == "press" else starts_at


def record_arrival(table: Table, request: clock_pb2.RecordArrivalRequest, at: Instant) -> list[Message]:
    """Record the arrival of an absent player; the time used during the absence is lost (FISE 36).

    If the player had lost before that, only the loss is recorded. Raises ``Refusal`` for a player who was not absent,
    ``Invalid`` for a time before the last event.
    """
    player_id = request.player_id
    check_seated(table, player_id)
    if player_id not in table.clock.absent:
        raise Refusal(
            "NOT_ABSENT",
            N_("{player} is not noted as absent."),
            {"player": player_id},
            article=table.ruleset.article("lateness.loses_after_minutes"),
        )
    new_events, after = apply_due(table, at)
    if after.played_out:
        return new_events
    used_ms = after.used_at(player_id, at)
    return [*new_events, events.PlayerArrived(player_id=player_id, used_ms=used_ms)]


def leave_table(table: Table, request: clock_pb2.LeaveTableRequest, at: Instant) -> list[Message]:
    """Record that ``player_id`` leaves the table for a while.

    FISE 37: the Director has been notified, the play is complete, no tile has been drawn; then the clock is pressed.
    PES Δ.η: a play of two tiles or more lies, and no tile has been drawn. A player who leaves without notice loses the
    game if the book says so (UF 28.4, FISE 46.5); elsewhere the player gives notice first (PES Δ.η). If a deadline that
    ends the game was due before, only its events are returned. Raises ``Refusal`` if it is too early to leave,
    ``Invalid`` for a time before the last event.
    """
    clock, ruleset = table.clock, table.ruleset
    player_id = request.player_id
    check_seated(table, player_id)
    check_playing(table)
    if player_id in clock.away:
        raise Refusal(
            "AWAY_ALREADY",
            N_("{player} has left the table already."),
            {"player": player_id},
            article=ruleset.law.absence,
        )
    new_events, after = apply_due(table, at)
    if after.played_out:
        return new_events
    left = events.PlayerLeft(player_id=player_id, turn=clock.turn, told=request.told)
    if not request.told and ruleset.absence.untold != "none":
        untold = events.FORFEIT_REASON_UNTOLD
        return [*new_events, left, events.TimeForfeited(player_id=player_id, reason=untold)]
    if not request.told:
        _check_told(table, player_id)
    _check_may_leave(table, player_id)
    return [*new_events, left]


def return_to_table(table: Table, request: clock_pb2.ReturnToTableRequest, at: Instant) -> list[Message]:
    """Record the return of ``player_id`` (FISE 37). If the player's time was over before, only that is recorded.

    Raises ``Refusal`` for a player who did not leave, ``Invalid`` for a time before the last event.
    """
    player_id = request.player_id
    check_seated(table, player_id)
    if player_id not in table.clock.away:
        raise Refusal(
            "NOT_AWAY", N_("{player} has not left the table."), {"player": player_id}, article=table.ruleset.law.absence
        )
    check_playing(table)
    new_events, after = apply_due(table, at)
    if after.played_out:
        return new_events
    return [*new_events, events.PlayerReturned(player_id=player_id)]


def _check_told(table: Table, player_id: str) -> None:
    """Raise ``Refusal`` if the arbiter or opponent must be notified first, and leaving without notice costs no game."""
    ruleset = table.ruleset
    match ruleset.absence.told:
        case "arbiter":
            message = N_("{player} must tell the arbiter before leaving the table.")
        case "opponent":
            message = N_("{player} must tell the opponent before leaving the table.")
        case "nobody":
            return
    raise Refusal("TELL_FIRST", message, {"player": player_id}, article=ruleset.article("absence.told"))


def _check_may_leave(table: Table, player_id: str) -> None:
    """Raise ``Refusal`` if a step that the book requires before leaving is missing."""
    game, ruleset = table.game, table.ruleset
    if ruleset.absence.first == "none":
        return
    if player_id != game.mover or not game.placed:
        raise Refusal(
            "LEAVES_AFTER_PLAYING",
            N_("{player} can leave the table after placing a play and before drawing tiles."),
            {"player": player_id},
            article=ruleset.article("absence.first"),
        )
    if ruleset.absence.first == "complete-undrawn" and not game.course.written.keys() >= set(game.player_ids):
        raise Refusal(
            "LEAVES_AFTER_WRITING",
            N_("{player} can leave the table when the play is complete: after both players have written its score."),
            {"player": player_id},
            article=ruleset.article("absence.first"),
        )
    laid = len(game.pending.placements) if game.pending else 0
    if laid < ruleset.absence.tiles_min:
        raise Refusal(
            "TOO_FEW_TILES_TO_LEAVE",
            N_("{player} can leave the table after a play of {least} {least:tile|tiles} or more, not of {laid}."),
            {"player": player_id, "least": ruleset.absence.tiles_min, "laid": laid},
            article=ruleset.article("absence.tiles_min"),
        )
