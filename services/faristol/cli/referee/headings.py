"""What every case says of itself: its name, the rules, the articles and scenarios that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from faristol.cli.referee.articles import articles_of
from faristol.cli.referee.document import Value
from faristol.rules import Refusal, Ruleset, check_settled, load_ruleset, with_options

HEADING_KEYS = frozenset({"case", "scenario", "articles", "ruleset", "steps"})
"""Keys of every case."""


@dataclass(frozen=True, slots=True)
class Heading:
    """See the fields of ``Case``."""

    name: str
    ruleset: Ruleset
    scenarios: tuple[int, ...]
    articles: tuple[str, ...]


def heading_of(value: Value, keys: Mapping[str, Value]) -> Heading:
    """The heading of the case ``value``, out of its keys and those of its file. Raises ``CaseError``."""
    for needed in ("case", "ruleset", "articles", "steps"):
        if needed not in keys:
            raise value.wrong(f"expected the key {needed!r} in every case")
    if not keys["steps"].items():
        raise keys["steps"].wrong("expected at least one step")
    ruleset = _ruleset(keys["ruleset"])
    scenarios = keys["scenario"].parts() if "scenario" in keys else ()
    return Heading(
        name=keys["case"].text(),
        ruleset=ruleset,
        scenarios=tuple(_scenario(part, keys["scenario"]) for part in scenarios),
        articles=_articles(keys["articles"], ruleset),
    )


def _scenario(text: str, place: Value) -> int:
    if not text.isdecimal():
        raise place.wrong(f"expected the numbers of scenarios, got {text!r}")
    return int(text)


def _ruleset(value: Value) -> Ruleset:
    try:
        return _settled(value.text())
    except (LookupError, ValueError, Refusal) as problem:
        raise value.wrong(str(problem.args[0] if isinstance(problem, LookupError) else problem)) from problem


@lru_cache(maxsize=256)
def _settled(text: str) -> Ruleset:
    """The ruleset that ``text`` names, with its options behind colons. Raises ``LookupError``, ``ValueError``."""
    name, *options = text.split(":")
    chosen: dict[str, str] = {}
    for option in options:
        key, sign, choice = option.partition("=")
        if not sign:
            raise ValueError(f"{option!r} is no option: expected NAME=VALUE")
        chosen[key] = choice
    ruleset = with_options(load_ruleset(name), chosen)
    check_settled(ruleset)
    return ruleset


def _articles(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    named = value.parts()
    known = articles_of(ruleset)
    for article in named:
        if article not in known:
            raise value.wrong(f"{ruleset.name} cites no article {article!r}; it cites: {', '.join(sorted(known))}")
    if not named:
        raise value.wrong("expected the articles that the case shows")
    return named
