"""Ends that players cause, signatures, and reopening a result. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.event_types import set_occurred_at
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules.conditions import check_agreement
from faristol.rules.corrections import check_reopening
from faristol.table import Table
from faristol.table.decide.checks import (
    check_arbiter,
    check_no_challenge,
    check_player,
    check_running,
    check_seated,
    check_undisturbed,
)
from faristol.table.final_score import (
    awaited_signers,
    clock_is_done,
    final,
    may_sign,
    racks_wanted,
    signers,
)
from faristol.table.game.state import Phase


def agree_end(table: Table, request: game_pb2.AgreeEndRequest, at: Instant) -> list[Message]:
    """Agree that no player can lay a tile; once all agree, the game is over (UF 27.1, FM 9, FISE 45.1)."""
    game, ruleset = table.game, table.ruleset
    check_player(table, request.player_id)
    check_agreement(ruleset)
    check_no_challenge(table)
    check_undisturbed(table)
    if game.phase is not Phase.TURN:
        raise Refusal(
            "TURN_OPEN",
            N_("The turn of {player} is not complete: the players can agree to end the game after it."),
            {"player": game.mover},
            article=ruleset.article("end.agreement"),
        )
    new_events: list[Message] = [events.EndAgreed(turn=game.turn, player_id=request.player_id)]
    if {*game.course.agreed, request.player_id, *game.gone} >= set(game.player_ids):
        new_events.append(events.GameEnded(condition=events.END_CONDITION_AGREEMENT, loser_ids=game.out_of_play))
    return new_events


def abandon(table: Table, request: game_pb2.AbandonRequest, at: Instant) -> list[Message]:
    """Remove players permanently (FISC I.8.E and F). The game is over when fewer than two remain.

    Raises ``Invalid`` if the list is empty or has a player who does not play here or has already left.
    """
    game = table.game
    check_running(table)
    leaving = list(dict.fromkeys(request.player_ids))
    if not leaving or not set(leaving) <= set(game.player_ids) - game.gone.keys():
        raise Invalid(
            "player_ids",
            N_("are {players}; expected one or more of the players at this table"),
            {"players": ", ".join(leaving) or "–"},
        )
    new_events: list[Message] = [events.Abandoned(turn=game.turn, player_ids=leaving)]
    gone = [player for player in game.player_ids if player in game.gone or player in leaving]
    left = len(game.player_ids) - len(gone)
    if left < 2:
        condition = events.END_CONDITION_ABANDONED if left else events.END_CONDITION_ALL_ABANDONED
        new_events.append(events.GameEnded(condition=condition, loser_ids=gone))
    return new_events


def leave_tournament(table: Table, player_id: str, at: Instant) -> list[Message]:
    """Remove a player who withdraws from the tournament; return an empty list if no game is in progress.

    A game without a complete turn counts as not played: it is lost by decision instead of abandoned.
    """
    game = table.game
    if game.over or game.phase is Phase.UNSPECIFIED or player_id not in set(game.player_ids) - game.gone.keys():
        return []
    new_events = set_occurred_at(abandon(table, game_pb2.AbandonRequest(player_ids=[player_id]), at), at)
    for event in new_events:
        if isinstance(event, events.GameEnded) and not game.turns_taken:
            event.condition = events.END_CONDITION_FORFEIT
    return new_events


def sign_sheet(table: Table, request: game_pb2.SignSheetRequest, at: Instant) -> list[Message]:
    """Sign the scoresheet; after the last required signature, the result is final (FISC I.8).

    A player who has left the game is not awaited, and may sign before the others have. ``totals`` are those on the
    signed sheet, in the order of the pairing. If they differ from the recorded ones, no player signs until the right
    ones are settled. Raises ``Invalid`` if a total is missing.
    """
    game, clock, ruleset = table.game, table.clock, table.ruleset
    player_id = request.player_id
    check_seated(table, player_id)
    if game.phase is Phase.FINAL:
        raise Refusal("RESULT_FINAL", N_("The sheet is signed: the result is final."), article=ruleset.law.result_final)
    if game.phase is not Phase.ENDED:
        raise Refusal(
            "GAME_NOT_OVER",
            N_("The game is not over: the scoresheet cannot be signed yet."),
            article=ruleset.law.signatures,
        )
    if not clock_is_done(clock, ruleset):
        raise Refusal(
            "CLOCK_NOT_STOPPED",
            N_("The clock has not stopped yet, so overtime is not known: sign in a moment."),
            article=ruleset.law.signatures,
        )
    if hidden := racks_wanted(game, clock, ruleset):
        raise Refusal(
            "RACKS_UNKNOWN",
            N_("The tiles left to {players} were not entered, and they affect the score."),
            {"players": ", ".join(hidden)},
            article=ruleset.law.signatures,
        )
    wanted = signers(game, ruleset)
    if not may_sign(game, player_id, ruleset):
        raise Refusal(
            "NOT_A_SIGNER",
            N_("{player} cannot sign this sheet; {signers} must sign it."),
            {"player": player_id, "signers": ", ".join(wanted) or "–"},
            article=ruleset.article("scoresheet.signers"),
        )
    missing = awaited_signers(game, ruleset)
    if player_id not in missing and (player_id in wanted or player_id in game.signed):
        raise Refusal(
            "SIGNED_ALREADY",
            N_("{player} has signed; waiting for the signature of {other}."),
            {"player": player_id, "other": ", ".join(missing)},
            article=ruleset.law.signatures,
        )
    if request.totals:
        _check_totals(table, player_id, request.totals)
    new_events: list[Message] = [events.SheetSigned(player_id=player_id)]
    if missing == (player_id,):
        new_events.extend(final(game, at))
    return new_events


def _check_totals(table: Table, player_id: str, totals: Sequence[int]) -> None:
    """Check that the sheet of ``player_id`` has the recorded totals."""
    game = table.game
    if len(totals) != len(game.player_ids):
        raise Invalid(
            "totals",
            N_("are {given}; expected those of {players}, in this order"),
            {"given": _format_totals(totals), "players": ", ".join(game.player_ids)},
        )
    recorded = [game.scores[player] for player in game.player_ids]
    if list(totals) != recorded:
        raise Refusal(
            "SHEETS_DIFFER",
            N_("The sheets differ: {player} has {given}, and the record has {recorded}. Correct the error first."),
            {"player": player_id, "given": _format_totals(totals), "recorded": _format_totals(recorded)},
            article=table.ruleset.law.signatures,
        )


def _format_totals(totals: Iterable[int]) -> str:
    return " : ".join(map(str, totals))


def reopen_game(table: Table, request: game_pb2.ReopenGameRequest, at: Instant) -> list[Message]:
    """Reopen a final game to correct an error, if all its players ask an arbiter for it (FISE 44)."""
    game, ruleset = table.game, table.ruleset
    check_arbiter(table, request.arbiter_id)
    if game.phase is not Phase.FINAL:
        raise Refusal(
            "NOT_FINAL",
            N_("The result is not final: it can be corrected without reopening."),
            article=ruleset.article("scoresheet.reopen_by"),
        )
    check_reopening(request.player_ids, game.player_ids, ruleset)
    if game.closed:
        raise Refusal(
            "RESULT_ENTERED",
            N_("An arbiter entered the result instead of this table: correct the result itself."),
            article=ruleset.article("scoresheet.reopen_by"),
        )
    return [events.GameReopened(player_ids=request.player_ids, arbiter_id=request.arbiter_id)]
