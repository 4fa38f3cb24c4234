"""Pages of help: the same parts in each language, and the words of the buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.routing import Match
from tests.unit.text.test_glossary import missing_terms, texts, wrong_words

from faristol.gateway.app import ROUTES
from faristol.gateway.consoles.director.page import CONSOLE_PAGES
from faristol.gateway.consoles.navigation import _CONSOLE_LINKS, HELP_PAGES, HELP_PAGES_OF_PARTS
from faristol.gateway.pages.help_pages import HELP_NAMES, load_help_page, read_help_text
from faristol.text import LANGUAGES, TRANSLATED

HELP = resources.files("faristol.gateway") / "help"
TEMPLATES = resources.files("faristol.gateway") / "templates"
OWN_TEMPLATES = {
    "own_table.html": "player",
    "duplicate/slip.html": "duplicate",
    "keep.html": "scorer",
    "credentials.html": "director",
}
"""Pages of a signed-in user that ``Console.page`` does not render, with their page of help."""

WITHOUT_HELP = {"print", "own"}
"""Links of an account to paper and to a public page."""

WORD_COUNTS = range(200, 501)

EVERY_PAGE = pytest.mark.parametrize(("language", "name"), [(each, name) for each in LANGUAGES for name in HELP_NAMES])


@cache
def read_tokens(name: str, language: str) -> tuple[Token, ...]:
    """Return the tokens of a page, those within a line too; HTML is a token of its own."""
    blocks = MarkdownIt("commonmark").parse(read_help_text(name, language))
    return tuple(token for block in blocks for token in (block, *(block.children or ())))


def list_labels(name: str, language: str) -> Iterator[str]:
    """Yield the bold texts of a page."""
    tokens = read_tokens(name, language)
    starts = (place for place, token in enumerate(tokens) if token.type == "strong_open")
    yield from (tokens[place + 1].content for place in starts)


@cache
def build_label_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of all texts of a catalogue; a parameter stands for one word."""
    found = set()
    for text, forms in texts(language if language in TRANSLATED else TRANSLATED[0]):
        found |= set(forms) if language in TRANSLATED else {text}
    filled = (re.sub(r"%\\\(\w+\\\)s|\\\{\w+\\\}", r"\\S+", re.escape(each)) for each in found if "\n" not in each)
    # A text with little besides its parameter would match any label.
    return re.compile("|".join(each for each in filled if len(each.replace(r"\S+", "")) > len("::")))


def test_every_page_is_a_file_in_every_language() -> None:
    files = {f"{folder.name}/{file.name}" for folder in HELP.iterdir() for file in folder.iterdir()}
    assert files == {f"{language}/{name}.md" for language in LANGUAGES for name in HELP_NAMES}


@EVERY_PAGE
def test_a_page_has_the_parts_of_the_english_one(language: str, name: str) -> None:
    def list_structure(of: str) -> list[tuple[str, str]]:
        return [(token.type, token.tag) for token in read_tokens(name, of) if token.level <= 1 and token.tag != ""]

    assert list_structure(language) == list_structure("en")
    tags = [token.tag for token in read_tokens(name, language) if token.type == "heading_open"]
    assert tags[0] == "h1"
    assert set(tags[1:]) == {"h2"}
    assert len(read_help_text(name, language).split()) in WORD_COUNTS


@EVERY_PAGE
def test_a_page_is_rendered_with_an_id_for_each_heading_and_without_html_of_its_own(language: str, name: str) -> None:
    assert not [token.content for token in read_tokens(name, language) if token.type.startswith("html")]
    found = load_help_page(name, language)
    assert found.title
    assert found.about.endswith(".")
    headings = re.findall(r"<h2([^>]*)>", found.body)
    assert headings == [f' id="part-{number}"' for number in range(1, len(headings) + 1)]
    assert len(headings) >= 4
    assert load_help_page(name, language) is found


@EVERY_PAGE
def test_every_label_is_that_of_a_button(language: str, name: str) -> None:
    labels = list(list_labels(name, language))
    assert len(labels) > 10
    pattern = build_label_pattern(language)
    assert not [label for label in labels if not pattern.fullmatch(label)]


def test_a_label_that_no_button_has_is_found() -> None:
    assert build_label_pattern("ca").fullmatch("Tanca la ronda 1")
    assert build_label_pattern("en").fullmatch("Close round 1")
    assert not build_label_pattern("ca").fullmatch("Tanca la ronda")
    assert not build_label_pattern("en").fullmatch("Close a round")


@EVERY_PAGE
def test_no_link_leads_nowhere(language: str, name: str) -> None:
    links = [token.attrGet("href") for token in read_tokens(name, language) if token.type == "link_open"]
    for link in map(str, links):
        scope = {"type": "http", "method": "GET", "path": link, "headers": []}
        matches = [route.matches(scope) for routes in ROUTES for route in routes.routes]
        assert Match.FULL in {match for match, _ in matches}, link
        kind, _, page = link.rpartition("/")
        assert kind != "/help" or page in HELP_NAMES, link


@pytest.mark.parametrize("name", HELP_NAMES)
@pytest.mark.parametrize("language", TRANSLATED)
def test_a_page_uses_the_terms_of_the_glossary(language: str, name: str) -> None:
    english, translated = read_help_text(name, "en"), read_help_text(name, language)
    assert not [*wrong_words(language, translated), *missing_terms(language, english, translated)]
    prose = re.sub(r"`[^`]*`", "code", translated)
    assert not re.search(r"\w'\w|[“”\"]|\w\s+[,;:·](\s|$)|\.\.\.|  ", prose)


def test_every_console_has_a_page_of_help() -> None:
    own = {"slip", "find", "own-result", "access"}
    assert {link.name for link in _CONSOLE_LINKS} == {*HELP_PAGES, *own, *WITHOUT_HELP} - {"start", "new"}
    assert set(HELP_PAGES_OF_PARTS) < {part for part, _ in CONSOLE_PAGES}
    named = [HELP_PAGES, HELP_PAGES_OF_PARTS, OWN_TEMPLATES]
    assert {page for pages in named for page in pages.values()} == set(HELP_NAMES)
    for template, name in OWN_TEMPLATES.items():
        assert f'href="/help/{name}"' in (TEMPLATES / template).read_text(encoding="utf-8"), template
    assert 'href="/help/{{ help_page }}"' in (TEMPLATES / "console.html").read_text(encoding="utf-8")
    assert 'href="/help"' in (TEMPLATES / "layout.html").read_text(encoding="utf-8")
