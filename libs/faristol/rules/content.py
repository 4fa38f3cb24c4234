"""Rulesets read from the content that a record keeps of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any, get_type_hints

from faristol.rules.options import OptionValue
from faristol.rules.ruleset import Ruleset
from faristol.rules.ruleset_file import RulesetError, load_ruleset, ruleset_names, section_types
from faristol.rules.values import checked


def read_content(content: bytes, chosen: Mapping[str, OptionValue]) -> Ruleset:
    """The ruleset of which ``canonical`` is ``content``; ``chosen`` are the options that its organiser chose.

    A value that rulesets have got since must have a default in its section: what the code did before. Raises
    ``RulesetError`` for a value that is missing without one, and for one that this version does not know.
    """
    data: dict[str, Any] = json.loads(content)
    name: str = data["name"]
    file = f"ruleset {name}"
    articles: dict[str, str] = dict(data["articles"])
    parts = {}
    for section, kind in section_types().items():
        if kind is not str:
            parts[section] = _section(file, section, kind, data.get(section, {}), articles)
    known = {"name", "articles", *parts}
    if unknown := sorted(set(data) - known):
        raise RulesetError(file, 0, unknown[0], "is no section that this version knows")
    title = load_ruleset(name).title if name in ruleset_names() else name
    return Ruleset(
        name=name,
        title=title,
        **parts,
        articles=MappingProxyType(dict(sorted(articles.items()))),
        chosen=MappingProxyType(dict(chosen)),
        kept=content,
    )


def _section(file: str, section: str, kind: type[Any], found: Mapping[str, Any], articles: dict[str, str]) -> Any:
    """A section with the values found; an added value's article is empty unless the content has it."""
    hints = get_type_hints(kind)
    values = {}
    if unknown := sorted(set(found) - set(hints)):
        raise RulesetError(file, 0, f"{section}.{unknown[0]}", "is no value that this version knows")
    for field in fields(kind):
        key = f"{section}.{field.name}"
        if field.name in found:
            try:
                values[field.name] = checked(found[field.name], hints[field.name])
            except ValueError as problem:
                raise RulesetError(file, 0, key, str(problem)) from None
        elif field.default is MISSING:
            raise RulesetError(file, 0, key, "is missing, and has no default")
        elif section != "law":
            articles.setdefault(key, "")
    return kind(**values)
