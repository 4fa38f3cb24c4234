"""Rulesets by their pinned content: from the files, or from content of a record."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from faristol.kernel.bounded import store_bounded
from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.file import (
    RulesetError,
    absent_sections,
    load_ruleset,
    ruleset_names,
    section_types,
)
from faristol.rules.ruleset.option_file import convert_value, field_types
from faristol.rules.ruleset.options import OptionValue
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.with_options import with_options


def read_content(content: bytes, chosen: Mapping[str, OptionValue]) -> Ruleset:
    """Restore a ruleset from its ``canonical`` content; ``chosen`` are the options of its organiser.

    A value that was added to rulesets later needs a default in its section: the earlier behaviour of the code. Raises
    ``RulesetError`` for a missing value without a default, and for a value unknown to this version.
    """
    data: dict[str, Any] = json.loads(content)
    name: str = data["name"]
    file = f"ruleset {name}"
    articles: dict[str, str] = dict(data["articles"])
    parts = {}
    mode = str(data.get("game", {}).get("mode", ""))
    for section, kind in section_types(mode).items():
        if kind is not str:
            parts[section] = _section(file, section, kind, data.get(section, {}), articles)
    known = {"name", "articles", *parts}
    if unknown := sorted(set(data) - known):
        raise RulesetError(file, 0, unknown[0], "is not a section of this version")
    title = load_ruleset(name).title if name in ruleset_names() else name
    return Ruleset(
        name=name,
        title=title,
        **parts,
        **absent_sections(mode),
        articles=MappingProxyType(dict(sorted(articles.items()))),
        chosen=MappingProxyType(dict(chosen)),
        kept=content,
    )


def _section(file: str, section: str, kind: type[Any], found: Mapping[str, Any], articles: dict[str, str]) -> Any:
    """Return a section with the values found; the article of an added value is empty unless the content has it."""
    hints = field_types(kind)
    values = {}
    if unknown := sorted(set(found) - set(hints)):
        raise RulesetError(file, 0, f"{section}.{unknown[0]}", "is not a value of this version")
    for field in fields(kind):
        key = f"{section}.{field.name}"
        if field.name in found:
            try:
                values[field.name] = convert_value(found[field.name], hints[field.name])
            except ValueError as error:
                raise RulesetError(file, 0, key, str(error)) from None
        elif field.default is MISSING:
            raise RulesetError(file, 0, key, "is missing, and has no default")
        elif section != "law":
            articles.setdefault(key, "")
    return kind(**values)


RULESET_CACHE_SIZE = 4_096
"""Rulesets from records that a process caches; the least recently used one is evicted first."""

_kept: OrderedDict[str, Ruleset] = OrderedDict()
"""Cached rulesets by digest. Content never changes, so it is read once."""


def keep_content(content: bytes, digest: str, chosen: Mapping[str, OptionValue]) -> Ruleset:
    """Restore a ruleset from content and cache it for ``pinned_ruleset``.

    Raises ``RulesetError`` for content that this version cannot read, ``ValueError`` if ``digest`` is not its digest.
    """
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"the content of ruleset {digest} does not match its digest")
    found = read_content(content, chosen)
    store_bounded(_kept, digest, found, RULESET_CACHE_SIZE)
    return found


def pinned_ruleset(name: str, digest: str, options: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """Return the ruleset pinned by ``name`` and ``digest``, with the ``options`` chosen for it.

    Raises ``Refusal`` with reason ``RULESET_MISSING`` if neither a file nor the cache has that content.
    """
    if digest in _kept:
        _kept.move_to_end(digest)
        return _kept[digest]
    found = _of_file(name, tuple(sorted((options or {}).items())))
    if found is None or found.digest != digest:
        raise Refusal(
            "RULESET_MISSING",
            N_(
                "The ruleset {name} is pinned with the digest {digest}, which is not installed here; installed "
                "under that name: {found}."
            ),
            {"name": name, "digest": digest, "found": found.digest if found else "–"},
        )
    return found


@lru_cache(maxsize=256)  # tables of a hall have few rulesets, and load them with every command
def _of_file(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Ruleset | None:
    """Return the ruleset of a file with these options; None if the file is missing or does not allow them."""
    if name not in ruleset_names():
        return None
    try:
        return with_options(load_ruleset(name), dict(options)) if options else load_ruleset(name)
    except Refusal:
        return None
