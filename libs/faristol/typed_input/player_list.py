"""Player lists as CSV: players to register, with their divisions and teams."""

from __future__ import annotations

import csv
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from faristol.kernel.details import DETAILS, Detail, is_country
from faristol.kernel.divisions import find_division
from faristol.kernel.errors import Invalid
from faristol.kernel.names import (
    MAX_CATEGORY_CHARACTERS,
    MAX_OFFICIAL_NOTE_CHARACTERS,
    club_key,
    name_key,
)
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.names import fold_name
from faristol.text import LANGUAGES, SOURCE, say
from faristol.typed_input.lists import (
    SEPARATORS,
    UNREADABLE,
    Decoded,
    LineError,
    Unreadable,
    columns_of,
    decoded_content_of,
    lines_of,
    rows_of,
    text_of,
)
from faristol.typed_input.message_lines import parse_message_lines

DETAIL_COLUMNS: Mapping[str, Detail] = {
    detail.options.column: detail for detail in DETAILS.values() if detail.options.column
}
"""Columns with personal details. Lists have no addresses and no needs."""

_FIRST_COLUMNS = ("name", "club", "rating", "id", "country", "category", "note")

PLAYER_COLUMNS = (*_FIRST_COLUMNS, *(column for column in DETAIL_COLUMNS if column not in _FIRST_COLUMNS))
"""Columns of a player list. The name is required; a missing column is empty."""

PUBLIC_COLUMNS = tuple(
    name for name in PLAYER_COLUMNS if name not in DETAIL_COLUMNS or DETAIL_COLUMNS[name].options.public
)
"""The columns of a list that all readers see."""

DIVISION = "division"
"""Column with the division that a player enters; if empty, the player enters the tournament itself."""

TEAM = "team"
"""Column with the name of the player's team. The order of the lines is the order of the line-up."""

SURNAME = "surname"
"""Column of a list that has the parts of a name in two columns: the surname stands behind the given name."""

NUMBER = "number"
"""Column with the number of each row, which is left out."""

UNUSED = "unused"
"""Column of data that no tournament needs, such as telephone numbers, which is left out."""

LICENCE = "licence"
"""Column of the licence in an export of the register: a registration asks the register for it, and not the list."""

_AIDS = (SURNAME, NUMBER, UNUSED, LICENCE)

LIST_COLUMNS = (*PLAYER_COLUMNS, DIVISION, TEAM)
"""All columns of a list."""

REGISTRATION_BATCH_PLAYERS = 500
"""Players registered in one command."""

HEADINGS = {
    **{column: detail.options.label for column, detail in DETAIL_COLUMNS.items()},
    "rating": N_("Rating"),
    "category": N_("Category"),
    "note": N_("Note"),
    DIVISION: N_("Division"),
    TEAM: N_("Team"),
}
"""Headings of the columns on pages. A list may use them too, in any language."""

LICENCE_COLUMNS = ("licence_kind", "licence_number", "licence_from", "licence_to")
"""Headings of those columns."""

OTHER_HEADINGS: Mapping[str, str] = {
    "elo": "rating",
    "έλο": "rating",
    "full name": "name",
    "nom i cognoms": "name",
    "cognoms i nom": "name",
    "nombre y apellidos": "name",
    "apellidos y nombre": "name",
    "ονοματεπώνυμο": "name",
    **dict.fromkeys(("first name", "given name", "forename", "nom de pila", "nombre de pila", "μικρό όνομα"), "name"),
    **dict.fromkeys(("surname", "last name", "family name"), SURNAME),
    **dict.fromkeys(("cognom", "cognoms", "apellido", "apellidos", "επώνυμο", "επίθετο"), SURNAME),
    **dict.fromkeys(("player", "jugador", "jugadora", "jugador/a", "participant", "participante"), "name"),
    **dict.fromkeys(("παίκτης", "παίκτρια", "παίχτης", "name and surname"), "name"),
    **dict.fromkeys(("entitat", "entidad", "σωματείο", "όμιλος"), "club"),
    **dict.fromkeys(("fed", "fed.", "federation", "federació", "federación", "ομοσπονδία"), "country"),
    **dict.fromkeys(("#", "no", "no.", "nº", "n.º", "num", "núm", "núm.", "num.", "number", "α/α", "a/a"), NUMBER),
    **dict.fromkeys(("e-mail", "email", "email address", "mail", "correu", "correu electrònic", "correo"), UNUSED),
    **dict.fromkeys(("adreça electrònica", "correo electrónico", "dirección de correo electrónico"), UNUSED),
    **dict.fromkeys(("phone", "telephone", "mobile", "telèfon", "mòbil", "teléfono", "móvil", "tel", "tel."), UNUSED),
    **dict.fromkeys(("τηλέφωνο", "κινητό", "ηλεκτρονικό ταχυδρομείο", "διεύθυνση email"), UNUSED),
    **dict.fromkeys(("timestamp", "marca de temps", "marca temporal", "χρονική σήμανση"), UNUSED),
    **dict.fromkeys(LICENCE_COLUMNS, LICENCE),
}
"""Columns by other usual headings of lists, in lower case."""

