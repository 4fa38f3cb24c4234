from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import (
    Option,
    OptionValue,
    Ruleset,
    check_settled,
    list_unsettled,
    load_ruleset,
    pinned_ruleset,
    ruleset_names,
)
from faristol.rules.ruleset.consistency import contradictions
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import value_of, with_options

UF, FISE = load_ruleset("uf-2007"), load_ruleset("fise")


@contextmanager
def suppress_refusal(*reasons: str) -> Iterator[None]:
    """Suppress a refusal with one of these reasons, and no other."""
    try:
        yield
    except Refusal as refused:
        if refused.reason not in reasons:
            raise


def some_values(option: Option) -> list[OptionValue]:
    """Return the choices of an option, or the bounds of its number, or lists out of its list."""
    if option.choices:
        return list(option.choices)
    if option.some_of:
        return [(), option.some_of[:1], option.some_of]
    bounds: list[OptionValue] = [option.least, option.most]
    return [*bounds, None] if option.may_be_none else bounds


every = [
    pytest.param(load_ruleset(name), option, value, id=f"{name}-{option.name}-{format_value(value)}")
    for name in ruleset_names()
    for option in load_ruleset(name).options
    for value in some_values(option)
]


OF_ROUND_ROBINS = ("left_early",)
"""Options that are said of tournaments in which each meets each, once or twice."""


def settled_for(ruleset: Ruleset, option: Option) -> dict[str, OptionValue]:
    """Return the choices that must precede ``option``."""
    needed: dict[str, OptionValue] = {"pairing": "round-robin"} if option.name in OF_ROUND_ROBINS else {}
    for key, value in option.when.items():
        for other in ruleset.options:
            for choice in other.choices:
                if value_of(ruleset, key) != value and other.sets(choice).get(key) == value:
                    needed[other.name] = choice
    return needed


@pytest.mark.parametrize(("ruleset", "option", "value"), every)
def test_every_choice_of_every_option_gives_a_ruleset_that_holds_together(
    ruleset: Ruleset, option: Option, value: OptionValue
) -> None:
    before = settled_for(ruleset, option)
    made = with_options(ruleset, {**before, option.name: value})
    assert list(contradictions(made)) == []
    assert {key: value_of(made, key) for key in option.sets(value)} == dict(option.sets(value))
    assert (made.digest == ruleset.digest) == (made.same_values(ruleset))
    assert with_options(ruleset, {**before, option.name: format_value(value)}).digest == made.digest
    assert pinned_ruleset(ruleset.name, made.digest, made.chosen).digest == made.digest


@pytest.mark.parametrize("name", ruleset_names())
def test_any_two_options_together_are_a_ruleset_or_a_refusal(name: str) -> None:
    ruleset = load_ruleset(name)
    for option, two in itertools.combinations(ruleset.options, 2):
        for first, second in itertools.product(some_values(option), some_values(two)):
            with suppress_refusal("OPTION_WITHOUT_SENSE", "OPTIONS_CLASH"):
                assert list(contradictions(with_options(ruleset, {option.name: first, two.name: second}))) == []


@given(st.integers())
def test_a_number_out_of_range_is_refused_with_the_range(minutes: int) -> None:
    if 5 <= minutes <= 90:
        assert with_options(UF, {"minutes": minutes}).clock.minutes == minutes
    else:
        with pytest.raises(Refusal) as refused:
            with_options(UF, {"minutes": minutes})
        assert refused.value.reason == "OPTION_OUT_OF_RANGE"
        assert refused.value.article == "UF 17, 20"
        assert str(refused.value) == f"The option minutes cannot be {minutes}: choose 5–90."


