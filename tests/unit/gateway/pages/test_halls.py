"""Links to the pages of a hall's own cell, and the texts about its line."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.gateway.pages.hall_links import address_of_hall, link_to_hall
from faristol.gateway.pages.hall_state import describe_line, describe_lost, describe_unsent
from faristol.pb.hall.v1.hall_pb2 import GetHallCellResponse
from faristol.pb.results.v1 import results_pb2 as pb

NOON_SECONDS = 1_700_000_000


def test_a_link_leads_to_the_address_of_the_hall_and_signs_in_with_a_code() -> None:
    tournament = pb.Tournament(
        hall_cells=[
            pb.HallCell(hall="Nord", address="http://192.168.8.2:8080/"),
            pb.HallCell(hall="Sud"),
        ]
    )
    assert link_to_hall(tournament, "Nord", "/games/g1") == "http://192.168.8.2:8080/games/g1"
    assert link_to_hall(tournament, "Nord", "/me", "c0de") == "http://192.168.8.2:8080/sign-in?next=%2Fme#c0de"
    for hall in ("Sud", "Est", ""):
        assert not address_of_hall(tournament, hall)
        assert not link_to_hall(tournament, hall, "/games/g1", "c0de")


def test_the_bar_of_a_hall_says_since_when_it_is_cut_off_and_how_much_is_not_sent() -> None:
    now = Timestamp(seconds=NOON_SECONDS)
    cell = GetHallCellResponse(hall="Nord", now=now)
    assert describe_line(cell, "", "en")[0] == "new"
    cell.tournament_id = "open"
    assert describe_line(cell, "", "en") == ("connected", "connected to the championship")
    cell.unsent = 3
    cell.unsent_since.seconds = NOON_SECONDS - 2
    assert not describe_unsent(cell, "en")
    cell.unsent_since.seconds = NOON_SECONDS - 60
    assert describe_unsent(cell, "en") == "3 events not sent yet"
    cell.problem = "the token is not one of the hall"
    assert describe_line(cell, "", "en")[0] == "refused"
    cell.behind_since.seconds = NOON_SECONDS - 61
    cell.unsent_since.seconds = NOON_SECONDS - 2
    state, line = describe_line(cell, "Europe/Madrid", "en")
    assert state == "behind"
    assert "11:12" in line
    assert describe_unsent(cell, "en")


def test_the_bar_of_a_hall_names_the_tables_of_the_last_round_that_the_championship_decides() -> None:
    tournament = pb.Tournament(tournament_id="open", played=[pb.Round(round=1), pb.Round(round=2)])
    cell = GetHallCellResponse(hall="Nord", tournament_id="open", lost_game_ids=["open-r1-t4", "case-open-x"])
    assert not describe_lost(cell, tournament, "en")
    cell.lost_game_ids.append("open-r2-t11")
    assert describe_lost(cell, tournament, "en") == "tables decided in the championship: 11"
    cell.lost_game_ids.append("open-r2-t2")
    assert describe_lost(cell, tournament, "en") == "tables decided in the championship: 2, 11"
    cell.released = True
    assert not describe_lost(cell, tournament, "en")
    assert describe_line(cell, "", "en")[0] == "released"
