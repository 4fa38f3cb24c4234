from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import draw, full_bag, load_ruleset, without
from faristol.rules.draws.bag import starting_draw
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023")
ORDER = [kind.face for kind in FISC.tile_set.kinds]

seeds = st.binary(min_size=32, max_size=32)


@given(seeds, st.integers(0, 1000))
def test_the_tile_nearest_to_a_begins_and_only_equal_tiles_are_drawn_again(seed: bytes, counter: int) -> None:
    tiles, first = starting_draw(FISC, ["Anna", "Blai"], seed, counter)
    assert [tile.counter for tile in tiles] == list(range(counter, counter + len(tiles)))
    pairs = list(zip(tiles[::2], tiles[1::2], strict=True))
    assert all((anna.player, other.player) == ("Anna", "Blai") for anna, other in pairs)
    assert all(anna.face == other.face for anna, other in pairs[:-1])
    assert pairs[-1][0].face != pairs[-1][1].face
    assert min(pairs[-1], key=lambda tile: ORDER.index(tile.face)).player == first


@given(seeds)
def test_no_player_can_draw_the_tile_that_another_holds(seed: bytes) -> None:
    drawn, other = starting_draw(FISC, ["Anna", "Blai"], seed).tiles[:2]
    whole = full_bag(FISC.tile_set)
    assert draw(whole, 1, seed, 0) == (drawn.face,)
    assert draw(without(whole, (drawn.face,)), 1, seed, 1) == (other.face,)


def test_a_blank_comes_before_a_and_digraphs_where_the_alphabet_has_them() -> None:
    assert ORDER[:2] == ["?", "A"]
    for row in ("C Ç D", "L L·L M", "N NY O P QU R"):
        assert row.split() == ORDER[ORDER.index(row[0]) :][: len(row.split())]


def test_ties_happen_and_are_drawn_again() -> None:
    games = [starting_draw(FISC, ["Anna", "Blai"], number.to_bytes(32, "big")) for number in range(200)]
    assert any(len(game.tiles) > 2 for game in games)
    assert {game.first for game in games} == {"Anna", "Blai"}
    assert all(game.next_counter == len(game.tiles) for game in games)


def test_of_three_players_only_those_who_share_the_best_tile_draw_again() -> None:
    for number in range(500):
        tiles, first = starting_draw(FISC, ["Anna", "Blai", "Cinta"], number.to_bytes(32, "big"))
        again = {tile.player for tile in tiles[3:]}
        best = min((tile.face for tile in tiles[:3]), key=ORDER.index)
        assert again in (set(), {tile.player for tile in tiles[:3] if tile.face == best})
        assert first in (again or {"Anna", "Blai", "Cinta"})


@pytest.mark.parametrize("players", [[], ["Anna"], ["Anna", "Anna"]])
def test_a_draw_needs_two_players(players: list[str]) -> None:
    with pytest.raises(ValueError, match="two or more different players"):
        starting_draw(FISC, players, bytes(32))


def test_equal_tiles_stay_out_where_the_organiser_says_so() -> None:
    kept_out = with_options(FISC, {"starting_tie": "redraw"})
    whole, tied = full_bag(FISC.tile_set), 0
    for number in range(60):
        seed = number.to_bytes(32, "big")
        tiles, _ = starting_draw(kept_out, ["Anna", "Blai"], seed)
        bag = whole
        for tile in tiles:
            assert draw(bag, 1, seed, tile.counter) == (tile.face,)
            bag = without(bag, (tile.face,))
        tied += len(tiles) > 2
    assert tied


@given(seeds)
def test_a_blank_may_come_last(seed: bytes) -> None:
    last = dataclasses.replace(FISC, start=dataclasses.replace(FISC.start, blank="last"))
    tiles, first = starting_draw(last, ["Anna", "Blai"], seed)
    order = [*ORDER[1:], "?"]
    assert min(tiles[-2:], key=lambda tile: order.index(tile.face)).player == first
