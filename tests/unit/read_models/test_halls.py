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


def test_a_tournament_lists_the_results_that_its_hall_keeps_until_the_championship_has_decided_on_them() -> None:
    tournament = Tournament("open")
    for command, score in (("one", 400), ("two", 410)):
        kept = halls.HallCommandKept(command_id=command, game_id="open-r1-t2", table=2)
        kept.scores.add(player_id="ana", score=score)
        kept.scores.add(player_id="bel", score=350)
        HALL_HANDLERS[type(kept)](tournament, kept, 1)
    assert [list(each.scores) for each in answers.tournament(tournament, [], []).kept_results] == [[410, 350]]
    for settled in (halls.HallCommandExecuted(command_id="one"), halls.HallCommandRefused(command_id="two")):
        assert answers.tournament(tournament, [], []).kept_results
        HALL_HANDLERS[type(settled)](tournament, settled, 2)
    assert not answers.tournament(tournament, [], []).kept_results
