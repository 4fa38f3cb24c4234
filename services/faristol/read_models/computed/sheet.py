"""A game's scoresheet in the form of its rules."""

from __future__ import annotations

from collections.abc import Iterable, Set

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.rules import Ruleset
from faristol.rules.board import Direction, Square, Tile
from faristol.rules.notation import Start, word_tiles
from faristol.rules.placement import Word
from faristol.rules.sheet import WrittenLine, blanks_in_field, write_change, write_exchange, write_play

_PLAYS = frozenset({results.ENTRY_KIND_PLAY, results.ENTRY_KIND_PHONY, results.ENTRY_KIND_WITHDRAWN})
_EXCHANGES = frozenset({results.ENTRY_KIND_EXCHANGE, results.ENTRY_KIND_FREE_EXCHANGE})


def write_pinned(shown: results.GetGameResponse) -> None:
    """Fill the sheet of ``shown`` by the rules that the game pins; no effect if they are not installed."""
    try:
        ruleset = ruleset_of(shown.ruleset)
    except Refusal:
        return
    write_sheet(shown, ruleset)


def write_sheet(shown: results.GetGameResponse, ruleset: Ruleset) -> None:
    """Fill every line's ``sheet_…`` fields and ``sheet`` of ``shown`` by these rules."""
    form = ruleset.scoresheet
    blanks = {Square(tile.row, tile.column) for tile in shown.board if tile.blank}
    shown.sheet.words = form.words != "none"
    shown.sheet.bingos = form.bingo == "counted"
    shown.sheet.blanks = form.blank == "field"
    sides = {seat.player_id: shown.sheet.sides.add(player_id=seat.player_id) for seat in shown.seats}
    for place, side in enumerate(sides.values()):
        side.signs = form.signers == "both" or (form.signers == "keeper" and place == 0)
    for entry in shown.entries:
        written = _line(entry, blanks, ruleset)
        entry.sheet_play, entry.sheet_score, entry.circled = written.play, written.score, written.circled
        entry.noted_blanks.extend(written.blanks)
        if entry.kind == results.ENTRY_KIND_PLAY:
            sides[entry.player_id].bingos += entry.bingo
            sides[entry.player_id].blanks.extend(blanks_in_field(form, _to_tiles(entry.placements)))


def _line(entry: results.Entry, blanks: Set[Square], ruleset: Ruleset) -> WrittenLine:
    form = ruleset.scoresheet
    if entry.kind in _PLAYS:
        laid = {Square(tile.row, tile.column): tile.blank for tile in entry.placements}
        own = {square for square, blank in laid.items() if blank}
        words = [_to_word(word, own | (blanks - laid.keys())) for word in entry.words]
        return write_play(form, words, _to_tiles(entry.placements), entry.score, bingo=entry.bingo)
    if entry.kind in _EXCHANGES:
        return write_exchange(form)
    return WrittenLine(score="0") if entry.turn else write_change(entry.score)


def _to_word(word: game.ScoredWord, blanks: Set[Square]) -> Word:
    start = Start(Square(word.row, word.column), Direction.ACROSS if word.across else Direction.DOWN)
    return Word(start, word_tiles(word.word.faces, start, blanks))


def _to_tiles(placements: Iterable[game.Placement]) -> list[Tile]:
    return [Tile(tile.face, tile.blank) for tile in placements]
