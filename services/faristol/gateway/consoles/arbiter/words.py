"""Texts of the arbiter's pages, translated when they are shown."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2 as pb

WAIT_REASONS = labels_of(pb.WaitKind.DESCRIPTOR)
"""Labels of the reasons why a table waits."""

DEADLINES: Mapping[str, str] = {
    "OvertimeCapExceeded": N_("the allowed overtime ends at %(time)s"),
    "RoundTimeExpired": N_("the time of the round ends at %(time)s"),
    "TimeForfeited": N_("the absent player loses at %(time)s"),
    "TurnTimedOut": N_("the time of the turn ends at %(time)s"),
}
"""Labels of the next automatic event at a table, by its type."""

TABLE_PHASES = labels_of(game_pb2.Phase.DESCRIPTOR)
"""Labels of the phases: the next step of a table."""
