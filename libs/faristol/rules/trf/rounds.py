"""Separation of paired rounds and future rounds in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from faristol.rules.trf.columns import Columns
from faristol.rules.trf.consistency import FIRST_ROUND_COLUMN_NUMBER, ROUND_WIDTH_CHARACTERS
from faristol.rules.trf.document import Byes, Document, TrfCell, TrfPlayer


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
