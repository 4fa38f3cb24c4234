"""Halls whose cells have not been heard, on the row of their tournament."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.hall.v1 import events_pb2 as halls
from faristol.read_models.api import answers
from faristol.read_models.projections.halls import HALL_HANDLERS
from faristol.read_models.storage.rows import Tournament


def test_a_tournament_names_the_halls_that_were_not_heard_until_they_catch_up() -> None:
    tournament = Tournament("open")
    for hall, seconds in (("Sud", 7), ("Nord", 5), ("Sud", 9)):
        told = halls.HallFellBehind(hall=hall, since=Timestamp(seconds=seconds))
        HALL_HANDLERS[type(told)](tournament, told, 1)
    shown = answers.tournament(tournament, [], []).halls_behind
    assert [(each.hall, each.since.seconds) for each in shown] == [("Nord", 5), ("Sud", 9)]
    HALL_HANDLERS[halls.HallCaughtUp](tournament, halls.HallCaughtUp(hall="Sud"), 2)
    assert [each.hall for each in answers.tournament(tournament, [], []).halls_behind] == ["Nord"]
