"""What the files of rule sets say to people, for Babel: the notes of their options."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any


def extract(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[tuple[int, str | None, str, list[str]]]:
    """The notes of the options of a rule set, as an extraction method of Babel. Raises ``tomllib.TOMLDecodeError``."""
    for option in tomllib.load(file).get("options", {}).values():
        if note := option.get("note"):
            yield 1, None, note, []
