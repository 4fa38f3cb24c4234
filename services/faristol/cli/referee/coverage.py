"""Which articles of the books, and which scenarios, the cases show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from faristol.cli.referee.articles import articles_of
from faristol.cli.referee.case import Case
from faristol.cli.referee.running import Verdict
from faristol.rules import load_ruleset


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the passed cases show of one book."""

    ruleset: str
    title: str
    shown: Mapping[str, Sequence[Case]]
    """The cases of every article that has some, in the order of the book."""
    missing: Sequence[str]
    """Articles of the book that no case shows."""


def coverage(verdicts: Iterable[Verdict]) -> list[Coverage]:
    """The coverage of every book that there are cases of. Only cases that passed show anything."""
    by_book: defaultdict[str, defaultdict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        articles = by_book[verdict.case.ruleset.name]
        for article in verdict.case.articles if verdict.passed else ():
            articles[article].append(verdict.case)
    found = []
    for name, articles in sorted(by_book.items()):
        ruleset = load_ruleset(name)
        found.append(
            Coverage(
                ruleset=name,
                title=ruleset.title,
                shown={article: articles[article] for article in sorted(articles, key=in_order)},
                missing=sorted(articles_of(ruleset) - set(articles), key=in_order),
            )
        )
    return found


def in_order(article: str) -> tuple[tuple[int, str], ...]:
    """A key that puts ``FISC I.7.1`` after ``FISC I.7`` and ``FISE 10`` after ``FISE 9``."""
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", article))


def as_markdown(verdicts: Sequence[Verdict]) -> str:
    """The report of ``docs/rulebook-coverage.md``."""
    lines = [
        "# What the rulebook cases cover",
        "",
        "Made by `faristol referee --report docs/rulebook-coverage.md tests/rulebook/cases`. A case counts when it",
        "passes. The grammar of the cases: [rulebook-cases.md](rulebook-cases.md).",
        "",
        "| ruleset | cases | articles shown | articles that no case shows |",
        "|---|---|---|---|",
    ]
    books = coverage(verdicts)
    for book in books:
        cases = sum(verdict.passed for verdict in verdicts if verdict.case.ruleset.name == book.ruleset)
        missing = ", ".join(article.partition(" ")[2] for article in book.missing) or "none"
        lines.append(f"| {book.ruleset} | {cases} | {len(book.shown)} | {missing} |")
    lines += ["", "## Scenarios", "", "| scenario | cases |", "|---|---|"]
    scenarios: defaultdict[int, list[str]] = defaultdict(list)
    for verdict in verdicts:
        for scenario in verdict.case.scenarios if verdict.passed else ():
            scenarios[scenario].append(verdict.case.id)
    lines += [f"| {number} | {'; '.join(scenarios[number])} |" for number in sorted(scenarios)]
    for book in books:
        lines += ["", f"## {book.title}", "", "| article | cases |", "|---|---|"]
        lines += [f"| {article} | {'; '.join(case.id for case in cases)} |" for article, cases in book.shown.items()]
    return "\n".join(lines) + "\n"
