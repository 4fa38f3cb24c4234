"""Doubts about a file, and its changes before it is taken over. Pure.

Doubts are games whose two sides differ, rounds without a place, and scores that are hardly possible. A change is
``3/12/score=401``, a score of player 12 in round 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faristol.kernel.errors import Invalid
from faristol.kernel.names import name_key
from faristol.kernel.refusal import N_, Param
from faristol.rules.tournament_files.form import (
    ABSENT,
    MAX_FILE_ROUNDS,
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


MEND_FIELD = "mend"
"""Field of an error."""

CHANGE_EXAMPLES = "3/12/score=401, 3/12/opponent=7, 3/12/start=first, 3/12/kind=bye, 12/name=Anna Puig"
"""Changes: round, number of the player, field."""

CHANGE_EXPECTED = N_(
    "expected a change such as {examples}, after the division and a slash if there are several; found {found}"
)
NO_SUCH_PLAYER = N_("there is no player {number} in {division}")
NO_SUCH_DIVISION = N_("there is no division {division}")

_STARTS = {"first": True, "second": False, "unknown": None}
_MOST_POINTS = 2_000


def mend(tournament: TournamentFile, changes: Sequence[str]) -> TournamentFile:
    """Return the tournament after changes, in their order. A score or an opponent changes both sides of the game.

    Raises ``Invalid`` for a change that is malformed or of an unknown player.
    """
    for change in changes:
        tournament = _mend(tournament, change)
    return tournament


def _mend(tournament: TournamentFile, change: str) -> TournamentFile:
    place, equals, value = change.partition("=")
    parts = [part.strip() for part in place.split("/")]
    name = parts.pop(0) if len(tournament.divisions) > 1 and parts else ""
    division = next(
        (each for each in tournament.divisions if not name or each.name.casefold() == name.casefold()), None
    )
    if division is None:
        raise Invalid(MEND_FIELD, NO_SUCH_DIVISION, {"division": name})
    if not equals or len(parts) not in (2, 3) or not all(part.isdecimal() and len(part) < 6 for part in parts[:-1]):
        raise _refuse(change)
    numbers, key = [int(part) for part in parts[:-1]], parts[-1]
    number = numbers[-1]
    if not 1 <= number <= len(division.players):
        raise Invalid(MEND_FIELD, NO_SUCH_PLAYER, {"number": number, "division": division.name or tournament.name})
    if len(numbers) == 1:
        mended = _mend_player(division, number, key, value.strip(), change)
    else:
        mended = _mend_round(division, numbers[0], number, key, value.strip(), change)
    return replace(tournament, divisions=tuple(mended if each is division else each for each in tournament.divisions))


def _refuse(change: str) -> Invalid:
    return Invalid(MEND_FIELD, CHANGE_EXPECTED, {"found": change, "examples": CHANGE_EXAMPLES})


def _mend_player(division: FileDivision, number: int, key: str, value: str, change: str) -> FileDivision:
    changed: dict[str, Any]
    if key == "name" and value:
        changed = {"name": value}
    elif key == "rating" and (not value or (value.isdecimal() and len(value) < 5)):
        changed = {"rating": int(value) if value else None}
    else:
        raise _refuse(change)
    return _with_player(division, number, replace(division.players[number - 1], **changed))


def _mend_round(division: FileDivision, round_: int, number: int, key: str, value: str, change: str) -> FileDivision:
    if not 1 <= round_ <= MAX_FILE_ROUNDS:
        raise _refuse(change)
    cell = division.players[number - 1].round(round_)
    whole = int(value) if value.lstrip("-").isdecimal() and len(value) < 6 else None
    if key == "score" and whole is not None and abs(whole) < _MOST_POINTS:
        division = _with_round(division, round_, number, replace(cell, score=whole))
        if cell.opponent:
            back = division.players[cell.opponent - 1].round(round_)
            division = _with_round(division, round_, cell.opponent, replace(back, against=whole))
        return division
    if key == "opponent" and whole is not None and 1 <= whole <= len(division.players) and whole != number:
        back = division.players[whole - 1].round(round_)
        paired = replace(cell, kind=RoundKind.GAME, opponent=whole, against=back.score)
        division = _with_round(division, round_, number, paired)
        mirrored = replace(back, kind=RoundKind.GAME, opponent=number, score=back.score, against=cell.score)
        return _with_round(division, round_, whole, mirrored)
    if key == "start" and value in _STARTS:
        return _with_round(division, round_, number, replace(cell, starts=_STARTS[value]))
    if key == "kind" and value in {kind.value for kind in WITHOUT_OPPONENT}:
        return _with_round(division, round_, number, FileRound(RoundKind(value)))
    raise _refuse(change)


def _with_player(division: FileDivision, number: int, player: FilePlayer) -> FileDivision:
    players = [*division.players]
    players[number - 1] = player
    return replace(division, players=tuple(players))


def _with_round(division: FileDivision, round_: int, number: int, cell: FileRound) -> FileDivision:
    player = division.players[number - 1]
    cells = [*player.rounds, *[ABSENT] * (round_ - len(player.rounds))]
    cells[round_ - 1] = cell
    return _with_player(division, number, replace(player, rounds=tuple(cells)))
