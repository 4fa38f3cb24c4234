"""Doubts about a file: games whose two sides differ, rounds without a place, scores that are hardly possible. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from faristol.kernel.names import name_key
from faristol.kernel.refusal import N_, Param
from faristol.rules.tournament_files.form import (
    WITHOUT_OPPONENT,
    FileDivision,
    FilePlayer,
    FileRound,
    RoundKind,
    TournamentFile,
)

LOW_SCORE_POINTS = 100
HIGH_SCORE_POINTS = 800
"""Limits beyond which the score of a game is doubted."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt about a file."""

    reason: str
    """Code for programs, such as ``NOT_MUTUAL``."""
    message: str
    """English sentence, to be translated."""
    params: Mapping[str, Param]
    is_error: bool
    """Whether the file cannot be taken over before it is mended."""
    division: str = ""
    player: int = 0
    """Number of the player in the division, from 1; 0 for the whole."""
    round: int = 0
    """Number of the round, from 1; 0 for none."""


def find_doubts(tournament: TournamentFile) -> list[Doubt]:
    """Return the doubts about a file, division by division, errors first in each."""
    found: list[Doubt] = []
    for division in tournament.divisions:
        of_division = [*_names(division), *_games(division), *_byes(division)]
        found += sorted(of_division, key=lambda doubt: not doubt.is_error)
    return found


def _names(division: FileDivision) -> Iterator[Doubt]:
    counts = Counter(name_key(player.name) for player in division.players)
    for number, player in enumerate(division.players, 1):
        if counts[name_key(player.name)] > 1:
            params: dict[str, Param] = {"number": number, "name": player.name}
            message = N_("Player {number}: another player has the name {name}, too.")
            yield Doubt("EQUAL_NAMES", message, params, True, division.name, number)


def _games(division: FileDivision) -> Iterator[Doubt]:
    for number, player in enumerate(division.players, 1):
        for place, cell in enumerate(player.rounds, 1):
            for reason, message, more, is_error in _of_round(division, number, player, place, cell):
                params: dict[str, Param] = {"name": player.name, "number": number, "round": place, **more}
                yield Doubt(reason, message, params, is_error, division.name, number, place)


def _of_round(
    division: FileDivision, number: int, player: FilePlayer, place: int, cell: FileRound
) -> Iterator[tuple[str, str, Mapping[str, Param], bool]]:
    """Yield reason, sentence, further parameters and weight of each doubt about a round."""
    if cell.kind in WITHOUT_OPPONENT or not cell.opponent:
        return
    if cell.opponent == number or cell.opponent > len(division.players):
        text = N_("Round {round}, {name} ({number}): the opponent is {opponent}, and there are {players} players.")
        yield "NO_OPPONENT", text, {"opponent": cell.opponent, "players": len(division.players)}, True
        return
    other = division.players[cell.opponent - 1]
    back = other.round(place)
    if back.opponent != number:
        text = N_("Round {round}, {name} ({number}): the opponent {opponent} has the opponent {other}.")
        yield "NOT_MUTUAL", text, {"opponent": cell.opponent, "other": back.opponent}, True
        return
    if (cell.score is None) != (back.score is None):
        if cell.score is None:
            text = N_("Round {round}, {name} ({number}): the score is missing; the opponent {opponent} has one.")
            yield "SCORE_MISSING", text, {"opponent": cell.opponent}, True
        return
    if cell.kind is not RoundKind.GAME or cell.score is None:
        return
    if cell.against != back.score or back.against != cell.score:
        if number < cell.opponent:
            text = N_(
                "Round {round}, {name} ({number}): {score}–{against}, but the opponent has {back_score}–{back_against}."
            )
            scores = {"score": cell.score, "against": cell.against or 0, "back_score": back.score or 0}
            yield "SCORES_DIFFER", text, {**scores, "back_against": back.against or 0}, True
        return
    if number < cell.opponent and cell.starts is not None and cell.starts == back.starts:
        text = N_("Round {round}, {name} ({number}) and {other}: both start, or neither does.")
        yield "START_UNCLEAR", text, {"other": other.name}, False
    if not LOW_SCORE_POINTS <= cell.score <= HIGH_SCORE_POINTS:
        text = N_("Round {round}, {name} ({number}): a score of {score} is hardly possible.")
        yield "SCORE_IMPLAUSIBLE", text, {"score": cell.score}, False


def _byes(division: FileDivision) -> Iterator[Doubt]:
    for place in range(1, division.rounds + 1):
        byes = [player for player in division.players if player.round(place).kind is RoundKind.BYE]
        if len(byes) > 1:
            names = ", ".join(player.name for player in byes)
            message = N_("Round {round}: {count} players have a bye with the points of a win: {names}.")
            params: dict[str, Param] = {"round": place, "count": len(byes), "names": names}
            yield Doubt("SEVERAL_BYES", message, params, False, division.name, 0, place)
    for number, player in enumerate(division.players, 1):
        for place, cell in enumerate(player.rounds, 1):
            if cell.kind is RoundKind.ABSENCE and cell.score:
                message = N_(
                    "Round {round}, {name} ({number}): an absence of {points} points on the spread counts 0 here."
                )
                params = {"name": player.name, "number": number, "round": place, "points": cell.score}
                yield Doubt("SPREAD_OF_ABSENCE", message, params, False, division.name, number, place)
