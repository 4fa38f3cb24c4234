"""Babel extraction of the texts for readers in the options of the contract."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any

_TEXT = re.compile(r'(?:^ *(?:label|invalid|hint): |\(faristol\.text\.v1\.\w+\) = )"((?:[^"\\]|\\.)*)"', re.MULTILINE)


def extract(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[tuple[int, str | None, str, list[str]]]:
    """Yield the texts in the options of a `.proto` file, for Babel."""
    content = file.read().decode()
    for found in _TEXT.finditer(content):
        yield content.count("\n", 0, found.start()) + 1, None, found[1], []
