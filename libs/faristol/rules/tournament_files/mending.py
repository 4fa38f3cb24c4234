"""Changes of a file before it is taken over: ``3/12/score=401`` is a score of player 12 in round 3. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
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
