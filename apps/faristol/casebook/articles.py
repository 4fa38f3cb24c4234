"""The articles of a book that its ruleset cites."""

from __future__ import annotations

import re
from functools import cache

from faristol.rules import Ruleset, load_book


def articles_of(ruleset: Ruleset) -> frozenset[str]:
    """Return the articles that a ruleset cites, one by one."""
    cited = list(ruleset.articles.values())
    cited += [getattr(ruleset.law, rule) for rule in type(ruleset.law).__slots__]
    cited += [option.article for option in ruleset.options]
    return frozenset(article for text in cited for article in split_articles(text))


def known_articles(ruleset: Ruleset) -> tuple[str, ...]:
    """Return every article that can be cited under a ruleset: those of its book in order, then those of other books."""
    book = load_book(ruleset.name)
    listed = tuple(book.articles) if book else ()
    return (*listed, *sorted(articles_of(ruleset) - set(listed), key=in_order))


def in_order(article: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that puts ``Box: score`` after ``Box: pass`` and ``FIDE C.07 16`` after ``FIDE C.07 9``."""
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", article))


@cache  # a reader of cases asks for those of the same book thousands of times
def split_articles(text: str) -> tuple[str, ...]:
    """Split a citation into articles, each with the name of the book: ``UF 20, 23`` → ``UF 20``, ``UF 23``."""
    book, _, rest = text.partition(" ")
    parts = [part.strip() for part in re.split(r"[,;]", rest) if part.strip()]
    return tuple(part if part.startswith(f"{book} ") else f"{book} {part}" for part in parts)
