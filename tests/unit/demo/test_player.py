"""The players of the demonstration obey the rules, and finish."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.demo.player import PlayerView, choose
from faristol.pb.game.v1 import game_pb2
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.tiles import load_tile_set
from faristol.words import Library, WordGraph
from faristol.words.plays import Grid

CONSONANTS = ["R", "R", "R", "C", "P", "D", "T"]


@pytest.fixture(scope="module")
def catalan(lexicons: Path) -> WordGraph:
    return Library(lexicons).open("catalan")


@pytest.mark.parametrize(("bag_left", "freely"), [(60, True), (7, True), (6, False), (2, False)])
def test_a_rack_of_one_kind_is_changed_freely_while_the_bag_can_hold_another(
    catalan: WordGraph, bag_left: int, freely: bool
) -> None:
    rules = load_ruleset("uf-2007")
    sight = PlayerView(Grid.of(load_tile_set(rules.game.tile_set), {}), CONSONANTS, bag_left, 0)
    done = choose(catalan, rules, sight, lambda what: 99)
    assert isinstance(done, game_pb2.FreeExchangeRequest) == freely
