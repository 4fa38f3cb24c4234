"""Corrections on a scoresheet: which are allowed, until when, and the reopening of a game."""

from __future__ import annotations

from collections.abc import Collection

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset


def check_total_correction(*, final: bool, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` if it is too late to correct a running total (FISC I.8, FISE 41, PES Ε.α)."""
    until = ruleset.scoresheet.totals_until
    if until == "never" or (final and until == "final"):
        raise Refusal(
            "TOTAL_FIXED",
            N_("The totals can no longer be corrected: the result is final."),
            article=ruleset.law.correction_closed if final else ruleset.article("scoresheet.totals_until"),
        )


def check_play_correction(*, final: bool, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` if it is too late to correct the count of a complete play.

    Under UF 22 and FISC I.9 the count is fixed once the play is complete. Under FISE 41 and PES Ε.α it can be corrected
    until both players have signed.
    """
    if final or ruleset.scoresheet.plays_until != "final":
        raise Refusal(
            "PLAY_COUNT_FIXED",
            N_("The points of this play can no longer be corrected: only a running total can, while the game is open."),
            article=ruleset.article("scoresheet.plays_until"),
        )


def check_result_correction(asked_by: Collection[str], players: Collection[str], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` if the book forbids to correct a recorded result, or requires its players to ask for it.

    If the book is silent, the arbiter decides.
    """
    if ruleset.article("scoresheet.reopen_by"):
        check_reopening(asked_by, players, ruleset)


def check_reopening(asked_by: Collection[str], players: Collection[str], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for reopening a final game, unless the book allows it and all its players ask (FISE 44)."""
    article = ruleset.article("scoresheet.reopen_by")
    if ruleset.scoresheet.reopen_by == "nobody":
        raise Refusal("RESULT_FINAL", N_("The result is final: the game cannot be reopened."), article=article)
    missing = [player for player in players if player not in asked_by]
    if missing:
        raise Refusal(
            "REOPENING_NOT_AGREED",
            N_("A game can be reopened only if all its players ask for it; {missing} did not."),
            {"missing": ", ".join(missing)},
            article=article,
        )