_IN_BRACKETS = re.compile(r"(.*\w) *[(\[][^()\[\]]*[)\]] *")
"""A heading with an explanation in brackets: ``Rating (Elo)``."""

STANDS_ALREADY = {
    "name": N_("the name {given} is already in line {line}"),
    "id": N_("the id {given} is already in line {line}"),
}


MAX_LIST_BYTES = 4_000_000
"""Limit of a list in bytes: 40,000 players with all columns."""

MAX_LIST_ROWS = 10_000
"""Limit of the lines with text in a list: a tournament takes as many players."""

MAX_LIST_LINES = 100_000
"""Limit of all lines in a list. Spreadsheets write thousands of empty ones."""

MAX_LINE_CHARACTERS = 2_000
"""Limit of the characters of a line: the longest valid name, club and note together have fewer."""

MAX_COLUMN_ERRORS = 10
"""Limit of invalid columns reported for a list."""

MANY_ROWS = N_("the list has more than {most} lines: divide it")
LONG_LINE = N_("the line has {length} characters; the limit is {most}")
MORE_FIELDS = N_(
    "there is no column for {given}: it is neither a rating nor a country, or there are two of the same kind"
)
GARBLED = N_("{given} has garbled or missing letters: export the list again as UTF-8, or type the text")
NO_LETTER = N_("{given} is not a name: it has no letter")
OPEN_BRACKET = N_("{given} has a bracket without its counterpart")
LONG_CATEGORY = N_("the category has {length} characters; expected at most {most}")
LONG_NOTE = N_("the note has {length} characters; expected at most {most}")


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """Player in a list."""

    line: int
    """Line number, from 1."""
    request: pairing.RegisterPlayerRequest
    team: str
    """Name of the player's team; empty for none."""
    given_name: str = ""
    """Name as written in the list if it was reordered: ``Puig, Anna``."""
    zero: bool = False
    """True if the list has the rating 0."""


class Zero(StrEnum):
    """Meaning of the rating 0."""

    UNRATED = "unrated"
    RATING = "rating"


class Comma(StrEnum):
    """Meaning of the text behind a comma: ``Puig, Anna``."""

    NAME = "name"
    """Given name; the surname stands before the comma."""
    CLUB = "club"
    """Club, in a list without headings; with headings, the comma belongs to the name."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of the user about an ambiguous list; None if not asked."""

    zero: Zero | None = None
    comma: Comma | None = None


