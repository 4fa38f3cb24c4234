"""A game that is written and read again is the same game, for any tiles."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.rules.gcg.games import BOX, CATALAN, ENGLISH, FISC, GREEK, INSTRUCTIONS, PES, SPANISH, NaiveGame

from faristol.rules import Ruleset
from faristol.rules.gcg import adapt_ruleset, decode_gcg, read_gcg, replay, write_gcg

RULESETS = [ENGLISH, CATALAN, SPANISH, GREEK, INSTRUCTIONS, FISC, PES]


@pytest.mark.parametrize(
    "ruleset", RULESETS, ids=lambda rules: f"{rules.name} {rules.game.tile_set} {rules.end.out_bonus}"
)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), turns=st.sampled_from([1, 4, 12, 200]))
def test_a_game_is_written_read_and_replayed_the_same(ruleset: Ruleset, seed: int, turns: int) -> None:
    naive = NaiveGame(ruleset, Random(seed))
    game = naive.play(turns)
    again = read_gcg(decode_gcg(write_gcg(game).encode()))
    assert again == game
    assert write_gcg(again) == write_gcg(game)
    found = replay(again, ruleset)
    assert [str(problem) for problem in found.problems] == []
    assert found.board == naive.board
    assert dict(found.totals) == naive.recorder.totals
    assert found.end == naive.recorder.end
    assert len(found.steps) == len(again.events)


@pytest.mark.parametrize(
    "ruleset", RULESETS, ids=lambda rules: f"{rules.name} {rules.game.tile_set} {rules.end.out_bonus}"
)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_game_whose_score_is_changed_anywhere_is_found_out(ruleset: Ruleset, seed: int) -> None:
    random = Random(seed)
    lines = write_gcg(NaiveGame(ruleset, random).play(30)).split("\n")
    events = [number for number, line in enumerate(lines) if line.startswith(">")]
    changed = random.choice(events)
    head, _, total = lines[changed].rpartition(" ")
    lines[changed] = f"{head} {int(total) + random.choice([-10, -1, 1, 9])}"
    problems = replay(read_gcg("\n".join(lines)), ruleset).problems
    assert (problems[0].line, problems[0].reason) == (changed + 1, "TOTAL")


def test_the_tiles_are_known_by_what_the_file_says() -> None:
    game = NaiveGame(CATALAN, Random(1)).play(10)
    assert adapt_ruleset(BOX, read_gcg(write_gcg(game))).game.tile_set == "ca-100"


def test_games_made_here_have_tiles_of_several_characters_and_their_blanks() -> None:
    written = "".join(write_gcg(NaiveGame(rules, Random(seed)).play(60)) for seed in range(12) for rules in RULESETS)
    for tile in ("[L·L]", "[NY]", "[QU]", "[CH]", "[LL]", "[RR]"):
        assert tile in written
        assert tile.lower() in written
