"""A printout of a replayed file: the sheet and the board, with lettered columns as in GCG."""

from __future__ import annotations

from faristol.rules.board import BOARD_SIZE, ROW_NAMES, Board, Square
from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.replay import Replay
from faristol.rules.notation import Notation

_CELL_CHARACTERS = 3


def draw_board(board: Board) -> str:
    """Draw the board, a blank in small letters, with the free premiums as in ``str(board)``."""
    lines = ["   " + " ".join(f"{letter:<{_CELL_CHARACTERS}}" for letter in ROW_NAMES).rstrip()]
    for row in range(BOARD_SIZE):
        cells = (board.draw_square(Square(row, col)) for col in range(BOARD_SIZE))
        lines.append(f"{row + 1:>2} " + " ".join(f"{cell:<{_CELL_CHARACTERS}}" for cell in cells).rstrip())
    return "\n".join(lines)


def draw_sheet(replayed: Replay) -> str:
    """Format one line for each event: line number, player, rack, action, score and total by the rules."""
    names = [f"{player.nick}: {player.name}" if player.name else player.nick for player in replayed.game.players]
    rows = [
        (
            str(step.event.line),
            step.event.nick,
            _rack(step.event),
            _format_event(step.event),
            f"{step.score:+}",
            str(step.total),
        )
        for step in replayed.steps
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, nick, rack, happened, score, total in rows:
        left = f"{number:>{widths[0]}}  {nick:<{widths[1]}}  {rack:<{widths[2]}}  {happened:<{widths[3]}}"
        lines.append(f"{left}  {score:>{widths[4]}}  {total:>{widths[5]}}")
    totals = ", ".join(f"{nick} {total}" for nick, total in replayed.totals.items())
    return "\n".join([*names, *lines, totals])


def _rack(event: gcg.Event) -> str:
    return "" if isinstance(event, gcg.RackPoints) else event.rack or ""


def _format_event(event: gcg.Event) -> str:
    match event:
        case gcg.Play():
            return f"{Notation.GCG.write(event.start)} {event.word}"
        case gcg.Exchange():
            return f"exchange {event.tiles or event.count}"
        case gcg.Pass():
            return "pass"
        case gcg.Withdrawal():
            return "play withdrawn"
        case gcg.Challenge():
            return "challenge failed"
        case gcg.TimePenalty():
            return "overtime"
        case gcg.RackPoints() | gcg.RackPenalty():
            return f"tiles left {event.tiles}"