NOT_ASKED = Answers()


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading a list."""

    tournament: str = ""
    """Tournament of the players whose line names no division."""
    divisions: Sequence[events.Division] = ()
    """Divisions that a line can name."""
    language: str = SOURCE
    """Language of the error messages."""
    answers: Answers = NOT_ASKED


BY_ITSELF = Reading()


@dataclass(frozen=True, slots=True)
class PlayerList:
    """Content of a player list."""

    rows: list[ListedPlayer]
    errors: list[LineError]
    """Errors by line. Those lines register no player."""
    whole: bool = False
    """True if the errors concern the whole list, such as its columns: no player can be registered."""
    title: tuple[str, ...] = ()
    """Lines before the headings, which were skipped."""
    aside: tuple[str, ...] = ()
    """Lines of a message before and behind its numbered list, which were skipped."""
    asks_zero: int = 0
    """Number of rows with a rating of 0; the user decides if they are unrated."""
    asks_comma: str = ""
    """First ambiguous name with a comma."""
    answers: Answers = NOT_ASKED
    """Answers that were applied. A missing answer is replaced by the likely one."""
    decoded: Decoded | None = None
    """How the bytes of a file were decoded; None for pasted text."""


def read_players(file: Path, reading: Reading = BY_ITSELF, encoding: str = "") -> PlayerList:
    """Read the players of a file by ``players_of``. Raises ``StartError`` if it cannot be read."""
    decoded = decoded_content_of(str(file), reading.language, MAX_LIST_BYTES, encoding)
    return replace(players_of(decoded.text, reading), decoded=decoded)


def players_of(text: str, reading: Reading = BY_ITSELF) -> PlayerList:
    """Return the players of a list and all its errors.

    Players enter the division of their line, else the tournament. Two lines with the same name are an error unless
    their clubs or ids differ. Two lines with the same id are an error.
    """
    texts = lines_of(text)
    if excess := _find_excess(texts, reading.language):
        return PlayerList([], [excess], whole=True)
    return _parse_table(text, texts, reading)


def _parse_table(text: str, texts: Sequence[str], reading: Reading) -> PlayerList:
    """Return the players of a list with headings and its errors. ``texts`` are its lines, none too long."""
    unreadable: list[Unreadable] = []
    rows = rows_of(text, known_columns(), unreadable.append)
    line, head = next(rows, (1, []))
    columns = _columns(head)
    if errors := list(islice(_wrong_columns(columns, line, reading.language), MAX_COLUMN_ERRORS)):
        if unreadable and unreadable[0].line <= line:
            errors = [LineError(unreadable[0].line, say(UNREADABLE, {}, reading.language))]
        return PlayerList([], errors, whole=True)
    title = tuple(filter(None, (each.strip(f" {SEPARATORS}") for each in texts[: line - 1])))
    title = tuple(each for each in title if not each.lower().startswith("sep="))
    columns, lines = _without_aids(columns, [*rows])
    joined, names = _join_names(lines, columns)
    of_names = names.lines(reading.answers.comma)
    lines = [(line, joined[line] if line in of_names else fields) for line, fields in lines]
    behind = [problem for problem in unreadable if problem.line > line]
    found = _players(lines, columns, texts, reading, of_names, behind)
    return replace(found, title=title, asks_comma=found.asks_comma or names.first_doubtful)


def _is_text(cell: str) -> bool:
    """Check whether a cell has letters, but is no e-mail address, telephone number or time."""
    return any(map(str.isalpha, cell)) and not any(sign.isdigit() or sign == "@" for sign in cell)


def _without_aids(columns: Sequence[str], rows: Rows) -> tuple[list[str], Rows]:
    """Return the columns and rows with the surname behind the name, and without row numbers and unused columns.

    A cell that is not of its column, such as a club that a comma in the name moved there, stays, and its row is then
    reported.
    """
    aids = [place for place, column in enumerate(columns) if column in _AIDS]
    if not aids:
        return [*columns], rows
    place = columns.index("name")
    found = []
    for line, fields in rows:
        cells = fields + [""] * (len(columns) - len(fields))
        for aid in aids:
            if columns[aid] == SURNAME:
                cells[place] = f"{cells[place]} {cells[aid]}".strip()
                cells[aid] = ""
            elif (
                columns[aid] == LICENCE
                or cells[aid].rstrip(".").isdecimal()
                or (columns[aid] == UNUSED and not _is_text(cells[aid]))
            ):
                cells[aid] = ""
        found.append((line, cells))
    return ["" if column in _AIDS else column for column in columns], found


def _find_excess(lines: Sequence[str], language: str) -> LineError | None:
    """Return the first line that is too long or one too many; None in a list of usual size."""
    count = 0
    for number, line in enumerate(lines, 1):
        written = line.rstrip(f" {SEPARATORS}")
        count += bool(written)
        if count > MAX_LIST_ROWS or number > MAX_LIST_LINES:
            return LineError(number, say(MANY_ROWS, {"most": f"{MAX_LIST_ROWS:,}"}, language))
        if len(written) > MAX_LINE_CHARACTERS:
            limits = {"length": f"{len(written):,}", "most": f"{MAX_LINE_CHARACTERS:,}"}
            return LineError(number, say(LONG_LINE, limits, language))
    return None


Rows = list[tuple[int, list[str]]]
"""The fields of rows, each with the number of its line."""


@dataclass(frozen=True, slots=True)
class _NamesWithComma:
    """Names with a comma but without quotation marks, such as ``Puig, Anna``, by line."""

    certain: Mapping[int, str]
    doubtful: Mapping[int, str]
    """Names that may be a name and a club: the user is asked."""

    @property
    def first_doubtful(self) -> str:
        """The first name to ask about; empty without one."""
        return next(iter(self.doubtful.values()), "")

    def lines(self, comma: Comma | None) -> frozenset[int]:
        """Return the lines whose comma belongs to the name. Without an answer, doubtful names are names."""
        return frozenset(self.certain if comma is Comma.CLUB else {**self.certain, **self.doubtful})


def _join_names(rows: Rows, columns: Sequence[str]) -> tuple[dict[int, list[str]], _NamesWithComma]:
    """Join ``Puig`` and ``Anna`` in rows with a cell more than there are columns, because of the comma in a name.

    If there are such rows, a row with as many cells as columns may lack an empty last cell. It is joined if the surname
    is a single word. Return the joined rows by line, and their names.
    """
    longer = [(line, fields) for line, fields in rows if len(fields) == len(columns) + 1]
    joined = dict(_join_rows(longer, columns))
    place = columns.index("name")
    if joined:
        equal = [(line, fields) for line, fields in rows if len(fields) == len(columns)]
        joined |= {
            line: fields
            for line, fields in _join_rows(equal, columns)
            if _are_surnames([fields[place]], of_every_row=False)
        }
    names = {line: fields[place] for line, fields in joined.items()}
    is_certain = _are_surnames([*names.values()], of_every_row=len(names) == len(rows))
    return joined, _NamesWithComma(names, {}) if is_certain else _NamesWithComma({}, names)


def _join_rows(rows: Rows, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are valid only with the cell of the name and the next one joined, in that form."""
    place = columns.index("name")
    for line, fields in rows:
        name = ", ".join(fields[place : place + 2])
        joined = [*fields[:place], name, *fields[place + 2 :]]
        if _SURNAME_FIRST.fullmatch(name) and _fits(joined, columns) and not _fits(fields, columns):
            yield line, joined


