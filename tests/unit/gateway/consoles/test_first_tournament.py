"""Steps of the first tournament: the summary of a rule book, and lines of a list corrected in place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.gateway.consoles.director.players import mend_lines
from faristol.gateway.consoles.director.ruleset_summary import summarise_ruleset
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.text import LANGUAGES
from faristol.typed_input.lists import lines_of


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("name", ruleset_names())
def test_a_rule_book_is_described_in_three_complete_lines(name: str, language: str) -> None:
    lines = summarise_ruleset(load_ruleset(name), language)
    assert len({line.text for line in lines}) == 3
    assert not [line.text for line in lines if "{" in line.text or "None" in line.text]


def test_the_summary_of_a_rule_book_has_its_numbers_and_their_articles() -> None:
    time, words, tournament = summarise_ruleset(load_ruleset("pes-2024"), "en")
    assert (time.text, time.article) == (
        "2 players at each table, 30 minutes each. Overtime costs 10 points a minute.",
        "PES Δ.δ.i",
    )
    assert "After 3 failed challenges, each valid word costs the challenger 10 points." in words.text
    assert tournament.article == "PES ΣΤ"


LINES = st.lists(
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12), min_size=1, max_size=8
)


@given(lines=LINES, number=st.integers(0, 12), value=st.text("ab\r\n ;", max_size=6))
def test_only_the_line_that_a_director_corrects_changes(lines: list[str], number: int, value: str) -> None:
    text = "\n".join(lines)
    before = lines_of(text)  # without unseen characters
    mended = mend_lines({"text": text, f"line.{number}": value, "line.x": "no line"}).split("\n")
    assert len(mended) == len(before)
    for place, (line, was) in enumerate(zip(mended, before, strict=True), 1):
        assert line == (" ".join(value.splitlines()).strip() if place == number else was)


def test_a_list_without_corrections_is_not_changed() -> None:
    assert mend_lines({"text": "Anna\r\nBlai", "act": "preview"}) == "Anna\r\nBlai"
