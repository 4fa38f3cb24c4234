"""Rules of duplicate games have their own sections, and no others."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import Notation, RulesetError, load_ruleset, load_tile_set, read_ruleset, ruleset_names
from faristol.rules.duplicate_game.call_names import load_call_names, with_names
from faristol.rules.ruleset.consistency import contradictions
from faristol.rules.ruleset.modes import DUPLICATE

FISC = load_ruleset("fisc-2023-duplicate")
TEXT = (resources.files("faristol.rules") / "rulebooks" / "fisc-2023-duplicate.toml").read_text(encoding="utf-8")
VALUES = TEXT[: TEXT.index("[options.")]


def test_a_book_of_one_mode_has_no_section_of_another() -> None:
    assert set(DUPLICATE) <= set(FISC.sections)
    assert "exchange" not in FISC.sections
    assert not set(DUPLICATE) & set(load_ruleset("fise").sections)
    with pytest.raises(AttributeError, match="rules of mode 'duplicate' have no section 'exchange', and so no 'max'"):
        _ = FISC.exchange.max
    with pytest.raises(AttributeError, match="mode 'classic' have no section 'slips'"):
        _ = load_ruleset("fise").slips.score
    assert pickle.loads(pickle.dumps(FISC.exchange)) == copy.copy(FISC.exchange) == FISC.exchange


def test_rulesets_are_listed_by_mode() -> None:
    assert ruleset_names("duplicate") == ("duplicate-house", "fisc-2023-duplicate")
    assert set(ruleset_names()) == {*ruleset_names("classic", "multi"), *ruleset_names("duplicate")}


def test_the_house_rules_cite_no_book() -> None:
    house = load_ruleset("duplicate-house")
    assert set(house.articles.values()) == {""}
    assert not any(getattr(house.law, rule) for rule in type(house.law).__slots__)
    assert not any(option.article for option in house.options)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("vowels_min = { value = 2", "vowels_min = { value = 6", "racks.vowels_min: with consonants_min is more than"),
        ("seconds = { value = 180", "seconds = { value = 30", "turns.may_warn_seconds: expected 1 to 29"),
        ('turns = { value = "none"', "turns = { value = 0", "turns.turns: a game has a turn or more"),
        ('value = "together"', 'value = "alternate"', "game.turn_direction: all take a turn at once"),
        (
            'score_missing = { value = "nothing"',
            'score_missing = { value = "null"',
            "slips.score_missing: has no effect",
        ),
        ("free = { value = 0", "free = { value = 2", "warnings.free: has no effect"),
        ("vowels_min_late = { value = 1", "vowels_min_late = { value = 3", "racks.vowels_min_late: is more than"),
        ("[solo]", "[soloist]", "soloist: unknown key"),
        ("[solo]", "[exchange]", "exchange: unknown key"),
        ('warning = ""', 'appeal = ""', "law.appeal: unknown key"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_its_key(old: str, new: str, problem: str) -> None:
    assert old in VALUES
    with pytest.raises(RulesetError, match=re.escape(problem)):
        read_ruleset(VALUES.replace(old, new, 1), file="x.toml")


def problems(changes: dict[str, Any]) -> list[str]:
    """Return the keys at which the rules of FISC contradict themselves with other values of ``section.key``."""
    rules = FISC
    for key, value in changes.items():
        section, name = key.split(".")
        rules = replace(rules, **{section: replace(getattr(rules, section), **{name: value})})
    return [key for key, _ in contradictions(rules)]


NO_CALL = {"turns.may_warn_seconds": None, "turns.must_warn_seconds": None}


@pytest.mark.parametrize(
    ("last", "beyond", "key"),
    [
        ({"game.players_min": 1}, {"game.players_min": 0}, "game.players_min"),
        (
            {"game.players_min": 9, "game.players_max": 9},
            {"game.players_min": 9, "game.players_max": 8},
            "game.players_min",
        ),
        (
            {"game.rack_size": 1, "first_move.tiles_min": 1, "racks.vowels_min": 1, "racks.consonants_min": 0}
            | {"racks.consonants_min_late": 0},
            {"game.rack_size": 0, "first_move.tiles_min": 1, "racks.vowels_min": 0, "racks.consonants_min": 0},
            "game.rack_size",
        ),
        ({"game.rack_size": 100}, {"game.rack_size": 101}, "game.rack_size"),
        ({"first_move.tiles_min": 1}, {"first_move.tiles_min": 0}, "first_move.tiles_min"),
        ({"first_move.tiles_min": 7}, {"first_move.tiles_min": 8}, "first_move.tiles_min"),
        ({"first_move.centre": "mandatory"}, {"first_move.centre": "any"}, "first_move.centre"),
        ({"racks.vowels_min": 5}, {"racks.vowels_min": 6}, "racks.vowels_min"),
        ({"racks.vowels_min_late": 2}, {"racks.vowels_min_late": 3}, "racks.vowels_min_late"),
        ({"racks.consonants_min_late": 2}, {"racks.consonants_min_late": 3}, "racks.consonants_min_late"),
        ({"turns.seconds": 1, **NO_CALL}, {"turns.seconds": 0, **NO_CALL}, "turns.seconds"),
        ({"turns.turns": 1}, {"turns.turns": 0}, "turns.turns"),
        ({"turns.may_warn_seconds": 179}, {"turns.may_warn_seconds": 180}, "turns.may_warn_seconds"),
        ({"turns.may_warn_seconds": 1}, {"turns.may_warn_seconds": 0}, "turns.may_warn_seconds"),
        ({"turns.must_warn_seconds": 179}, {"turns.must_warn_seconds": 180}, "turns.must_warn_seconds"),
        ({"turns.must_warn_seconds": 1}, {"turns.must_warn_seconds": 0}, "turns.must_warn_seconds"),
        (
            {"slips.score": "asked", "slips.score_missing": "null"},
            {"slips.score": "not-asked", "slips.score_missing": "null"},
            "slips.score_missing",
        ),
        ({"warnings.points": 1, "warnings.free": 1}, {"warnings.points": 0, "warnings.free": 1}, "warnings.free"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rules_hold_together_up_to_the_last_value_that_can_be(
    last: dict[str, Any], beyond: dict[str, Any], key: str
) -> None:
    assert problems(last) == []
    assert key in problems(beyond)


def test_squares_and_tiles_are_called_by_name_in_the_order_of_the_book() -> None:
    catalan = load_call_names("ca")
    across, down = Notation.FISC.read("H8"), Notation.FISC.read("15G")
    assert catalan.start(across) == "Hospitalet vuit"
    assert catalan.start(down) == "quinze Granollers"
    assert catalan.rack(["A", "?", "L·L"]) == ("Alacant", "escarràs", "ela geminada")


@pytest.mark.parametrize(
    ("language", "tiles"), [("ca", "ca-100"), ("es", "es-100"), ("el", "el-104"), ("en", "en-100")]
)
def test_every_tile_and_row_of_a_language_has_a_name_of_its_own(language: str, tiles: str) -> None:
    table, tile_set = load_call_names(language), load_tile_set(tiles)
    assert {*tile_set.faces, *"ABCDEFGHIJKLMNO"} <= set(table.names)
    assert len(table.numbers) == 15
    with_names(table, {}, tile_set)


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        ({"A": "Amposta", "?": "blanca"}, ""),
        ({"@": "arrova"}, "CALL_NAME_UNKNOWN"),
        ({"A": " "}, "CALL_NAME_WRONG"),
        ({"A": "barcelona"}, "CALL_NAME_TWICE"),
    ],
)
def test_a_club_may_call_tiles_otherwise(own: dict[str, str], reason: str) -> None:
    table, tile_set = load_call_names("ca"), load_tile_set("ca-100")
    if not reason:
        assert with_names(table, own, tile_set).rack(["A", "?", "B"]) == ("Amposta", "blanca", "Barcelona")
        return
    with pytest.raises(Refusal) as refused:
        with_names(table, own, tile_set)
    assert refused.value.reason == reason