def _fits(fields: Sequence[str], columns: Sequence[str]) -> bool:
    """Return whether each cell of a row is valid in its column, by the columns of ratings and countries."""
    row = dict(zip(columns, fields, strict=False))
    rating, country = _whole(row.get("rating", "")), row.get("country", "")
    spare = any(fields[len(columns) :]) or bool(row.get("", ""))
    return not spare and (not rating or rating.isdigit()) and (not country or is_country(country))


def _are_surnames(names: Sequence[str], *, of_every_row: bool) -> bool:
    """Return whether the text before the commas is a surname: a single word is not a whole name.

    In a list that is written so in every row, one single word is enough; elsewhere each has to be one.
    """
    single = [" " not in name.partition(",")[0].strip() for name in names]
    return any(single) if of_every_row else all(single)


def _players(
    lines: Iterable[tuple[int, list[str]]],
    columns: Sequence[str],
    texts: Sequence[str],
    reading: Reading,
    joined: Collection[int] = (),
    unreadable: Iterable[Unreadable] = (),
) -> PlayerList:
    """Return the players of the rows below the headings; in the ``joined`` lines the name begins with the surname.

    ``unreadable`` are the lines at which no row can be read.
    """
    language, answers = reading.language, reading.answers
    rows: list[ListedPlayer] = []
    errors: list[LineError] = []
    ids: dict[str, int] = {}
    namesakes = _Namesakes()
    zeros, with_comma = 0, ""

    def tell(line: int, problem: str) -> None:
        errors.append(LineError(line, problem, texts[line - 1].strip() if 0 < line <= len(texts) else ""))

    for line, fields in lines:
        row = dict(zip(columns, fields, strict=False))
        given = row.get("name", "")
        zero = _is_zero(row.get("rating", ""))
        try:
            spare = [cell for cell in fields[len(columns) :] if cell]
            spare += [cell for column, cell in zip(columns, fields, strict=False) if cell and not column]
            if spare:
                raise ValueError(say(MORE_FIELDS, {"given": repr(", ".join(spare))}, language))
            is_known = bool(row.get("id"))  # the name stays as in the list with its id
            as_it_is = is_known or (answers.comma is Comma.CLUB and line not in joined)
            turned = "" if as_it_is else reorder_name(given)
            if zero and answers.zero is not Zero.RATING:
                row["rating"] = ""
            request = _player(row | {"name": turned or given}, language)
            request.tournament_id = _division(row, reading.divisions, language) or reading.tournament
        except ValueError as problem:
            tell(line, str(problem))
            continue
        zeros += zero
        asks_comma = bool(reorder_name(given)) and not is_known and line not in joined
        with_comma = with_comma or (given if asks_comma else "")
        if known := namesakes.find(request):
            tell(line, say(STANDS_ALREADY["name"], {"given": repr(request.name), "line": known.line}, language))
            continue
        if request.player_id and (before := ids.setdefault(request.player_id.casefold(), line)) != line:
            tell(line, say(STANDS_ALREADY["id"], {"given": repr(request.player_id), "line": before}, language))
            continue
        rows.append(ListedPlayer(line, request, row.get(TEAM, ""), given if turned else "", zero))
        namesakes.add(rows[-1])
    for unread in unreadable:
        tell(unread.line, say(UNREADABLE, {}, language))
    errors.sort(key=lambda error: error.line)
    # A team enters with all its players, in their order.
    whole = bool(errors) and TEAM in columns
    return PlayerList(rows, errors, whole, asks_zero=zeros, asks_comma=with_comma, answers=answers)


