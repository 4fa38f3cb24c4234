"""For any sequence of events at a table of any book, its public page agrees with the table and reveals no tile."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.table.hall import Hall, rules
from tests.unit.table.test_any_command import TABLES, walk

from faristol.gateway.api.contract_json import to_json
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation import game_view, labels
from faristol.read_models.api.answers import game_by_itself


@dataclass
class Page:
    """The public view of a table."""

    hall: Hall

    @property
    def shown(self) -> results.GetGameResponse:
        found = game_by_itself([*self.hall.events, *self.hall.ticks])
        assert found is not None
        return found


@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@pytest.mark.parametrize("seed", range(6))
def test_the_page_of_a_table_says_what_the_table_says(name: str, players: int, seed: int) -> None:
    hall = walk(rules(name), players, seed, 80)
    shown, game = Page(hall).shown, hall.game
    assert {seat.player_id: seat.score for seat in shown.seats} == dict(game.scores)
    assert {(tile.row, tile.column, tile.face, tile.blank) for tile in shown.board} == {
        (square.row, square.col, tile.face, tile.blank) for square, tile in game.board.items()
    }
    assert shown.turn_player_id == game.mover
    assert shown.bag_left == game.bag_left
    assert sum(1 for entry in shown.entries if entry.turn and entry.complete) == len(game.turns_taken)
    assert len(shown.laid) == len(game.course.laid)
    for line in game_view.lines(shown):
        assert line.label
        assert line.entry.kind in labels.ENTRY_KINDS
    assert to_json(shown)["position"] == 0


def test_the_page_keeps_what_an_arbiter_imposed_when_entries_are_taken_back() -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    hall.turn("H8 C A S A")
    hall.do(pb.CorrectTotalRequest(arbiter_id="eleni", player_ids=hall.players, player_id="anna", total=15))
    for taken in ("-", "I8 T O"):
        hall.do(pb.PassRequest(player_id="biel")) if taken == "-" else hall.play(taken)
        kind = events.SANCTION_KIND_POINTS
        hall.do(pb.ImposeSanctionRequest(arbiter_id="eleni", player_id="biel", kind=kind, points=10, note="mòbil"))
        hall.do(pb.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    shown = Page(hall).shown
    assert {seat.player_id: seat.score for seat in shown.seats} == dict(hall.game.scores) == {"anna": 15, "biel": -20}
    assert {(tile.row, tile.column) for tile in shown.board} == {
        (square.row, square.col) for square, _ in hall.game.board.items()
    }


def test_the_page_has_the_last_turn_as_it_was_entered_again() -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    hall.turn("H8 C A S A")
    hall.turn("I8 A L")
    hall.do(pb.TakeBackEntriesRequest(arbiter_id="eleni", turn=2))
    hall.play("I8 A")
    hall.do(pb.DrawTilesRequest(player_id="biel"))
    shown = Page(hall).shown
    assert {seat.player_id: seat.score for seat in shown.seats} == dict(hall.game.scores)
    assert [(line.turn, line.score, line.complete) for line in shown.entries] == [
        (taken, turn.points, True) for taken, turn in enumerate(hall.game.turns_taken, start=1)
    ]
    assert (shown.turn_player_id, shown.bag_left) == ("anna", hall.game.bag_left)
