"""A list of slips as CSV, as a hall types them: who, where, what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.office.lists import UNREADABLE, LineError, Unreadable, columns_of, content_of, rows_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.text import say
from faristol.text.terminal import language_of_terminal

COLUMNS = ("player", "coordinates", "word", "score", "handed")
"""Columns of a list of slips. The player is needed, by id or number; what is left out is empty."""

HANDED: Mapping[str, events.Handed.ValueType] = {
    "": events.HANDED_IN_TIME,
    "in-time": events.HANDED_IN_TIME,
    "late": events.HANDED_LATE,
    "not-at-all": events.HANDED_NOT_AT_ALL,
    "hand-not-raised": events.HANDED_HAND_NOT_RAISED,
    "twice": events.HANDED_TWICE,
}
"""How a slip came, as a list has it."""

LARGEST_FILE = 4_000_000
"""Bytes of a list."""
ILLEGIBLE = "#"
"""What stands in a column that cannot be read on the paper."""

NO_COLUMN = N_("there is no column {given}; expected {expected}")
NO_PLAYER = N_("the player is missing")
NOT_HERE = N_("nobody with the id or the number {given} sits in this hall")
TWICE = N_("{given} stands in line {line} already")
NO_HANDED = N_("{given} is no way in which a slip comes; expected {expected}")
MANY_FIELDS = N_("has {count} fields; expected {most} at most")
WRONG = N_("nothing was taken of {file}:\n{problems}")


def read_slips(file: Path, seats: Mapping[str, str]) -> list[events.Slip]:
    """The slips of a list. Raises ``StartError`` with everything that is wrong in it, line by line.

    ``seats`` has the players of the hall by their ids and by the numbers of their seats.
    """
    language = language_of_terminal()
    errors: list[LineError] = []
    found: dict[str, tuple[int, events.Slip]] = {}
    try:
        for line, fields in _lines(content_of(str(file), language, LARGEST_FILE), language, errors):
            slip = _slip(line, fields, seats, language, errors)
            if slip is None:
                continue
            if slip.player_id in found:
                earlier, _ = found[slip.player_id]
                errors.append(LineError(line, say(TWICE, {"given": slip.player_id, "line": earlier}, language)))
            else:
                found[slip.player_id] = line, slip
    except Unreadable as problem:
        errors.append(LineError(problem.line, say(UNREADABLE, {}, language)))
    if errors:
        told = {"file": str(file), "problems": "\n".join(map(str, errors))}
        raise StartError(say(WRONG, told, language))
    return [slip for _, slip in found.values()]


def _lines(text: str, language: str, errors: list[LineError]) -> Iterator[tuple[int, dict[str, str]]]:
    """The fields of every line by their columns."""
    rows = rows_of(text)
    begin = next(rows, None)
    if begin is None:
        return
    line, head = begin
    columns = columns_of(head)
    for column in columns:
        if column not in COLUMNS:
            known = {"given": repr(column), "expected": ", ".join(COLUMNS)}
            errors.append(LineError(line, say(NO_COLUMN, known, language)))
    if "player" not in columns:
        errors.append(LineError(line, say(NO_PLAYER, {}, language)))
    if errors:
        return
    for line, fields in rows:
        if len(fields) > len(columns):
            known_sizes = {"count": len(fields), "most": len(columns)}
            errors.append(LineError(line, say(MANY_FIELDS, known_sizes, language)))
        else:
            yield line, dict(zip(columns, fields, strict=False))


def _slip(
    line: int, fields: Mapping[str, str], seats: Mapping[str, str], language: str, errors: list[LineError]
) -> events.Slip | None:
    """The slip of a line; None where something is wrong with it, which ``errors`` takes."""
    handed = fields.get("handed", "").lower()
    before = len(errors)
    player = fields.get("player", "")
    if not player:
        errors.append(LineError(line, say(NO_PLAYER, {}, language)))
    elif player not in seats:
        errors.append(LineError(line, say(NOT_HERE, {"given": player}, language)))
    if handed not in HANDED:
        known = {"given": repr(handed), "expected": ", ".join(filter(None, HANDED))}
        errors.append(LineError(line, say(NO_HANDED, known, language)))
    if len(errors) > before:
        return None
    coordinates, word = fields.get("coordinates", ""), fields.get("word", "")
    return events.Slip(
        player_id=seats[player],
        coordinates="" if coordinates == ILLEGIBLE else coordinates,
        word="" if word == ILLEGIBLE else word,
        score=fields.get("score", ""),
        handed=HANDED[handed],
        coordinates_illegible=coordinates == ILLEGIBLE,
        word_illegible=word == ILLEGIBLE,
    )
