"""Rules that leave the tiles open are played with those that the file names."""

from __future__ import annotations

import pytest
from tests.unit.rules.gcg.games import BOX, FISC, text

from faristol.kernel.refusal import Refusal
from faristol.rules.gcg import GcgError, adapt_ruleset, read_gcg, tile_set_named


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#tile-set ca-100", "ca-100"),
        ("#tile-set english set", "en-100"),
        ("#tile-distribution Spanish", "es-100"),
        ("#tile-distribution greek", "el-104"),
        ("#tile-set catalan", "ca-100"),
        ("#tile-set", None),
        ("#lexicon CSW21", None),
    ],
)
def test_the_file_names_the_tiles(line: str, expected: str | None) -> None:
    game = read_gcg(text(line))
    named = tile_set_named(game)
    assert (named and named[1]) == expected
    assert adapt_ruleset(BOX, game).game.tile_set == (expected or "en-100")


@pytest.mark.parametrize("line", ["#tile-set polish", "#tile-distribution French", "#tile-distribution english_super"])
def test_a_file_with_other_tiles_is_refused_by_their_name_unless_a_person_chooses_some(line: str) -> None:
    game = read_gcg(text(line))
    with pytest.raises(GcgError, match=f"line 3: .*{line.split()[1]}.*tiles that are not known") as caught:
        adapt_ruleset(BOX, game)
    assert caught.value.problem.reason == "TILE_SET"
    assert adapt_ruleset(BOX, game, {"tiles": "es-100"}).game.tile_set == "es-100"


def test_what_a_person_chose_comes_first() -> None:
    game = read_gcg(text("#title x"))
    assert adapt_ruleset(BOX, game).end.out_bonus == "twice-opponents-racks"
    chosen = adapt_ruleset(BOX, game, {"ending": "instructions", "tiles": "es-100"})
    assert (chosen.end.out_bonus, chosen.game.tile_set) == ("opponents-racks", "es-100")
    with pytest.raises(Refusal, match="no option taste"):
        adapt_ruleset(BOX, game, {"taste": "sweet"})


def test_rules_with_other_tiles_refuse_the_file() -> None:
    assert adapt_ruleset(FISC, read_gcg(text("#tile-set ca-100"))) == FISC
    with pytest.raises(GcgError, match=r"line 3: .*'english'; expected ca-100") as caught:
        adapt_ruleset(FISC, read_gcg(text("#tile-set english")))
    assert caught.value.problem.reason == "TILE_SET"
