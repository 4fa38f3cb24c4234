"""Texts of the arbiter's pages, translated when they are shown."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2 as pb

WAIT_REASONS: Mapping[int, str] = {
    pb.WAIT_KIND_ARBITER: N_("calls an arbiter"),
    pb.WAIT_KIND_APPEAL: N_("ruling appealed"),
    pb.WAIT_KIND_COUNT: N_("count disputed"),
    pb.WAIT_KIND_OVERDRAW: N_("too many tiles drawn"),
    pb.WAIT_KIND_UNDERDRAW: N_("too few tiles drawn"),
    pb.WAIT_KIND_ILLEGAL_EXCHANGE: N_("too many tiles exchanged"),
    pb.WAIT_KIND_OFF_CENTRE: N_("first play misses the centre"),
    pb.WAIT_KIND_CHALLENGE: N_("challenge"),
    pb.WAIT_KIND_ABSENT: N_("absent at the starting signal"),
    pb.WAIT_KIND_AWAY: N_("away from the table"),
}
"""Labels of the reasons why a table waits."""

DEADLINES: Mapping[str, str] = {
    "OvertimeCapExceeded": N_("the allowed overtime ends at %(time)s"),
    "RoundTimeExpired": N_("the time of the round ends at %(time)s"),
    "TimeForfeited": N_("the absent player loses at %(time)s"),
    "TurnTimedOut": N_("the time of the turn ends at %(time)s"),
}
"""Labels of the next automatic event at a table, by its type."""

TABLE_PHASES: Mapping[int, str] = {
    game_pb2.PHASE_UNSPECIFIED: N_("the start"),
    game_pb2.PHASE_TURN: N_("a play"),
    game_pb2.PHASE_PLACED: N_("the drawing of tiles, or a challenge"),
    game_pb2.PHASE_CHALLENGED: N_("a ruling"),
    game_pb2.PHASE_DRAWN: N_("the press of the clock"),
    game_pb2.PHASE_ENDED: N_("the signatures"),
    game_pb2.PHASE_FINAL: N_("no further step: the result is final"),
    game_pb2.PHASE_OFF_CENTRE: N_("the opponent’s decision on a play that misses the centre"),
    game_pb2.PHASE_REFUSED: N_("the player’s choice to take the play back or to appeal"),
}
"""Labels of the phases: the next step of a table."""
