from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import (
    RulesetError,
    load_ruleset,
    pinned_ruleset,
    read_ruleset,
    ruleset_names,
)
from faristol.rules.ruleset.sections import BEYOND_BOOKS

TEXT = (resources.files("faristol.rules") / "rulebooks" / "fisc-2023.toml").read_text(encoding="utf-8")


def with_value(key: str, value: str) -> str:
    """Return the FISC file with another value for ``section.key``."""
    section, name = key.split(".")
    changed, count = re.subn(
        rf"(?ms)(^\[{section}\]$.*?^{name} = \{{ value = )(.*?)(, article)", rf"\g<1>{value}\g<3>", TEXT, count=1
    )
    assert count == 1
    return changed


def line_of(text: str) -> int:
    """Return the line of the FISC file that begins with ``text``, from 1."""
    return next(number for number, line in enumerate(TEXT.splitlines(), start=1) if line.startswith(text))


def values() -> Iterator[tuple[str, object]]:
    for section, table in tomllib.loads(TEXT).items():
        if isinstance(table, dict) and section not in {"law", "options"}:
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
    assert set(fisc.articles) == {key for key, _ in values()} | BEYOND_BOOKS
    assert fisc.article("championship.bye_spread") == ""
    assert fisc.article("championship.match_games") == ""


def test_a_section_of_another_mode_is_one_about_which_a_book_is_silent() -> None:
    assert load_ruleset("fisc-2023").article("slips.late") == ""
    assert load_ruleset("fisc-2023-duplicate").article("exchange.limit") == ""
    with pytest.raises(KeyError):
        load_ruleset("fisc-2023-duplicate").article("colours.limit")


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
    with pytest.raises(RulesetError, match=rf"^x.toml:{line_of(f'[{section}]')}: {key}: is missing$"):
        read_ruleset(text, file="x.toml")


