"""Results of a round in a CSV file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from faristol.kernel.quotation import quote_text, shorten_text
from faristol.kernel.refusal import N_
from faristol.presentation.names import fold_name
from faristol.text import say
from faristol.typed_input.lists import (
    SEPARATORS,
    UNREADABLE,
    LineError,
    Unreadable,
    columns_of,
    lines_of,
    rows_of,
)
from faristol.typed_input.results.doubts import LIKE_ANOTHER, SWAPPED, is_swapped
from faristol.typed_input.results.lines import (
    NO,
    UNSCORED_MARK,
    YES,
    InvalidLine,
    ParsedResult,
    is_forfeit,
    parse_result,
    read,
    table_of,
)
from faristol.typed_input.results.tables import Tables, names_at

SEATS = ("first", "second", "third", "fourth")
"""Column prefixes, as in a file of pairings that `faristol` writes: ``first_score``, ``second_score`` …"""

RESULT_COLUMNS = ("table", "first_score", "second_score")
"""Columns by which the headings of a list of results are found."""

NO_COLUMN = N_("expected a column {column}; there are: {known}")
OTHER_ROUND = N_("is for round {given}, but the results are being entered for round {round}")
TWICE = N_("the result of table {table} is already in line {line}")
OTHER_PLAYERS = N_("table {table} has {expected}, in this order; the line has {given}")
STANDS_OTHERWISE = N_("{standing} is already recorded: correct it if it is wrong")
LOOK_AGAIN = N_(
    "table {table}: {doubt}; if it is correct, write `yes` in a column `sure`, or use --sure for the whole file"
)
COMPARE = N_("table {table}: {doubt}; compare it with its slip.")
NEITHER = N_("the column `sure` is {given}; expected `yes`, `no` or an empty field")
NO_TABLE_SAID = N_("the table is missing")


@dataclass(frozen=True, slots=True)
class ListedResult:
    """Result of a file and its line, counted from 1."""

    line: int
    given: ParsedResult
    sure: bool = False
    """True if the line confirms implausible scores."""
    question: str = ""
    """Equal scores of another table, which are to be confirmed and prevent no entry; empty otherwise."""


def read_sheet(
    text: str, tables: Tables, language: str, *, sure: bool = False
) -> tuple[list[ListedResult], list[ListedResult], list[LineError]]:
    """Return the results to enter, those recorded already, and all errors by line.

    A first line with headings is that of a completed file of pairings; lines without scores are skipped. Without
    headings every line is a table and its scores. An implausible result is an error unless ``sure``, or the column of
    that name for one line, confirms it. Equal scores of two tables are a question only: in a large round some are.
    """
    text = text.removeprefix("\ufeff")
    lines = lines_of(text)
    with_names = any("table" in columns_of(re.split(f"[{SEPARATORS}]", line.replace('"', ""))) for line in lines[:11])
    found: list[ListedResult] = []
    errors: list[LineError] = []
    try:
        for read_line in _with_columns(text, tables) if with_names else _plain(lines, tables):
            if isinstance(read_line, ListedResult):
                found.append(read_line)
            else:
                line, problem = read_line
                errors.append(LineError(line, say(problem.text, problem.params, language)))
    except InvalidLine as slip:
        return [], [], [LineError(1, say(slip.text, slip.params, language))]
    new, standing, wrong = _check_results(found, tables, language, sure=sure)
    return new, standing, sorted([*errors, *wrong], key=lambda error: error.line)


def _plain(lines: Sequence[str], tables: Tables) -> Iterator[ListedResult | tuple[int, InvalidLine]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            parsed = read(line, tables.players)
        except InvalidLine as slip:
            yield number, slip
        else:
            if isinstance(parsed, ParsedResult):
                yield ListedResult(number, parsed)


def _with_columns(text: str, tables: Tables) -> Iterator[ListedResult | tuple[int, InvalidLine]]:
    unreadable: list[Unreadable] = []
    lines = rows_of(text, RESULT_COLUMNS, unreadable.append)
    columns = columns_of(next(lines, (0, []))[1])
    if unreadable and "table" not in columns:
        raise InvalidLine(UNREADABLE)
    for column in RESULT_COLUMNS:
        if column not in columns:
            raise InvalidLine(NO_COLUMN, column=column, known=shorten_text(", ".join(columns)))
    for number, fields in lines:
        row = dict(zip(columns, fields, strict=False))
        try:
            found, sure = _row(row, tables), _is_sure(row.get("sure", ""))
        except InvalidLine as slip:
            yield number, slip
        else:
            if found is not None:
                yield ListedResult(number, found, sure)
    for problem in unreadable:
        yield problem.line, InvalidLine(UNREADABLE)


def _is_sure(word: str) -> bool:
    """Check whether a line confirms its scores. Raises ``InvalidLine`` for a word other than yes and no."""
    if fold_name(word) not in YES | NO | {""}:
        raise InvalidLine(NEITHER, given=quote_text(word))
    return fold_name(word) in YES


def _whole(cell: str) -> str:
    """Return a whole number without the zero decimals that a spreadsheet may add: ``412`` for ``412,0``."""
    return re.sub(r"(?<=[0-9])[.,]0{1,2}$", "", cell)


def _row(row: Mapping[str, str], tables: Tables) -> ParsedResult | None:
    """Parse the result of a line; None without scores."""
    cells = [_whole(row.get(f"{seat}_score", "")) for seat in SEATS]
    words = [word for word in cells if word]
    if not words:
        return None
    if (of := _whole(row.get("round", ""))) and of != str(tables.listed.round):
        raise InvalidLine(OTHER_ROUND, given=shorten_text(of), round=tables.listed.round)
    number = _whole(row.get("table", ""))
    if not number:
        raise InvalidLine(NO_TABLE_SAID)
    table = table_of(number, tables.players)
    _check_players(row, table, tables)
    if any(map(is_forfeit, words)):  # the winner's cell may be empty
        seats = tables.players(table)
        words = [word or UNSCORED_MARK for word in cells[:seats]] + [word for word in cells[seats:] if word]
    return parse_result(table, words, tables.players(table), row.get("winner", ""))


def _check_players(row: Mapping[str, str], number: int, tables: Tables) -> None:
    """Raise ``InvalidLine`` if a line names other players than its table, or in another order."""
    table = tables[number]
    ids = [player.player_id for player in table.players]
    if [row.get(f"{seat}_player_id", "").lower() for seat in SEATS[: len(ids)]] == ids:
        return  # a spreadsheet may have corrupted the names
    for kind, seated in (("player_id", ids), ("name", names_at(table))):
        given = [row.get(f"{seat}_{kind}", "") for seat in SEATS[: len(seated)]]
        if any(given) and any(
            name and fold_name(name) != fold_name(other) for name, other in zip(given, seated, strict=True)
        ):
            raise InvalidLine(
                OTHER_PLAYERS, table=number, expected=" – ".join(seated), given=" – ".join(map(shorten_text, given))
            )


def _otherwise(given: ParsedResult, tables: Tables) -> InvalidLine:
    """Return why a result differs from the recorded one."""
    winner = tables.winner(given)
    if winner is not None and is_swapped(given, winner):
        return InvalidLine(SWAPPED, winner=names_at(tables[given.table])[winner])
    return InvalidLine(STANDS_OTHERWISE, standing=tables.standing(given.table))


def _check_results(
    found: Sequence[ListedResult], tables: Tables, language: str, *, sure: bool
) -> tuple[list[ListedResult], list[ListedResult], list[LineError]]:
    seen: dict[int, int] = {}
    new: list[ListedResult] = []
    standing: list[ListedResult] = []
    errors: list[LineError] = []
    for listed in found:
        number = listed.given.table
        if (before := seen.setdefault(number, listed.line)) != listed.line:
            errors.append(LineError(listed.line, say(TWICE, {"table": number, "line": before}, language)))
            continue
        try:
            if tables.stands(listed.given):
                standing.append(listed)
                continue
            if tables[number].scores:
                raise _otherwise(listed.given, tables)
            unsure = [] if sure or listed.sure else tables.doubts(listed.given, (other.given for other in new))
            tables.result(listed.given)
        except InvalidLine as slip:
            errors.append(LineError(listed.line, say(slip.text, slip.params, language)))
            continue
        questions = []
        for doubt in unsure:
            params = {"table": str(number), "doubt": say(doubt.text, doubt.params, language)}
            if doubt.text == LIKE_ANOTHER:
                questions.append(say(COMPARE, params, language))
            else:
                errors.append(LineError(listed.line, say(LOOK_AGAIN, params, language)))
        new.append(replace(listed, question=" ".join(questions)))
    return new, standing, errors
