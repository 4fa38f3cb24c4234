from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from faristol.cli.main import app
from faristol.rules import load_ruleset, ruleset_names
from faristol.rules.ruleset.with_options import with_options


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["ruleset", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_has_every_book_and_what_it_needs() -> None:
    listed = json.loads(output("list", "--json"))
    assert [book["name"] for book in listed] == list(ruleset_names())
    assert {book["name"]: book["needs"] for book in listed if book["needs"]} == {"uf-2007": ["minutes"]}
    assert "minutes" in next(line for line in output("list").splitlines() if line.startswith("uf-2007"))


@pytest.mark.parametrize("name", ruleset_names())
def test_a_book_is_shown_whole(name: str) -> None:
    ruleset = load_ruleset(name)
    lines = output("show", name).splitlines()
    shown = {line.split()[0] for line in lines if line.strip()}
    assert shown >= {*ruleset.articles, *(f"law.{rule}" for rule in type(ruleset.law).__slots__)}
    assert shown >= {option.name for option in ruleset.options}
    content = json.loads(output("show", name, "--json"))
    assert {key: value["article"] for key, value in content["values"].items()} == dict(ruleset.articles)
    assert content["digest"] == ruleset.digest


def test_what_the_organiser_must_say_is_said_to_be_open() -> None:
    line = next(line for line in output("show", "uf-2007").splitlines() if line.startswith("clock.minutes"))
    assert line.split("  ")[0] == "clock.minutes"
    assert "to be said" in line
    assert "to be said" not in output("show", "uf-2007:minutes=25")


def test_options_are_named_behind_colons_and_show_what_they_come_to() -> None:
    content = json.loads(output("show", "fise:time=non-running", "--json"))
    assert content["digest"] == with_options(load_ruleset("fise"), {"time": "non-running"}).digest
    set_to = {option["name"]: option["value"] for option in content["options"]}
    assert (set_to["time"], set_to["minutes"]) == ("non-running", "25")


def test_a_difference_is_printed_with_the_articles_of_both() -> None:
    said = json.loads(output("diff", "uf-2007", "fisc-2023", "--json"))
    assert said["exchange.limit"] == {
        "uf-2007": {"value": "full-rack-in-bag", "article": "UF 14.1"},
        "fisc-2023": {"value": "bag", "article": "FISC I.7.1"},
    }
    assert "game.rack_size" not in said
    line = next(line for line in output("diff", "uf-2007", "fisc-2023").splitlines() if line.startswith("exchange.l"))
    assert line.split() == ["exchange.limit", "full-rack-in-bag", "UF", "14.1", "bag", "FISC", "I.7.1"]
    assert output("diff", "fise", "fise:minutes=30").strip() == "fise and fise:minutes=30 say the same."


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("fisc-1999", "no ruleset 'fisc-1999'; there are: box"),
        ("fise:minutes=200", "The option minutes cannot be 200: choose 5–90."),
        ("fise:minutes", "'minutes' is not an option: expected NAME=VALUE"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(spec: str, problem: str) -> None:
    result = CliRunner().invoke(app, ["ruleset", "show", spec])
    assert result.exit_code == 2
    assert problem.replace(" ", "") in "".join(result.output.replace("│", "").split())
