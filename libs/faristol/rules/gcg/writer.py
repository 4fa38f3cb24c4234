"""Formatting of a GCG file, and a printout of a replayed one: the sheet and the board, with lettered columns."""

from __future__ import annotations

from faristol.rules.board import BOARD_SIZE, ROW_NAMES, Board, Square
from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.game import GcgError
from faristol.rules.gcg.reader import read_gcg
from faristol.rules.gcg.replay import Replay
from faristol.rules.notation import Notation

_ENCODING = "#character-encoding UTF-8"


def write_gcg(game: gcg.GcgGame) -> str:
    """Format a game as text for a file in UTF-8; ``read_gcg`` returns an equal game.

    Raises ``ValueError`` for a game that the format cannot express: a nickname with a space, a note with a line that
    begins like an event.
    """
    text = "\n".join([_ENCODING, *map(_format_line, game.lines)]) + "\n"
    try:
        again = read_gcg(text)
    except GcgError as error:
        raise ValueError(f"the game cannot be written as a GCG file: {error}") from None
    if again != game:
        pairs = zip(game.lines, (*again.lines, None), strict=False)
        lost = next((line for line, read in pairs if line != read), "there are lines too many")
        raise ValueError(f"a GCG file cannot express this: {lost}")
    return text


def _format_line(line: gcg.Line) -> str:
    match line:
        case gcg.GcgPlayer():
            return f"#player{line.number} {line.nick} {line.name}".rstrip()
        case gcg.Pragma():
            return f"#{line.keyword} {line.text}".rstrip()
        case gcg.Note():
            return f"#note {line.text}".rstrip()
        case _:
            return _event(line)


def _event(event: gcg.Event) -> str:
    rack = "" if isinstance(event, gcg.RackPoints) else event.rack
    nothing = "-" if isinstance(event, gcg.RackPenalty | gcg.Withdrawal | gcg.TimePenalty) else "+"
    sign = "-" if event.score < 0 else "+" if event.score else nothing
    parts = (f">{event.nick}:", rack, _what(event), f"{sign}{abs(event.score)}", str(event.total), event.remark)
    return " ".join(part for part in parts if part)


def _what(event: gcg.Event) -> str:
    match event:
        case gcg.Play():
            return f"{Notation.GCG.write(event.start)} {event.word}"
        case gcg.Exchange():
            return f"-{event.tiles or event.count}"
        case gcg.Pass():
            return "-"
        case gcg.Withdrawal():
            return "--"
        case gcg.Challenge():
            return "(challenge)"
        case gcg.TimePenalty():
            return "(time)"
        case gcg.RackPoints() | gcg.RackPenalty():
            return f"({event.tiles})"


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
