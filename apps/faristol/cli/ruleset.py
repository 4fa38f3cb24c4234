"""`faristol ruleset …`: the values of rule books, and their differences."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from faristol.cli.options import AsJson
from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, list_unsettled, load_ruleset, ruleset_names
from faristol.rules.ruleset.options import Option, format_value
from faristol.rules.ruleset.sections import Law
from faristol.rules.ruleset.with_options import value_of, with_options
from faristol.table_terminal.shared.common import print_answer

RULESET_HELP = "A ruleset, with options behind colons: fise, or fise:time=non-running:minutes=22."
Name = Annotated[str, typer.Argument(help=RULESET_HELP)]

UNSAID = "–"
"""Printed for an article or a number that the book does not have."""

TO_BE_SAID = "to be said"
"""Printed for an option that the organiser must choose and has not."""


def list_rulesets(json_output: AsJson = False) -> None:
    """List the rulesets, with the options that an organiser must still choose."""
    rulesets = [load_ruleset(name) for name in ruleset_names()]
    if json_output:
        content = [
            {
                "name": ruleset.name,
                "title": ruleset.title,
                "digest": ruleset.digest,
                "needs": [option.name for option in list_unsettled(ruleset)],
            }
            for ruleset in rulesets
        ]
        print_answer(content, (), json_output=True)
        return
    table = _table("name", "title", "players", "tiles", "content", "to be said")
    for ruleset in rulesets:
        game = ruleset.game
        players = "–".join(map(str, sorted({game.players_min, game.players_max})))
        needs = ", ".join(option.name for option in list_unsettled(ruleset))
        _row(table, ruleset.name, ruleset.title, players, game.tile_set, ruleset.digest[:12], needs or UNSAID)
    _print(table)


def show(name: Name, json_output: AsJson = False) -> None:
    """Print every value of a ruleset with its article, then the options."""
    ruleset = _ruleset(name)
    if json_output:
        print_answer(_content(ruleset), (), json_output=True)
        return
    heading = Text(f"{ruleset.name}: {ruleset.title}\ncontent {ruleset.digest}")
    values = _table("value of", "value", "article")
    open_keys = {key for option in list_unsettled(ruleset) for key in option.keys}
    for key, value in _values(ruleset):
        _row(values, key, TO_BE_SAID if key in open_keys else _format_value(value), ruleset.article(key) or UNSAID)
    for rule, article in _law(ruleset):
        _row(values, f"law.{rule}", "", article or UNSAID)
    options = _table("option", "may be", "is", "because", "article", "what is open")
    for option in ruleset.options:
        _row(
            options,
            option.name,
            option.range,
            _setting(ruleset, option),
            option.because,
            option.article or UNSAID,
            option.note,
        )
    _print(heading, values, options)


def diff(first: Name, second: Name, json_output: AsJson = False) -> None:
    """Print the values in which two rulesets differ, with the articles of both; a missing one is empty."""
    left, right = _ruleset(first), _ruleset(second)
    here, there = dict(_values(left)), dict(_values(right))
    keys = [
        (key, here.get(key), there.get(key))
        for key in dict.fromkeys((*here, *there))
        if key not in here or key not in there or here[key] != there[key]
    ]
    if json_output:
        content = {
            key: {
                first: {"value": value, "article": left.articles.get(key, "")},
                second: {"value": beside, "article": right.articles.get(key, "")},
            }
            for key, value, beside in keys
        }
        print_answer(content, (), json_output=True)
        return
    table = _table("value of", first, "article", second, "article")
    for key, value, beside in keys:
        articles = [ruleset.articles.get(key) or UNSAID for ruleset in (left, right)]
        _row(table, key, _format_value(value), articles[0], _format_value(beside), articles[1])
    _print(table if keys else Text(f"{first} and {second} say the same."))


def _ruleset(spec: str) -> Ruleset:
    """Return the ruleset of a specification with its options. Raises ``typer.BadParameter``."""
    name, *choices = spec.split(":")
    chosen = {}
    for choice in choices:
        option, equals, value = choice.partition("=")
        if not equals:
            raise typer.BadParameter(f"{choice!r} is not an option: expected NAME=VALUE, as in {RULESET_HELP}")
        chosen[option] = value
    try:
        return with_options(load_ruleset(name), chosen)
    except (LookupError, Refusal) as error:
        raise typer.BadParameter(error.args[0] if isinstance(error, LookupError) else str(error)) from None


def _values(ruleset: Ruleset) -> Iterator[tuple[str, Any]]:
    """Yield every value of a ruleset by its key, in the order of the files."""
    for section, part in ruleset.sections.items():
        if not isinstance(part, Law):
            yield from ((f"{section}.{name}", getattr(part, name)) for name in part.__slots__)


def _law(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the article of every rule without a value."""
    return ((name, getattr(ruleset.law, name)) for name in type(ruleset.law).__slots__)


def _content(ruleset: Ruleset) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "digest": ruleset.digest,
        "values": {key: {"value": value, "article": ruleset.article(key)} for key, value in _values(ruleset)},
        "law": dict(_law(ruleset)),
        "options": [
            {
                "name": option.name,
                "range": option.range,
                "value": _setting(ruleset, option),
                "required": option.required,
                "because": option.because,
                "article": option.article,
                "note": option.note,
                "sets": list(option.keys),
            }
            for option in ruleset.options
        ],
        "chosen": dict(ruleset.chosen),
    }


def _setting(ruleset: Ruleset, option: Option) -> str:
    """Return the value of an option: as chosen, as determined by another option, or that it must be chosen."""
    if option in list_unsettled(ruleset):
        return TO_BE_SAID
    if not option.choices:
        return _format_value(value_of(ruleset, option.key))
    holds = [
        choice
        for choice, sets in option.choices.items()
        if all(value_of(ruleset, key) == value for key, value in sets.items())
    ]
    return holds[0] if holds else _format_value(ruleset.chosen.get(option.name, option.default))


def _format_value(value: Any) -> str:
    if value is None:
        return UNSAID
    return ", ".join(value) or UNSAID if isinstance(value, tuple) else format_value(value)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=place == 0)
    return table


def _row(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))  # Text objects, so that [a] and [b] are not interpreted as markup


def _print(*parts: Table | Text) -> None:
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = 160
    for place, part in enumerate(parts):
        if place:
            console.print()
        console.print(part, highlight=False)
