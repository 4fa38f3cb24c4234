from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

import pytest

from faristol.rules import Refusal, RulesetError, load_ruleset, pinned_ruleset, read_ruleset, ruleset_names

TEXT = (resources.files("faristol.rules") / "rulesets" / "fisc-2023.toml").read_text(encoding="utf-8")


def with_value(key: str, value: str) -> str:
    """The FISC file with another value for ``section.key``."""
    section, name = key.split(".")
    changed, count = re.subn(
        rf"(?ms)(^\[{section}\]$.*?^{name} = \{{ value = )(.*?)(, article)", rf"\g<1>{value}\g<3>", TEXT, count=1
    )
    assert count == 1
    return changed


def values() -> Iterator[tuple[str, object]]:
    for section, table in tomllib.loads(TEXT).items():
        if isinstance(table, dict) and section != "law":
            yield from ((f"{section}.{name}", entry["value"]) for name, entry in table.items())


def test_every_ruleset_that_is_shipped_loads_under_its_own_name() -> None:
    assert "fisc-2023" in ruleset_names()
    assert [load_ruleset(name).name for name in ruleset_names()] == list(ruleset_names())


def test_a_name_that_there_is_not_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(LookupError, match=r"no ruleset '../fisc-2023'; there are: .*fisc-2023"):
        load_ruleset("../fisc-2023")


def test_a_pinned_ruleset_is_found_by_name_and_content() -> None:
    fisc = load_ruleset("fisc-2023")
    assert pinned_ruleset("fisc-2023", fisc.digest) is fisc


@pytest.mark.parametrize(("name", "found"), [("fisc-2023", load_ruleset("fisc-2023").digest), ("fisc-1999", "–")])
def test_a_pinned_ruleset_that_is_not_here_is_refused_with_what_is(name: str, found: str) -> None:
    with pytest.raises(Refusal) as refused:
        pinned_ruleset(name, "0" * 64)
    assert refused.value.reason == "RULESET_MISSING"
    assert refused.value.params == {"name": name, "digest": "0" * 64, "found": found}
    assert f"under that name: {found}." in str(refused.value)


def test_fisc_is_what_the_book_says() -> None:
    fisc = load_ruleset("fisc-2023")
    assert (fisc.game.rack_size, fisc.scoring.bingo, fisc.clock.minutes) == (7, 50, 25)
    assert (fisc.championship.rounds_min, fisc.championship.draw) == (5, 0.5)
    assert fisc.championship.tie_breaks == ("median-buchholz", "berger", "spread", "total")
    assert fisc.article("exchange.limit") == "FISC I.7.1"
    assert fisc.tile_set.name == "ca-100"
    with pytest.raises(KeyError):
        fisc.article("exchange.colour")


def test_every_value_has_its_article() -> None:
    fisc = load_ruleset("fisc-2023")
    assert set(fisc.articles) == {key for key, _ in values()}
    assert {key for key, article in fisc.articles.items() if not article} == {"championship.bye_spread"}


def test_the_digest_is_of_the_content_and_not_of_the_file() -> None:
    read = read_ruleset(TEXT, file="fisc-2023.toml")
    laid_out_otherwise = re.sub(r"(?m)^#.*\n", "", TEXT) + "\n# another comment\n"
    assert read_ruleset(laid_out_otherwise, file="copy.toml").digest == read.digest == load_ruleset("fisc-2023").digest
    assert re.fullmatch("[0-9a-f]{64}", read.digest)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value = 25", "value = 30"),
        ('value = 25, article = "FISC I.11"', 'value = 25, article = "FISC I.12"'),
        ('one_line = "FISC I.6"', 'one_line = "FISC I.7"'),
        ('name = "fisc-2023"', 'name = "fisc-2024"'),
    ],
)
def test_every_change_of_content_changes_the_digest(old: str, new: str) -> None:
    assert read_ruleset(TEXT.replace(old, new, 1), file="x.toml").digest != load_ruleset("fisc-2023").digest


