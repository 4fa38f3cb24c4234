"""The notation of turns on the scoresheet: words, blanks, bingos and exchanges, by the rule book.

The section ``[scoresheet]`` of a ruleset determines it; this module knows no federation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from faristol.rules.board import Tile
from faristol.rules.notation import Notation, write_word
from faristol.rules.placement import Word
from faristol.rules.ruleset.sections import Scoresheet

DASH = "–"
MINUS = "−"


class WrittenLine(NamedTuple):
    """A line of the sheet as a person writes it."""

    play: str = ""
    """The word, after its start if the sheet has coordinates; empty if it has no words."""
    score: str = ""
    circled: bool = False
    """Whether the score is circled."""
    blanks: tuple[str, ...] = ()
    """Letters of the blanks, noted beside the word."""


def write_play(
    sheet: Scoresheet, words: Sequence[Word], laid: Sequence[Tile], score: int, *, bingo: bool
) -> WrittenLine:
    """Format a play of ``words``, the main word first, with the tiles ``laid``; a withdrawn one scores 0."""
    shown = {"main": words[:1], "all": words, "none": ()}[sheet.words]
    if score == 0 and sheet.zero_plays == "zero":
        shown = ()
    circled = bingo and score != 0 and sheet.bingo == "circled"
    return WrittenLine(
        play=", ".join(_format_word(sheet, word) for word in shown),
        score=str(score),
        circled=circled,
        blanks=_blanks(laid) if shown and sheet.blank == "letter" else (),
    )


def write_exchange(sheet: Scoresheet) -> WrittenLine:
    """Format an exchange: a dash in the column of scores, a zero, or an empty field (FISC I.9, PES Δ.β.iii)."""
    return WrittenLine(score={"dash": DASH, "zero": "0", "none": ""}[sheet.exchange])


def write_change(points: int) -> WrittenLine:
    """Format points added or deducted outside turns, with their sign; a plain ``0``."""
    return WrittenLine(score=f"+{points}" if points > 0 else f"{MINUS}{-points}" if points else "0")


def blanks_in_field(sheet: Scoresheet, laid: Sequence[Tile]) -> tuple[str, ...]:
    """Return letters of the blanks among ``laid`` if the sheet has a field for them, else none (PES Δ.β)."""
    return _blanks(laid) if sheet.blank == "field" else ()


def _blanks(laid: Sequence[Tile]) -> tuple[str, ...]:
    return tuple(tile.face for tile in laid if tile.blank)


def _format_word(sheet: Scoresheet, word: Word) -> str:
    marked = sheet.blank == "parentheses"
    text = write_word(word.tiles if marked else (Tile(tile.face) for tile in word.tiles))
    return text if sheet.coordinates == "none" else f"{Notation.FISC.write(word.start)} {text}"