@pytest.mark.parametrize("key", [key for key, _ in values()])
def test_a_value_of_the_wrong_kind_is_named(key: str) -> None:
    with pytest.raises(RulesetError, match=rf"^x.toml:\d+: {key}: expected .*, got "):
        read_ruleset(with_value(key, "{ odd = 1 }"), file="x.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "x.toml:1: is not TOML"),
        ("", "x.toml:1: name: is missing"),
        (
            TEXT.replace("[scoring]", "[scorring]"),
            rf"x.toml:{line_of('[scoring]')}: scorring: unknown key; expected name, title",
        ),
        (TEXT.replace("bingo = {", "bonus = {"), r"x.toml:\d+: scoring.bonus: unknown key; expected bingo"),
        (TEXT.replace("one_line", "one_lines"), r"x.toml:\d+: law.one_lines: unknown key"),
        (TEXT.replace('one_line = "FISC I.6"', "one_line = 6"), r"x.toml:\d+: law.one_line: expected text, got 6"),
        (TEXT.replace("bingo = { value = 50", "bingo = { valu = 50"), r"x.toml:\d+: scoring.bingo.valu: unknown key"),
        (re.sub("bingo = {.*}", "bingo = 50", TEXT), r"x.toml:\d+: scoring.bingo: expected a table, got 50"),
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
        (with_value("clock.overtime_points", "0"), "clock.overtime_cap_minutes: a cap has no effect"),
        (with_value("end.lost_turns", "0"), "end.lost_turns: a game cannot end before it begins"),
        (with_value("end.lost_turn_kinds", '["play"]'), "end.lost_turn_kinds: a play that stands"),
        (with_value("end.scoreless_turns", "2"), "end.scoreless_turns: is reached before 3 lost turns"),
        (
            with_value("challenge.appeal_by", '"none"'),
            "rulings_max: expected 1 exactly when no player",
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
    lifted = read_ruleset(with_value("clock.overtime_cap_minutes", '"none"'), file="x.toml")
    assert lifted.clock.overtime_cap_minutes is None


def with_option(table: str) -> str:
    """Return the FISC file with one more option."""
    return f"{TEXT}\n[options.tea]\n{table}\n"


SOUND = 'because = "organiser"\narticle = ""\nnote = ""\n'


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("", "options.tea.default: expected either a default or required = true"),
        (SOUND + "default = 1\ncolour = 2", "options.tea.colour: unknown key; expected some of article, because"),
        (SOUND + "required = true", "options.tea.choices: expected choices, least and most, or some_of"),
        (SOUND + 'default = 3\nkey = "clock.tea"\nleast = 1\nmost = 5', "tea.key: there is no value 'clock.tea'"),
        (SOUND + 'default = 3\nkey = "law.turn"\nleast = 1\nmost = 5', "tea.key: there is no value 'law.turn'"),
        (SOUND + 'default = 3\nkey = "clock.model"\nleast = 1\nmost = 5', "clock.model is not a whole number"),
        (SOUND + 'default = []\nkey = "clock.model"\nsome_of = ["a"]', "clock.model is not a list"),
        (SOUND + 'default = 25\nkey = "clock.minutes"\nleast = 9\nmost = 5', "tea.least: is more than the most, 5"),
        (SOUND + 'default = 25\nkey = "clock.minutes"\nleast = 1', "tea.most: is missing"),
        (SOUND + 'default = 30\nkey = "clock.minutes"\nleast = 1\nmost = 25', "30 is not in the range 1–25"),
        (SOUND + 'default = 20\nkey = "clock.minutes"\nleast = 1\nmost = 25', "to 20, and the file has 25"),
        (SOUND + 'default = "bag"\nchoices = ["bag"]', "tea.key: is missing: a list of choices is one of values"),
        (
            SOUND + 'default = "bag"\nkey = "exchange.limit"\nchoices = ["bag", "box"]',
            "tea.choices.box: exchange.limit: expected one of 'bag'",
        ),
        (
            SOUND + 'default = "a"\nkey = "exchange.limit"\n[options.tea.choices.a]\n"exchange.limit" = "bag"',
            "tea.key: has no effect: each choice names",
        ),
        (SOUND.replace("organiser", "tea") + "default = 1\nleast = 1\nmost = 2", "there is no value ''"),
        (
            SOUND + 'default = 25\nkey = "clock.minutes"\nleast = 1\nmost = 25\nwhen = { "clock.model" = "sun" }',
            "tea.when.clock.model: clock.model: expected one of 'chess'",
        ),
    ],
)
def test_an_option_that_is_written_wrong_is_refused_at_its_line(table: str, problem: str) -> None:
    first = TEXT.count("\n") + 2
    with pytest.raises(RulesetError, match=re.escape(problem)) as caught:
        read_ruleset(with_option(table), file="x.toml")
    assert first <= caught.value.line <= first + table.count("\n") + 2
    assert str(caught.value).startswith(f"x.toml:{caught.value.line}: options.tea")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"game.mode": '"multi"', "game.players_max": "3"}, "game.turn_direction: a turn alternates between two"),
        ({"game.players_max": "3", "game.turn_direction": '"left"'}, "game.mode: classic is a game of two"),
        (
            {"game.mode": '"multi"', "game.players_max": "3", "game.turn_direction": '"left"'},
            "game.players_max: an arbiter decides on one of several",
        ),
        ({"turn.steps": '["draw", "press"]'}, "turn.steps: a turn begins with place"),
        ({"turn.steps": '["place", "stop", "draw", "press"]'}, "turn.steps: has stop exactly when"),
        ({"turn.steps": '["place", "draw"]'}, "turn.steps: has press where there is a chess clock"),
        ({"turn.steps": '["place", "press"]', "turn.complete_on": '"draw"'}, "turn.complete_on: draw is not among"),
        ({"turn.complete_on": '"both-written"'}, "turn.complete_on: both write only where"),
        ({"touch.rule": '"free-until-clock"'}, "touch.rule: free-until-clock needs a clock"),
        ({"touch.rule": '"until-announced"'}, "touch.line_fixed_by_first_tile: has no effect"),
        ({"blank.fixed_on": '"clock-stopped"'}, "blank.fixed_on: clock-stopped needs"),
        ({"exchange.max": "8"}, "exchange.max: expected 1 to rack_size"),
        ({"exchange.stops_clock": "true"}, "exchange.stops_clock: needs a clock"),
        ({"exchange.illegal": '"reveal-and-choose"'}, "exchange.illegal: no exchange can exceed"),
        ({"free_exchange.allowed": "true"}, "free_exchange.when: is never exactly when"),
        ({"free_exchange.unfounded": '"turn-lost"'}, "free_exchange.unfounded: has no effect"),
        ({"passing.cannot_play": "true"}, "passing.cannot_play: has no effect"),
        ({"overdraw.expulsion_after_in_game": "0"}, "overdraw.expulsion_after_in_game: expected 1 or more"),
        ({"found_tiles.out_at": "7"}, "found_tiles.out_at: has no effect"),
        ({"clock.model": '"per-turn"'}, "clock.minutes: belongs to a chess clock"),
        ({"clock.turn_seconds": "120"}, "clock.turn_seconds: is given exactly when"),
        ({"clock.turn_timeout": '"turn-lost"'}, "clock.turn_timeout: is given exactly when"),
        (
            {"clock.stopped_by_mover": "true", "turn.steps": '["place", "stop", "draw", "press"]'},
            "clock.stopped_by_mover: needs a chess clock that does not run",
        ),
        ({"clock.neutralised_by": '["arbiter-call"]'}, "clock.resumed_on: a score is written"),
        ({"clock.runs_while_counting": "false"}, "clock.runs_while_drawing: no step restarts"),
        ({"round_time.rule": '"none"', "round_time.minutes": "60"}, "round_time.minutes: has no effect"),
        ({"round_time.twice_the_clock": "true", "round_time.minutes": "60"}, "round_time.twice_the_clock: the round"),
        ({"lateness.loses_with": '"arbiter"'}, "lateness.loses_after_minutes: is given exactly"),
        ({"challenge.closes_on": '"both-write"'}, "challenge.closes_on: both-write needs players who both write"),
        ({"challenge.opens_on": '"clock-stopped"'}, "challenge.opens_on: clock-stopped needs"),
        ({"challenge.penalty": "5"}, "challenge.penalty: is never due"),
        ({"challenge.penalty_unit": '"word"'}, "challenge.penalty_unit: words can be counted only"),
        (
            {"challenge.by": '"nobody"', "challenge.unfounded_loses_turn": "true"},
            "challenge.by: there are no challenges",
        ),
        ({"challenge.corrected_later_points": "30"}, "challenge.corrected_later_points: are given exactly"),
        ({"end.lost_turns": '"none"'}, "end.lost_turn_kinds: names what is counted exactly"),
        ({"abandon.rule": '"stands"'}, "abandon.points_behind: are taken only"),
        ({"forfeit.loser_points": "5"}, "forfeit.loser_points: are more than"),
        (
            {"scoresheet.signers": '"keeper"', "scoresheet.final_on": '"both-signed"'},
            "scoresheet.final_on: both-signed",
        ),
        (
            {"scoresheet.signers": '"keeper"', "scoresheet.reopen_by": '"both-players"'},
            "scoresheet.reopen_by: both players open",
        ),
    ],
)
def test_values_that_cannot_hold_together_are_refused_at_the_line_of_one(values: dict[str, str], problem: str) -> None:
    text = re.sub(r"(?ms)^\[options\..*", "", TEXT)
    for key, value in values.items():
        section, name = key.split(".")
        text = re.sub(
            rf"(?ms)(^\[{section}\]$.*?^{name} = \{{ value = )(.*?)(, article)", rf"\g<1>{value}\g<3>", text, count=1
        )
    with pytest.raises(RulesetError, match=re.escape(problem)) as caught:
        read_ruleset(text, file="x.toml")
    assert text.splitlines()[caught.value.line - 1].startswith(caught.value.key.split(".")[1])
