"""A game's scoresheet as text, in the form of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.game_view import SheetLine, Side
from faristol.presentation.game_view import sheet as sides_of
from faristol.presentation.outcome import is_kept, outcome
from faristol.presentation.plays import score_plays
from faristol.presentation.scoresheet_text import below, play_cell
from faristol.presentation.unplayed_results import format_score
from faristol.rules import Ruleset
from faristol.text import cite, translations

GAP = "   "
"""Between the columns of two players."""

LINE = "_" * 16
"""A line to write on."""


def format_sheet(game: pb.GetGameResponse, language: str) -> Iterator[str]:
    """Yield the lines of the sheet as text, the players side by side; a circled score is in parentheses."""
    read = translations(language).gettext
    of_round, table = (
        read("Round %(number)s") % {"number": game.round},
        read("Table %(number)s") % {"number": game.table},
    )
    heading = (game.tournament_name, game.division, of_round, table, game.ruleset.name)
    yield " · ".join(filter(None, heading))
    if not is_kept(game):
        yield from _result(game, language)
        yield from outcome(game, language)
        return
    sides = sides_of(game)
    most = max(len(side.lines) for side in sides)
    blocks = [_block(side, most, game.sheet, language) for side in sides]
    for row in zip_longest(*blocks, fillvalue=""):
        yield GAP.join(f"{text:<{len(block[0])}}" for text, block in zip(row, blocks, strict=True)).rstrip()
    for incident in game.incidents:
        whom = next((side.name or incident.player_id for side in sides if side.of.player_id == incident.player_id), "")
        parts = [
            read("Turn %(number)s") % {"number": incident.turn},
            whom,
            read(labels.INCIDENTS[incident.kind]) + (f" ({incident.count})" if incident.count else ""),
            cite(incident.article, language),
        ]
        yield ", ".join(part for part in parts if part)
    if game.entered_by or game.counted:
        yield read("Counts in the tournament:")
        yield from _result(game, language)
    yield from outcome(game, language)
    if game.final:
        yield read("The result is final.")


def _result(game: pb.GetGameResponse, language: str) -> Iterator[str]:
    """Yield a line for each player with the score that counts in the tournament."""
    seats = game.counted or game.seats
    names = [seat.name or seat.player_id for seat in seats]
    for name, seat in zip(names, seats, strict=True):
        score = format_score(game, seat, language, counted=bool(game.counted))
        yield f"{name:<{max(map(len, names))}}  {score:>5}"


def explanations(game: pb.GetGameResponse, ruleset: Ruleset, language: str) -> Iterator[str]:
    """Yield how the score of each play is computed: its words with values and premiums, and the bonus."""
    read = translations(language).gettext
    names = {seat.player_id: seat.name or seat.player_id for seat in game.seats}
    for entry, score in score_plays(game, ruleset):
        turn = read("Turn %(number)s") % {"number": entry.turn}
        recorded = "" if entry.score == score.points else f" → {entry.score}"
        play = entry.sheet_play or entry.coordinates
        yield f"{turn} · {names[entry.player_id]} · {play} {score.points}{recorded}"
        yield from (f"  {word}" for word in score.words)
        if score.bingo:
            yield f"  {read('bingo')}: {score.bonus}"
        if entry.kind != pb.ENTRY_KIND_PLAY:
            yield f"  {read(labels.ENTRY_KINDS[entry.kind])}"


def _block(side: Side, most: int, sheet: pb.Sheet, language: str) -> list[str]:
    """Return a player's part: name, lines, total and last lines, the first line as wide as the widest."""
    read = translations(language).gettext
    head = (read("Turn"), read("Play"), read("Score"), read("Total"))
    lines = [_cells(line, sheet, language) for line in side.lines]
    last = ("", read("Total"), "", format_points(side.total))
    widths = [max(len(cells[column]) for cells in (head, *lines, last)) for column in range(len(head))]
    aligned = [_align(cells, widths) for cells in (head, *lines)] + [""] * (most - len(lines))
    name = side.name or side.of.player_id
    beneath = [f"{title}: {text or LINE}" for title, text in below(side, sheet, language)]
    width = max(map(len, (name, aligned[0], *beneath)))
    return [f"{name:<{width}}", *aligned, "-" * width, _align(last, widths), *beneath]


def _cells(line: SheetLine, sheet: pb.Sheet, language: str) -> tuple[str, str, str, str]:
    entry = line.entry
    score = f"({entry.sheet_score})" if entry.circled else entry.sheet_score
    return str(entry.turn or ""), play_cell(line, sheet, language), score, format_points(entry.total)


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Align numbers to the right and plays to the left."""
    turn, play, score, total = cells
    return f"{turn:>{widths[0]}}  {play:<{widths[1]}}  {score:>{widths[2]}}  {total:>{widths[3]}}"


def format_points(points: int) -> str:
    """Format points with a minus sign instead of a hyphen, as clocks and sheets write it."""
    return str(points).replace("-", "−")
