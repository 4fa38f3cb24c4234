"""The articles of the rule books, as data: their numbers, their subjects, and why no case can show some of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Book:
    """The articles of a book, each with the name of the book as in citations: ``UF 5.3``."""

    articles: Mapping[str, str]
    """Subject of each article, in our own words, in the order of the book."""
    unshown: Mapping[str, str]
    """The reason why no case can show an article."""

    def parts(self, article: str) -> tuple[str, ...]:
        """Return the sub-articles of an article, at the next level."""
        depth = article.count(".") + 1
        return tuple(part for part in self.articles if part.startswith(f"{article}.") and part.count(".") == depth)


@cache
def load_book(ruleset: str) -> Book | None:
    """Load the book that a ruleset follows; None if its articles are known from the ruleset only.

    Raises ``ValueError`` for a file that explains an article that it does not list.
    """
    file = resources.files("faristol.rules") / "articles" / f"{ruleset}.toml"
    if not file.is_file():
        return None
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    articles, unshown = data["articles"], data["unshown"]
    if strangers := sorted(unshown.keys() - articles.keys()):
        raise ValueError(f"{ruleset}.toml: unshown: there is no article {', '.join(strangers)}")
    name = data["book"]
    return Book(_prefix_articles(name, articles), _prefix_articles(name, unshown))


def _prefix_articles(book: str, values: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({f"{book} {number}": value for number, value in values.items()})
