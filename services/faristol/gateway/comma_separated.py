"""Standings, pairings and crosstables as CSV: what a spreadsheet opens and a script reads.

UTF-8, commas, a line of column names, lines ending in CR LF (RFC 4180). The names of columns are stable; new ones
may come anywhere, so a script reads them by their names. Text that a spreadsheet would take for a formula stands after
an apostrophe; numbers never do.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable, Sequence
from io import StringIO

from faristol.gateway.crosstable import Cell, Crosstable
from faristol.gateway.pairings import Pairings, RequestedBye, Seat
from faristol.gateway.ratings import Rating, Ratings
from faristol.gateway.standings import Standings
from faristol.gateway.teams import Teams, TeamStandings
from faristol.office.lists import FORMULA

Value = str | int | float | bool | None

STANDINGS = ("rank", "player_id", "name", "points", "wins", "draws", "losses", "bye", "spread", "total")
"""Columns of standings; one for each tie-break follows, ``median_buchholz`` and so on, in the order of the rules, and
``division``, ``team_id``, ``category``, ``club``, ``rating`` and ``annulled`` at the end; the rating of who has none is
empty."""

TEAM_STANDINGS = (
    "rank",
    "team_id",
    "name",
    "match_points",
    "board_points",
    "wins",
    "draws",
    "losses",
    "spread",
    "total",
)
"""Columns of the standings of teams; one for each further tie-break follows, and ``division`` at the end."""

TEAMS = ("team_id", "team", "board", "player_id", "name", "withdrawn_round", "division")
"""Columns of teams: a line for each player in a line-up, ``board`` being the place in it."""

PAIRINGS = (
    "round",
    "table",
    "game_id",
    "first_player_id",
    "first_name",
    "first_score",
    "second_player_id",
    "second_name",
    "second_score",
    "final",
    "winner_id",
    "unplayed",
    "bye",
    "hall",
    "division",
    "match",
    "board",
    "first_team_id",
    "second_team_id",
)
"""Columns of pairings. A line without a table is a bye: ``allocated``, ``half_point``, ``full_point``, ``zero_point``.

A board that is won because the other team has nobody for it has its ``match`` instead, ``unplayed``, and its winner.
Scores are empty before the first turn, or a result without turns. A table of more than two has the columns ``third_…``
and ``fourth_…`` beside, at the end, where there is one.
"""

RATINGS = (*Rating.model_fields, "system", "estimate", "revision")
"""Columns of ratings. The last three are those of the list, and the same in every line."""

CROSSTABLE = ("rank", "player_id", "name", "rating", "unrated", "points", "spread", "total", "division")
"""Columns of a crosstable; those of ``ROUND`` follow for each round, as ``round_1_opponent``.

