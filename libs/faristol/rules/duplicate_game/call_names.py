"""Names for calling out tiles and squares: "A d'Alacant", "Hospitalet vuit", "quinze Granollers" (FISC II.4)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.board import BOARD_SIZE, ROW_NAMES
from faristol.rules.notation import Start
from faristol.rules.tiles import BLANK, TileSet

MAX_CALL_NAME_CHARACTERS = 40
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class CallNames:
    """A table of names. ``names`` has the tiles and the rows of the board, ``numbers`` the columns from 1."""

    names: Mapping[str, str]
    numbers: tuple[str, ...]
    blank: str

    def tile(self, face: str) -> str:
        """Return the name of a tile, ``?`` for a blank; the face if the table has no name."""
        return self.blank if face == BLANK else self.names.get(face, face)

    def rack(self, faces: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the tiles of a rack, in their order."""
        return tuple(self.tile(face) for face in faces)

    def start(self, start: Start) -> str:
        """Return the name of coordinates: the row first for a word across, the column first for one down."""
        row, number = self._row(ROW_NAMES[start.square.row]), self.numbers[start.square.col]
        return f"{row} {number}" if start.direction.value == "across" else f"{number} {row}"

    def _row(self, letter: str) -> str:
        """Return the name of a row, or its Latin letter, which a table of another alphabet may lack."""
        return self.names.get(letter, letter)


@cache
def load_call_names(language: str) -> CallNames:
    """Load the table of a language. Raises ``LookupError`` for an unknown language."""
    file = resources.files("faristol.rules.duplicate_game") / "calls" / f"{language}.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LookupError(f"there are no names for calling in {language!r}") from None
    return CallNames(MappingProxyType(data["names"]), tuple(data["numbers"]), data["blank"])


def with_names(table: CallNames, own: Mapping[str, str], tile_set: TileSet, numbers: Sequence[str] = ()) -> CallNames:
    """Return ``table`` with a club's own names; ``numbers`` are all columns from 1, or empty to keep them.

    Raises ``Refusal`` for an unknown tile or row, for an empty or too long name, and for two equal names: names differ,
    so that a player does not take one tile for another.
    """
    known = {*tile_set.faces, *ROW_NAMES, BLANK}
    for face, name in own.items():
        if face not in known:
            raise Refusal("CALL_NAME_UNKNOWN", N_("There is no tile {tile} to name."), {"tile": face})
        if not name.strip() or len(name) > MAX_CALL_NAME_CHARACTERS:
            raise Refusal(
                "CALL_NAME_WRONG",
                N_("The name of {tile} must have 1 to {most} characters."),
                {"tile": face, "most": MAX_CALL_NAME_CHARACTERS},
            )
    names = {**table.names, **{face: name.strip() for face, name in own.items() if face != BLANK}}
    seen: dict[str, str] = {}
    for face, name in names.items():
        if (other := seen.setdefault(name.casefold(), face)) != face:
            raise Refusal(
                "CALL_NAME_TWICE",
                N_("{tile} and {other} have the same name {name}."),
                {"tile": face, "other": other, "name": name},
            )
    columns = _columns(numbers) if numbers else table.numbers
    return replace(table, names=MappingProxyType(names), numbers=columns, blank=own.get(BLANK, table.blank).strip())


def _columns(numbers: Sequence[str]) -> tuple[str, ...]:
    found = tuple(number.strip() for number in numbers)
    if len(found) != BOARD_SIZE or not all(0 < len(number) <= MAX_CALL_NAME_CHARACTERS for number in found):
        raise Refusal(
            "CALL_NUMBERS_WRONG",
            N_("The columns need {size} names of 1 to {most} characters."),
            {"size": BOARD_SIZE, "most": MAX_CALL_NAME_CHARACTERS},
        )
    if len({number.casefold() for number in found}) < BOARD_SIZE:
        raise Refusal("CALL_NUMBER_TWICE", N_("Two columns have the same name."))
    return found
