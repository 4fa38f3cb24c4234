"""The articles of a book, as its ruleset cites them."""

from __future__ import annotations

import re

from faristol.rules import Ruleset


def articles_of(ruleset: Ruleset) -> frozenset[str]:
    """The articles that a ruleset cites, each on its own."""
    cited = list(ruleset.articles.values())
    cited += [getattr(ruleset.law, rule) for rule in type(ruleset.law).__slots__]
    cited += [option.article for option in ruleset.options]
    return frozenset(article for text in cited for article in separated(text))


def separated(text: str) -> tuple[str, ...]:
    """The articles of a citation, the name of the book with each: ``UF 20, 23`` → ``UF 20``, ``UF 23``."""
    book, _, rest = text.partition(" ")
    parts = [part.strip() for part in re.split(r"[,;]", rest) if part.strip()]
    return tuple(part if part.startswith(f"{book} ") else f"{book} {part}" for part in parts)
