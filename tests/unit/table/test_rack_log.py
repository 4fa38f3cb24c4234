"""The racks that are told after a game are those that were held in it."""

from __future__ import annotations

import pytest
from tests.unit.table.hall import rules
from tests.unit.table.test_any_command import TABLES, walk

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules.tiles import BLANK
from faristol.table.rack_log import racks_of

OF_TWO = [name for name, players in TABLES if players == 2]


@pytest.mark.parametrize("name", OF_TWO)
def test_every_play_comes_from_the_rack_that_is_told(name: str) -> None:
    hosted = 0
    for seed in (0, 1, 2, 4):
        hall = walk(rules(name), 2, seed, 60)
        told = {(held.turn, held.player_id): list(held.faces) for held in racks_of(hall.facts)}
        plays = [fact for fact in hall.facts if isinstance(fact, events.PlayPlaced)]
        last = {(fact.turn, fact.player_id): fact for fact in plays}
        for key, play in last.items():
            hosted += 1
            rack = told[key]
            for tile in play.placements:
                rack.remove(BLANK if tile.blank else tile.face)
    assert hosted
