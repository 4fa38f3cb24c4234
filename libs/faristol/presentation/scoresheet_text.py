"""Scoresheet as on paper: its cells and footer, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.game_view import SheetLine, Side, minutes
from faristol.presentation.plays import PLAYS
from faristol.text import cite, translations

BLANKS = N_("Blanks")
BINGOS = N_("Bingos")
SIGNATURE = N_("Signature")


def play_cell(line: SheetLine, sheet: pb.Sheet, language: str) -> str:
    """Return the cell of a line: the play in the notation of the rules, or words for other lines.

    A withdrawn play states its reason. On a sheet without words, other turns are empty and only have a score.
    """
    read, entry = translations(language).gettext, line.entry
    if entry.kind in PLAYS:
        noted = " ".join(entry.noted_blanks)
        beside = [f"({read('blank')} {noted})"] if noted else []
        if entry.kind != pb.ENTRY_KIND_PLAY:
            beside.append(f"[{read(labels.WITHDRAWN.get(entry.withdrawn_for, line.label))}]")
        return " ".join(filter(None, (entry.sheet_play, *beside)))
    if entry.turn and not sheet.words:
        return ""
    more = {
        pb.ENTRY_KIND_RACK_PENALTY: line.tiles,
        pb.ENTRY_KIND_TIME_PENALTY: minutes(entry.overtime_ms),
        pb.ENTRY_KIND_LOST_TURN: f"({cite(entry.article, language)})" if entry.article else "",
    }.get(entry.kind, "")
    return f"{read(line.label)} {more}".rstrip()


def below(side: Side, sheet: pb.Sheet, language: str) -> Iterator[tuple[str, str]]:
    """Yield the footer of a player: titles with their values, empty for handwriting."""
    read = translations(language).gettext
    if sheet.bingos:
        yield read(BINGOS), str(side.of.bingos)
    if sheet.blanks:
        yield read(BLANKS), " ".join(side.of.blanks) or "–"
    if side.of.signs:
        yield read(SIGNATURE), ""
