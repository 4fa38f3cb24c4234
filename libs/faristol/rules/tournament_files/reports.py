"""A TRF report as a tournament of a file: its players, and their rounds with the scores of `DAT` lines. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from faristol.rules.tournament_files.form import (
    ABSENT,
    FileDivision,
    FilePlayer,
    FileRound,
    FileStanding,
    RoundKind,
    TournamentFile,
)
from faristol.rules.trf import Document, TrfCell
from faristol.rules.trf.document import Scores

_WITHOUT_OPPONENT: Mapping[str, RoundKind] = {
    "U": RoundKind.BYE,
    "F": RoundKind.BYE,
    "+": RoundKind.BYE,
    "H": RoundKind.HALF_BYE,
}
_FORFEITS: Mapping[str, RoundKind] = {"+": RoundKind.FORFEIT_WIN, "-": RoundKind.FORFEIT_LOSS}
_ASSUMED: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys("1W", (1, 0)),
    **dict.fromkeys("=D", (0, 0)),
    **dict.fromkeys("0L", (0, 1)),
}
"""Scores of a result for which the file has none: 1–0 says who won, and no more."""

HALF_POINT_TENTHS_FACTOR = 5
"""Tenths of a point in half a point."""


def to_tournament(document: Document) -> tuple[TournamentFile, int]:
    """Return the tournament of a report, and the number of games whose scores it does not have.

    Players are numbered by their places in the file. A game without scores has 1–0 or 0–0.
    """
    headers = dict(reversed(document.headers))
    place_of = {player.number: place for place, player in enumerate(document.players, 1)}
    scores = {each.player: each for each in document.scores}
    assumed = 0
    players = []
    for player in document.players:
        cells = []
        for number, cell in enumerate(player.cells, 1):
            known = _known_scores(scores.get(player.number), number)
            if cell.played and known is None:
                assumed += 1
            cells.append(_to_round(cell, place_of, known))
        name = player.name
        surname, comma, given = name.partition(",")
        players.append(
            FilePlayer(
                name=f"{given.strip()} {surname.strip()}" if comma and given.strip() else name.strip(),
                rating=player.rating or None,
                rounds=tuple(cells),
                country=player.federation,
                standing=FileStanding(player.rank or None, _to_half_points(player.points)),
            )
        )
    rounds = max((len(player.rounds) for player in players), default=0)
    even = tuple(replace(each, rounds=(*each.rounds, *[ABSENT] * (rounds - len(each.rounds)))) for each in players)
    day = headers.get("042", "").replace("/", "-")
    found = TournamentFile(
        name=headers.get("012", ""),
        date=day,
        divisions=(FileDivision("", even),),
        rounds=document.rounds or 0,
        program="trf",
        passed_over=tuple(map(str, document.notes)),
    )
    return found, assumed // 2


def _to_half_points(tenths: int | None) -> int | None:
    """Return points in halves; None if the file has none, or not in halves."""
    return None if tenths is None or tenths % HALF_POINT_TENTHS_FACTOR else tenths // HALF_POINT_TENTHS_FACTOR


def _known_scores(scores: Scores | None, number: int) -> tuple[int, int] | None:
    return scores.rounds[number - 1] if scores and number <= len(scores.rounds) else None


def _to_round(cell: TrfCell, place_of: Mapping[int, int], known: tuple[int, int] | None) -> FileRound:
    if not cell.opponent:
        return FileRound(_WITHOUT_OPPONENT.get(cell.result, RoundKind.ABSENCE))
    opponent = place_of[cell.opponent]
    starts = {"w": True, "b": False}.get(cell.colour)
    if cell.result in _FORFEITS:
        return FileRound(_FORFEITS[cell.result], opponent, starts=starts)
    if cell.open:
        return FileRound(RoundKind.GAME, opponent, starts=starts)
    score, against = known or _ASSUMED[cell.result]
    return FileRound(RoundKind.GAME, opponent, score, against, starts)
