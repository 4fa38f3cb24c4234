"""Checks for contradictions between lines of a file, and the separation of its paired and future rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from faristol.rules.trf.columns import Columns
from faristol.rules.trf.document import POINT_TENTHS_FACTOR, Byes, Document, TrfCell, TrfPlayer

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


def complete_rounds(
    document: Document,
    lines: Mapping[int, Columns],
    byes: Iterable[tuple[Columns, Byes]],
    absent: Iterable[tuple[Columns, int]],
) -> Document:
    """Return the document with a cell for every paired round, and the data of later rounds as byes.

    A pair of the next round without a result stays a cell. ``lines`` are the players' lines; ``byes`` and ``absent``
    come from other lines, each with its line. Raises ``TrfError`` for a player with two byes in a round. Raises it too
    for a game without a result in a round of which others have one, as it would count as not paired.
    """
    paired, found_byes = document.paired_rounds, _PlayerByes()
    for line, bye in byes:
        for player_number in bye.players:
            found_byes.add(line, bye.round_number, player_number, bye.kind)
    for line, player_number in absent:
        found_byes.add(line, paired + 1, player_number, "Z")
    players = []
    for player in document.players:
        line = lines[player.number]
        cells = (*_list_paired_cells(player, paired, line), *_list_next_cells(player, paired, line, found_byes))
        players.append(replace(player, cells=cells))
    return replace(document, players=tuple(players), byes=found_byes.group())


class _PlayerByes:
    """The byes of players by round, from several lines of a file."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[int, int], str] = {}

    def add(self, line: Columns, number: int, player: int, kind: str) -> None:
        """Add a bye in the round ``number``. Raises ``TrfError`` if the player has a different one in it."""
        if (was := self._kinds.setdefault((number, player), kind)) != kind:
            line.refuse(1, "TWO_BYES", f"player {player} has the byes {was} and {kind} in round {number}", "one bye")

    def group(self) -> tuple[Byes, ...]:
        """Return the byes with all players of each kind in a round, in the order of rounds, kinds and players."""
        players: dict[tuple[int, str], list[int]] = {}
        for (number, player), kind in sorted(self._kinds.items()):
            players.setdefault((number, kind), []).append(player)
        return tuple(Byes(kind, number, tuple(numbers)) for (number, kind), numbers in sorted(players.items()))


def _list_paired_cells(player: TrfPlayer, paired: int, line: Columns) -> list[TrfCell]:
    """Return the cells of the paired rounds. Raises ``TrfError`` for a game without a result."""
    cells = [player.cell(number) for number in range(1, paired + 1)]
    if missing := next((number for number, cell in enumerate(cells, 1) if cell.open), 0):
        column = FIRST_ROUND_COLUMN_NUMBER + (missing - 1) * ROUND_WIDTH_CHARACTERS + 7
        found = f"the game of round {missing} has no result, but others of the round have"
        line.refuse(column, "RESULT", found, "the results of all games, or of none")
    return cells


def _list_next_cells(player: TrfPlayer, paired: int, line: Columns, byes: _PlayerByes) -> list[TrfCell]:
    """Return the pair of the next round, if there is one, and add the byes of later rounds to ``byes``.

    Raises ``TrfError`` for a pair or a bye ``U`` of a round after the next one.
    """
    pairs = []
    for number, cell in enumerate(player.cells[paired:], paired + 1):
        if cell.result == "U" and number > paired + 1:
            line.refuse(1, "ROUND", f"a bye U in round {number}", f"round {paired + 1} at most, the next to be paired")
        if cell.opponent == 0:
            byes.add(line, number, player.number, cell.result)
        elif number == paired + 1:
            pairs.append(cell)
        else:
            line.refuse(1, "ROUND", f"a pair in round {number}", f"round {paired + 1} at most")
    return pairs