Who is unrated has no rating.
"""

ROUND = ("opponent", "basis", "outcome", "points", "score", "against", "start", "annulled")

_OF_TABLE = ("table", "game_id", "final", "winner_id", "unplayed", "hall")
_PLACES = ("first", "second", "third", "fourth")


def standings(answer: Standings) -> str:
    """The standings, a line for each player."""
    return _ranked(answer, STANDINGS, ("team_id", "category", "club", "rating", "annulled"))


def team_standings(answer: TeamStandings) -> str:
    """The standings of teams, a line for each."""
    return _ranked(answer, TEAM_STANDINGS, ())


def _ranked(answer: Standings | TeamStandings, first: Sequence[str], last: Sequence[str]) -> str:
    """Standings: the columns that come ``first``, further tie-breaks, the division, the columns that come ``last``."""
    names = list(answer.standings[0].tie_breaks) if answer.standings else []
    own = [name for name in names if name.replace("-", "_") not in first]
    lines: Iterable[list[Value]] = (
        [
            *(getattr(line, name) for name in first),
            *(line.tie_breaks[name] for name in own),
            answer.division,
            *("" if name == "rating" and getattr(line, "unrated", False) else getattr(line, name) for name in last),
        ]
        for line in answer.standings
    )
    return written([*first, *(name.replace("-", "_") for name in own), "division", *last], lines)


def teams(answer: Teams) -> str:
    """The teams, a line for each player in a line-up."""
    lines: Iterable[list[Value]] = (
        [team.team_id, team.name, board, player.player_id, player.name, team.withdrawn_round, answer.division]
        for team in answer.teams
        for board, player in enumerate(team.line_up, 1)
    )
    return written(TEAMS, lines)


def pairings(answer: Pairings) -> str:
    """The tables of a round, and who sits it out."""
    more = _PLACES[2 : max((len(table.seats) for table in answer.tables), default=2)]
    columns = [*PAIRINGS, *(f"{place}_{what}" for place in more for what in ("player_id", "name", "score"))]
    rows: list[dict[str, Value]] = []
    for table in answer.tables:
        row: dict[str, Value] = {
            **{name: getattr(table, name) for name in _OF_TABLE},
            **_board(table.match, table.board),
        }
        for place, seat in zip(_PLACES, table.seats, strict=False):
            score = seat.score if table.final or table.turns else None
            row |= _seat(place, seat) | {f"{place}_score": score, f"{place}_team_id": seat.team_id}
        rows.append(row)
    left_over = {bye.team_id for bye in answer.team_byes if bye.kind is None}
    rows += [
        {
            **_seat("first", bye.player),
            **_alone(bye, left_over),
            "first_team_id": bye.player.team_id,
            **_board(bye.match, bye.board),
        }
        for bye in answer.requested_byes
    ]
    if answer.bye is not None:
        rows.append({**_seat("first", answer.bye), "bye": "allocated"})
    of_all: dict[str, Value] = {"round": answer.round, "division": answer.division}
    return written(columns, ([{**row, **of_all}.get(name) for name in columns] for row in rows))


def crosstable(answer: Crosstable) -> str:
    """The crosstable, a line for each player."""
    numbers = sorted({cell.round for row in answer.rows for cell in row.cells})
    lines = []
    for row in answer.rows:
        cells = {cell.round: cell for cell in row.cells}
        rating = None if row.unrated else row.rating
        own: list[Value] = [row.rank, row.player_id, row.name, rating, row.unrated]
        own += [row.points, row.spread, row.total, answer.division]
        lines.append([*own, *(value for number in numbers for value in _round(cells[number]))])
    return written([*CROSSTABLE, *(f"round_{number}_{name}" for number in numbers for name in ROUND)], lines)


def ratings(answer: Ratings) -> str:
    """The rating list or an estimate of it, a line for each player."""
    lines = (
        [*rating.model_dump().values(), answer.system, answer.estimate, answer.revision] for rating in answer.ratings
    )
    return written(RATINGS, lines)


def written(columns: Sequence[str], lines: Iterable[Sequence[Value]]) -> str:
    """A line of column names, and the lines below."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def _seat(place: str, seat: Seat) -> dict[str, Value]:
    return {f"{place}_player_id": seat.player_id, f"{place}_name": seat.name}


def _alone(bye: RequestedBye, left_over: Container[str]) -> dict[str, Value]:
    """What the round is to a player without an opponent; ``left_over`` are the teams without one."""
    if bye.match:
        return {"final": True, "winner_id": bye.player.player_id, "unplayed": True}
    return {"bye": "allocated" if bye.player.team_id in left_over else str(bye.kind)}


def _board(match: int, board: int) -> dict[str, Value]:
    """Of a match between teams; nothing where there are none."""
    return {"match": match or None, "board": board or None}


def _round(cell: Cell) -> list[Value]:
    start = None if cell.starts is None else "start" if cell.starts else "reply"
    met = " ".join(cell.opponent_ids)
    scores: list[Value] = [cell.score, cell.against] if cell.game_id else [None, None]
    return [met, cell.basis, cell.outcome, cell.points, *scores, start, cell.annulled]


def _cell(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}" if value.startswith(FORMULA) else value
        case _:
            return f"{value:.15g}"