PASTED = ("name", "club", "country", "rating")
"""Columns of a list without headings, after each field was classified by its form."""

_NUMBER = re.compile(r"(\d[.,'’ ]\d{3}|\d{1,4})([.,]0*)?", re.ASCII)

_THOUSANDS = re.compile(r"(\d)[.,'’ ](\d{3})([.,]0+)?", re.ASCII)
"""``1.650``, ``1,650`` and ``1 650``: no rating has thousandths."""

_UNRATED = re.compile(r"[-–—−]+|#?n/?[ad]|nan|null|none|n\.?r\.?|unr\.?|unrated|s/e|sense|sin|χωρίς", re.IGNORECASE)
"""Marks of an empty cell in the column of ratings."""

_DECORATED = re.compile(r"['’]?(\()?(\[)?([0-9][0-9.,'’ ]*)(?(2)\])(?(1)\))\*?")
"""A rating with the marks of spreadsheets and lists around it: ``(1650)``, ``1650*``, and ``'1650`` for a text."""

_SURNAME_FIRST = re.compile(r"([^\d,]+),\s*+([^\d,]+)")
"""``Puig, Anna``."""


def players_pasted(text: str, reading: Reading = BY_ITSELF) -> PlayerList:
    """Return the players of text pasted from a spreadsheet or a message. Headings are optional.

    Without headings a line begins with the name. A rating (a number), a country (three capital letters) and a club
    follow in any order. The separators are tabs, semicolons, vertical bars or commas. If every line is two words with a
    comma between them, the first is the surname; likewise in a line of commas with a text more than a name and a club,
    such as ``Puig, Anna, Valls, 1730``. A list that can be read in two ways is asked about. The marks of a list in a
    message are removed, as in ``1. Anna Puig (Valls) 1730``, where the rating and the club need no separator.
    """
    text = text.removeprefix("\ufeff")
    texts = lines_of(text)
    if excess := _find_excess(texts, reading.language):
        return PlayerList([], [excess], whole=True)
    if column_line(text):
        return _parse_table(text, texts, reading)
    message = parse_message_lines(texts)
    cleaned = [line.strip() for line in message.lines if line.strip()]
    are_pairs = cleaned and all(_SURNAME_FIRST.fullmatch(line) for line in cleaned)
    parse = _parse_pairs if are_pairs else _parse_pasted
    return replace(parse(message.lines, texts, reading), aside=message.aside)


def _parse_pairs(lines: Sequence[str], texts: Sequence[str], reading: Reading) -> PlayerList:
    """Return the players of lines with two texts and a comma each: a surname and a given name, or a name and a club.

    The user is asked. Without an answer, they are a surname and a given name if each first text is a single word.
    """
    rows = {number: line for number, line in enumerate(lines, 1) if line.strip()}
    pairs = [line.strip() for line in rows.values()]
    answers = reading.answers
    if answers.comma is None:
        likely = Comma.NAME if _are_surnames(pairs, of_every_row=False) else Comma.CLUB
        answers = replace(answers, comma=likely)
    is_name = answers.comma is Comma.NAME
    fields = ((number, [line.strip()] if is_name else _cells(line)) for number, line in rows.items())
    found = _players(fields, PASTED, texts, replace(reading, answers=answers))
    return replace(found, asks_comma=pairs[0])


