"""Write the table of look-alikes anew: ``python tests/unit/rules/look_alike_table.py``.

The data is Unicode's confusables, as the package ``confusable-homoglyphs`` carries it. Of its classes those are taken
that hold a letter of a tile set, a Latin letter, or a sign that stands in or beside a letter.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from string import ascii_letters

from faristol.rules.tiles import load_tile_set

TABLE = Path(__file__).parents[3] / "libs" / "faristol" / "rules" / "look_alikes.toml"
SIGNS = "·.-'"

HEAD = """\
# Characters that look alike, a class to a line: Unicode's confusables (https://www.unicode.org/reports/tr39).
# Made by tests/unit/rules/look_alike_table.py from the package confusable-homoglyphs; do not edit.

classes = [
"""


def tile_sets() -> list[str]:
    """The names of all tile sets."""
    folder = resources.files("faristol.rules") / "tilesets"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def letters() -> str:
    """The characters whose look-alikes are wanted, in order."""
    faces = "".join(face for name in tile_sets() for face in load_tile_set(name).faces)
    return "".join(dict.fromkeys(ascii_letters + faces + faces.lower() + "ς" + SIGNS))


def classes() -> Iterator[str]:
    """The classes, each with the wanted character first that it was found by."""
    data = json.loads((resources.files("confusable_homoglyphs") / "confusables.json").read_text(encoding="utf-8"))
    roots: dict[str, str] = {}

    def root(char: str) -> str:
        while roots.setdefault(char, char) != char:
            char = roots[char]
        return char

    for char, others in data.items():
        for other in others:
            first, second = (text.strip("\u200e") for text in (char, other["c"]))
            if len(first) == len(second) == 1:
                roots[root(first)] = root(second)
    members: dict[str, list[str]] = {}
    for char in sorted(roots):
        members.setdefault(root(char), []).append(char)
    seen = set()
    for char in letters():
        if root(char) in seen:
            continue
        seen.add(root(char))
        found = members.get(root(char), [char])
        kept = [each for each in found if each != char and _is_wanted(each, sign=char in SIGNS, beside=found)]
        if kept:
            yield char + "".join(kept)


def _is_wanted(char: str, *, sign: bool, beside: list[str]) -> bool:
    """Whether a member of a class is kept: not what compatibility forms give, nor a sign in a class with digits."""
    if unicodedata.normalize("NFKC", char) != char:
        return False
    if sign:
        return not unicodedata.category(char).startswith("N")
    has_digits = any(unicodedata.category(each).startswith("N") for each in beside)
    return char.isalpha() or (unicodedata.category(char) in ("Sm", "So") and not has_digits)


def text() -> str:
    """The whole table."""
    return HEAD + "".join(f"    {json.dumps(each, ensure_ascii=False)},\n" for each in classes()) + "]\n"


if __name__ == "__main__":
    TABLE.write_text(text(), encoding="utf-8")
