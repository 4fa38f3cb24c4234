"""A list of results round by round as CSV, in and out, and a cross-table as plain text. Pure.

A list has one line for a game, with both players and their scores. The names of the columns are those of this program's
pairings (``first_name``, ``first_score``) or those of the ABSP's lists (``Player1``, ``Score1``). A line without a
second player is a bye.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO

from faristol.kernel.names import name_key
from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.form import (
    ABSENT,
    MAX_FILE_ROUNDS,
    FileDivision,
    FilePlayer,
    FileRound,
    RoundKind,
    TournamentFile,
    UnreadableFile,
)

_LETTERS = {2: "W", 1: "T", 0: "L"}
"""Won, tied and lost."""


def write_crosstable(tournament: TournamentFile) -> str:
    """Return the cross-table of each division: place, points, spread, name, ratings, and each round.

    A cell has the outcome, the number of the opponent in the initial order, an asterisk for a start, and below it the
    two scores. ``B`` is a bye, ``F`` a forfeit, ``-`` a round without points. Lines end in LF.
    """
    head = [part for part in (tournament.name, tournament.date) if part]
    parts = ["\n".join(head)] if head else []
    parts += [_of_division(division) for division in tournament.divisions]
    return "\n\n".join(parts) + "\n"


def _of_division(division: FileDivision) -> str:
    rounds = division.rounds
    rows: list[list[str]] = [
        ["", "Wins", "Spread", "#", "Name", "Rating", *(f"R{number}" for number in range(1, rounds + 1))]
    ]
    for place, (number, half_points, spread) in enumerate(division.rank(), 1):
        player = division.players[number - 1]
        rows.append(
            [
                str(place),
                _points(half_points),
                f"{spread:+d}",
                str(number),
                player.name,
                str(player.rating or "-"),
                *(_outcome(player.round(each)) for each in range(1, rounds + 1)),
            ]
        )
        rows.append(["", "", "", "", "", "", *(_scores(player.round(each)) for each in range(1, rounds + 1))])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    body = [_line(row, widths) for row in rows if any(row)]
    return "\n".join([*([f"Division {division.name}"] if division.name else []), *body])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line: names are aligned left, all other columns right."""
    name_column = 4
    cells = (
        f"{text:<{width}}" if column == name_column else f"{text:>{width}}"
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def _points(half_points: int) -> str:
    return f"{half_points // 2}{'½' if half_points % 2 else ''}" if half_points != 1 else "½"


def _outcome(cell: FileRound) -> str:
    match cell.kind:
        case RoundKind.BYE | RoundKind.HALF_BYE:
            return "B"
        case RoundKind.ABSENCE:
            return "-"
        case RoundKind.FORFEIT_WIN | RoundKind.FORFEIT_LOSS:
            return f"{_LETTERS[cell.half_points]}F"
        case _ if cell.score is None:
            return f"?{cell.opponent}"
        case _:
            return f"{_LETTERS[cell.half_points]}{cell.opponent}{'*' if cell.starts else ''}"


def _scores(cell: FileRound) -> str:
    return f"{cell.score}-{cell.against}" if cell.kind is RoundKind.GAME and cell.score is not None else ""


_COLUMNS: Mapping[str, str] = {
    "round": "round",
    "table": "table",
    "division": "division",
    **dict.fromkeys(("firstname", "player1", "first"), "first"),
    **dict.fromkeys(("firstscore", "score1"), "first_score"),
    **dict.fromkeys(("secondname", "player2", "second"), "second"),
    **dict.fromkeys(("secondscore", "score2"), "second_score"),
    **dict.fromkeys(("firstrating", "rating1"), "first_rating"),
    **dict.fromkeys(("secondrating", "rating2"), "second_rating"),
    "bye": "bye",
}
"""Columns by their names without spaces, underscores and case."""

_BYES: Mapping[str, RoundKind] = {
    "": RoundKind.BYE,
    "allocated": RoundKind.BYE,
    "full_point": RoundKind.BYE,
    "half_point": RoundKind.HALF_BYE,
    "zero_point": RoundKind.ABSENCE,
}
"""Kinds of byes by the words of this program's pairings."""

_NEEDED = ("round", "first", "first_score", "second", "second_score")

COLUMNS_MISSING = N_("expected the columns round, first, score 1, second, score 2; {missing} is missing")
NOT_A_ROUND = N_("expected the number of a round, found {found}")
SCORE_EXPECTED = N_("expected a score, found {found}")
NO_PLAYER = N_("the line has no first player")
PLAYS_TWICE = N_("{name} has two lines in round {round}")

_SCORE_PATTERN = re.compile(r"-?\d{1,4}")


@dataclass
class _Growing:
    """A division while its lines are read."""

    names: dict[str, int] = field(default_factory=dict)
    """Numbers of players by the keys of their names."""
    players: list[FilePlayer] = field(default_factory=list)
    cells: dict[tuple[int, int], FileRound] = field(default_factory=dict)
    """Rounds by number of the player and of the round."""

    def number(self, name: str, rating: str) -> int:
        """Return the number of a player; a new name adds one."""
        known = self.names.setdefault(name_key(name), len(self.players) + 1)
        if known > len(self.players):
            self.players.append(FilePlayer(name, int(rating) if rating.isdecimal() and len(rating) < 5 else None))
        return known


def read_results(text: str, file: str = "results.csv") -> TournamentFile:
    """Read a list. Raises ``UnreadableFile``."""
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator)
    columns = [_COLUMNS.get(re.sub(r"[\s_]", "", name.casefold()), "") for name in next(rows, [])]
    if missing := [name for name in _NEEDED if name not in columns]:
        raise UnreadableFile(file, 1, COLUMNS_MISSING, {"missing": ", ".join(missing)})
    divisions: dict[str, _Growing] = {}
    for row in rows:
        values = {name: value.strip().removeprefix("'") for name, value in zip(columns, row, strict=False) if name}
        if any(values.values()):
            _read_row(divisions.setdefault(values.get("division", ""), _Growing()), values, rows.line_num, file)
    return TournamentFile(
        divisions=tuple(_build_division(name, found) for name, found in divisions.items()), program="csv"
    )


