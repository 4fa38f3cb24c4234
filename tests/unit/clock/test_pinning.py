"""A game is played to its end under the rules that it began with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faristol.clock.pinning import ruleset_of
from faristol.clock.views import Table
from faristol.rules.refusal import Refusal
from faristol.rules.ruleset_file import load_ruleset
from faristol.rules.with_options import with_options

FISC = load_ruleset("fisc-2023")
TABLE = Table(game_id="cup-r1-t1", ruleset="fisc-2023", ruleset_digest=FISC.digest)


def test_a_game_is_only_clocked_under_the_ruleset_that_it_pins() -> None:
    assert ruleset_of(TABLE) is FISC
    with pytest.raises(Refusal) as caught:
        ruleset_of(replace(TABLE, ruleset_digest="0" * 64))
    assert caught.value.reason == "RULESET_MISSING"
    assert FISC.digest in str(caught.value)
    assert "0" * 64 in str(caught.value)


def test_what_was_chosen_for_the_rules_holds_for_the_clock() -> None:
    chosen = with_options(load_ruleset("uf-2007"), {"minutes": 25})
    table = replace(TABLE, ruleset="uf-2007", ruleset_digest=chosen.digest, options={"minutes": "25"})
    assert ruleset_of(table).clock.minutes == 25


def test_an_unknown_ruleset_is_named() -> None:
    with pytest.raises(Refusal) as caught:
        ruleset_of(replace(TABLE, ruleset="fisc-1999"))
    assert caught.value.reason == "RULESET_MISSING"
    assert "fisc-1999" in str(caught.value)
