"""The articles of a book, as its ruleset cites them."""

from __future__ import annotations

import re

from faristol.rules import Ruleset, load_book


def articles_of(ruleset: Ruleset) -> frozenset[str]:
    """The articles that a ruleset cites, each on its own."""
    cited = list(ruleset.articles.values())
    cited += [getattr(ruleset.law, rule) for rule in type(ruleset.law).__slots__]
    cited += [option.article for option in ruleset.options]
    return frozenset(article for text in cited for article in separated(text))


def known_articles(ruleset: Ruleset) -> tuple[str, ...]:
    """Every article that can be cited under a ruleset: those of its book in their order, then those of other books."""
    book = load_book(ruleset.name)
    listed = tuple(book.articles) if book else ()
    return (*listed, *sorted(articles_of(ruleset) - set(listed), key=in_order))


def in_order(article: str) -> tuple[tuple[int, str], ...]:
    """A key that puts ``Box: score`` after ``Box: pass`` and ``FIDE C.07 16`` after ``FIDE C.07 9``."""
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", article))


def separated(text: str) -> tuple[str, ...]:
    """The articles of a citation, the name of the book with each: ``UF 20, 23`` → ``UF 20``, ``UF 23``."""
    book, _, rest = text.partition(" ")
    parts = [part.strip() for part in re.split(r"[,;]", rest) if part.strip()]
    return tuple(part if part.startswith(f"{book} ") else f"{book} {part}" for part in parts)
