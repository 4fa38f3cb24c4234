"""The articles of the books, and the scenarios, that the cases cover."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from faristol.casebook.articles import known_articles
from faristol.casebook.case import Case
from faristol.casebook.runner import Verdict
from faristol.rules import load_book, load_ruleset
from faristol.rules.options import written


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of one book by passed cases."""

    ruleset: str
    title: str
    articles: Mapping[str, str]
    """Every article of the book, in order, with its title."""
    shown: Mapping[str, Sequence[Case]]
    """The cases of every covered article."""
    by_parts: Mapping[str, Sequence[str]]
    """Articles without a case whose sub-articles are all covered or explained, with those."""
    unshown: Mapping[str, str]
    """Articles that no case can cover, with the reason."""

    @property
    def missing(self) -> Sequence[str]:
        """Articles that a case could cover, and none does."""
        known = {**self.shown, **self.by_parts, **self.unshown}
        return [article for article in self.articles if article not in known]


def coverage(verdicts: Iterable[Verdict]) -> list[Coverage]:
    """Compute the coverage of every book that has cases. Only passed cases count."""
    by_book: defaultdict[str, defaultdict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        articles = by_book[verdict.case.ruleset.name]
        for article in verdict.case.articles if verdict.passed else ():
            articles[article].append(verdict.case)
    return [_of_book(name, articles) for name, articles in sorted(by_book.items())]


def _of_book(name: str, cases: Mapping[str, Sequence[Case]]) -> Coverage:
    ruleset, book = load_ruleset(name), load_book(name)
    titles = book.articles if book else {}
    known = known_articles(ruleset)
    unshown = {article: why for article, why in (book.unshown if book else {}).items() if article not in cases}
    by_parts: dict[str, Sequence[str]] = {}
    for article in reversed(known):  # the parts of an article come after it
        parts = book.parts(article) if book else ()
        if article not in cases and parts and all(part in {**cases, **unshown, **by_parts} for part in parts):
            by_parts[article] = parts
    return Coverage(
        ruleset=name,
        title=ruleset.title,
        articles={article: titles.get(article, "") for article in known},
        shown={article: cases[article] for article in known if article in cases},
        by_parts=by_parts,
        unshown=unshown,
    )


def as_markdown(verdicts: Sequence[Verdict]) -> str:
    """Render the report of ``docs/rulebook-coverage.md``."""
    lines = [
        "# What do the rulebook cases cover?",
        "",
        "Made by `faristol referee --report docs/rulebook-coverage.md tests/rulebook/cases`. A case counts when it",
        "passes. The grammar of the cases: [rulebook-cases.md](rulebook-cases.md). Every article of each book is here,",
        "what it is about, and its cases, or why no case can show it. An article that no case names is shown by its",
        "parts where each of them is.",
        "",
        "| ruleset | cases | articles | shown | shown by parts | that no case can show | that no case shows yet |",
        "|---|---|---|---|---|---|---|",
    ]
    books = coverage(verdicts)
    for book in books:
        cases = sum(verdict.passed for verdict in verdicts if verdict.case.ruleset.name == book.ruleset)
        missing = ", ".join(article.partition(" ")[2] for article in book.missing) or "none"
        counts = (cases, len(book.articles), len(book.shown), len(book.by_parts), len(book.unshown))
        lines.append(f"| {book.ruleset} | {' | '.join(map(str, counts))} | {missing} |")
    lines += ["", "## Scenarios", "", "| scenario | cases |", "|---|---|"]
    scenarios: defaultdict[int, list[str]] = defaultdict(list)
    for verdict in verdicts:
        for scenario in verdict.case.scenarios if verdict.passed else ():
            scenarios[scenario].append(verdict.case.id)
    lines += [f"| {number} | {'; '.join(scenarios[number])} |" for number in sorted(scenarios)]
    for book in books:
        lines += ["", f"## {book.title}", "", "| article | about | cases |", "|---|---|---|"]
        lines += [f"| {article} | {about} | {_told(book, article)} |" for article, about in book.articles.items()]
        lines += _readings(book)
    return "\n".join(lines) + "\n"


def _readings(book: Coverage) -> list[str]:
    """Return how the ruleset reads questions that its book leaves open, with the option of another reading."""
    options = [option for option in load_ruleset(book.ruleset).options if option.because != "organiser"]
    if not options:
        return []
    said = [f"| {each.article or 'silent'} | {each.note} | `{each.name}={written(each.default)}` |" for each in options]
    return ["", "What the book leaves open:", "", "| article | question | read here as |", "|---|---|---|", *said]


def _told(book: Coverage, article: str) -> str:
    if article in book.shown:
        return "; ".join(case.id for case in book.shown[article])
    if article in book.by_parts:
        return f"by its parts: {', '.join(part.partition(' ')[2] for part in book.by_parts[article])}"
    return f"no case: {book.unshown[article]}" if article in book.unshown else "no case yet"
