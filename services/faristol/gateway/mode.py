"""How the rounds of a tournament are played: at tables, or as duplicate games."""

from __future__ import annotations

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as pb


def is_of_duplicate_games(tournament: pb.Tournament) -> bool:
    """Whether the rounds of a tournament are duplicate games; not where this version does not know its rules."""
    try:
        return ruleset_of(tournament.ruleset).game.mode == "duplicate"
    except Refusal:
        return False
