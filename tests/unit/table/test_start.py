from __future__ import annotations

import dataclasses

from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.support.table_games import FISC, GAME, START_NS, names

from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.pairing.v1.events_pb2 import Pairing
from faristol.rules import Ruleset, draw, full_bag, without
from faristol.table.game.evolution import fold
from faristol.table.game.state import Game, Phase
from faristol.table.start import open_table
from faristol.table.views import TableTournament

PAIRING = Pairing(table=3, game_id=GAME, first_player_id="anna", second_player_id="biel")
BAG = full_bag(FISC.tile_set)
ORDER = [kind.face for kind in FISC.tile_set.kinds]

seeds = st.binary(min_size=32, max_size=32)


def open_start(seed: bytes, pairing: Pairing = PAIRING, ruleset: Ruleset = FISC) -> list[Message]:
    tournament = TableTournament("cup", seed, Pin("fisc-2023", FISC.digest), Pin("catalan", "00"))
    return open_table(tournament, 2, pairing, ruleset, START_NS)


@given(seeds)
def test_a_table_opens_with_a_draw_two_racks_and_a_start(seed: bytes) -> None:
    new_events = open_start(seed)
    tied = names(new_events).count("StartTileDrawn") - 2
    assert names(new_events) == [
        "GameOpened",
        "DrawsCommitted",
        *["StartTileDrawn"] * (2 + tied),
        "StartDecided",
        "TilesDrawn",
        "TilesDrawn",
        "GameStarted",
    ]
    game = fold(Game(), new_events)
    assert (game.round, game.table, game.phase, game.turn, game.bag_left) == (2, 3, Phase.TURN, 1, 86)
    assert [len(rack) for rack in game.racks.values()] == [7, 7]
    assert (game.last_at, game.next_draw) == (START_NS, 4 + tied)


@given(seeds)
def test_who_drew_nearest_to_a_draws_seven_tiles_first_and_begins(seed: bytes) -> None:
    new_events = open_start(seed)
    *_, first, other = (event for event in new_events if isinstance(event, events.StartTileDrawn))
    racks = [event for event in new_events if isinstance(event, events.TilesDrawn)]
    nearest = min(first, other, key=lambda tile: ORDER.index(tile.face)).player_id
    assert nearest == fold(Game(), new_events).mover == racks[0].player_id != racks[1].player_id


@given(seeds)
def test_every_draw_can_be_made_again_from_the_seed_and_its_number(seed: bytes) -> None:
    new_events = open_start(seed)
    game_opened, bag = new_events[0], BAG
    assert isinstance(game_opened, events.GameOpened)
    for event in new_events:
        if isinstance(event, events.TilesDrawn):
            assert tuple(event.faces) == draw(bag, 7, game_opened.seed, event.draw)
            bag = without(bag, event.faces)
            assert event.bag_left == len(bag)


def test_the_same_seed_opens_the_same_table_and_each_table_has_its_own() -> None:
    assert open_start(bytes(32)) == open_start(bytes(32))
    other = Pairing(table=4, game_id="cup-r1-t2", first_player_id="anna", second_player_id="biel")
    (event, *_), (two, *_) = open_start(bytes(32)), open_start(bytes(32), other)
    assert isinstance(event, events.GameOpened)
    assert isinstance(two, events.GameOpened)
    assert event.seed != two.seed


def test_under_rules_that_do_not_draw_for_it_the_first_named_player_begins() -> None:
    ruleset = dataclasses.replace(FISC, start=dataclasses.replace(FISC.start, method="first-named"))
    new_events = open_start(bytes(32), ruleset=ruleset)
    assert "StartTileDrawn" not in names(new_events)
    assert fold(Game(), new_events).mover == "anna"
