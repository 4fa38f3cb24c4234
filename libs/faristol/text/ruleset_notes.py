"""Babel extraction of the option notes in rule set files."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any


def extract(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[tuple[int, str | None, str, list[str]]]:
    """Yield the notes of the options of a rule set, for Babel. Raises ``tomllib.TOMLDecodeError``."""
    for option in tomllib.load(file).get("options", {}).values():
        if note := option.get("note"):
            yield 1, None, note, []