MOST_TEXTS_COUNT = 2
"""Texts of a line other than its rating and country: the name and the club."""


def _parse_pasted(lines: Sequence[str], texts: Sequence[str], reading: Reading) -> PlayerList:
    """Return the players of pasted lines, in which names such as ``Puig, Anna`` may have no quotation marks."""
    rows = {number: line for number, line in enumerate(lines, 1) if line.strip()}
    names = _find_names_with_comma(rows)
    of_names = names.lines(reading.answers.comma)
    fields = ((number, _cells(line, with_comma=number in of_names)) for number, line in rows.items())
    found = _players(fields, PASTED, texts, reading, of_names)
    return replace(found, asks_comma=names.first_doubtful or found.asks_comma)


def _find_names_with_comma(rows: Mapping[int, str]) -> _NamesWithComma:
    """Find the lines that begin with a surname and a given name, by the number of their texts between commas.

    ``longer`` lines have a text more than a name and a club. ``shorter`` lines have two texts, perhaps a name and a
    club. They are doubtful beside longer lines, and if every line is so and may end in a given name.
    """
    of_commas = {number: _texts_between_commas(line) for number, line in rows.items()}
    longer, shorter = (
        {number: ", ".join(texts[:2]) for number, texts in of_commas.items() if len(texts) == count}
        for count in (MOST_TEXTS_COUNT + 1, MOST_TEXTS_COUNT)
    )
    if longer and shorter:
        return _NamesWithComma(longer, shorter)
    if longer:
        is_certain = _are_surnames([*longer.values()], of_every_row=len(longer) == len(rows))
        return _NamesWithComma(longer, {}) if is_certain else _NamesWithComma({}, longer)
    is_doubtful = len(shorter) == len(rows) and _may_be_given_names([*shorter.values()])
    return _NamesWithComma({}, shorter if is_doubtful else {})


def _may_be_given_names(names: Sequence[str]) -> bool:
    """Check whether the text behind the comma of each line may be a given name, after a surname of one or more words.

    A single word before a comma is not a whole name. Of three lines or more, clubs would not all be different.
    """
    pairs = [name.partition(", ") for name in names]
    return any(" " not in first for first, _, _ in pairs) or 2 < len(pairs) == len({second for _, _, second in pairs})


def _texts_between_commas(line: str) -> list[str]:
    """Return the cells of a line that has no separator but commas, without rating and country.

    Empty for another line, and for a line that does not begin with a possible surname and given name.
    """
    cells = _split(line, ",") if not any(sign in line for sign in "\t;|") else []
    if not _SURNAME_FIRST.fullmatch(", ".join(cells[:2])):
        return []
    texts = [cell for cell in cells if cell and not _is_number(cell) and not is_country(cell)]
    return texts if texts[:2] == cells[:2] else []


def column_line(text: str) -> int:
    """Return the line number of the headings, from 1; 0 if none of the first rows has them."""
    unreadable: list[Unreadable] = []
    rows = list(islice(rows_of(text, known_columns(), unreadable.append), 1))
    if unreadable and unreadable[0].line == 1 and "name" in text[:200].lower():
        return 1
    return rows[0][0] if rows and "name" in _columns(rows[0][1]) else 0


def reorder_name(name: str) -> str:
    """Return ``Anna Puig`` for ``Puig, Anna``; empty if the name has another form."""
    found = _SURNAME_FIRST.fullmatch(name)
    return f"{found[2].strip()} {found[1].strip()}" if found else ""


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(_strip_marks(cell)) is not None


def _is_zero(rating: str) -> bool:
    return set(_whole(rating)) == {"0"}


def _strip_marks(rating: str) -> str:
    """Return a rating without the marks around it, in ASCII digits; another text, such as ``850²``, as it is."""
    is_plain = all(sign.isdecimal() or not sign.isnumeric() for sign in rating)
    plain = unicodedata.normalize("NFKC", rating).strip() if is_plain else rating
    found = _DECORATED.fullmatch(plain)
    return found[3].strip() if found else plain


