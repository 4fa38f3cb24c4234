"""Closing a turn in a hall after all slips are handed in."""

from __future__ import annotations

from faristol.duplicate_game.decide.masters import find_finished_turn
from faristol.duplicate_game.decide.slips import is_own_start, open_turn, same_rack
from faristol.duplicate_game.situation import Commands, Situation, StreamEvent
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb


def close_hall(situation: Situation, request: pb.CloseHallRequest) -> list[StreamEvent]:
    """Close a turn whose time is over in a hall. Later slips wait for an arbiter."""
    situation.takes_slips(request.turn)
    hall = situation.hall(request.hall)
    timer = open_turn(situation, hall, request.turn)
    same_rack(situation, situation.turn(request.turn), request.rack)
    turn = find_finished_turn(situation, request.turn)
    article = situation.ruleset.article("turns.seconds")
    if hall.turn(request.turn).is_closed(timer):
        raise Refusal("HALL_CLOSED", article, N_("The hall has closed round {turn} already."), {"turn": request.turn})
    closed = events.HallClosed(turn=request.turn, collector_id=request.collector_id)
    if is_own_start(hall, turn, timer):
        closed.began_at.CopyFrom(timestamp(timer.first_at))
    return [(hall.number, closed)]


COMMANDS: Commands = {pb.CloseHallRequest: close_hall}
