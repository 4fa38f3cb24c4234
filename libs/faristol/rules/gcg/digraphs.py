"""Digits and single letters that other programs write for tiles with several letters.

``CA1O`` is CACHO in Spanish files of Quackle. Such a file does not name the convention, and a letter can be a tile in
another set, so the caller names the convention.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from types import MappingProxyType

from faristol.kernel.quotation import quote_text
from faristol.rules.gcg import game as gcg
from faristol.rules.tiles import TileSet

DIGRAPHS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "digits": {"es-100": {"1": "CH", "2": "LL", "3": "RR"}},
        "letters": {"ca-100": {"W": "L·L", "K": "L·L", "Y": "NY", "Q": "QU"}},
    }
)
"""The conventions by name, for each tile set."""

_BRACKETED = re.compile(r"(\[[^\[\]]*\])")


def parse_digraphs(text: str, tile_set: TileSet) -> dict[str, str]:
    """Parse the name of a convention (``digits``), or pairs of a sign and a face: ``1=CH,2=LL,3=RR``.

    Raises ``ValueError`` for a name that the tile set does not have, and for a face that is not a tile of it.
    """
    if text in DIGRAPHS:
        if found := DIGRAPHS[text].get(tile_set.name):
            return dict(found)
        raise ValueError(f"the digraphs {text} are not known for {tile_set.name}; expected {_choices(tile_set)}")
    pairs: dict[str, str] = {}
    for part in text.split(","):
        sign, _, face = (word.strip().upper() for word in part.partition("="))
        if len(sign) != 1 or face not in tile_set.index:
            raise ValueError(f"the digraphs are {quote_text(text)}; expected {_choices(tile_set)}")
        pairs[sign] = face
    return pairs


def _choices(tile_set: TileSet) -> str:
    names = [name for name, sets in DIGRAPHS.items() if tile_set.name in sets]
    face = next((face for face in tile_set.faces if len(face) > 1), tile_set.faces[0])
    return " or ".join([*names, f"pairs of a sign and a tile, as 1={face}"])


def describe_digraph(sign: str, tile_set: TileSet) -> str:
    """Describe the meaning of ``sign`` in a known convention; empty if there is no such convention."""
    for name, sets in DIGRAPHS.items():
        if face := sets.get(tile_set.name, {}).get(sign.upper()):
            return f"some programs write {sign} for [{face}]: --digraphs {name}"
    return ""


def replace_digraphs(game: gcg.GcgGame, digraphs: Mapping[str, str]) -> gcg.GcgGame:
    """Return the game with each sign of ``digraphs`` written as the face in brackets; a small letter is a blank."""
    faces = dict(digraphs) | {sign.lower(): face.lower() for sign, face in digraphs.items() if sign.isalpha()}

    def spell(text: str) -> str:
        parts = _BRACKETED.split(text)
        plain = ["".join(f"[{faces[sign]}]" if sign in faces else sign for sign in part) for part in parts[::2]]
        return "".join(word for pair in zip(plain, [*parts[1::2], ""], strict=True) for word in pair)

    def replace(line: gcg.Line) -> gcg.Line:
        if not isinstance(line, gcg.GCG_EVENT_TYPES):
            return line
        texts = {
            name: spell(value)
            for name in ("rack", "word", "tiles")
            if isinstance(value := getattr(line, name, None), str)
        }
        return dataclasses.replace(line, **texts)  # type: ignore[arg-type] # each line has the fields that were found in it

    return gcg.GcgGame(tuple(map(replace, game.lines)))
