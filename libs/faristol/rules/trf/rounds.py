"""Separation of paired rounds and future rounds in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from faristol.rules.trf.columns import Columns
from faristol.rules.trf.consistency import FIRST_ROUND_COLUMN_NUMBER, ROUND_WIDTH_CHARACTERS
from faristol.rules.trf.document import Byes, Document


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
    paired = document.paired_rounds
    kinds: dict[tuple[int, int], str] = {}

    def set_bye(line: Columns, number: int, player: int, kind: str) -> None:
        if (was := kinds.setdefault((number, player), kind)) != kind:
            line.refuse(1, "TWO_BYES", f"player {player} has the byes {was} and {kind} in round {number}", "one bye")

    for line, bye in byes:
        for player_number in bye.players:
            set_bye(line, bye.round_number, player_number, bye.kind)
    for line, player_number in absent:
        set_bye(line, paired + 1, player_number, "Z")
    players = []
    for player in document.players:
        cells = [player.cell(number) for number in range(1, paired + 1)]
        if missing := next((number for number, cell in enumerate(cells, 1) if cell.open), 0):
            column = FIRST_ROUND_COLUMN_NUMBER + (missing - 1) * ROUND_WIDTH_CHARACTERS + 7
            found = f"the game of round {missing} has no result, but others of the round have"
            lines[player.number].refuse(column, "RESULT", found, "the results of all games, or of none")
        for number, cell in enumerate(player.cells[paired:], paired + 1):
            if cell.result == "U" and number > paired + 1:
                found = f"a bye U in round {number}"
                lines[player.number].refuse(1, "ROUND", found, f"round {paired + 1} at most, the next to be paired")
            if cell.opponent == 0:
                set_bye(lines[player.number], number, player.number, cell.result)
            elif number == paired + 1:
                cells.append(cell)
            else:
                lines[player.number].refuse(1, "ROUND", f"a pair in round {number}", f"round {paired + 1} at most")
        players.append(replace(player, cells=tuple(cells)))
    who: dict[tuple[int, str], list[int]] = {}
    for (number, player_number), kind in sorted(kinds.items()):
        who.setdefault((number, kind), []).append(player_number)
    settled_byes = tuple(Byes(kind, number, tuple(numbers)) for (number, kind), numbers in sorted(who.items()))
    return replace(document, players=tuple(players), byes=settled_byes)
