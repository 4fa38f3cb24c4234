"""The published racks of a game are those that its players had."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from tests.support.table_games import open_game, tiles, to_placements
from tests.unit.table.hall import rules
from tests.unit.table.test_any_command import TABLES, walk

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules.tiles import BLANK
from faristol.table.draw_log import racks_of

OF_TWO = [name for name, players in TABLES if players == 2]


@pytest.mark.parametrize("name", OF_TWO)
def test_every_play_comes_from_the_rack_that_is_told(name: str) -> None:
    hosted = 0
    for seed in (0, 1, 2, 4):
        hall = walk(rules(name), 2, seed, 60)
        told = {(held.turn, held.player_id): list(held.faces) for held in racks_of(hall.events)}
        plays = [event for event in hall.events if isinstance(event, events.PlayPlaced)]
        last = {(event.turn, event.player_id): event for event in plays}
        for key, play in last.items():
            hosted += 1
            rack = told[key]
            for tile in play.placements:
                rack.remove(BLANK if tile.blank else tile.face)
    assert hosted


ANNA = {"turn": 1, "player_id": "anna"}
PLAY = events.PlayPlaced(**ANNA, placements=to_placements(tiles("H8 C A S A")))  # type: ignore[arg-type] # as they are
LOST = events.TurnLost(**ANNA)  # type: ignore[arg-type] # as they are
TAKEN_BACK = events.TilesTakenBack(**ANNA)  # type: ignore[arg-type] # as they are


@pytest.mark.parametrize("past_events", [[LOST], [PLAY], [PLAY, TAKEN_BACK, LOST]], ids=["lost", "played", "both"])
def test_a_turn_has_the_rack_and_the_board_before_it_however_it_ends(past_events: list[Message]) -> None:
    (held,) = racks_of([*open_game("C A S A R T I"), *past_events])
    assert (held.turn, held.player_id, held.faces, len(held.board)) == (1, "anna", tuple("AACIRST"), 0)


def test_a_play_with_another_rack_in_the_same_turn_is_the_one_that_counts() -> None:
    changed = events.FreeExchanged(**ANNA, faces=list("CASARTI"))  # type: ignore[arg-type] # as they are
    drawn = events.TilesDrawn(player_id="anna", faces=list("EUENOIA"), draw=4, bag_left=86)
    again = events.PlayPlaced(**ANNA, placements=to_placements(tiles("H8 N O")))  # type: ignore[arg-type] # as they are
    (held,) = racks_of([*open_game("C A S A R T I"), PLAY, TAKEN_BACK, changed, drawn, again])
    assert held.faces == tuple("AEEINOU")