def _whole(rating: str) -> str:
    """Return the digits of a rating: ``1650`` for ``1650,0`` and ``1.650``, empty for the mark of an unrated player."""
    plain = _strip_marks(rating)
    if found := _THOUSANDS.fullmatch(plain):
        return found[1] + found[2]
    return "" if _UNRATED.fullmatch(plain) else re.sub(r"[.,]0*$", "", plain)


@cache
def known_columns() -> frozenset[str]:
    """Return every heading that a column of players can have, normalized as by ``columns_of``."""
    headings = (say(heading, {}, language).lower() for language in LANGUAGES for heading in HEADINGS.values())
    return frozenset({*LIST_COLUMNS, *headings, *OTHER_HEADINGS})


@cache
def _names_of_columns() -> Mapping[str, str]:
    """Return the column of each heading, by the folded heading."""
    others = {fold_name(heading): column for heading, column in OTHER_HEADINGS.items() if fold_name(heading)}
    return others | {
        fold_name(say(heading, {}, language)): column for language in LANGUAGES for column, heading in HEADINGS.items()
    }


def _columns(fields: Sequence[str]) -> list[str]:
    """Return the column names of headings in any language."""
    return [_column(field) for field in columns_of(fields)]


def _column(heading: str) -> str:
    names = _names_of_columns()
    # A heading such as `#` has no letters to compare.
    found = OTHER_HEADINGS.get(heading) or names.get(fold_name(heading) or heading)
    explained = _IN_BRACKETS.fullmatch(heading)
    return found or (_column(explained[1]) if explained else heading)


def _split(line: str, sign: str) -> list[str]:
    """Return the cells of a line between separators, without surplus spaces."""
    is_closed = line.count('"') % 2 == 0  # else the mark stays in its cell, and the row is reported
    cells = (
        next(csv.reader([line], delimiter=sign, skipinitialspace=sign != "\t"), [""]) if is_closed else line.split(sign)
    )
    return [" ".join(text_of(cell).split()) for cell in cells]


def _cells(line: str, *, with_comma: bool = False) -> list[str]:
    """Return the fields of a pasted line in the order of ``PASTED``, with surplus fields behind them.

    ``with_comma``: the first two cells are the name.
    """
    sign = next((sign for sign in ("\t", ";", "|", ",") if sign in line), ",")
    cells = _split(line, sign)
    name, *others = [", ".join(cells[:2]), *cells[2:]] if with_comma else cells
    found = {"name": name}
    spare = []
    for cell in filter(None, others):
        if _is_number(cell) and "rating" not in found:
            found["rating"] = cell
        elif is_country(cell) and "country" not in found:
            found["country"] = cell
        elif "club" not in found:
            found["club"] = cell
        else:
            spare.append(cell)
    return [found.get(column, "") for column in PASTED] + spare


class _Namesakes:
    """Index of the rows of a list, in which many namesakes need no more time than one."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, bool, str | None], ListedPlayer] = {}
        """The first row of a name, among all rows or only those without an id, and of a club; ``_ANY_CLUB`` for all."""

    def add(self, row: ListedPlayer) -> None:
        """Add a row."""
        name, club = name_key(row.request.name), club_key(row.request.club)
        for only_without_id in (False,) if row.request.player_id else (False, True):
            for of_club in (_ANY_CLUB, club):
                self._first.setdefault((name, only_without_id, of_club), row)

    def find(self, request: pairing.RegisterPlayerRequest) -> ListedPlayer | None:
        """Return the first row of the same name that differs neither by ids nor by clubs, or None."""
        name, club = name_key(request.name), club_key(request.club)
        clubs = (_ANY_CLUB,) if club is None else (None, club)
        found = [self._first.get((name, bool(request.player_id), of_club)) for of_club in clubs]
        return min(filter(None, found), key=lambda row: row.line, default=None)


_ANY_CLUB = "*"
"""Stands for all clubs. It differs from every club's key, which has only letters and digits."""


def list_columns(language: str) -> list[str]:
    """Return the names of all columns of a list in a language."""
    return [say(HEADINGS[column], {}, language).lower() if column in HEADINGS else column for column in LIST_COLUMNS]


