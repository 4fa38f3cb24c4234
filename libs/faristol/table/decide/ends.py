"""Ends that players bring about, signatures, and opening a result again. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.conditions import check_agreement
from faristol.rules.corrections import check_reopening
from faristol.table.clock import Clock
from faristol.table.decide.checks import (
    check_arbiter,
    check_no_challenge,
    check_running,
    check_seated,
    check_undisturbed,
)
from faristol.table.foot import awaited_signers, clock_is_done, final, may_sign, racks_wanted, signers
from faristol.table.game import Game, Instant, Phase, timestamp


def agree_end(game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """Agree that nobody can lay a tile; when all players do, the game is over (UF 27.1, FM 9, FISE 45.1)."""
    check_seated(game, ruleset, player_id)
    check_running(game, ruleset)
    check_agreement(ruleset)
    check_no_challenge(game, ruleset)
    check_undisturbed(game, ruleset)
    if game.phase is not Phase.TURN:
        raise Refusal(
            "TURN_OPEN",
            ruleset.article("end.agreement"),
            N_("The turn of {player} is not complete: after it the players can agree that the game is over."),
            {"player": game.mover},
        )
    facts: list[Message] = [events.EndAgreed(turn=game.turn, player_id=player_id, occurred_at=timestamp(at))]
    if {*game.course.agreed, player_id, *game.gone} >= set(game.player_ids):
        facts.append(
            events.GameEnded(
                condition=events.END_CONDITION_AGREEMENT, loser_ids=game.out_of_play, occurred_at=timestamp(at)
            )
        )
    return facts


def abandon(game: Game, ruleset: Ruleset, player_ids: Collection[str], at: Instant) -> list[Message]:
    """Players leave for good (FISC I.8.E and F). The game is over when fewer than two are left.

    Raises ``Invalid`` when nobody is named, or somebody who does not play here or has left already.
    """
    check_running(game, ruleset)
    leaving = list(dict.fromkeys(player_ids))
    if not leaving or not set(leaving) <= set(game.player_ids) - game.gone.keys():
        raise Invalid(
            "player_ids",
            N_("are {players}; expected one or more of those who play at this table"),
            {"players": ", ".join(leaving) or "–"},
        )
    facts: list[Message] = [events.Abandoned(turn=game.turn, player_ids=leaving, occurred_at=timestamp(at))]
    gone = [player for player in game.player_ids if player in game.gone or player in leaving]
    left = len(game.player_ids) - len(gone)
    if left < 2:
        condition = events.END_CONDITION_ABANDONED if left else events.END_CONDITION_ALL_ABANDONED
        facts.append(events.GameEnded(condition=condition, loser_ids=gone, occurred_at=timestamp(at)))
    return facts


def leave_tournament(game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """A player who withdraws from the tournament leaves the table for good; nothing where no game is being played.

    As long as no turn is over the game was not played: it is lost by decision, and not abandoned.
    """
    if game.over or game.phase is Phase.UNSPECIFIED or player_id not in set(game.player_ids) - game.gone.keys():
        return []
    facts = abandon(game, ruleset, [player_id], at)
    if game.turns_taken:
        return facts
    return [
        events.GameEnded(condition=events.END_CONDITION_FORFEIT, loser_ids=fact.loser_ids, occurred_at=fact.occurred_at)
        if isinstance(fact, events.GameEnded)
        else fact
        for fact in facts
    ]


def sign_sheet(
    game: Game, clock: Clock, ruleset: Ruleset, player_id: str, at: Instant, totals: Sequence[int] = ()
) -> list[Message]:
    """Sign the scoresheet; when all who sign have, it is handed over and the result is final (FISC I.8).

    Who has left the game is not waited for, and may sign before the others have.
    ``totals`` are those on the sheet that is signed, in the order of the pairing: where they are not the recorded ones
    nobody signs before it is settled which are right. Raises ``Invalid`` when they are not of all players.
    """
    check_seated(game, ruleset, player_id)
    if game.phase is Phase.FINAL:
        raise Refusal("RESULT_FINAL", ruleset.law.result_final, N_("The sheet is signed: the result is final."))
    if game.phase is not Phase.ENDED:
        raise Refusal(
            "GAME_NOT_OVER", ruleset.law.signatures, N_("The game is not over: its scoresheet cannot be signed yet.")
        )
    if not clock_is_done(clock, ruleset):
        raise Refusal(
            "CLOCK_NOT_STOPPED",
            ruleset.law.signatures,
            N_("The clock has not been stopped yet, so overtime is not known: sign in a moment."),
        )
    if hidden := racks_wanted(game, clock, ruleset):
        raise Refusal(
            "RACKS_UNKNOWN",
            ruleset.law.signatures,
            N_("The tiles left to {players} were not entered, and they count."),
            {"players": ", ".join(hidden)},
        )
    wanted = signers(game, ruleset)
    if not may_sign(game, player_id, ruleset):
        raise Refusal(
            "NOT_A_SIGNER",
            ruleset.article("scoresheet.signers"),
            N_("{player} does not sign this sheet; {signers} signs it."),
            {"player": player_id, "signers": ", ".join(wanted) or "–"},
        )
    missing = awaited_signers(game, ruleset)
    if player_id not in missing and (player_id in wanted or player_id in game.signed):
        raise Refusal(
            "SIGNED_ALREADY",
            ruleset.law.signatures,
            N_("{player} has signed; the signature of {other} is awaited."),
            {"player": player_id, "other": ", ".join(missing)},
        )
    if totals:
        _check_totals(game, ruleset, player_id, totals)
    facts: list[Message] = [events.SheetSigned(player_id=player_id, occurred_at=timestamp(at))]
    if missing == (player_id,):
        facts.extend(final(game, at))
    return facts


def _check_totals(game: Game, ruleset: Ruleset, player_id: str, totals: Sequence[int]) -> None:
    """That the sheet of ``player_id`` has the totals that were recorded."""
    if len(totals) != len(game.player_ids):
        raise Invalid(
            "totals",
            N_("are {given}; expected those of {players}, in this order"),
            {"given": _listed(totals), "players": ", ".join(game.player_ids)},
        )
    recorded = [game.scores[player] for player in game.player_ids]
    if list(totals) != recorded:
        raise Refusal(
            "SHEETS_DIFFER",
            ruleset.law.signatures,
            N_(
                "The sheets differ: that of {player} has {given}, and the recorded one {recorded}. "
                "First what is wrong is put right."
            ),
            {"player": player_id, "given": _listed(totals), "recorded": _listed(recorded)},
        )


def _listed(totals: Iterable[int]) -> str:
    return " : ".join(map(str, totals))


def reopen_game(
    game: Game, ruleset: Ruleset, player_ids: Collection[str], arbiter_id: str, at: Instant
) -> list[Message]:
    """Open a final game again to correct an error, when all its players ask an arbiter for it (FISE 44)."""
    check_arbiter(game, arbiter_id)
    if game.phase is not Phase.FINAL:
        raise Refusal(
            "NOT_FINAL", ruleset.article("scoresheet.reopen_by"), N_("The result is not final: it can be corrected.")
        )
    check_reopening(player_ids, game.player_ids, ruleset)
    if game.closed:
        raise Refusal(
            "RESULT_ENTERED",
            ruleset.article("scoresheet.reopen_by"),
            N_("An arbiter entered the result, and not this table: the result itself is corrected."),
        )
    return [events.GameReopened(player_ids=player_ids, arbiter_id=arbiter_id, occurred_at=timestamp(at))]
