"""Properties of the Catalan lexicon that the set-up installs."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from faristol.rules.board import Board
from faristol.rules.placement import check_play
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.scoring import score_play
from faristol.words import WordGraph
from faristol.words.plays import Grid, generate

pytestmark = pytest.mark.lexicon


def test_it_has_the_words_of_a_language_and_says_its_licence(catalan: WordGraph) -> None:
    assert len(catalan) >= 400_000
    assert "GPL" in catalan.about.licence
    assert catalan.about.source
    for text in ["quinze", "col·lecció", "anys", "forçaràs", "xiuxiuejàvem", "inqualificable"]:
        assert catalan.contains(catalan.tile_set.spell(text) or ()), text
    for text in ["cm", "rpm", "xyz", "barcelonax", "q"]:
        assert not catalan.contains(tuple(text.upper())), text
    assert not catalan.contains(tuple("COLLECCIO"))


def test_games_are_played_to_the_end_with_plays_that_the_law_scores_the_same(catalan: WordGraph) -> None:
    """Every play found passes the checks of the rules, scores what they say, and leaves words of the lexicon only."""
    ruleset = load_ruleset("fisc-2023")
    rnd = random.Random(7)
    tile_set = catalan.tile_set
    bag = [face for face, count in tile_set.counts.items() for _ in range(count)]
    rnd.shuffle(bag)
    board: dict[tuple[int, int], tuple[str, bool]] = {}
    law = Board()
    racks: tuple[list[str], list[str]] = ([], [])
    for turn in range(60):
        rack = racks[turn % 2]
        rack.extend(bag.pop() for _ in range(min(7 - len(rack), len(bag))))
        plays = generate(catalan, Grid.of(tile_set, board), rack)
        if not plays:
            break
        for play in (*plays[:20], *rnd.sample(plays, min(20, len(plays)))):
            words = check_play(law, play.placements, rack=rack, ruleset=ruleset)
            assert score_play(law, play.placements, ruleset).points == play.score
            assert words[0].faces == play.word
            assert all(catalan.contains(word.faces) for word in words)
        play = plays[0]
        law = law.place(play.placements)
        used = [tile.in_rack for _, tile in play.placements]
        assert not Counter(used) - Counter(rack)
        board.update(play.placements)
        for face in used:
            rack.remove(face)
        for word in words_on(board):
            assert catalan.contains(word), word
    assert len(board) > 80


def words_on(board: dict[tuple[int, int], tuple[str, bool]]) -> list[tuple[str, ...]]:
    words = []
    for dr, dc in ((0, 1), (1, 0)):
        for row, col in board:
            if (row - dr, col - dc) in board:
                continue
            word = []
            while (row, col) in board:
                word.append(board[row, col][0])
                row, col = row + dr, col + dc
            if len(word) > 1:
                words.append(tuple(word))
    return words
