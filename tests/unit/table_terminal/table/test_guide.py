"""`help` knows every verb, and its examples can be typed."""

from __future__ import annotations

import pytest

from faristol.casebook.case import Step
from faristol.rules import load_ruleset
from faristol.table_terminal.table.guide import GUIDES, arguments_of, describe_argument, explain_verb, overview
from faristol.table_terminal.table.lines import Typed, read_typed
from faristol.table_terminal.table.services import VERBS
from faristol.text import LANGUAGES

OF_THE_TOOL = {"rule", "turn"}
"""Verbs that are not commands of a service."""


def test_every_verb_is_explained() -> None:
    assert set(GUIDES) == set(VERBS) | OF_THE_TOOL
    said = [describe_argument(verb, word, "en") for verb in VERBS.values() for word in arguments_of(verb)]
    assert "Accept the play? (yes or no)" in said
    assert all(said)


@pytest.mark.parametrize("name", sorted(GUIDES))
def test_an_example_is_a_step_with_its_verb_and_says_only_what_the_verb_can_say(name: str) -> None:
    step = read_typed(Typed(1, GUIDES[name].example), {"Anna", "Blai"})
    assert isinstance(step, Step)
    assert step.verb == name
    if name in VERBS:
        assert set(step.fields) <= set(arguments_of(VERBS[name]))
        assert bool(step.argument) <= bool(VERBS[name].argument)


@pytest.mark.parametrize(
    ("book", "reasons"), [("fisc-2023", "device, entry, ruling"), ("pes-2024", "device, entry, forgotten, ruling")]
)
def test_help_tells_the_reasons_for_a_corrected_clock_that_the_book_allows(book: str, reasons: str) -> None:
    told = list(explain_verb("correct-clock", VERBS["correct-clock"], "en", load_ruleset(book)))
    assert f"Reasons under these rules: {reasons}" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_is_told_in_every_language(language: str) -> None:
    assert len(list(overview(language))) == len(GUIDES)
    told = "\n".join(explain_verb("claim-overdraw", VERBS["claim-overdraw"], language))
    assert "Blai: claim-overdraw Anna, with: {racked: yes, seen: no}" in told
    assert (GUIDES["claim-overdraw"].sentence in told) == (language == "en")
