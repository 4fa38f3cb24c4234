"""Checks for contradictions between lines of a file."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.rules.trf.columns import Columns
from faristol.rules.trf.document import POINT_TENTHS_FACTOR, Document, TrfCell, TrfPlayer

FIRST_ROUND_COLUMN_NUMBER = 92
"""First column of the first round."""
ROUND_WIDTH_CHARACTERS = 10
"""Columns of a round."""

_RESULT_PAIRS = frozenset(("10", "01", "==", "=0", "0=", "00", "WL", "LW", "DD", "LL", "+-", "-+", "--", "  "))
_BYE_CODES = frozenset("FHUZ")
_FORFEITS = frozenset("+-")


def check(document: Document, lines: Mapping[int, Columns]) -> None:
    """Raise ``TrfError`` for two lines that contradict each other, or for an impossible result."""
    players = {player.number: player for player in document.players}
    team_of = {player: team for team, listed in enumerate(document.teams) for player in listed.players}
    allocated: dict[int, TrfPlayer] = {}
    for player in document.players:
        line = lines[player.number]
        for number, cell in enumerate(player.cells, 1):
            column = FIRST_ROUND_COLUMN_NUMBER + (number - 1) * ROUND_WIDTH_CHARACTERS
            if cell.opponent == 0:
                _check_bye(line, column, cell)
                if cell.result == "U" and (other := allocated.setdefault(number, player)) is not player:
                    known = {team_of[holder.number] for holder in (player, other) if holder.number in team_of}
                    if not document.teams or len(known) > 1:
                        line.refuse(
                            column + 7,
                            "TWO_BYES",
                            f"round {number} has two byes U",
                            f"that of player {other.number} alone",
                        )
                continue
            if cell.result in _BYE_CODES:
                found = f"a bye {cell.result} against player {cell.opponent}"
                line.refuse(column + 7, "RESULT", found, "opponent 0000")
            _check_game(players, lines, player, number)
        if document.rounds is not None and len(player.cells) > document.rounds:
            column = FIRST_ROUND_COLUMN_NUMBER + document.rounds * ROUND_WIDTH_CHARACTERS
            line.refuse(column, "ROUND", f"there is a round {document.rounds + 1}", f"{document.rounds} rounds at most")


def _check_bye(line: Columns, column: int, cell: TrfCell) -> None:
    """Raise ``TrfError`` for a result over the board without an opponent.

    A forfeit may have no opponent: the other team left the board empty, or the opponent was removed from the
    tournament.
    """
    if cell.result not in _BYE_CODES and cell.result not in _FORFEITS:
        line.refuse(column, "OPPONENT", f"the result {cell.result} has no opponent", "the opponent's starting number")


def _check_game(players: Mapping[int, TrfPlayer], lines: Mapping[int, Columns], player: TrfPlayer, number: int) -> None:
    cell = player.cell(number)
    line, column = lines[player.number], FIRST_ROUND_COLUMN_NUMBER + (number - 1) * ROUND_WIDTH_CHARACTERS
    if cell.opponent == player.number:
        line.refuse(column, "OPPONENT", f"player {player.number} meets themselves", "another player")
    other = players.get(cell.opponent)
    if other is None:
        line.refuse(column, "NO_PLAYER", f"there is no player {cell.opponent}")
    back = other.cell(number)
    if back.opponent != player.number:
        there = lines[other.number].number
        line.refuse(
            column,
            "NOT_MUTUAL",
            f"player {player.number} meets {other.number} in round {number}, but line {there} says otherwise",
            f"{player.number} there",
        )
    if {cell.colour, back.colour} != {"w", "b"} and not (cell.colour == back.colour == "-" and not cell.played):
        line.refuse(column + 5, "COLOUR", f"the colours of the game are {cell.colour} and {back.colour}", "w and b")
    if cell.result + back.result not in _RESULT_PAIRS:
        line.refuse(
            column + 7,
            "RESULT",
            f"the results of the game are {cell.result} and {back.result}",
            "a win and a loss, two draws, or the like",
        )


def check_points(document: Document, lines: Mapping[int, Columns]) -> None:
    """Raise ``TrfError`` if a player's points do not agree with the results."""
    paired = document.paired_rounds
    for player in document.players:
        if player.points is None:
            continue
        expected = document.points_of(player, paired)
        ahead = document.points_of(player, len(player.cells))
        if player.points not in {expected, ahead}:
            lines[player.number].refuse(
                81,
                "POINTS",
                f"the points are {player.points / POINT_TENTHS_FACTOR:.1f}, but the results bring "
                f"{expected / POINT_TENTHS_FACTOR:.1f}",
                "the same",
            )