@pytest.mark.parametrize(
    ("ruleset", "options", "reason", "sentence"),
    [
        (FISE, {"tempo": "x"}, "OPTION_UNKNOWN", "fise have no option tempo; they have: time, minutes, "),
        (FISE, {"tiem": "x"}, "OPTION_UNKNOWN", "have no option tiem; did you mean time? They have: time, "),
        (
            FISE,
            {"time": "walking"},
            "OPTION_OUT_OF_RANGE",
            "time cannot be walking: choose running, non-running, timer",
        ),
        (UF, {"layers": "klingon"}, "OPTION_OUT_OF_RANGE", "layers cannot be klingon: choose some of general-variants"),
        (UF, {"minutes": None}, "OPTION_OUT_OF_RANGE", "minutes cannot be none: choose 5–90"),
        (UF, {"minutes": True}, "OPTION_OUT_OF_RANGE", "minutes cannot be true: choose 5–90"),
        (UF, {"minutes": "2\N{SUPERSCRIPT FIVE}"}, "OPTION_OUT_OF_RANGE", "choose 5–90"),
        (
            FISE,
            {"time": "timer", "minutes": 20},
            "OPTION_WITHOUT_SENSE",
            "minutes has no effect here: it requires clock.model",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused(
    ruleset: Ruleset, options: dict[str, OptionValue], reason: str, sentence: str
) -> None:
    with pytest.raises(Refusal) as refused:
        with_options(ruleset, options)
    assert refused.value.reason == reason
    assert sentence in str(refused.value)


def test_values_that_cannot_hold_together_are_refused_with_the_options() -> None:
    both = dataclasses.replace(UF.options[0], name="late", when={}, choices={"yes": {"clock.overtime_cap_minutes": 3}})
    ruleset = dataclasses.replace(UF, options=(*UF.options, dataclasses.replace(both, default="no")))
    assert with_options(ruleset, {"late": "yes", "minutes": 25}).clock.overtime_cap_minutes == 3
    with pytest.raises(Refusal) as refused:
        with_options(ruleset, {"late": "yes", "clock": "timer"})
    assert (refused.value.reason, refused.value.params["key"]) == ("OPTIONS_CLASH", "clock.overtime_cap_minutes")
    assert "options late = yes, clock = timer cannot" in str(refused.value)


def test_a_book_that_leaves_a_value_to_the_organiser_is_not_settled_before() -> None:
    assert [option.name for option in list_unsettled(UF)] == ["minutes"]
    with pytest.raises(Refusal) as refused:
        check_settled(UF)
    assert (refused.value.reason, refused.value.article) == ("OPTION_NEEDED", "UF 17, 20")
    assert str(refused.value) == "The rules uf-2007 leave minutes to the organiser: choose 5–90."
    check_settled(with_options(UF, {"minutes": 30}))
    check_settled(with_options(UF, {"clock": "timer"}))


def test_a_default_still_says_something_after_an_option_that_set_the_same_key() -> None:
    non_running = with_options(FISE, {"time": "non-running"})
    assert (non_running.clock.minutes, non_running.chosen) == (25, {"time": "non-running"})
    longer = with_options(non_running, {"minutes": 30})
    assert (longer.clock.minutes, longer.chosen) == (30, {"time": "non-running", "minutes": 30})
    assert with_options(longer, {"time": "running"}).digest == FISE.digest


def test_what_an_option_sets_cites_the_option() -> None:
    assert UF.article("clock.minutes") == "UF 20"
    assert with_options(UF, {"minutes": 25}).article("clock.minutes") == "UF 17, 20"
    assert FISE.article("exchange.limit") == "FISE 25"
    assert with_options(FISE, {"exchange": "full-rack-in-bag"}).article("exchange.limit") == "FISE 25, 1"


def test_the_order_in_which_options_are_named_does_not_matter() -> None:
    chosen = with_options(FISE, {"minutes": 22, "time": "non-running"})
    two = with_options(FISE, {"time": "non-running", "minutes": 22})
    assert (chosen.digest, chosen.clock.minutes) == (two.digest, 22)


@pytest.mark.parametrize(
    "clash", [{"pairing": "match"}, {"start": "first-named"}, {"start": "system"}, {"start": "draw-then-alternate"}]
)
def test_teams_are_paired_by_systems_that_know_them_and_the_start_of_every_game_is_drawn(clash: dict[str, str]) -> None:
    with pytest.raises(Refusal) as refused:
        with_options(load_ruleset("fise"), {"teams": 4, **clash})
    assert (refused.value.reason, refused.value.article) == ("OPTIONS_CLASH", "FISE 4.4")
    (chosen,) = clash.values()
    assert f", not {chosen}." in str(refused.value) or f", not by {chosen}." in str(refused.value)


def test_a_match_between_teams_has_2_to_20_boards_or_there_are_none() -> None:
    fise = load_ruleset("fise")
    assert fise.championship.team_boards is None
    assert with_options(fise, {"teams": 20}).championship.team_boards == 20
    for wrong in (1, 21):
        with pytest.raises(Refusal, match="2–20, none"):
            with_options(fise, {"teams": wrong})


def test_the_system_of_a_format_cites_no_article_because_no_book_rules_on_it() -> None:
    book = load_ruleset("fisc-2023")
    assert book.article("championship.system")
    assert with_options(book, {"format": "knock-out"}).article("championship.system") == ""
    assert with_options(book, {"format": "book"}).article("championship.system") == book.article("championship.system")
