"""Whatever happens at a table of any book: its public page says what the table itself says, and tells no tile."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.game.hall import Hall, rules
from tests.unit.game.test_any_command import TABLES, walk

from faristol.gateway import labels, table
from faristol.gateway.sheets import Game as Sheet
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.scoresheet import apply_to_game, turns_taken


@dataclass
class Page:
    """What the public sees of a table."""

    hall: Hall

    @property
    def shown(self) -> results.GetGameResponse:
        state: results.GetGameResponse | None = None
        for fact in [*self.hall.facts, *self.hall.ticks]:
            state = apply_to_game(state, fact)
        assert state is not None
        return state


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
    assert turns_taken(shown) == len(game.turns_taken)
    assert len(shown.laid) == len(game.course.laid)
    for line in table.lines(shown):
        assert line.label
        assert line.entry.kind in labels.KINDS
    assert Sheet.of(shown).position == 0
