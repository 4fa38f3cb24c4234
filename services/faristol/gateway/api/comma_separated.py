"""CSV files of standings, pairings, crosstables and ratings.

UTF-8, commas, a line of column names, lines ending in CR LF (RFC 4180). Column names are stable. New columns may appear
at any place, so a script should read by name. Text that looks like a formula is prefixed with an apostrophe; numbers
never are.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from faristol.pb.api.v1 import answers_pb2 as api
from faristol.typed_input.lists import FORMULA

BYTE_ORDER_MARK = "\ufeff"
"""What a file begins with: without it Excel reads UTF-8 as the encoding of the machine, and garbles accents."""

Json = Mapping[str, Any]
"""JSON of an answer or of a part of it."""

Value = str | int | float | bool | None

STANDINGS = ("rank", "player_id", "name", "points", "wins", "draws", "losses", "bye", "spread", "total")
"""Columns of standings. One for each tie-break follows in the order of the rules, such as ``median_buchholz``.

At the end are ``division``, ``team_id``, ``category``, ``club``, ``rating`` (empty if unrated) and ``annulled``.
"""

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
"""Columns of the standings of teams. One for each further tie-break follows, then ``division``."""

TEAM_COLUMNS = ("team_id", "team", "board", "player_id", "name", "withdrawn_round", "division")
"""Columns of teams: a line for each player; ``board`` is the place in the line-up."""

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

A board without an opponent in the other team has its ``match``, ``unplayed`` and its winner instead. Scores are empty
before the first turn or a result, and for a forfeit unless the rules award points for it. If a table has more than two
players, columns ``third_…`` and ``fourth_…`` follow.
"""

RATINGS = (*api.Rating.DESCRIPTOR.fields_by_name, "system", "estimate", "revision")
"""Columns of ratings. The last three are those of the list, equal in every line."""

CROSSTABLE = ("rank", "player_id", "name", "rating", "unrated", "points", "spread", "total", "division")
"""Columns of a crosstable; those of ``ROUND_COLUMNS`` follow for each round, as ``round_1_opponent``.

An unrated player has no rating.
"""

ROUND_COLUMNS = ("opponent", "basis", "outcome", "points", "score", "against", "start", "annulled")

_OF_TABLE = ("table", "game_id", "final", "winner_id", "unplayed", "hall")
_PLACES = ("first", "second", "third", "fourth")


def standings(answer: Json) -> str:
    """Return the standings as CSV, a line for each player."""
    return _format_standings(answer, STANDINGS, ("team_id", "category", "club", "rating", "annulled"))


def team_standings(answer: Json) -> str:
    """Return the standings of teams as CSV, a line for each team."""
    return _format_standings(answer, TEAM_STANDINGS, ())


def _format_standings(answer: Json, first: Sequence[str], last: Sequence[str]) -> str:
    """Return standings as CSV: the ``first`` columns, further tie-breaks, the division, the ``last`` columns."""
    names = list(answer["standings"][0]["tie_breaks"]) if answer["standings"] else []
    own = [name for name in names if name.replace("-", "_") not in first]
    lines: Iterable[list[Value]] = (
        [
            *(line[name] for name in first),
            *(line["tie_breaks"][name] for name in own),
            answer["division"],
            *("" if name == "rating" and line.get("unrated") else line[name] for name in last),
        ]
        for line in answer["standings"]
    )
    return format_csv([*first, *(name.replace("-", "_") for name in own), "division", *last], lines)


def teams(answer: Json) -> str:
    """Return the teams as CSV, a line for each player in a line-up."""
    lines = (
        {**team, "team": team["name"], "board": board, **player, "division": answer["division"]}
        for team in answer["teams"]
        for board, player in enumerate(team["line_up"], 1)
    )
    return format_csv(TEAM_COLUMNS, ([line[name] for name in TEAM_COLUMNS] for line in lines))


def pairings(answer: Json) -> str:
    """Return the tables and byes of a round as CSV."""
    more = _PLACES[2 : max((len(table["seats"]) for table in answer["tables"]), default=2)]
    columns = [*PAIRINGS, *(f"{place}_{what}" for place in more for what in ("player_id", "name", "score"))]
    rows: list[dict[str, Value]] = []
    for table in answer["tables"]:
        row: dict[str, Value] = {
            **{name: table[name] for name in _OF_TABLE},
            **_board(table["match"], table["board"]),
        }
        for place, seat in zip(_PLACES, table["seats"], strict=False):
            score = seat["score"] if table["final"] or table["turns"] else None
            row |= _seat(place, seat) | {f"{place}_score": score, f"{place}_team_id": seat["team_id"]}
        rows.append(row)
    left_over = {bye["team_id"] for bye in answer["team_byes"] if bye["kind"] is None}
    rows += [
        {
            **_seat("first", bye["player"]),
            **_alone(bye, left_over),
            "first_team_id": bye["player"]["team_id"],
            **_board(bye["match"], bye["board"]),
        }
        for bye in answer["requested_byes"]
    ]
    if answer["bye"] is not None:
        rows.append({**_seat("first", answer["bye"]), "bye": "allocated"})
    of_all: dict[str, Value] = {"round": answer["round"], "division": answer["division"]}
    return format_csv(columns, ([{**row, **of_all}.get(name) for name in columns] for row in rows))


def crosstable(answer: Json) -> str:
    """Return the crosstable as CSV, a line for each player."""
    numbers = sorted({cell["round"] for row in answer["rows"] for cell in row["cells"]})
    lines = []
    for row in answer["rows"]:
        cells = {cell["round"]: cell for cell in row["cells"]}
        rating = None if row["unrated"] else row["rating"]
        own: list[Value] = [row["rank"], row["player_id"], row["name"], rating, row["unrated"]]
        own += [row["points"], row["spread"], row["total"], answer["division"]]
        lines.append([*own, *(value for number in numbers for value in _round(cells[number]))])
    return format_csv([*CROSSTABLE, *(f"round_{number}_{name}" for number in numbers for name in ROUND_COLUMNS)], lines)


def ratings(answer: Json) -> str:
    """Return the rating list or its estimate as CSV, a line for each player."""
    return format_csv(RATINGS, ([{**answer, **rating}[name] for name in RATINGS] for rating in answer["ratings"]))


def format_csv(columns: Sequence[str], lines: Iterable[Sequence[Value]]) -> str:
    """Format column names and lines as CSV."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def _seat(place: str, seat: Json) -> dict[str, Value]:
    return {f"{place}_player_id": seat["player_id"], f"{place}_name": seat["name"]}


def _alone(bye: Json, left_over: Container[str]) -> dict[str, Value]:
    """Return the columns of a player without an opponent. ``left_over`` are the teams without an opponent."""
    if bye["match"]:
        return {"final": True, "winner_id": bye["player"]["player_id"], "unplayed": True}
    return {"bye": "allocated" if bye["player"]["team_id"] in left_over else str(bye["kind"])}


def _board(match: int, board: int) -> dict[str, Value]:
    """Return the columns of a match between teams; empty values in an individual tournament."""
    return {"match": match or None, "board": board or None}


def _round(cell: Json) -> list[Value]:
    start = None if cell["starts"] is None else "start" if cell["starts"] else "reply"
    met = " ".join(cell["opponent_ids"])
    scores: list[Value] = [cell["score"], cell["against"]] if cell["game_id"] else [None, None]
    return [met, cell["basis"], cell["outcome"], cell["points"], *scores, start, cell["annulled"]]


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
