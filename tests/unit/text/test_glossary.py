"""The catalogs use the terms of docs/glossary.md: one term, one translation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from faristol.text import TRANSLATED

GLOSSARY = Path(__file__).parents[3] / "docs" / "glossary.md"
COLUMNS = {"ca": 2, "es": 3, "el": 4}
NOT_PROSE = re.compile(r"`[^`]*`|\{\{.*?\}\}|%\(\w+\)s|\{\w+\}|--\w+|\{\w+:")
"""Code, places and options: not words of the sentence."""

ALWAYS_SAID = (
    "tile",
    "blank",
    "rack",
    "bag",
    "board",
    "exchange",
    "opponent",
    "clock",
    "scoresheet",
    "overtime",
    "challenge",
    "ruling",
    "arbiter",
    "judge",
    "sanction",
    "lexicon",
    "round",
    "tournament",
    "championship",
    "division",
    "bye",
    "standings",
    "game",
    "rating",
)
"""Where the English has one of these words, the translation has its term."""

EXCEPT = {
    # Values that are typed stay as they are.
    ("*", "the kind: points, turn, game, expulsion"),
    ("*", "expected automatic, judge or panel"),
    ("*", "Also: %(words)s (rack WHO, help VERB)."),
    # The name of a square, by the book.
    ("ca", "double word"),
    ("ca", "triple word"),
    # Used without the noun.
    ("*", "W–D–L counts games over the board."),
    ("*", "By the line-up {one} is at board {board}, and wins there without a game"),
    ("*", "All players meet each other: the opponent of {player}"),
    ("*", "Head-to-head games"),
    ("*", "No game, because the opponent is absent:"),
    ("*", "expected a game for a sanction in points or the loss of a game, and none for rounds"),
    ("ca", "Tiles of this turn are on the board: an exchange"),
    ("ca", "free exchange of the rack"),
    ("es", "Went out: no tiles left in the rack or in the bag."),
    ("es", "All players meet by the table of rounds: pairs"),
    ("es", "{one} has the bye by the table of rounds."),
    ("es", "a panel of judges"),
    ("es", "A ruling is made on every word of the case"),
    ("es", "Case {case} was ruled on by {judges}"),
    ("el", "Under these rules no game ends by agreement"),
    ("el", "This table is played over the board"),
    ("el", "A ruling is made on every word of the case"),
}
"""Languages and beginnings of texts that a check passes over."""


@dataclass(frozen=True)
class Term:
    """A row of the glossary in one language."""

    english: str
    translation: str
    wrong: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The common beginning of all inflections of the first word, without accents."""
        first = _plain(self.translation.split()[0])
        return first[: max(3, min(4, len(first) - 2))]


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


@cache
def terms(language: str) -> tuple[Term, ...]:
    found = []
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or cells[0] == "English":
            continue
        translation, _, wrong = cells[COLUMNS[language]].partition(", *not* ")
        found.append(Term(cells[0], translation, tuple(wrong.split(", ")) if wrong else ()))
    return tuple(found)


@cache
def texts(language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the texts of a catalog and their translations, without those that ``EXCEPT`` names."""
    file = resources.files("faristol.text") / "locale" / language / "LC_MESSAGES" / "faristol.po"
    with file.open("rb") as source:
        catalog = read_po(source, locale=language)
    passed = tuple(text for of, text in EXCEPT if of in {"*", language})
    found = []
    for message in catalog:
        text, string = message.id if isinstance(message.id, str) else message.id[0], message.string or ""
        if text and not text.startswith(passed):
            found.append((text, (string,) if isinstance(string, str) else tuple(string)))
    return tuple(found)


def wrong_words(language: str, translation: str) -> Iterator[str]:
    """Yield the words in ``translation`` that are not the translation of the term in the glossary."""
    for term in terms(language):
        for word in term.wrong:
            if re.search(rf"\b{re.escape(word)}", NOT_PROSE.sub(" ", translation), re.IGNORECASE):
                yield f"{word!r} for {term.english!r}, which is {term.translation!r}"


def missing_terms(language: str, text: str, translation: str) -> Iterator[str]:
    """Yield the terms of ``ALWAYS_SAID`` that ``text`` has and ``translation`` has not."""
    prose, said = NOT_PROSE.sub(" ", text), _plain(translation)
    for term in terms(language):
        if term.english not in ALWAYS_SAID:
            continue
        longer = "|".join(each.english for each in terms(language) if f"{term.english} " in each.english)
        rest = re.sub(rf"\b({longer})", " ", prose, flags=re.IGNORECASE) if longer else prose  # "round robin"
        is_named = re.search(rf"\b{term.english}(s|es)?\b", rest, re.IGNORECASE)
        if is_named and not re.search(rf"\b{term.stem}", said):
            yield f"{term.translation!r} for {term.english!r} is missing"


@pytest.mark.parametrize("language", TRANSLATED)
def test_one_term_has_one_translation(language: str) -> None:
    problems = [
        f"{problem}: {form!r} for {text!r}"
        for text, forms in texts(language)
        for form in forms
        for problem in (*wrong_words(language, form), *missing_terms(language, text, form))
    ]
    assert not problems, f"{len(problems)} in {language}, see docs/glossary.md:\n" + "\n".join(problems)


def test_a_tile_is_no_piece_in_catalan() -> None:
    text = "A play lays at least one tile."
    assert list(wrong_words("ca", "Una jugada col·loca com a mínim una peça.")) == [
        "'peça' for 'tile', which is 'fitxa'"
    ]
    assert list(missing_terms("ca", text, "Una jugada col·loca com a mínim una lletra.")) == [
        "'fitxa' for 'tile' is missing"
    ]
    assert list(missing_terms("ca", text, "Una jugada col·loca com a mínim una fitxa.")) == []


def test_every_term_is_in_every_language_and_once() -> None:
    for language in TRANSLATED:
        found = terms(language)
        assert len(found) > 50
        assert all(term.translation for term in found)
        assert len({term.english for term in found}) == len(found)
    assert set(ALWAYS_SAID) <= {term.english for term in terms("ca")}


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_apostrophes_and_quotation_marks_of_its_language(language: str) -> None:
    for text, forms in texts(language):
        for form in forms:
            prose = re.sub(r"`[^`]*`|\n +", "code", form)
            assert not re.search(r"\w'\w|[“”]|\w\s+[,.;:·](\s|$)|\.\.\.", prose), f"{form!r} for {text!r}"
            assert ('"' in prose) <= ('"' in text), f"{form!r} for {text!r}"
            assert ("  " in prose) <= ("  " in text), f"{form!r} for {text!r}"


@pytest.mark.parametrize(
    ("language", "familiar"),
    [("ca", r"\b(vés|has de|pots|vols|tens)\b"), ("es", r"\b(puedes|tienes|quieres|debes|tu)\b")],
)
def test_the_reader_is_addressed_politely(language: str, familiar: str) -> None:
    for text, forms in texts(language):
        for form in forms:
            assert not re.search(familiar, form, re.IGNORECASE), f"{form!r} for {text!r}"
