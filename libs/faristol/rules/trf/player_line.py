"""Reading the line of a player."""

from __future__ import annotations

from faristol.kernel.quotation import quoted
from faristol.rules.trf.columns import Columns
from faristol.rules.trf.consistency import FIRST_CELL, WIDTH
from faristol.rules.trf.document import ABSENT, Cell, Colour, Player

_COLOURS: dict[str, Colour] = {"w": "w", "b": "b", "-": "-", " ": "-"}
_RESULTS = "1=0WDL+-FHUZ "


def read_player(line: Columns) -> Player:
    """The player of a line 001. Raises ``TrfError`` for what is not of its form."""
    number = line.whole(5, 8, "the starting number", least=1)
    if number is None:
        line.refuse(5, "NUMBER", "the starting number is missing", "a whole number from 1 to 9999")
    return Player(
        number=number,
        sex=line.take(10, 10),
        title=line.take(11, 13),
        name=line.take(15, 47),
        rating=line.whole(49, 52, "the rating"),
        federation=line.take(54, 56),
        fide_number=line.take(58, 68),
        birth=line.take(70, 79),
        points=line.points(81, 84, "the points"),
        rank=line.whole(86, 89, "the rank"),
        cells=tuple(_cell(line, start) for start in range(FIRST_CELL, len(line.text) + 1, WIDTH)),
    )


def _cell(line: Columns, start: int) -> Cell:
    text = line.text[start - 1 : start + 7].ljust(8)
    if not text.strip():
        return ABSENT
    opponent = line.whole(start, start + 3, "the opponent") or 0
    colour = _COLOURS.get(text[5].lower())
    result = text[7].upper()
    if text[4] != " " or text[6] != " ":
        line.refuse(start, "CELL", f"a round is {quoted(text)}", "opponent, colour and result as '  12 w 1'")
    if colour is None:
        line.refuse(start + 5, "COLOUR", f"the colour is {quoted(text[5])}", "w, b or -")
    if result not in _RESULTS:
        line.refuse(start + 7, "RESULT", f"the result is {quoted(text[7])}", f"one of {' '.join(_RESULTS)}")
    return Cell(opponent, colour, result if opponent or result != " " else "Z")
