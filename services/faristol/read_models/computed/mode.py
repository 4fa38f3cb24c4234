"""The mode of a tournament's rounds, and questions without an answer for duplicate games."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.standings import rules_of
from faristol.read_models.storage.rows import Tournament
from faristol.rules.ruleset.modes import refuse_without_tables

MODES: Mapping[str, results.TournamentMode.ValueType] = {
    "classic": results.TOURNAMENT_MODE_CLASSIC,
    "multi": results.TOURNAMENT_MODE_MULTI,
    "duplicate": results.TOURNAMENT_MODE_DUPLICATE,
}
"""By the mode of the rules."""


def mode_of(tournament: Tournament) -> results.TournamentMode.ValueType:
    """Return the mode of a tournament's rounds; unspecified if its rules are unavailable."""
    try:
        return MODES[rules_of(tournament).game.mode]
    except Refusal:
        return results.TOURNAMENT_MODE_UNSPECIFIED


def check_has_tables(tournament: Tournament) -> None:
    """Raise ``Refusal`` for a tournament of duplicate games: a question about tables has no answer."""
    if mode_of(tournament) == results.TOURNAMENT_MODE_DUPLICATE:
        refuse_without_tables("duplicate", tournament.tournament_id)
