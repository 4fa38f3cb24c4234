"""How the rounds of a tournament are played, and what a tournament of duplicate games does not have."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.rows import Tournament
from faristol.results.standings import rules_of
from faristol.rules.modes import refuse_without_tables

MODES: Mapping[str, results.TournamentMode.ValueType] = {
    "classic": results.TOURNAMENT_MODE_CLASSIC,
    "multi": results.TOURNAMENT_MODE_MULTI,
    "duplicate": results.TOURNAMENT_MODE_DUPLICATE,
}
"""By the mode of the rules."""


def mode_of(tournament: Tournament) -> results.TournamentMode.ValueType:
    """Return how the rounds of a tournament are played; unspecified where its rules are not at hand."""
    try:
        return MODES[rules_of(tournament).game.mode]
    except Refusal:
        return results.TOURNAMENT_MODE_UNSPECIFIED


def check_has_tables(tournament: Tournament) -> None:
    """Raise ``Refusal`` for a tournament of duplicate games, of which a question about tables has no answer."""
    if mode_of(tournament) == results.TOURNAMENT_MODE_DUPLICATE:
        refuse_without_tables("duplicate", tournament.tournament_id)