def _wrong_columns(columns: Sequence[str], line: int, language: str) -> Iterator[LineError]:
    names = list_columns(language)
    if "name" not in columns:
        expected = {"name": names[0], "known": ", ".join(names)}
        yield LineError(
            line, say(N_("expected a line of column names, with `{name}` among {known}"), expected, language)
        )
    known = {*LIST_COLUMNS, *_AIDS}
    for column, times in Counter(columns).items():
        given = {"column": repr(column), "known": ", ".join(names)}
        if not column:
            continue  # its cells must be empty
        if column not in known:
            yield LineError(line, say(N_("there is no column {column}; expected {known}"), given, language))
        elif times > 1 and column not in (UNUSED, LICENCE):
            yield LineError(line, say(N_("the column {column} occurs twice"), given, language))


def _division(row: Mapping[str, str], divisions: Sequence[events.Division], language: str) -> str:
    """Return the tournament id of the division of a line; empty if it names none.

    Raises ``ValueError`` if the division is unknown.
    """
    given = row.get(DIVISION, "")
    if not given:
        return ""
    if division := find_division(divisions, given):
        return division.tournament_id
    params = {"given": repr(given), "known": ", ".join(division.name for division in divisions)}
    if not divisions:
        raise ValueError(say(N_("the division is {given}; there are no divisions"), params, language))
    raise ValueError(say(N_("the division is {given}; expected {known}, or an empty field"), params, language))


def _player(given: Mapping[str, str], language: str) -> pairing.RegisterPlayerRequest:
    """Return the command that registers a line. Raises ``ValueError`` that names the error."""
    if not given.get("name"):
        raise ValueError(say(N_("the name is missing"), {}, language))
    if not given.get("id"):  # a list with ids has the names as they are registered
        _check_letters(given, language)
    rating = _whole(given.get("rating", ""))
    if rating and not (rating.isascii() and rating.isdigit() and int(rating) <= 9999):
        expected = N_("the rating is {given}; expected 0 to 9999, or an empty field for an unrated player")
        raise ValueError(say(expected, {"given": repr(given["rating"])}, language))
    details = {
        detail.name: _detail(detail, given.get(column, ""), language) for column, detail in DETAIL_COLUMNS.items()
    }
    category, note = given.get("category", ""), given.get("note", "")
    for text, value, most in (
        (LONG_CATEGORY, category, MAX_CATEGORY_CHARACTERS),
        (LONG_NOTE, note, MAX_OFFICIAL_NOTE_CHARACTERS),
    ):
        if len(value) > most:
            raise ValueError(say(text, {"length": len(value), "most": most}, language))
    return pairing.RegisterPlayerRequest(
        command_id=str(uuid.uuid4()),
        player_id=given.get("id", ""),
        rating=int(rating) if rating else None,
        category=category,
        note=note,
        **details,
    )


_DOUBLY_DECODED = re.compile(
    "[ÂÃÅ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|[ÎÏ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰‹•–—˜™›œžŸŒŠŽš]|[ΞΟ][±²³µ¶―°§¨©«¬®¤¦£…†‡€]"
)
"""Letters whose bytes in UTF-8 were read in Windows-1252 or 1253: ``NÃºria``."""

_ENTITY = re.compile(r"&(?:[A-Za-z]+|#\d+);")
"""A letter in the form of HTML: ``N&uacute;ria``."""


def _check_letters(given: Mapping[str, str], language: str) -> None:
    """Raise ``ValueError`` if the name or the club lost letters on the way, or the name is not one."""
    name, club = given["name"], given.get("club", "")
    if "?" in name:
        raise ValueError(say(GARBLED, {"given": repr(name)}, language))
    for text in (name, club):
        if text.count('"') % 2:
            raise ValueError(say(UNREADABLE, {}, language))
        if "\ufffd" in text or "??" in text or _DOUBLY_DECODED.search(text) or _ENTITY.search(text):
            raise ValueError(say(GARBLED, {"given": repr(text)}, language))
        if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
            raise ValueError(say(OPEN_BRACKET, {"given": repr(text)}, language))
    if not any(sign.isalpha() for sign in name):
        raise ValueError(say(NO_LETTER, {"given": repr(name)}, language))


def _detail(detail: Detail, text: str, language: str) -> Any:
    """Return the value of a personal detail in a cell. Raises ``ValueError`` that names the column and the error."""
    try:
        return detail.parse(text)
    except Invalid as error:
        heading = say(detail.options.label, {}, language)
        raise ValueError(f"{heading}: {say(error.problem, error.params, language)}") from None
