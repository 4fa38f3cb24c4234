"""A list of slips as CSV, as a hall types them: player, coordinates, word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from faristol.host import StartError
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.table_terminal.shared.common import localize
from faristol.text.terminal import language_of_terminal
from faristol.typed_input.lists import UNREADABLE, LineError, Unreadable, columns_of, content_of, rows_of
from faristol.typed_input.slips import slip_of

SLIP_LIST_COLUMNS = ("player", "coordinates", "word", "score", "handed")
"""Columns of a list of slips. Only the player is required, by id or number; omitted values are empty."""

MAX_SLIP_FILE_BYTES = 4_000_000
"""Bytes of a list."""

NO_COLUMN = N_("there is no column {given}; expected {expected}")
NO_PLAYER = N_("the player is missing")
NOT_HERE = N_("no player with the id or the number {given} plays in this hall")
TWICE = N_("{given} is already in line {line}")
MANY_FIELDS = N_("has {count} fields; expected {most} at most")
WRONG = N_("no slip of {file} was saved:\n{problems}")


def read_slips(file: Path, seats: Mapping[str, str]) -> list[events.Slip]:
    """Read the slips of a list. Raises ``StartError`` with all errors, line by line.

    ``seats`` has the players of the hall by their ids and by the numbers of their seats.
    """
    errors: list[LineError] = []
    found: dict[str, tuple[int, events.Slip]] = {}
    for line, fields in _lines(content_of(str(file), language_of_terminal(), MAX_SLIP_FILE_BYTES), errors):
        slip = _slip(line, fields, seats, errors)
        if slip is None:
            continue
        if slip.player_id in found:
            earlier, _ = found[slip.player_id]
            errors.append(LineError(line, localize(TWICE, given=slip.player_id, line=earlier)))
        else:
            found[slip.player_id] = line, slip
    if errors:
        raise StartError(localize(WRONG, file=str(file), problems="\n".join(map(str, errors))))
    return [slip for _, slip in found.values()]


def _lines(text: str, errors: list[LineError]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the fields of each line by column."""

    def tell(problem: Unreadable) -> None:
        errors.append(LineError(problem.line, localize(UNREADABLE)))

    rows = rows_of(text, SLIP_LIST_COLUMNS, tell)
    begin = next(rows, None)
    if begin is None:
        return
    line, head = begin
    columns = columns_of(head)
    expected = ", ".join(SLIP_LIST_COLUMNS)
    unknown = [column for column in columns if column not in SLIP_LIST_COLUMNS]
    errors += [LineError(line, localize(NO_COLUMN, given=repr(column), expected=expected)) for column in unknown]
    if "player" not in columns:
        errors.append(LineError(line, localize(NO_PLAYER)))
    if errors:
        return
    for line, fields in rows:
        if len(fields) > len(columns):
            errors.append(LineError(line, localize(MANY_FIELDS, count=len(fields), most=len(columns))))
        else:
            yield line, dict(zip(columns, fields, strict=False))


def _slip(
    line: int, fields: Mapping[str, str], seats: Mapping[str, str], errors: list[LineError]
) -> events.Slip | None:
    """Return the slip of a line; on errors, add them to ``errors`` and return None."""
    player, before = fields.get("player", ""), len(errors)
    if not player:
        errors.append(LineError(line, localize(NO_PLAYER)))
    elif player not in seats:
        errors.append(LineError(line, localize(NOT_HERE, given=player)))
    try:
        slip = slip_of(fields, seats.get(player, ""))
    except Invalid as error:
        errors.append(LineError(line, localize(error.problem, **error.params)))
    return slip if len(errors) == before else None
