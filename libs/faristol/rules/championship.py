"""Championship rules other than standings: number of rounds, first round by lot, and late entries."""

from __future__ import annotations

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset


def check_rounds(rounds: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a championship of fewer rounds than the rules require (FISC I.1: five)."""
    least = ruleset.championship.rounds_min
    if rounds < least:
        raise Refusal(
            "TOO_FEW_ROUNDS",
            N_("A championship needs {least} {least:round|rounds} or more, not {rounds}."),
            {"least": least, "rounds": rounds},
            article=ruleset.article("championship.rounds_min"),
        )


SYSTEMS_BY_LOT = frozenset({"swiss-lot", "classification-lot"})
"""Systems whose first round is drawn by lot."""

SYSTEMS_BY_RESULTS = frozenset({"swiss", "classification", "dutch", "king-of-the-hill"})
"""Systems that pair by the results, not by lot, a table of rounds or a bracket: a tournament can go on under them."""

MIN_LOT_ROUNDS = 9
"""Least number of rounds of a championship whose first round is drawn by lot (FISC I.1)."""


def check_first_round(rounds: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a first round by lot in a championship of too few rounds (FISC I.1: nine)."""
    if ruleset.championship.system in SYSTEMS_BY_LOT and rounds < MIN_LOT_ROUNDS:
        raise Refusal(
            "TOO_FEW_ROUNDS_FOR_LOT",
            N_("A first round by lot needs a championship of {least} rounds or more, not {rounds}."),
            {"least": MIN_LOT_ROUNDS, "rounds": rounds},
            article=ruleset.article("championship.system"),
        )


def check_late_entry(next_round: int, rounds: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for an entry before ``next_round``, from 1, of ``rounds``, if it is too late (FISC I.4)."""
    last = rounds // 2 if ruleset.championship.late_entry == "first-half" else 1
    if next_round > last:
        raise Refusal(
            "TOO_LATE_TO_ENTER",
            N_("A player can enter only before round {last} starts; the next round is {next}."),
            {"last": last, "next": next_round},
            article=ruleset.article("championship.late_entry"),
        )


def late_entry_points(next_round: int, rounds: int, ruleset: Ruleset) -> float:
    """Return the fictitious points of a player who enters before ``next_round``, numbered from 1, of ``rounds``.

    They count for pairing and never for standings. Raises ``Refusal`` if it is too late (FISC I.4).
    """
    check_late_entry(next_round, rounds, ruleset)
    return (next_round - 1) * ruleset.championship.late_entry_points


def counts_points(ruleset: Ruleset) -> bool:
    """Check whether players are ranked by the points of the championship, and not by a bracket or by scores."""
    law = ruleset.championship
    return law.team_boards is None and law.system not in {"knock-out", "keizer", "lot", "duplicate", "none"}


def ranking_score(score: int, players: int, ruleset: Ruleset) -> int:
    """Return the ranking value of the final ``score`` in a game of ``players``.

    Under FM 17 that is its CUSCA: points times the players of the table. A player's ranking is the mean over the games.
    Elsewhere it is the score.
    """
    return score * players if ruleset.championship.coefficient == "cusca" else score
