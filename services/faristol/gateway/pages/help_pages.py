"""Help for people in a hall: Markdown files of the package, a folder for each language.

A file begins with its title and one paragraph, which is also its description in the list of pages. All languages have
the same parts in the same order: the id of a heading is its number, so a link to a part is the same in each language.
Labels of buttons are bold, as in the catalogues of translations. HTML in a file is shown as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.http.language import language_of
from faristol.gateway.pages.render import VisitDep

HELP_NAMES: Sequence[str] = (
    "director",
    "day",
    "hall",
    "treasurer",
    "arbiter",
    "scorer",
    "judge",
    "broadcast",
    "player",
    "duplicate",
)
"""Names of the pages, in the order of the list."""

TITLE_TOKEN_COUNT = 3
"""Tokens of a title: its beginning, its text and its end."""

LEAD_TOKEN_COUNT = 3
"""Tokens of a paragraph."""


class HelpPage(NamedTuple):
    """Page of help in one language."""

    name: str
    title: str
    about: str
    """Description in a sentence."""
    body: Markup
    """Parts of the page, as HTML."""


def read_help_text(name: str, language: str) -> str:
    """Return the Markdown text of a page. Raises ``FileNotFoundError`` for an unknown page or language."""
    file = resources.files("faristol.gateway") / "help" / language / f"{name}.md"
    return file.read_text(encoding="utf-8")


@cache
def load_help_page(name: str, language: str) -> HelpPage:
    """Return a page as HTML, with an id for each heading. Raises ``ValueError`` for a file without title and lead."""
    reader = MarkdownIt("commonmark", {"html": False})
    tokens = reader.parse(read_help_text(name, language))
    kinds = [(token.type, token.tag) for token in tokens[: TITLE_TOKEN_COUNT + LEAD_TOKEN_COUNT]]
    if kinds[::TITLE_TOKEN_COUNT] != [("heading_open", "h1"), ("paragraph_open", "p")]:
        raise ValueError(f"help/{language}/{name}.md: expected a title and a paragraph at the beginning")
    body = tokens[TITLE_TOKEN_COUNT + LEAD_TOKEN_COUNT :]
    headings = [token for token in body if token.type == "heading_open"]
    for number, token in enumerate(headings, start=1):
        token.attrSet("id", f"part-{number}")
    html = reader.renderer.render(body, reader.options, {})
    # The file is part of the package, and the reader escapes HTML in it.
    return HelpPage(name, tokens[1].content, tokens[TITLE_TOKEN_COUNT + 1].content, Markup(html))  # noqa: S704


async def show_help(visit: VisitDep) -> Response:
    """Show the list of pages."""
    language = language_of(visit.request)
    return await visit.show("help.html", pages=[load_help_page(name, language) for name in HELP_NAMES])


async def show_help_page(visit: VisitDep, help_name: str) -> Response:
    """Show a page. Raises ``HTTPException`` (404) for an unknown one."""
    if help_name not in HELP_NAMES:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return await visit.show("help_page.html", content=load_help_page(help_name, language_of(visit.request)))


PAGES: Mapping[str, Callable[..., Any]] = {"/help": show_help, "/help/{help_name}": show_help_page}
"""Routes by address."""
