"""Fast spelling of a word list with tiles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from faristol.rules.tiles import TileSet


class _Fold(dict[int, str]):
    """A table for ``str.translate`` that calls ``TileSet.fold`` once for each character."""

    def __init__(self, tile_set: TileSet) -> None:
        super().__init__()
        self._tile_set = tile_set

    def __missing__(self, char: int) -> str:
        self[char] = folded = self._tile_set.fold(chr(char))
        return folded


def spell_all(lines: Iterable[str], tile_set: TileSet) -> Iterator[tuple[str, ...] | None]:
    """Yield ``tile_set.spell(line)`` for each of ``lines``, several times as fast.

    The greedy choice of the longest face is nearly always the spelling; if it fails, ``TileSet.spell`` backtracks.
    """
    fold = _Fold(tile_set)
    faces = dict(tile_set.writings)
    longest_face = re.compile("|".join(map(re.escape, faces)))
    for line in lines:
        folded = unicodedata.normalize("NFC", line).translate(fold)
        written = longest_face.findall(folded)
        if sum(map(len, written)) == len(folded):
            yield tuple(faces[part] for part in written)
        else:
            yield tile_set.spell(line)
