from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po

from faristol.kernel.refusal import N_, Param, Refusal, fill
from faristol.text import (
    LANGUAGE_NAMES,
    LANGUAGES,
    TRANSLATED,
    cite,
    fit_words,
    join_list,
    negotiate,
    percent,
    render,
    say,
    translations,
    with_article,
)

ROOT = Path(__file__).parents[3]
METHODS = [
    ("**/pb/**", "ignore"),
    ("**.py", "python"),
    ("**/templates/**.html", "jinja2"),
    ("**/rulebooks/**.toml", "faristol.text.ruleset_notes:extract"),
    ("**.proto", "faristol.text.contract_texts:extract"),
]
PLACES = re.compile(r"%\(\w+\)s|\{\w+\}")
NOUNS = re.compile(r"\{(\w+):([^{}|]*)\|([^{}|]*)\}")
"""A noun and its plural, by a number that the sentence also has: ``{tiles} {tiles:tile|tiles}``."""

Key = str | tuple[str, ...]


@cache
def in_code() -> frozenset[Key]:
    """Return every text that is marked for translation."""
    found: set[Key] = set()
    for folder in ("libs", "services", "apps", "proto"):
        options = {"**/templates/**.html": {"trimmed": "true"}}
        keywords = {**DEFAULT_KEYWORDS, "N_": None}
        for _, _, key, _, _ in extract_from_dir(ROOT / folder, METHODS, options, keywords):
            found.add(key)
    return frozenset(found)


def catalog(language: str) -> Catalog:
    file = resources.files("faristol.text") / "locale" / language / "LC_MESSAGES" / "faristol.po"
    with file.open("rb") as source:
        return read_po(source, locale=language)


def forms(text: Key) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else text


def _frozen(text: str | Sequence[str]) -> Key:
    return text if isinstance(text, str) else tuple(text)


def pairs(language: str) -> Iterator[tuple[Key, Key]]:
    for message in catalog(language):
        if message.id:
            yield _frozen(message.id), _frozen(message.string or "")


def test_text_is_marked_in_rules_services_and_templates() -> None:
    marked = in_code()
    assert "A play lays at least one tile." in marked
    assert "Round %(number)s" in marked
    assert ("%(num)s player", "%(num)s players") in marked


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_text_has_one_translation(language: str) -> None:
    """Babel reads two entries without a message, and keeps one of them."""
    entries = re.split(
        r"\n{2,}",
        (ROOT / "libs/faristol/text/locale" / language / "LC_MESSAGES" / "faristol.po").read_text(encoding="utf-8"),
    )
    ids = Counter(match[1] for entry in entries if (match := re.search(r'^msgid ((?:".*"\n?)+)', entry, re.MULTILINE)))
    assert [text for text, count in ids.items() if count > 1] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_marked_text_is_translated(language: str) -> None:
    done = {key for key, text in pairs(language) if all(forms(text))}
    missing = sorted(map(str, in_code() - done))
    assert not missing, f"{language} lacks {len(missing)}; see libs/faristol/text/locale/babel.cfg: {missing}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_of_a_text_that_is_gone(language: str) -> None:
    assert sorted(map(str, {key for key, _ in pairs(language)} - in_code())) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_places_of_its_text(language: str) -> None:
    for key, text in pairs(language):
        expected = {place for form in forms(key) for place in PLACES.findall(form)}
        for form in forms(text):
            assert set(PLACES.findall(form)) == expected, f"{language}: {form!r} for {key!r}"
            nouns = NOUNS.findall(form)
            assert {f"{{{number}}}" for number, singular, many in nouns if singular != many} <= expected, (
                f"{language}: {form!r}"
            )
            assert form.count("|") == len(nouns), f"{language}: {form!r}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_plurals_have_both_forms(language: str) -> None:
    read = translations(language)
    singular, many = (read.ngettext("%(num)s player", "%(num)s players", number) for number in (1, 2))
    assert singular != many
    assert "%(num)s player" not in {singular, many}


def test_a_refusal_is_told_in_the_readers_language() -> None:
    refusal = Refusal(
        "TOO_FEW_ROUNDS",
        N_("A championship needs {least} {least:round|rounds} or more, not {rounds}."),
        {"least": 5, "rounds": 3},
        article="FISC I.1",
    )
    assert render(refusal, "ca") == "El mínim de rondes d’un campionat és 5, no pas 3."
    assert render(refusal, "es") == "Un campeonato tiene como mínimo 5 rondas, no 3."
    assert render(refusal, "el") == "Ο ελάχιστος αριθμός γύρων ενός πρωταθλήματος είναι 5, όχι 3."
    assert render(refusal, "en") == str(refusal)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_refusal_about_rounds_is_right_of_one_round_too(language: str) -> None:
    values = {"least": 1, "rounds": 1, "round": 1, "paired": 1, "most": 1, "players": 2}
    for text in (
        "A championship needs {least} {least:round|rounds} or more, not {rounds}.",
        "Round {round} has been paired: the championship cannot have {rounds} {rounds:round|rounds}.",
        "Round {round} is not an upcoming round: {paired} of {rounds} {paired:has|have} been paired.",
        "{players} players can play {most} {most:round|rounds} without meeting twice; the championship has {rounds}.",
        "{players} teams can play {most} {most:round|rounds} without meeting twice; the championship has {rounds}.",
    ):
        said = say(text, values, language)
        assert said != fill(text, values)
        assert not re.search(r"\b1 (rondas|rondes|γύρο[ιυ]|rounds)", said + fill(text, values))