@pytest.mark.parametrize("key", [key for key, _ in values()])
def test_a_value_that_is_missing_is_named(key: str) -> None:
    section, name = key.split(".")
    text = re.sub(rf"(?ms)(^\[{section}\]$.*?)^{name} = .*?$", r"\g<1>", TEXT, count=1)
    with pytest.raises(RulesetError, match=rf"^x.toml: {key}: is missing$"):
        read_ruleset(text, file="x.toml")


@pytest.mark.parametrize("key", [key for key, _ in values()])
def test_a_value_of_the_wrong_kind_is_named(key: str) -> None:
    with pytest.raises(RulesetError, match=rf"^x.toml: {key}: expected .*, got "):
        read_ruleset(with_value(key, "{ odd = 1 }"), file="x.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "x.toml: is not TOML"),
        ("", "x.toml: name: is missing"),
        (TEXT.replace("[scoring]", "[scorring]"), "x.toml: scorring: unknown key; expected name, title"),
        (TEXT.replace("bingo = {", "bonus = {"), "x.toml: scoring.bonus: unknown key; expected bingo"),
        (TEXT.replace("one_line", "one_lines"), "x.toml: law.one_lines: unknown key"),
        (TEXT.replace('one_line = "FISC I.6"', "one_line = 6"), "x.toml: law.one_line: expected text, got 6"),
        (TEXT.replace("bingo = { value = 50", "bingo = { valu = 50"), "x.toml: scoring.bingo.valu: unknown key"),
        (re.sub("bingo = {.*}", "bingo = 50", TEXT), "x.toml: scoring.bingo: expected a table, got 50"),
        (with_value("scoring.bingo", "-50"), "scoring.bingo: expected 0 or more, got -50"),
        (with_value("scoring.bingo", "true"), "scoring.bingo: expected a whole number, got True"),
        (with_value("clock.neutralised_by", '["challenge", "tea"]'), r"clock.neutralised_by\[1\]: expected one of"),
        (
            with_value("championship.tie_breaks", '["spread", "spread"]'),
            "championship.tie_breaks: names something twice",
        ),
        (with_value("game.players_max", "1"), "game.players_min: expected 2 or more, and at most players_max"),
        (with_value("game.tile_set", '"ca-99"'), "game.tile_set: there is no tile set 'ca-99'"),
        (with_value("game.rack_size", "51"), "game.rack_size: 2 racks must fit into 100 tiles"),
        (with_value("game.rack_size", "0"), "game.rack_size: 2 racks must fit"),
        (with_value("first_move.tiles_min", "8"), "first_move.tiles_min: expected 1 to rack_size"),
        (with_value("clock.minutes", "0"), "clock.minutes: a player needs"),
        (with_value("clock.overtime_points", "0"), "clock.overtime_cap_minutes: a cap has no sense"),
        (with_value("end.lost_turns", "0"), "end.lost_turns: a game cannot end before it begins"),
        (with_value("end.lost_turn_kinds", '["play"]'), "end.lost_turn_kinds: a play that stands"),
        (with_value("end.scoreless_turns", "11"), "end.scoreless_turns: expected as many for each of 2"),
        (with_value("end.scoreless_turns", "4"), "end.scoreless_turns: is reached before 3 lost turns"),
        (
            with_value("challenge.appeal_by", '"none"'),
            "rulings_max: expected 1 exactly when nobody",
        ),
        (with_value("championship.draw", "2"), "championship.draw: expected loss ≤ draw ≤ win"),
        (with_value("championship.bye", "1.5"), "championship.bye: is worth more than a win"),
        (with_value("championship.draw", "0.3"), "championship.draw: expected a multiple of a half"),
        (with_value("championship.buchholz_cut", "5"), "championship.buchholz_cut: leaves no opponent over"),
    ],
)
def test_a_wrong_file_is_refused_with_file_key_and_reason(text: str, problem: str) -> None:
    with pytest.raises(RulesetError, match=problem) as caught:
        read_ruleset(text, file="x.toml")
    assert caught.value.file == "x.toml"


def test_a_bound_may_be_lifted() -> None:
    lifted = read_ruleset(with_value("clock.overtime_cap_minutes", '"unlimited"'), file="x.toml")
    assert lifted.clock.overtime_cap_minutes is None
