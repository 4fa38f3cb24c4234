"""Formatting of a GCG file."""

from __future__ import annotations

from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.problem import GcgError
from faristol.rules.gcg.reader import read_gcg
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
