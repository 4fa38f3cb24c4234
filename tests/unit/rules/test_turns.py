from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import (
    BLANK,
    TurnKind,
    check_exchange,
    check_pass,
    full_bag,
    load_ruleset,
    load_tile_set,
    ruleset_names,
)
from faristol.rules.ruleset.sections import TurnWord
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.turns import FreeExchangeOutcome, check_cannot_play, exchange_limit, free_exchange

FISC = load_ruleset("fisc-2023")
UF, FM, FISE, PES = (load_ruleset(name) for name in ("uf-2007", "festa-major", "fise", "pes-2024"))
CATALAN = full_bag(load_tile_set("ca-100"))
VOWELS = set("AEIOU")


def test_the_words_of_a_file_are_the_kinds_of_turns() -> None:
    assert {kind.value for kind in TurnKind} == set(TurnWord.__args__)  # type: ignore[attr-defined] # a Literal has them


@given(st.integers(0, 104))
def test_each_book_lets_as_many_tiles_be_exchanged_as_it_says(bag: int) -> None:
    limits = {name: exchange_limit(bag, load_ruleset(name)) for name in ruleset_names("classic", "multi")}
    assert limits == {
        "uf-2007": 7 if bag >= 7 else 0,
        "fisc-2023": min(bag, 7),
        "festa-major": 7 if bag >= 7 else 0,
        "fise": min(bag, 7),
        "pes-2024": 7 if bag >= 14 else bag - 7 if bag > 7 else 0,
        "box": 7 if bag >= 7 else 0,
    }
    assert exchange_limit(bag, with_options(FISE, {"exchange": "full-rack-in-bag"})) == (7 if bag >= 7 else 0)


@given(st.sampled_from(ruleset_names("classic", "multi")), st.integers(0, 30), st.integers(1, 7))
def test_an_exchange_is_refused_exactly_above_the_limit(name: str, bag: int, tiles: int) -> None:
    ruleset, rack = load_ruleset(name), ["A"] * 7
    if tiles <= exchange_limit(bag, ruleset):
        check_exchange(rack, rack[:tiles], bag, ruleset)
    else:
        with pytest.raises(Refusal) as refused:
            check_exchange(rack, rack[:tiles], bag, ruleset)
        assert (refused.value.reason, refused.value.article) == (
            "EXCHANGE_TOO_LARGE",
            ruleset.article("exchange.limit"),
        )


@given(st.sampled_from(ruleset_names("classic", "multi")), st.integers(0, 30))
def test_a_turn_can_be_passed_or_given_up_but_never_both(name: str, bag: int) -> None:
    ruleset = load_ruleset(name)
    if name == "festa-major" and bag < 7:
        check_cannot_play(bag, ruleset)
        with pytest.raises(Refusal) as refused:
            check_pass(bag, ruleset)
        assert refused.value.article == "FM 7"
    else:
        check_pass(bag, ruleset)
        with pytest.raises(Refusal) as refused:
            check_cannot_play(bag, ruleset)
        assert refused.value.reason == ("PASS_INSTEAD" if name == "festa-major" else "CANNOT_PLAY_UNKNOWN")


@given(st.lists(st.sampled_from(CATALAN), min_size=1, max_size=7), st.integers(0, 86))
def test_seven_vowels_or_seven_consonants_are_changed_for_nothing(rack: list[str], bag: int) -> None:
    alike = len(rack) == 7 and BLANK not in rack and (set(rack) <= VOWELS or not VOWELS & set(rack))
    for ruleset, least in ((UF, 1), (FM, 7)):
        if bag >= least and alike:
            assert free_exchange(rack, rack, bag, ruleset) is FreeExchangeOutcome.GRANTED
        elif bag >= least and ruleset is FM:
            assert free_exchange(rack, rack, bag, ruleset) is FreeExchangeOutcome.TURN_LOST
        else:
            with pytest.raises(Refusal) as refused:
                free_exchange(rack, rack, bag, ruleset)
            assert refused.value.reason == ("FREE_EXCHANGE_BAG" if bag < least else "FREE_EXCHANGE_UNFOUNDED")


def test_the_whole_rack_of_seven_is_changed_or_none_of_it() -> None:
    rack = ["A", "E", "I", "O", "U", "A", "E"]
    with pytest.raises(Refusal) as refused:
        free_exchange(rack, rack[:5], 20, FM)
    assert (refused.value.reason, refused.value.article) == ("FREE_EXCHANGE_NOT_ALL", "FM 6")
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_IN_RACK"):
        free_exchange(rack, ["X"] * 7, 20, UF)


def test_qu_and_the_other_faces_of_two_letters_are_consonants() -> None:
    rack = ["QU", "NY", "L·L", "Ç", "S", "S", "T"]
    assert free_exchange(rack, rack, 1, UF) is FreeExchangeOutcome.GRANTED


def test_a_blank_passes_for_a_vowel_only_where_the_organiser_says_so() -> None:
    rack = ["A", "E", "I", "O", "U", "A", BLANK]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FREE_EXCHANGE_UNFOUNDED"):
        free_exchange(rack, rack, 20, UF)
    ruleset = with_options(UF, {"blanks_in_free_exchange": "true"})
    assert free_exchange(rack, rack, 20, ruleset) is FreeExchangeOutcome.GRANTED


@pytest.mark.parametrize("ruleset", [FISC, FISE, PES])
def test_three_books_know_no_change_for_nothing(ruleset: object) -> None:
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "FREE_EXCHANGE_UNKNOWN"):
        free_exchange(["A"] * 7, ["A"] * 7, 50, FISC)


def test_a_cap_on_exchanges_holds_whatever_the_bag_has() -> None:
    ruleset = dataclasses.replace(FISC, exchange=dataclasses.replace(FISC.exchange, max=3))
    assert [exchange_limit(bag, ruleset) for bag in (0, 2, 50)] == [0, 2, 3]
