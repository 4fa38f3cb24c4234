"""What can still be put right on a scoresheet, until when, and who may open a game again."""

from __future__ import annotations

from collections.abc import Collection

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset


def check_total_correction(*, final: bool, ruleset: Ruleset) -> None:
    """Refuse to correct a running total when that is too late (FISC I.8, FISE 41, PES Ε.α)."""
    until = ruleset.scoresheet.totals_until
    if until == "never" or (final and until == "final"):
        raise Refusal(
            "TOTAL_FIXED",
            ruleset.law.correction_closed if final else ruleset.article("scoresheet.totals_until"),
            N_("The totals can no longer be corrected: the result is final."),
        )


def check_play_correction(*, final: bool, ruleset: Ruleset) -> None:
    """Refuse to correct the count of a complete play when that is too late.

    Under UF 22 and FISC I.9 the count of a play stands once the play is complete; under FISE 41 and PES Ε.α it can be
    put right until both have signed.
    """
    if final or ruleset.scoresheet.plays_until != "final":
        raise Refusal(
            "PLAY_COUNT_FIXED",
            ruleset.article("scoresheet.plays_until"),
            N_("The count of this play can no longer be corrected: only a running total can, while the game is open."),
        )


def check_result_correction(asked_by: Collection[str], players: Collection[str], ruleset: Ruleset) -> None:
    """Refuse to correct a result on the record where the book does not let it be touched, or its players do not ask.

    Where the book says nothing about it, the arbiter decides.
    """
    if ruleset.article("scoresheet.reopen_by"):
        check_reopening(asked_by, players, ruleset)


def check_reopening(asked_by: Collection[str], players: Collection[str], ruleset: Ruleset) -> None:
    """Refuse to open a final game again, unless the book lets all its players ask for it together (FISE 44)."""
    article = ruleset.article("scoresheet.reopen_by")
    if ruleset.scoresheet.reopen_by == "nobody":
        raise Refusal("RESULT_FINAL", article, N_("The result is final: no game is opened again."))
    missing = [player for player in players if player not in asked_by]
    if missing:
        raise Refusal(
            "REOPENING_NOT_AGREED",
            article,
            N_("A game is opened again only when all its players ask for it; {missing} did not."),
            {"missing": ", ".join(missing)},
        )
