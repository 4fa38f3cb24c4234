"""The cells of halls on the rows of their tournament and their tables."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as halls
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.projections.lists import HALL_HANDLERS
from faristol.read_models.projections.model import change_table
from faristol.read_models.storage.rows import Game, Sheet, Tournament


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


def test_a_tournament_names_the_address_that_the_cell_of_a_hall_gave_last_until_the_hall_is_released() -> None:
    tournament = Tournament("open")
    for hall, address in (("Sud", "http://192.168.8.3:8080"), ("Nord", ""), ("Sud", "http://192.168.8.4:8080")):
        joined = halls.HallJoined(hall=hall, address=address)
        HALL_HANDLERS[type(joined)](tournament, joined, 1)
    shown = answers.tournament(tournament, [], []).hall_cells
    assert [(each.hall, each.address) for each in shown] == [("Nord", ""), ("Sud", "http://192.168.8.4:8080")]
    HALL_HANDLERS[halls.HallReleased](tournament, halls.HallReleased(hall="Sud"), 2)
    assert [each.hall for each in answers.tournament(tournament, [], []).hall_cells] == ["Nord"]


def test_a_table_names_the_hall_whose_cell_decides_on_it_until_it_is_back() -> None:
    for back in (game_events.TableTakenBack(epoch=2), game_events.TableReturned(epoch=1)):
        table = Game("open-r1-t1", "open", 1, table=1)
        sheet = table.sheet = Sheet("open-r1-t1")
        change_table(table, sheet, game_events.TableHandedOver(hall="Nord", epoch=1))
        assert answers.table(table, results.ROUND_PHASE_STARTED).cell_hall == "Nord"
        assert answers.game(table).cell_hall == "Nord"
        change_table(table, sheet, back)
        assert not answers.table(table, results.ROUND_PHASE_STARTED).cell_hall
