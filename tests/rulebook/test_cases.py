"""Every rulebook case, played by the services: an item for each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from faristol.casebook.articles import articles_of
from faristol.casebook.case import Case
from faristol.casebook.commands import verbs_of
from faristol.casebook.coverage import as_markdown, coverage
from faristol.casebook.duplicate_game.actions import OF_PLAYERS
from faristol.casebook.duplicate_game.game import DUPLICATE_VERBS
from faristol.casebook.hosts.services import CLOCK, GAME
from faristol.casebook.reader import files_in, read_cases
from faristol.casebook.runner import Verdict, run_case
from faristol.casebook.tournament.actions import TOURNAMENT_VERBS
from faristol.rules import load_book, load_ruleset, ruleset_names

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "docs" / "rulebook-coverage.md"

OF_FIDE = "FIDE "
"""Articles that books fall back on if they have no rule; a book without such tie-breaks shows none of them."""

CASES = [case for file in files_in([HERE / "cases"]) for case in read_cases(file)]
VERDICTS: dict[str, Verdict] = {}


async def verdict_of(case: Case) -> Verdict:
    """Return the verdict on a case, which is played once for all callers."""
    if case.id not in VERDICTS:
        VERDICTS[case.id] = await run_case(case)
    return VERDICTS[case.id]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_it_comes_out_as_the_book_says(case: Case) -> None:
    verdict = await verdict_of(case)
    assert verdict.passed, "\n".join(verdict.problems)


def test_no_two_cases_are_called_the_same() -> None:
    assert max(Counter(case.id for case in CASES).values()) == 1


async def test_the_report_says_what_is_covered_today() -> None:
    verdicts = [await verdict_of(case) for case in CASES]
    assert REPORT.read_text(encoding="utf-8") == as_markdown(verdicts), (
        "make it again: faristol referee --report docs/rulebook-coverage.md tests/rulebook/cases"
    )


def test_every_scenario_has_a_case() -> None:
    shown = {scenario for case in CASES for scenario in case.scenarios}
    assert set(range(1, 121)) <= shown


def test_every_article_that_a_book_is_cited_for_is_shown_by_a_case_that_comes_out_right() -> None:
    for name in ruleset_names():
        shown = {article for case in CASES if case.ruleset.name == name for article in case.articles}
        cited = {article for article in articles_of(load_ruleset(name)) if not article.startswith(OF_FIDE)}
        assert cited - shown == set(), name


async def test_every_article_of_a_book_is_shown_by_a_case_or_the_page_says_why_none_can() -> None:
    verdicts = [await verdict_of(case) for case in CASES]
    for found in coverage(verdicts):
        book = load_book(found.ruleset)
        assert [article for article in found.missing if not article.startswith(OF_FIDE)] == [], found.ruleset
        if book is not None:
            assert dict(found.unshown) == dict(book.unshown), "a case shows what is said to be shown by none"


def test_a_ruleset_cites_no_article_that_its_book_does_not_have() -> None:
    books = {name: book for name in ruleset_names() if (book := load_book(name))}
    assert len(books) == 6
    for name, book in books.items():
        cited = {article for article in articles_of(load_ruleset(name)) if not article.startswith(OF_FIDE)}
        assert cited - set(book.articles) == set(), name


def test_every_command_stands_in_a_case() -> None:
    done = {step.verb for case in CASES for step in case.steps}
    done |= {OF_PLAYERS[step.verb] for case in CASES for step in case.steps if step.verb in OF_PLAYERS}
    commands = {*verbs_of((GAME, CLOCK)), *TOURNAMENT_VERBS, *DUPLICATE_VERBS}
    assert commands - done == set()