def _read_row(division: _Growing, values: Mapping[str, str], line: int, file: str) -> None:
    round_ = values.get("round", "")
    if not round_.isdecimal() or not 1 <= int(round_) <= MAX_FILE_ROUNDS:
        raise UnreadableFile(file, line, NOT_A_ROUND, {"found": quote_text(round_)})
    if not values.get("first"):
        raise UnreadableFile(file, line, NO_PLAYER)
    first = division.number(values["first"], values.get("first_rating", ""))
    if not values.get("second"):
        kind = _BYES.get(values.get("bye", ""), RoundKind.BYE)
        score = _score(values.get("first_score", ""), file, line)
        _place(division, first, int(round_), FileRound(kind, score=score), file, line)
        return
    second = division.number(values["second"], values.get("second_rating", ""))
    one, other = (_score(values.get(name, ""), file, line) for name in ("first_score", "second_score"))
    table = int(values["table"]) if values.get("table", "").isdecimal() and len(values["table"]) < 5 else 0
    _place(division, first, int(round_), FileRound(RoundKind.GAME, second, one, other, True, table), file, line)
    _place(division, second, int(round_), FileRound(RoundKind.GAME, first, other, one, False, table), file, line)


def _place(division: _Growing, player: int, round_: int, cell: FileRound, file: str, line: int) -> None:
    if (player, round_) in division.cells:
        raise UnreadableFile(file, line, PLAYS_TWICE, {"name": division.players[player - 1].name, "round": round_})
    division.cells[player, round_] = cell


def _score(text: str, file: str, line: int) -> int | None:
    if not text:
        return None
    if not _SCORE_PATTERN.fullmatch(text):
        raise UnreadableFile(file, line, SCORE_EXPECTED, {"found": quote_text(text)})
    return int(text)


def _build_division(name: str, found: _Growing) -> FileDivision:
    rounds = max((round_ for _, round_ in found.cells), default=0)
    return FileDivision(
        name,
        tuple(
            FilePlayer(
                player.name,
                player.rating,
                tuple(found.cells.get((number, round_), ABSENT) for round_ in range(1, rounds + 1)),
            )
            for number, player in enumerate(found.players, 1)
        ),
    )
