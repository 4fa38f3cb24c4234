"""The best plays after a game are those that its racks allowed on its board."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from faristol.game.best_plays import BestPlays
from faristol.kernel.refusal import Refusal
from faristol.rules import Board, load_tile_set
from faristol.rules.notation import Notation, lay, read_tiles
from faristol.table.draw_log import RackAtTurn
from faristol.words.header import About
from faristol.words.library import Library

WORDS = [("C", "A", "S", "A"), ("C", "A", "S"), ("S", "A", "C"), ("A", "L", "A"), ("C", "A", "S", "A", "L")]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path)
    about = About("catalan", "for the tests", "CC0-1.0", "written for the tests", date(2026, 3, 2))
    made.install("catalan", WORDS, tile_set=load_tile_set("ca-100"), about=about)
    return made


async def test_the_best_play_of_a_rack_comes_first_and_lays_tiles_of_the_rack_alone(library: Library) -> None:
    board = Board().place(lay(Board(), Notation.FISC.read("H8"), read_tiles("C A S A")))
    held = [RackAtTurn(1, "anna", ("A", "A", "C", "S"), Board()), RackAtTurn(2, "biel", ("?", "A", "L"), board)]
    found = await BestPlays(library.path).of("game", 9, library.digest("catalan"), held)
    first, second = found.turns
    assert (first.turn, first.player_id, second.turn, second.player_id) == (1, "anna", 2, "biel")
    assert tuple(first.plays[0].faces) == ("C", "A", "S", "A")
    assert [play.score for play in first.plays] == sorted((play.score for play in first.plays), reverse=True)
    assert ("C", "A", "S", "A", "L") in {tuple(play.faces) for play in second.plays}
    extension = next(play for play in second.plays if len(play.faces) == 5)
    assert (extension.coordinates, [tile.face for tile in extension.placements]) == ("H8", ["L"])
    for turn, rack in ((first, held[0].faces), (second, held[1].faces)):
        for play in turn.plays:
            left = list(rack)
            for tile in play.placements:
                left.remove("?" if tile.blank else tile.face)


async def test_plays_are_looked_for_once_a_game(library: Library) -> None:
    best, digest = BestPlays(library.path), library.digest("catalan")
    held = [RackAtTurn(1, "anna", ("A", "C", "S"), Board())]
    found = await best.of("game", 9, digest, held)
    assert await best.of("game", 9, digest, held) is found
    assert await best.of("game", 10, digest, held) is not found


async def test_a_lexicon_that_is_not_installed_is_refused_until_it_is(tmp_path: Path, library: Library) -> None:
    digest = library.digest("catalan")
    best = BestPlays(tmp_path / "elsewhere")
    with pytest.raises(Refusal) as caught:
        await best.of("game", 1, digest, [])
    assert caught.value.reason == "NO_LEXICON"
