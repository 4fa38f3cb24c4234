"""The results of a round in a file of comma-separated values. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.cli.entry.doubts import SWAPPED, is_swapped
from faristol.cli.entry.lines import FORFEIT, NO, NOTHING, YES, Given, Slip, given, read, table_of
from faristol.cli.entry.tables import Tables, names_at
from faristol.cli.names import folded
from faristol.cli.player_list import UNREADABLE
from faristol.gateway.comma_separated import text_of
from faristol.kernel.quoting import quoted, shown
from faristol.kernel.refusal import N_
from faristol.text import say

SEATS = ("first", "second", "third", "fourth")
"""Of the columns, as in a file of pairings that `faristol` writes: ``first_score``, ``second_score`` …"""

NO_COLUMN = N_("expected a column {column}; there are: {known}")
OTHER_ROUND = N_("this is of round {given}, and results of round {round} are entered")
TWICE = N_("the result of table {table} stands in line {line} already")
OTHER_PLAYERS = N_("at table {table} sit {expected}, in this order; the line says {given}")
STANDS_OTHERWISE = N_("{standing} stands already: correct it where it is wrong")
LOOK_AGAIN = N_(
    "table {table}: {doubt}; if it is right write `yes` in a column `sure`, or give --sure for the whole file"
)
NEITHER = N_("the column `sure` says {given}; expected `yes`, `no` or nothing")
NO_TABLE_SAID = N_("the table is missing")


@dataclass(frozen=True, slots=True)
class Listed:
    """A result of a file and its line, from 1."""

    line: int
    given: Given
    sure: bool = False
    """The line says so of itself: what is implausible in it is right."""


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line, from 1."""

    line: int
    problem: str


def read_sheet(
    text: str, tables: Tables, language: str, *, sure: bool = False
) -> tuple[list[Listed], list[Listed], list[LineError]]:
    """The results to be entered, those that stand already, and everything that is wrong, by line.

    A first line with names of columns is that of a file of pairings, filled in; lines without scores are passed over.
    Without it every line is a table and its scores. What is implausible is wrong, unless somebody is ``sure``, of all
    lines or, by the column of that name, of one.
    """
    text = text.removeprefix("\ufeff")
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    with_names = any(word.strip().lower() == "table" for word in head.replace(";", ",").split(","))
    found: list[Listed] = []
    errors: list[LineError] = []
    try:
        for one in _with_columns(text, tables) if with_names else _plain(lines, tables):
            if isinstance(one, Listed):
                found.append(one)
            else:
                line, problem = one
                errors.append(LineError(line, say(problem.text, problem.params, language)))
    except Slip as slip:
        return [], [], [LineError(1, say(slip.text, slip.params, language))]
    new, standing, wrong = _checked(found, tables, language, sure=sure)
    return new, standing, sorted([*errors, *wrong], key=lambda error: error.line)


def _plain(lines: Sequence[str], tables: Tables) -> Iterator[Listed | tuple[int, Slip]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = read(line, tables.players)
        except Slip as slip:
            yield number, slip
        else:
            if isinstance(one, Given):
                yield Listed(number, one)


def _with_columns(text: str, tables: Tables) -> Iterator[Listed | tuple[int, Slip]]:
    delimiter = ";" if text.lstrip().splitlines()[0].count(";") > text.lstrip().splitlines()[0].count(",") else ","
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter, skipinitialspace=True)
    try:
        columns = [column.strip().lower() for column in reader.fieldnames or ()]
    except csv.Error:
        raise Slip(UNREADABLE) from None
    for column in ("table", "first_score", "second_score"):
        if column not in columns:
            raise Slip(NO_COLUMN, column=column, known=shown(", ".join(columns)))
    reader.fieldnames = columns
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:  # where the next line begins is not known
            yield reader.line_num, Slip(UNREADABLE)
            return
        given_here = {key: " ".join(text_of(value or "").split()) for key, value in row.items() if key}
        try:
            one, sure = _row(given_here, tables), _is_sure(given_here.get("sure", ""))
        except Slip as slip:
            yield reader.line_num, slip
        else:
            if one is not None:
                yield Listed(reader.line_num, one, sure)


def _is_sure(word: str) -> bool:
    """Whether a line says that it is right whatever it looks like. Raises ``Slip`` for another word than yes and no."""
    if folded(word) not in YES | NO | {""}:
        raise Slip(NEITHER, given=quoted(word))
    return folded(word) in YES


def _row(row: Mapping[str, str], tables: Tables) -> Given | None:
    """The result of a line, None without scores."""
    cells = [row.get(f"{seat}_score", "") for seat in SEATS]
    words = [word for word in cells if word]
    if not words:
        return None
    if (of := row.get("round", "")) and of != str(tables.listed.round):
        raise Slip(OTHER_ROUND, given=shown(of), round=tables.listed.round)
    number = row["table"]
    if not number:
        raise Slip(NO_TABLE_SAID)
    table = table_of(number, tables.players)
    _check_players(row, table, tables)
    if FORFEIT in map(str.casefold, words):  # the cell of who came may be empty
        seats = tables.players(table)
        words = [word or NOTHING for word in cells[:seats]] + [word for word in cells[seats:] if word]
    return given(table, words, tables.players(table), row.get("winner", ""))


def _check_players(row: Mapping[str, str], number: int, tables: Tables) -> None:
    """That a line that names players names those of its table, in the order of the pairing."""
    table = tables[number]
    for kind, seated in (
        ("player_id", [one.player_id for one in table.players]),
        ("name", names_at(table)),
    ):
        said = [row.get(f"{seat}_{kind}", "") for seat in SEATS[: len(seated)]]
        if any(said) and any(one and folded(one) != folded(other) for one, other in zip(said, seated, strict=True)):
            raise Slip(OTHER_PLAYERS, table=number, expected=" – ".join(seated), given=" – ".join(map(shown, said)))


def _otherwise(given: Given, tables: Tables) -> Slip:
    """Why a result is not the one that stands."""
    winner = tables.winner(given)
    if winner is not None and is_swapped(given, winner):
        return Slip(SWAPPED, winner=names_at(tables[given.table])[winner])
    return Slip(STANDS_OTHERWISE, standing=tables.standing(given.table))


def _checked(
    found: Sequence[Listed], tables: Tables, language: str, *, sure: bool
) -> tuple[list[Listed], list[Listed], list[LineError]]:
    seen: dict[int, int] = {}
    new: list[Listed] = []
    standing: list[Listed] = []
    errors: list[LineError] = []
    for one in found:
        number = one.given.table
        if (before := seen.setdefault(number, one.line)) != one.line:
            errors.append(LineError(one.line, say(TWICE, {"table": number, "line": before}, language)))
            continue
        try:
            if tables.stands(one.given):
                standing.append(one)
                continue
            if tables[number].scores:
                raise _otherwise(one.given, tables)
            unsure = [] if sure or one.sure else tables.doubts(one.given, (other.given for other in new))
            tables.result(one.given)
        except Slip as slip:
            errors.append(LineError(one.line, say(slip.text, slip.params, language)))
            continue
        for doubt in unsure:
            told = {"table": str(number), "doubt": say(doubt.text, doubt.params, language)}
            errors.append(LineError(one.line, say(LOOK_AGAIN, told, language)))
        new.append(one)
    return new, standing, errors