def test_every_language_has_a_name_of_its_own() -> None:
    assert set(LANGUAGE_NAMES) == set(LANGUAGES)


def test_a_language_that_is_not_offered_is_refused() -> None:
    with pytest.raises(LookupError, match="'tlh'"):
        translations("tlh")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ca", "ca"),
        ("ca-ES,ca;q=0.9,es;q=0.8", "ca"),
        ("de, el;q=0.5, es;q=0.7", "es"),
        ("EL-gr", "el"),
        ("es;q=0, el;q=0.1", "el"),
        ("fr, de", "en"),
        ("*", "en"),
        ("es;q=0.5, ca;q=0.5", "es"),
        ("no such header ;;; q=x, ca", "ca"),
        ("es;q=1.000", "es"),
    ],
)
def test_the_browsers_languages_are_weighed(header: str, language: str) -> None:
    assert negotiate(header) == language


def test_percentages_have_two_decimals_so_that_a_column_can_be_compared() -> None:
    assert [percent(value, language) for value in (2.6, 100) for language in ("en", "ca")] == [
        "2.60",
        "2,60",
        "100.00",
        "100,00",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Agnès", "d’Agnès"),
        ("Èric", "d’Èric"),
        ("Oriol", "d’Oriol"),
        ("Helena", "d’Helena"),
        ("Ítaca", "d’Ítaca"),
        ("Iolanda", "de Iolanda"),
        ("Martí", "de Martí"),
        ("11", "de 11"),
        ("", "de "),
    ],
)
def test_a_catalan_name_that_begins_with_a_vowel_takes_its_preposition_short(name: str, expected: str) -> None:
    assert fit_words("de {who}", {"who": name}, "ca").format(who=name) == expected
    assert fit_words("De {who}", {"who": name}, "ca").format(who=name)[1:] == expected[1:]
    link = f'<a href="/players/x">{name}</a>'
    assert fit_words("de %(who)s", {"who": link}, "ca") % {"who": name} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Inés", "e Inés"),
        ("Íñigo", "e Íñigo"),
        ("Hilario", "e Hilario"),
        ("Ían", "e Ían"),
        ("Yvonne", "e Yvonne"),
        ("Iolanda", "y Iolanda"),
        ("Hierro", "y Hierro"),
        ("Yolanda", "y Yolanda"),
        ("Anna", "y Anna"),
        ("Hugo", "y Hugo"),
        ("8", "y 8"),
        ("", "y "),
    ],
)
def test_a_spanish_conjunction_changes_before_a_name_with_the_same_vowel(name: str, expected: str) -> None:
    assert say("{one} and {other} have met already.", {"one": "Biel", "other": name}, "es").startswith(
        f"Biel {expected}"
    )
    link = f'<a href="/players/x">{name}</a>'
    assert fit_words("y %(who)s", {"who": link}, "es") % {"who": name} == expected
    assert join_list(["Anna", "Biel", name], "es") == f"Anna, Biel {expected}"


@pytest.mark.parametrize(("value", "expected"), [("Olga", "u"), ("Horaci", "u"), ("8", "u"), ("11", "u"), ("110", "o")])
def test_the_spanish_or_changes_before_the_vowel_o(value: str, expected: str) -> None:
    assert fit_words("a o {b}", {"b": value}, "es") == f"a {expected} {{b}}"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("ca", "Anna, Biel i Inés"),
        ("es", "Anna, Biel e Inés"),
        ("el", "Anna, Biel και Inés"),
        ("en", "Anna, Biel, and Inés"),
    ],
)
def test_a_list_is_joined_as_its_language_does(language: str, expected: str) -> None:
    assert join_list(["Anna", "Biel", "Inés"], language) == expected
    assert (join_list(["Inés"], language), join_list([], language)) == ("Inés", "")


def test_decimals_and_names_of_rule_books_are_those_of_the_language() -> None:
    points: dict[str, Param] = {"mine": 12.5, "theirs": 13.0, "article": "PES Δ.ε"}
    for language, expected in (("ca", "12,5 13 (PES Δ.ε)"), ("el", "12,5 13 (ΠΕΣ Δ.ε)"), ("en", "12.5 13 (PES Δ.ε)")):
        assert say("{mine} {theirs} ({article})", points, language) == expected
    assert with_article("Τέλος.", "PES ΣΤ", "el") == "Τέλος (ΠΕΣ ΣΤ)."
    assert [cite(article, "el") for article in ("FISE 49", "PES", "")] == ["FISE 49", "ΠΕΣ", ""]
