"""A cross-table as plain text, as federations print it: wins, spread, and a cell for each round. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.rules.tournament_files.form import FileDivision, FileRound, RoundKind, TournamentFile

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
