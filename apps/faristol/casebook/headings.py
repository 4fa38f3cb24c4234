"""The heading of every case: its name, rules, articles and scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from faristol.casebook.articles import known_articles, split_articles
from faristol.casebook.case import Step
from faristol.casebook.document import Errors, Value
from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, check_settled, load_ruleset
from faristol.rules.ruleset.with_options import with_options

HEADING_KEYS = frozenset({"case", "scenario", "articles", "ruleset", "seed", "steps"})
"""Keys of every case."""


class Heading(NamedTuple):
    """The fields of ``Case`` that every kind has."""

    name: str
    ruleset: Ruleset
    scenarios: tuple[int, ...]
    articles: tuple[str, ...]
    seed: str


def heading_of(value: Value, keys: Mapping[str, Value], errors: Errors) -> Heading:
    """Read the heading of the case ``value`` from its keys and those of its file; ``errors`` collects errors.

    Raises ``CaseError`` if it has no rules or no steps, and so cannot be read at all.
    """
    needed = [key for key in ("case", "ruleset", "articles", "steps") if key not in keys]
    missing = {key: value.wrong(f"expected the key {key!r} in every case") for key in needed}
    for error in missing.values():
        errors.add(error)
    if unreadable := missing.get("ruleset") or missing.get("steps"):
        raise unreadable
    if not keys["steps"].items():
        raise keys["steps"].wrong("expected at least one step")
    ruleset = _ruleset(keys["ruleset"])
    name, articles, scenarios = "", tuple[str, ...](), list[int]()
    with errors.gather():
        name = keys["case"].text() if "case" in keys else ""
    with errors.gather():
        articles = _articles(keys["articles"], ruleset) if "articles" in keys else ()
    with errors.gather():
        named = keys["scenario"].parts() if "scenario" in keys else ()
        scenarios += [_scenario(part, keys["scenario"]) for part in named]
    seed = name
    with errors.gather():
        seed = keys["seed"].text() if "seed" in keys else name
    return Heading(name=name, ruleset=ruleset, scenarios=tuple(scenarios), articles=articles, seed=seed)


def _scenario(text: str, place: Value) -> int:
    if not text.isdecimal():
        raise place.wrong(f"expected the numbers of scenarios, got {text!r}")
    return int(text)


def _ruleset(value: Value) -> Ruleset:
    try:
        return _load_settled_ruleset(value.text())
    except (LookupError, ValueError, Refusal) as error:
        raise value.wrong(str(error.args[0] if isinstance(error, LookupError) else error)) from error


@lru_cache(maxsize=256)
def _load_settled_ruleset(text: str) -> Ruleset:
    """Load the ruleset ``text``, with its options after colons. Raises ``LookupError``, ``ValueError``."""
    name, *options = text.split(":")
    chosen: dict[str, str] = {}
    for option in options:
        key, sign, choice = option.partition("=")
        if not sign:
            raise ValueError(f"{option!r} is not an option: expected NAME=VALUE")
        chosen[key] = choice
    ruleset = with_options(load_ruleset(name), chosen)
    check_settled(ruleset)
    return ruleset


def _articles(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    named = value.parts()
    for article in named:
        check_article(value, article, ruleset)
    if not named:
        raise value.wrong("expected the articles that the case shows")
    return named


def check_article(place: Value, article: str, ruleset: Ruleset) -> None:
    """Raise ``CaseError`` for an article that the book of a ruleset does not have, with the closest one."""
    known = known_articles(ruleset)
    if article not in known:
        raise place.no_such(f"article in the book of {ruleset.name}", article, known)


def check_refusals(steps: Iterable[Step], ruleset: Ruleset, errors: Errors) -> None:
    """Add to ``errors`` the expected refusals by articles that the book of a ruleset does not have."""
    for step in steps:
        if "refused" in step.expected:
            with errors.gather():
                place = step.expected["refused"]
                for article in split_articles(place.text()):
                    check_article(place, article, ruleset)
