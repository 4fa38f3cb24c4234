"""CSV files of duplicate games, from the JSON of their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faristol.gateway.api.comma_separated import format_csv
from faristol.gateway.duplicate_game.plays import main_word
from faristol.pb.game.v1 import duplicate_pb2 as pb

Json = Mapping[str, Any]

SLIP_COLUMNS = (
    "turn",
    "hall",
    "number",
    "player_id",
    "name",
    "coordinates",
    "word",
    "score",
    "handed",
    "points",
    "fault",
    "warned",
)
"""Columns of slips: a line for each player and turn; ``#`` marks an illegible part."""

TURNS = (
    "turn",
    "rack",
    "leftover",
    "rejected",
    "by_hand",
    "started_at",
    "ends_at",
    "scored",
    "coordinates",
    "word",
    "master",
    "top",
)
"""Columns of turns; the last four are empty before a turn is scored."""

STANDINGS = (
    "rank",
    "player_id",
    "name",
    "total",
    "percent",
    "negative",
    "tops",
    "best_play",
    "solos",
    "bonus",
    "penalty",
)
"""Columns of standings."""


def slips_csv(answer: Json) -> str:
    """Return every slip of the scored turns as CSV, turn by turn."""
    found = [_slip_line(sheet, slip) for sheet in answer["sheets"] for slip in sheet["slips"]]
    found.sort(key=lambda line: (line["turn"], line["number"]))
    return format_csv(SLIP_COLUMNS, ([line[name] for name in SLIP_COLUMNS] for line in found))


def _slip_line(sheet: Json, slip: Json) -> dict[str, Any]:
    illegible = {name: "#" for name in ("coordinates", "word") if slip[f"{name}_illegible"]}
    return {**sheet, **slip, **illegible, "warned": " ".join(slip["warned"])}


def turns_csv(answer: Json, words: Sequence[str]) -> str:
    """Return the turns of a game as CSV. ``words`` are the main words of master plays, empty for unscored turns."""
    lines = []
    for turn, word in zip(answer["turns"], words, strict=True):
        line = {**turn, "rack": " ".join(turn["faces"]), "master": None, "top": None}
        if master := turn["master"]:
            line |= {"coordinates": master["coordinates"], "word": word, "master": master["score"], "top": turn["top"]}
        lines.append([line.get(name) for name in TURNS])
    return format_csv(TURNS, lines)


def standings_csv(answer: Json) -> str:
    """Return the standings of a game as CSV."""
    return format_csv(STANDINGS, ([line[name] for name in STANDINGS] for line in answer["standings"]))


def totals_csv(answer: Json) -> str:
    """Return the standings of several games as CSV, with a column for each, empty for an absent player."""
    columns = [*STANDINGS, "category", *(f"game_{game['round']}" for game in answer["games"])]
    return format_csv(
        columns,
        (
            [
                *(line[name] for name in STANDINGS),
                line["category"],
                *(share["total"] if share["plays"] else "" for share in line["games"]),
            ]
            for line in answer["standings"]
        ),
    )


def words_of_masters(game: pb.GetDuplicateResponse) -> list[str]:
    """Return the main words of the master plays of a game, empty for an unscored turn."""
    return [main_word(turn.master) if turn.HasField("master") else "" for turn in game.turns]
