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

COMMANDS_DONE: Mapping[str, str] = {
    "DismissArbiter": N_("You have left the table, and the game goes on."),
    "AssignArbiter": N_("You have taken this table."),
    "RuleAppeal": N_("The ruling on the appeal is recorded."),
    "SettleCount": N_("The count is settled."),
    "ResolveOverdraw": N_("The tiles that go back to the bag are recorded."),
    "ResolveUnderdraw": N_("The missing tiles can be drawn."),
    "DecideOffCentre": N_("The decision on the centre is recorded."),
    "CancelPlay": N_("The play is cancelled."),
    "SettleBlank": N_("The letter of the blank is recorded."),
    "ReportAbsence": N_("{who} is recorded as absent."),
    "RecordArrival": N_("{who} has arrived."),
    "ReturnToTable": N_("{who} has returned to the table."),
    "Neutralise": N_("The clocks are stopped."),
    "Resume": N_("The time runs again."),
    "CorrectClock": N_("The clock of {who} is corrected."),
    "ExpireRoundTime": N_("The time of the round is over at this table."),
    "ImposeSanction": N_("{who} is sanctioned."),
    "WarnPlayer": N_("{who} is warned for conduct."),
    "RecordOverholding": N_("It is recorded that {who} kept extra tiles on purpose."),
    "RecordWordAsked": N_("It is recorded that {who} asked about a word."),
    "CorrectPlay": N_("The count of the play is corrected."),
    "CorrectTotal": N_("The total of {who} is corrected."),
    "ReopenGame": N_("The result is open again."),
}
"""Notices after the commands of an arbiter, by method; ``who`` is the player whom the command concerns."""
